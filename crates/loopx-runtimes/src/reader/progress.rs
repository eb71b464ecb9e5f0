//! How far a file was folded, kept so that the next look goes on from there.

use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;

use jiff::Timestamp;
use loopx_contract::LineCounts;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::lines::{Buffer, Lines, Shape};
use super::{Ending, Extent, Fold, LineClass, Opened, Place, Reading, clean, is_fresh};

/// How many bytes before the offset are remembered by their hash.
const MARK: usize = 64;

/// A fold of the lines up to an offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress<F> {
    /// The fold.
    pub fold: F,
    /// The first byte that is not folded: a line begins there.
    pub offset: u64,
    /// Which part of the file is folded, seen from its end.
    pub extent: Extent,
    /// What became of the lines.
    pub lines: LineCounts,
    /// The hash of the last bytes before the offset.
    mark: u64,
    /// The number of the last line folded.
    number: u64,
    /// Whether the last of them was lost.
    torn: bool,
}

/// What stands behind the last newline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rest<F> {
    /// Nothing.
    Nothing,
    /// A record whose newline is missing; the fold with it.
    Record(F, LineCounts),
    /// No record: one that is being written, or was never finished.
    Torn,
}

impl<F> Rest<F> {
    /// The fold with the record that stands there.
    pub const fn fold(&self) -> Option<&F> {
        match self {
            Self::Record(fold, _) => Some(fold),
            Self::Nothing | Self::Torn => None,
        }
    }
}

impl<F: Fold> Progress<F> {
    /// Nothing is folded yet.
    pub fn new(fold: F) -> Self {
        Self {
            fold,
            offset: 0,
            extent: Extent::Whole,
            lines: LineCounts::default(),
            mark: xxh3_64(&[]),
            number: 0,
            torn: false,
        }
    }

    /// Begins in the middle of a file: behind the first newline from `start` on. Says how many bytes were skipped.
    pub fn enter(&mut self, opened: &mut Opened, start: u64, buffer: &mut Buffer) -> io::Result<u64> {
        opened.file.seek(SeekFrom::Start(start))?;
        let mut lines = Lines::new((&opened.file).take(opened.len.saturating_sub(start)), start, buffer);
        if matches!(lines.advance()?, Some(Shape::Oversized | Shape::Endless)) {
            self.lines.oversized += 1;
        }
        self.offset = lines.next_start();
        Ok(self.offset - start)
    }

    /// Whether the file still begins with what was folded.
    pub fn holds(&self, opened: &Opened) -> io::Result<bool> {
        Ok(opened.len >= self.offset && mark_of(opened, self.offset)? == self.mark)
    }

    /// Folds on to the end of the file.
    pub fn advance(&mut self, opened: &mut Opened, buffer: &mut Buffer) -> io::Result<Rest<F>> {
        let from = self.offset;
        if from > 0 || opened.moved {
            opened.file.seek(SeekFrom::Start(from))?;
        }
        opened.moved = true;
        let source = (&opened.file).take(opened.len.saturating_sub(from));
        let (rest, mark) = self.fold_all(source, buffer)?;
        if self.offset > from {
            self.mark = match mark {
                Some(mark) => mark,
                None => mark_of(opened, self.offset)?,
            };
        }
        Ok(rest)
    }

    /// Folds what a source gives, which begins at the offset.
    pub fn read(&mut self, source: impl Read, buffer: &mut Buffer) -> io::Result<Rest<F>> {
        self.fold_all(source, buffer).map(|(rest, _)| rest)
    }

    /// The same; also gives the hash of the last bytes before the new offset, where they are still at hand.
    fn fold_all(&mut self, source: impl Read, buffer: &mut Buffer) -> io::Result<(Rest<F>, Option<u64>)> {
        let mut lines = Lines::new(source, self.offset, buffer);
        while let Some(shape) = lines.advance()? {
            let place = Place { line: self.number + 1, offset: lines.start() };
            let text = clean(lines.start(), lines.bytes());
            match shape {
                Shape::Unended => return Ok((self.unended(place, text), None)),
                // It begins here still when its end is written.
                Shape::Endless => return Ok((Rest::Torn, None)),
                Shape::Ended | Shape::Oversized => {}
            }
            self.number = place.line;
            self.offset = lines.next_start();
            if shape == Shape::Oversized {
                self.lines.oversized += 1;
                self.torn = true;
            } else if !text.trim_ascii().is_empty() {
                let class = self.fold.line(place, text);
                self.torn = class == LineClass::Malformed;
                count(&mut self.lines, class);
            }
        }
        let len = usize::try_from(self.offset).map_or(MARK, |offset| offset.min(MARK));
        Ok((Rest::Nothing, lines.before(len).map(xxh3_64)))
    }

    fn unended(&self, place: Place, text: &[u8]) -> Rest<F> {
        if text.trim_ascii().is_empty() {
            return Rest::Nothing;
        }
        let mut fold = self.fold.clone();
        match fold.line(place, text) {
            LineClass::Malformed => Rest::Torn,
            class @ (LineClass::Known | LineClass::UnknownType) => {
                let mut lines = self.lines;
                count(&mut lines, class);
                Rest::Record(fold, lines)
            }
        }
    }

    /// What the file says by now.
    pub fn reading(self, rest: Rest<F>, modified: Option<Timestamp>, now: Timestamp) -> Reading<F> {
        let Self { fold, extent, lines, torn, .. } = self;
        let ending = if torn { Ending::Torn } else { Ending::Clean };
        match rest {
            Rest::Nothing => Reading { fold, lines, extent, ending },
            Rest::Record(fold, lines) => Reading { fold, lines, extent, ending: Ending::Clean },
            Rest::Torn if is_fresh(modified, now) => Reading { fold, lines, extent, ending: Ending::Growing },
            Rest::Torn => {
                let lines = LineCounts { malformed: lines.malformed + 1, ..lines };
                Reading { fold, lines, extent, ending: Ending::Torn }
            }
        }
    }
}

const fn count(lines: &mut LineCounts, class: LineClass) {
    match class {
        LineClass::Known => lines.read += 1,
        LineClass::UnknownType => lines.unknown_type += 1,
        LineClass::Malformed => lines.malformed += 1,
    }
}

/// The hash of the last bytes before an offset.
fn mark_of(opened: &Opened, offset: u64) -> io::Result<u64> {
    let len = usize::try_from(offset).map_or(MARK, |offset| offset.min(MARK));
    let mut bytes = [0; MARK];
    let bytes = bytes.get_mut(..len).unwrap_or_default();
    opened.file.read_exact_at(bytes, offset - len as u64)?;
    Ok(xxh3_64(bytes))
}
