//! The shared reader: bytes of a foreign file, tail first, into a fold of one runtime's records.

pub mod field;
mod lines;
mod open;
mod walk;

use std::io::{self, Read, Seek, SeekFrom};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::LineCounts;

pub use lines::{LINE_CAP, Lines, Shape};
pub use open::{Opened, kind_of, modified, open, small};
pub use walk::{Found, Walk, files};

/// The first look at a file's end, in bytes.
const TAIL: u64 = 64 << 10;
/// The most that is read backwards, in bytes.
const BUDGET: u64 = 8 << 20;
/// The most that is searched for the beginning of a line that fills the budget by itself.
const FAR: u64 = 64 << 20;
/// The longest first line that is read, in bytes.
const HEAD_CAP: u64 = 256 << 10;
/// A file written to this lately may have a last line that is still being written.
const FRESH: SignedDuration = SignedDuration::from_secs(10);

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1; counted from the first line read.
    pub line: u64,
    /// The line's first byte in the file.
    pub offset: u64,
}

/// What a line turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineClass {
    /// A record that is understood.
    Known,
    /// A record of a type that is not.
    UnknownType,
    /// No record of the format.
    Malformed,
}

/// One runtime's records, folded in file order.
pub trait Fold {
    /// Takes one line.
    fn line(&mut self, place: Place, text: &str) -> LineClass;
    /// Whether what was folded decides the turn without anything older.
    fn decided(&self) -> bool;
}

/// Which part of a file was folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its end, as much as the answer needed.
    Enough,
    /// Its end, and the answer may lie further back.
    Short,
}

/// How the last line stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Complete.
    Clean,
    /// Being written right now.
    Growing,
    /// Lost: torn and nobody has gone on writing it, or too long to hold, or no record.
    Torn,
}

/// A fold and how it came about.
#[derive(Debug)]
pub struct Reading<F> {
    /// The fold.
    pub fold: F,
    /// What became of the lines.
    pub lines: LineCounts,
    /// How much was read.
    pub extent: Extent,
    /// How the file ends.
    pub ending: Ending,
}

impl<F> Reading<F> {
    /// Whether there is something in the file, and nothing of it could be read. Its name says that it is a session's.
    pub const fn is_unreadable(&self) -> bool {
        let lost = self.lines.malformed + self.lines.oversized + self.lines.unknown_type;
        self.lines.read == 0 && (lost > 0 || !matches!(self.ending, Ending::Clean))
    }
}

/// The first line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// The line.
    Line(String),
    /// There is none yet, or it is too long to hold.
    Missing,
}

/// Reads the first line of a file, up to a cap.
pub fn head(opened: &mut Opened) -> io::Result<Head> {
    opened.file.seek(SeekFrom::Start(0))?;
    let mut lines = Lines::new((&mut opened.file).take(HEAD_CAP.min(opened.len)), 0);
    Ok(match lines.advance()? {
        Some(Shape::Ended) => Head::Line(clean(0, lines.bytes()).into_owned()),
        Some(Shape::Unended) if opened.len <= HEAD_CAP => Head::Line(clean(0, lines.bytes()).into_owned()),
        _ => Head::Missing,
    })
}

/// Folds the end of a file, growing backwards until the fold is decided or the budget is spent.
pub fn tail<F: Fold>(opened: &mut Opened, now: Timestamp, make: impl Fn() -> F) -> io::Result<Reading<F>> {
    let mut window = TAIL;
    loop {
        let start = opened.len.saturating_sub(window);
        let (mut reading, partial) = span(opened, start, now, make())?;
        if start == 0 || reading.fold.decided() {
            reading.extent = if start == 0 { Extent::Whole } else { Extent::Enough };
            return Ok(reading);
        }
        window = match window {
            window if window < BUDGET => (window * 2).min(BUDGET),
            // One huge line fills the window: its beginning is worth a search, for it isn't held.
            BUDGET if partial > BUDGET / 2 => FAR,
            _ => {
                reading.extent = Extent::Short;
                return Ok(reading);
            }
        };
    }
}

/// Folds a whole file.
pub fn whole<F: Fold>(opened: &mut Opened, now: Timestamp, fold: F) -> io::Result<Reading<F>> {
    span(opened, 0, now, fold).map(|(reading, _)| reading)
}

/// Folds from `start` to the end; also says how many bytes of a cut-off first line were dropped.
fn span<F: Fold>(
    opened: &mut Opened,
    start: u64,
    now: Timestamp,
    mut fold: F,
) -> io::Result<(Reading<F>, u64)> {
    opened.file.seek(SeekFrom::Start(start))?;
    let mut lines = Lines::new((&mut opened.file).take(opened.len - start), start);
    let mut counts = LineCounts::default();
    let mut ending = Ending::Clean;
    let mut partial = 0;
    if start > 0 {
        // The window begins inside a line.
        if lines.advance()? == Some(Shape::Oversized) {
            counts.oversized += 1;
        }
        partial = lines.next_start() - start;
    }
    let mut number = 0;
    while let Some(shape) = lines.advance()? {
        number += 1;
        if shape == Shape::Oversized {
            counts.oversized += 1;
            ending = Ending::Torn;
            continue;
        }
        let text = clean(lines.start(), lines.bytes());
        if text.trim().is_empty() {
            continue;
        }
        match fold.line(Place { line: number, offset: lines.start() }, &text) {
            LineClass::Known => {
                counts.read += 1;
                ending = Ending::Clean;
            }
            LineClass::UnknownType => {
                counts.unknown_type += 1;
                ending = Ending::Clean;
            }
            LineClass::Malformed if shape == Shape::Unended && is_fresh(opened.modified, now) => {
                ending = Ending::Growing;
            }
            LineClass::Malformed => {
                counts.malformed += 1;
                ending = Ending::Torn;
            }
        }
    }
    Ok((Reading { fold, lines: counts, extent: Extent::Whole, ending }, partial))
}

fn is_fresh(modified: Option<Timestamp>, now: Timestamp) -> bool {
    modified.is_some_and(|at| now.duration_since(at) < FRESH)
}

/// The text of a line: lossy, without a byte order mark at the file's start and a carriage return at its end.
fn clean(offset: u64, bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let bytes = if offset == 0 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
    String::from_utf8_lossy(bytes)
}
