//! Short aligned columns, instants as people read them, and words of closed sets: what the `list` verbs share.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use clap::builder::{PossibleValuesParser, TypedValueParser};

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

/// An instant in a time zone, with how far that is from UTC.
pub fn local(at: Timestamp, zone: &TimeZone) -> String {
    if *zone == TimeZone::UTC {
        return at.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
    }
    at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%:z").to_string()
}

/// A sentence of a first screen, as the operator reads it: its instants are the contract's, UTC, and are shown local.
pub fn localized(text: &str, zone: &TimeZone) -> String {
    // As in 2026-11-29T23:31:00Z.
    const BEFORE_Z: usize = 19;
    let shape = |found: &str| {
        let mut bytes = found.bytes().zip("0000-00-00T00:00:00Z".bytes());
        bytes.all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { byte == like })
    };
    let (mut out, mut rest) = (String::new(), text);
    while let Some(end) = rest.find('Z') {
        let found =
            end.checked_sub(BEFORE_Z).and_then(|start| rest.get(start..=end)).filter(|found| shape(found));
        let at: Option<Timestamp> = found.and_then(|found| found.parse().ok());
        match at {
            Some(at) => out += &format!("{}{}", &rest[..end - BEFORE_Z], local(at, zone)),
            None => out += &rest[..=end],
        }
        rest = &rest[end + 1..];
    }
    out + rest
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stood_in_utc_beside_local_ones() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        for (text, shown) in [
            (
                "no automatic turn before 2026-11-29T23:31:00Z",
                "no automatic turn before 2026-11-30 01:31:00+02:00",
            ),
            (
                "2026-11-29T23:31:00Z, Z or 2026-11-29T00:00:00Z.",
                "2026-11-30 01:31:00+02:00, Z or 2026-11-29 02:00:00+02:00.",
            ),
            ("wait for 2026-99-29T23:31:00Z: éZ", "wait for 2026-99-29T23:31:00Z: éZ"),
            ("Z", "Z"),
        ] {
            assert_eq!(localized(text, &zone), shown);
        }
        assert_eq!(localized("at 2026-11-29T23:31:00Z", &TimeZone::UTC), "at 2026-11-29 23:31:00Z");
    }
}
