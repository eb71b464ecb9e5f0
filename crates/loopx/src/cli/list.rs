//! Short aligned columns, instants as people read them, and words of closed sets: what the `list` verbs share.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use crate::app::times::{local, localized};
use crate::cli::Context;
use crate::ui::{Tone, Ui};

/// Rows of cells. Every column but the last is as wide as its widest cell.
pub struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With a heading over each column.
    pub fn new<const N: usize>(head: [&'static str; N]) -> Self {
        Self { head: head.to_vec(), rows: Vec::new() }
    }

    /// Without headings.
    pub fn plain() -> Self {
        Self { head: Vec::new(), rows: Vec::new() }
    }

    /// Adds a row. Cells may hold colour.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Shows it.
    pub fn show(self, ui: &mut Ui) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(self.head.len());
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| seen(cell));
            cells.chain(self.head.get(column).map(|head| head.chars().count())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let join = |cells: &[String]| {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                line += cell;
                line += &" ".repeat(width.saturating_sub(seen(cell)) + 2);
            }
            line.trim_end().to_owned()
        };
        if !self.head.is_empty() {
            let head: Vec<String> = self.head.iter().map(|&head| head.to_owned()).collect();
            let head = ui.tone(Tone::Dim, &join(&head));
            ui.line(&head);
        }
        for row in &self.rows {
            ui.line(&join(row));
        }
    }
}

/// How many characters of a cell are seen: colour is not.
fn seen(cell: &str) -> usize {
    let mut count = 0;
    let mut hidden = false;
    for c in cell.chars() {
        match (hidden, c) {
            (false, '\u{1b}') => hidden = true,
            (false, _) => count += 1,
            (true, 'm') => hidden = false,
            (true, _) => {}
        }
    }
    count
}

/// An instant as the operator reads it: local, or UTC where `display.time` says so.
pub fn when(context: &Context, at: Timestamp) -> String {
    local(at, &zone(context))
}

/// The operator's time zone: UTC where `display.time` says so, else what `TZ` names, else the system's.
pub fn zone(context: &Context) -> TimeZone {
    if context.config.shows_utc() { TimeZone::UTC } else { local_zone(context) }
}

/// The time zone of the clock on the wall: what `TZ` names, else the system's.
pub fn local_zone(context: &Context) -> TimeZone {
    match context.env.var("TZ") {
        Some(name) => TimeZone::get(name).unwrap_or(TimeZone::UTC),
        None => TimeZone::system(),
    }
}

/// A closed set of words and what each means.
pub type Words<T> = &'static [(&'static str, T)];

/// A parser of one of these words: help and completions list them.
pub fn words<T: Copy + Send + Sync + 'static>(words: Words<T>) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).try_map(move |word: String| {
        words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value).ok_or("an unknown word")
    })
}

/// The word of a value.
pub fn word<T: PartialEq>(words: Words<T>, value: &T) -> &'static str {
    words.iter().find(|(_, known)| known == value).map_or("?", |(word, _)| word)
}

/// One of a few words over a count: `1 todo`, `2 todos`.
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
