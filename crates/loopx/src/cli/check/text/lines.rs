//! The lines of a text of any length, in bounded memory: a line that is longer than a piece comes in pieces that
//! overlap.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use super::piece::{LONGEST, OVERLAP, Origin, Piece, Shared, next_char, on_one_line};

/// Whether all of a text was sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// It was.
    Sound,
    /// Some bytes were no text: a sign stands for them.
    Lossy,
}

/// Goes through a text, which is meant to be UTF-8.
pub fn pieces(mut reader: impl BufRead, mut each: impl FnMut(&Piece<'_>)) -> io::Result<Soundness> {
    let mut soundness = Soundness::Sound;
    let mut state = State { bytes: Vec::new(), line: 1, before: 0, common: 0 };
    loop {
        let room = LONGEST - state.bytes.len();
        let read = reader.by_ref().take(room as u64).read_until(b'\n', &mut state.bytes)?;
        if read == 0 && state.bytes.is_empty() {
            return Ok(soundness);
        }
        let is_whole = state.bytes.last() == Some(&b'\n') || read < room;
        if is_whole { state.end(&mut each, &mut soundness) } else { state.cut(&mut each, &mut soundness) }
    }
}

struct State {
    bytes: Vec<u8>,
    line: u64,
    /// Characters of the line before these bytes.
    before: usize,
    /// Characters that the piece before had too.
    common: usize,
}

impl State {
    /// The last piece of a line.
    fn end(&mut self, each: &mut impl FnMut(&Piece<'_>), soundness: &mut Soundness) {
        let bytes = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = decoded(bytes, soundness);
        let shared = Shared { before: self.common, after: 0 };
        each(&Piece { text, origin: Origin::Line { line: self.line, before: self.before }, shared });
        self.bytes.clear();
        (self.before, self.common) = (0, 0);
        self.line += 1;
    }

    /// A piece that goes on; its end stays.
    fn cut(&mut self, each: &mut impl FnMut(&Piece<'_>), soundness: &mut Soundness) {
        let end = self.bytes.len() - unfinished(&self.bytes);
        let next = next_char(&self.bytes, end.saturating_sub(OVERLAP));
        let text = decoded(&self.bytes[..end], soundness);
        let after = String::from_utf8_lossy(&self.bytes[next..end]).chars().count();
        let width = text.chars().count();
        let shared = Shared { before: self.common, after };
        each(&Piece { text, origin: Origin::Line { line: self.line, before: self.before }, shared });
        self.before += width - after;
        self.common = after;
        self.bytes.drain(..next);
    }
}

fn decoded<'a>(bytes: &'a [u8], soundness: &mut Soundness) -> Cow<'a, str> {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        *soundness = Soundness::Lossy;
    }
    on_one_line(text)
}

/// How many bytes at the end begin a character that goes on.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(3).position(|byte| byte & 0xc0 != 0x80);
    let Some(back) = last.map(|position| position + 1) else { return 0 };
    let needs = match bytes[bytes.len() - back] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0.. => 4,
        _ => 1,
    };
    if needs > back { back } else { 0 }
}
