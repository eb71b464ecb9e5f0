//! A piece of text to be screened: a line, a run of text in a binary file, or a part of one that is very long.

use std::borrow::Cow;
use std::ops::Range;

use super::finding::Place;

/// The longest piece, in bytes. What is longer comes in pieces that overlap.
pub const LONGEST: usize = 1 << 20;

/// How much of a piece is in the next one too, in bytes.
pub const OVERLAP: usize = 512;

/// One piece.
#[derive(Debug)]
pub struct Piece<'a> {
    /// Its text.
    pub text: Cow<'a, str>,
    /// Where it comes from.
    pub origin: Origin,
    /// What its neighbours hold too.
    pub shared: Shared,
}

/// Characters that two neighbours have in common: 0 where there is no neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared {
    /// With the piece before.
    pub before: usize,
    /// With the piece after.
    pub after: usize,
}

/// Where a piece comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// A line, and how many characters of it come before.
    Line {
        /// Counted from 1.
        line: u64,
        /// Characters.
        before: usize,
    },
    /// A run of bytes, and how many bytes a character has.
    Bytes {
        /// The first.
        offset: u64,
        /// 1 or 2.
        width: u64,
    },
}

impl Origin {
    /// The place of these columns of the piece.
    pub fn place(self, columns: &Range<usize>) -> Place {
        match self {
            Self::Line { line, before } => Place::Line(line, columns.start + before..columns.end + before),
            Self::Bytes { offset, width } => {
                let byte = |column: usize| offset + width * (column as u64 - 1);
                Place::Bytes(byte(columns.start)..byte(columns.end))
            }
        }
    }
}

/// The text with a space for each tab and for each character that breaks a line: these are no findings in a file.
pub fn on_one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if text.contains(breaks) { text.replace(breaks, " ").into() } else { text }
}

/// The first byte at or after `at` that begins a character.
pub fn next_char(bytes: &[u8], at: usize) -> usize {
    // At most three bytes go on a character: a longer run of them is no text.
    (at..=at + 3).find(|&at| bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(at)
}
