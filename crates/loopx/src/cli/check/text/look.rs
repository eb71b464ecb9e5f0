//! One file looked into: what stands against it, but for what is excepted.

use std::fs;
use std::io::{self, BufReader, Cursor, Read};

use loopx_safety::PrivateWords;

use super::allow::{Allow, OfFile};
use super::content::{Content, Encoding, HEAD, ReadAs};
use super::finding::{Finding, Kind, Place, Why};
use super::lines::{self, Soundness};
use super::piece::Piece;
use super::runs;
use super::search;
use super::utf16::Utf16;
use super::walk::{Item, What};

/// How many findings of a file are listed; the rest are counted.
const LISTED: usize = 10_000;

/// What came of a file.
#[derive(Debug, Default)]
pub struct Looked {
    /// How it was read, where that is no plain UTF-8.
    pub read_as: Option<ReadAs>,
    /// What stands against it, in the order of the file.
    pub findings: Vec<Finding>,
    /// Findings that are not listed.
    pub unlisted: usize,
    /// Findings that are excepted.
    pub excepted: usize,
}

/// Looks into it.
pub fn into(item: &Item, words: &PrivateWords, allow: &Allow) -> Looked {
    let mut look = Look { words, allow: allow.of(&item.path), looked: Looked::default() };
    for finding in &item.findings {
        look.note(finding.clone());
    }
    let read = match item.what {
        What::File(_) => fs::File::open(&item.full).and_then(|file| look.read(file)),
        What::Stdin => look.read(io::stdin().lock()),
        What::Link | What::Other => Ok(()),
    };
    if read.is_err() {
        look.note(Finding { kind: Kind::Unread(Why::Unreadable), place: Place::Whole });
    }
    look.looked
}

struct Look<'a> {
    words: &'a PrivateWords,
    allow: OfFile<'a>,
    looked: Looked,
}

impl Look<'_> {
    fn read(&mut self, mut source: impl Read) -> io::Result<()> {
        let mut head = Vec::new();
        source.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let content = Content::of(&head);
        let skip = match content {
            Content::Text(Encoding::Utf8(skip)) => skip,
            Content::Text(Encoding::Utf16(_)) => 2,
            Content::Binary(_) | Content::Packed => 0,
        };
        let mut head = Cursor::new(head);
        head.set_position(skip as u64);
        let whole = BufReader::with_capacity(HEAD, head.chain(source));
        match content {
            Content::Packed => self.note(Finding { kind: Kind::Unread(Why::Packed), place: Place::Whole }),
            Content::Binary(shortest) => {
                self.looked.read_as = Some(ReadAs::Binary);
                runs::pieces(whole, shortest, |piece| self.piece(piece))?;
            }
            Content::Text(Encoding::Utf16(order)) => {
                self.looked.read_as = Some(ReadAs::Utf16);
                lines::pieces(BufReader::new(Utf16::new(whole, order)), |piece| self.piece(piece))?;
            }
            Content::Text(Encoding::Utf8(_)) => {
                if lines::pieces(whole, |piece| self.piece(piece))? == Soundness::Lossy {
                    self.looked.read_as = Some(ReadAs::Lossy);
                }
            }
        }
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'_>) {
        let found = search::all(&piece.text, piece.shared, self.words);
        for refusal in found.refusals {
            let place = piece.origin.place(&refusal.columns);
            self.note(Finding { kind: Kind::Refused(refusal.class), place });
        }
        for columns in found.crowded {
            self.note(Finding { kind: Kind::Unread(Why::Crowded), place: piece.origin.place(&columns) });
        }
    }

    fn note(&mut self, finding: Finding) {
        let looked = &mut self.looked;
        if self.allow.excepts(&finding) {
            looked.excepted += 1;
        } else if looked.findings.len() == LISTED {
            looked.unlisted += 1;
        } else if looked.findings.last() != Some(&finding) {
            looked.findings.push(finding);
        }
    }
}
