//! Settings files of others, edited as text: what is ours is put in and taken out again, and not a byte of theirs is
//! touched. A parser of others says where; nothing is ever written anew from what was parsed.

pub mod file;
pub mod json;
mod piece;
pub mod toml;

use std::fmt;
use std::ops::Range;

pub use piece::{Before, Piece, Site, Taken};

/// A place in a text: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Position {
    /// Of a byte of a text.
    pub fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.line, self.column)
    }
}

/// Why a text is not edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, if it is somewhere.
    pub at: Option<Position>,
    /// What is wrong there, in our words.
    pub what: &'static str,
}

impl Fault {
    /// Something is wrong at a byte of a text.
    pub fn at(text: &str, at: usize, what: &'static str) -> Self {
        Self { at: Some(Position::of(text, at)), what }
    }

    /// Something is wrong with all of it.
    pub const fn whole(what: &'static str) -> Self {
        Self { at: None, what }
    }
}

/// A text of which pieces have been taken out.
#[derive(Clone, Debug)]
pub struct Rest<'a> {
    original: &'a str,
    text: String,
    /// What was taken out, in turn: each of what was left then.
    cuts: Vec<Range<usize>>,
}

impl<'a> Rest<'a> {
    /// All of a text.
    pub fn of(original: &'a str) -> Self {
        Self { original, text: original.to_owned(), cuts: Vec::new() }
    }

    /// What is left.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes bytes out, in ascending order.
    pub fn cut(&mut self, ranges: Vec<Range<usize>>) {
        self.text = without(&self.text, &ranges);
        self.cuts.extend(ranges.into_iter().rev());
    }

    /// Where a byte of what is left stands in the text as it is.
    pub fn place(&self, at: usize) -> Position {
        let there = |at, cut: &Range<usize>| if cut.start <= at { at + cut.len() } else { at };
        Position::of(self.original, self.cuts.iter().rev().fold(at, there))
    }
}

/// What ends a line of a text: as its first line does.
fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// A text with others put in at bytes of it, in ascending order.
fn with(text: &str, pieces: &[(usize, &str)]) -> String {
    let mut out =
        String::with_capacity(text.len() + pieces.iter().map(|(_, piece)| piece.len()).sum::<usize>());
    let mut from = 0;
    for (at, piece) in pieces {
        out += &text[from..*at];
        out += piece;
        from = *at;
    }
    out + &text[from..]
}

/// A text without some of its bytes, in ascending order.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        out += &text[from..range.start];
        from = range.end;
    }
    out + &text[from..]
}
