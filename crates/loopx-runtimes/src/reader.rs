//! The shared reader: bytes of a foreign file into a fold of one runtime's records, tail first or from where it stopped.

pub mod field;
mod lines;
mod open;
mod packed;
mod progress;
pub mod skim;
mod walk;

use std::io::{self, Read, Seek, SeekFrom};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::LineCounts;
use serde::{Deserialize, Serialize};

pub use lines::{Buffer, LINE_CAP, Lines, Shape};
pub use open::{Identity, Opened, kind_of, modified, open, small};
pub use packed::{is_packed, unpacked};
pub use progress::{Progress, Rest};
pub use walk::{Found, Of, Step, Steps, Walk, files, walk};

/// The first look at a file's end, in bytes.
const TAIL: u64 = 16 << 10;
/// The most that is read backwards, in bytes.
const BUDGET: u64 = 8 << 20;
/// The most that is searched for the beginning of a line that fills the budget by itself.
const FAR: u64 = 64 << 20;
/// The longest first line that is read, in bytes.
const HEAD_CAP: u64 = 256 << 10;
/// A file written to this lately may have a last line that is still being written.
const FRESH: SignedDuration = SignedDuration::from_secs(10);

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
pub trait Fold: Clone {
    /// Takes one line, without its line end.
    fn line(&mut self, place: Place, line: &[u8]) -> LineClass;
    /// Whether what was folded decides the turn without anything older.
    fn decided(&self) -> bool;
}

/// Which part of a file was folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug)]
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

/// Folds the first line of a file, up to a cap.
pub fn head<F: Fold>(opened: &mut Opened, fold: &mut F, buffer: &mut Buffer) -> io::Result<()> {
    opened.file.seek(SeekFrom::Start(0))?;
    opened.moved = true;
    let mut lines = Lines::new((&opened.file).take(HEAD_CAP.min(opened.len)), 0, buffer);
    let complete = match lines.advance()? {
        Some(Shape::Ended) => true,
        Some(Shape::Unended) => opened.len <= HEAD_CAP,
        Some(Shape::Oversized | Shape::Endless) | None => false,
    };
    if complete {
        fold.line(Place { line: 1, offset: 0 }, clean(0, lines.bytes()));
    }
    Ok(())
}

/// Folds the end of a file, growing backwards until the fold is decided or the budget is spent.
pub fn tail<F: Fold>(
    opened: &mut Opened,
    make: impl Fn() -> F,
    buffer: &mut Buffer,
) -> io::Result<(Progress<F>, Rest<F>)> {
    let mut window = TAIL;
    loop {
        let start = opened.len.saturating_sub(window);
        let mut progress = Progress::new(make());
        let partial = if start > 0 { progress.enter(opened, start, buffer)? } else { 0 };
        let rest = progress.advance(opened, buffer)?;
        let decided = rest.fold().unwrap_or(&progress.fold).decided();
        if start == 0 || decided {
            progress.extent = if start == 0 { Extent::Whole } else { Extent::Enough };
            return Ok((progress, rest));
        }
        window = match window {
            window if window < BUDGET => (window * 4).min(BUDGET),
            // One huge line fills the window: its beginning is worth a search, for it isn't held.
            BUDGET if partial > BUDGET / 2 => FAR,
            _ => {
                progress.extent = Extent::Short;
                return Ok((progress, rest));
            }
        };
    }
}

fn is_fresh(modified: Option<Timestamp>, now: Timestamp) -> bool {
    modified.is_some_and(|at| now.duration_since(at) < FRESH)
}

/// A line without a byte order mark at the file's start and a carriage return at its end.
fn clean(offset: u64, bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if offset == 0 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes }
}
