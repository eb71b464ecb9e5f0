//! A spool: one line an entry, appended by whoever has something to tell, read by whoever looks next. Nobody waits for a
//! reader.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// From this length on a reader writes the spool anew with what still counts, in bytes.
pub(crate) const LONG: u64 = 256 << 10;

/// The longest spool, in bytes: where nobody ever reads, nothing more is appended. The next reader begins it anew.
pub(crate) const LONGEST: u64 = 16 << 20;

/// How far back it is looked what a session told last, in bytes.
const BACK: u64 = 64 << 10;

/// How often it is looked whether a reader is done with the spool, and how long is waited in between.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// A session of which nothing was told for this long is forgotten.
pub(crate) const FORGOTTEN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Between when a spool was full, so that what was told was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// When the last entry had a place, UTC.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub from: Timestamp,
    /// When a reader began it anew, UTC; none where it is full still.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub until: Option<Timestamp>,
}

/// The first line of a spool that was begun anew.
#[derive(Serialize, Deserialize)]
struct Mark {
    dropped: Dropped,
}

/// What a line of a spool holds.
pub(crate) trait Entry: Clone + Ord + Serialize + DeserializeOwned {
    /// What tells sessions apart.
    type Session: Clone + Ord;

    /// How many sessions are kept: those that were told of last.
    const SESSIONS: usize = usize::MAX;

    /// As of when it is.
    fn at(&self) -> Timestamp;

    /// Of which session it is.
    fn session(&self) -> Self::Session;

    /// Whether it is noted within moments of its instant, so that what was told before it is no later.
    fn is_prompt(&self) -> bool {
        true
    }

    /// Takes it for no later than what was told after it.
    fn precedes(&mut self, _later: Timestamp) {}

    /// Leaves of one session's entries what still counts.
    fn keep(entries: &mut BTreeSet<Self>, now: Timestamp);
}

/// Where entries are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spool {
    pub(crate) path: PathBuf,
}

/// The entries of each session.
pub(crate) type Entries<E> = BTreeMap<<E as Entry>::Session, BTreeSet<E>>;

impl Spool {
    /// A spool in a file of LoopX's own.
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Appends entries in one write. A line that is there is whole, whatever ends the process. Gives the length.
    pub(crate) fn append<'e, E: Entry + 'e>(
        &self,
        entries: impl IntoIterator<Item = &'e E>,
    ) -> io::Result<u64> {
        Self::append_to(&self.open_to_append()?, entries)
    }

    /// Appends an entry, unless it is `told` by what its session told last.
    pub(crate) fn append_new<E: Entry>(&self, entry: &E, told: impl Fn(&E) -> bool) -> io::Result<()> {
        let file = self.open_to_append()?;
        let last = last_of(&file, &entry.session()).unwrap_or(None);
        if last.is_some_and(|last| told(&last)) { Ok(()) } else { Self::append_to(&file, [entry]).map(drop) }
    }

    fn append_to<'e, E: Entry + 'e>(
        mut file: &File,
        entries: impl IntoIterator<Item = &'e E>,
    ) -> io::Result<u64> {
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let len = about.len();
        if len >= LONGEST {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut lines = Vec::new();
        // A full disk has cut the line before, or another writer is in the midst of it: then it is waited for.
        let is_whole =
            ends_a_line(file, len) || wait_for_others(file) && ends_a_line(file, file.metadata()?.len());
        if !is_whole {
            lines.push(b'\n');
        }
        for entry in entries {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        file.write_all(&lines)?;
        Ok(len + lines.len() as u64)
    }

    /// The file, held so that no reader puts another one in its place meanwhile. A reader that never lets go is not
    /// waited for.
    fn open_to_append(&self) -> io::Result<File> {
        for _ in 0..TRIES {
            let file = Self::options().read(true).append(true).create(true).open(&self.path)?;
            match file.try_lock_shared() {
                Ok(()) if is_at(&file, &self.path) => return Ok(file),
                // A reader has just put another file in its place.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                // This file system knows no locks.
                Err(TryLockError::Error(_)) => return Ok(file),
            }
        }
        Self::options().read(true).append(true).create(true).open(&self.path)
    }

    fn options() -> OpenOptions {
        let mut options = OpenOptions::new();
        // A link may lead to somebody else's file, and a pipe would be waited for.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
        options
    }

    /// What was told and still counts, by session. A spool that has grown long is written anew without the rest. Nothing
    /// counts of one that is full: what was told since is not in it, and the rest may be over.
    pub(crate) fn read<E: Entry>(&self, now: Timestamp) -> Entries<E> {
        let Ok(file) = Self::options().read(true).open(&self.path) else { return Entries::<E>::new() };
        let mut told = Told::new();
        if full_since(&file).is_none() {
            told.read(&file);
        }
        if told.offset >= LONG || full_since(&file).is_some() {
            // It is as good as it was if this fails.
            let _ = self.write_anew(&file, &mut told, now);
        }
        if full_since(&file).is_some() { Entries::<E>::new() } else { told.counting(now) }
    }

    /// How many of its whole lines are no entries.
    pub(crate) fn noise<E: Entry>(&self) -> u64 {
        let Ok(file) = Self::options().read(true).open(&self.path) else { return 0 };
        let mut told = Told::<E>::new();
        told.read(&file);
        told.noise.saturating_sub(u64::from(mark(&file).is_some()))
    }

    /// Between when entries were dropped, as far as it is known.
    pub(crate) fn dropped(&self) -> Option<Dropped> {
        let file = Self::options().read(true).open(&self.path).ok()?;
        full_since(&file).map(|from| Dropped { from, until: None }).or_else(|| mark(&file))
    }

    /// Writers wait for no more than what was appended since the last read.
    fn write_anew<E: Entry>(&self, file: &File, told: &mut Told<E>, now: Timestamp) -> io::Result<()> {
        if file.try_lock().is_err() || !is_at(file, &self.path) {
            return Ok(());
        }
        let full = full_since(file);
        let mut text = Vec::new();
        let dropped = full.map(|from| Dropped { from, until: Some(now) }).or_else(|| mark(file));
        let is_recent =
            |dropped: &Dropped| dropped.until.is_some_and(|until| now.duration_since(until) <= FORGOTTEN);
        if let Some(dropped) = dropped.filter(is_recent) {
            serde_json::to_writer(&mut text, &Mark { dropped })?;
            text.push(b'\n');
        }
        if full.is_some() {
            *told = Told::new();
        } else {
            told.read(file);
        }
        let mut counting: Vec<E> = told.clone().counting(now).into_values().flatten().collect();
        // As they were told: what comes after another one tells that it is no older.
        counting.sort_by_key(Entry::at);
        for entry in counting {
            serde_json::to_writer(&mut text, &entry)?;
            text.push(b'\n');
        }
        // Nearly all of it still counts: to write that again at each look would help nobody.
        if full.is_none() && text.len() as u64 > told.offset / 2 {
            return Ok(());
        }
        let new = self.path.with_extension(format!("jsonl.{}", std::process::id()));
        let written =
            Self::options().write(true).create(true).truncate(true).open(&new).and_then(|mut out| {
                out.write_all(&text)?;
                fs::rename(&new, &self.path)
            });
        written.inspect_err(|_| {
            let _ = fs::remove_file(&new);
        })
    }
}

/// Whether a file of this length ends with a whole line.
fn ends_a_line(file: &File, len: u64) -> bool {
    let mut last = [b'\n'];
    len == 0 || file.read_at(&mut last, len - 1).is_err() || last == [b'\n']
}

/// Waits until no other writer holds the file, for as long as it is waited for a reader.
fn wait_for_others(file: &File) -> bool {
    (0..TRIES).any(|tried| {
        if tried > 0 {
            thread::sleep(PAUSE);
        }
        file.try_lock().is_ok()
    })
}

/// When the last entry had a place in a file that is full.
fn full_since(file: &File) -> Option<Timestamp> {
    let about = file.metadata().ok().filter(|about| about.is_file() && about.len() >= LONGEST)?;
    Timestamp::try_from(about.modified().ok()?).ok()
}

/// What the first line of a file says was dropped.
fn mark(file: &File) -> Option<Dropped> {
    let mut bytes = [0; 256];
    let len = file.read_at(&mut bytes, 0).ok()?;
    let line = bytes.get(..len)?.split(|byte| *byte == b'\n').next()?;
    serde_json::from_slice::<Mark>(line).ok().map(|mark| mark.dropped)
}

/// What was read so far.
#[derive(Clone)]
struct Told<E: Entry> {
    /// In the order in which they were told.
    entries: Vec<E>,
    /// How far: up to the last whole line.
    offset: u64,
    /// Lines that are no entries.
    noise: u64,
}

impl<E: Entry> Told<E> {
    const fn new() -> Self {
        Self { entries: Vec::new(), offset: 0, noise: 0 }
    }

    /// Reads on. What was read before an error counts.
    fn read(&mut self, mut file: &File) {
        let mut bytes = Vec::new();
        let at = file.seek(SeekFrom::Start(self.offset));
        let _ = at.and_then(|_| file.take(LONGEST * 2).read_to_end(&mut bytes));
        for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            self.offset += line.len() as u64;
            match serde_json::from_slice::<E>(line) {
                Ok(entry) => self.entries.push(entry),
                Err(_) => self.noise += 1,
            }
        }
    }

    /// What of it still counts.
    fn counting(self, now: Timestamp) -> Entries<E> {
        let mut all: Entries<E> = BTreeMap::new();
        let mut later: Option<Timestamp> = None;
        for mut entry in self.entries.into_iter().rev() {
            if let Some(later) = later {
                entry.precedes(later);
            }
            if entry.is_prompt() {
                later = Some(later.map_or(entry.at(), |later| later.min(entry.at())));
            }
            all.entry(entry.session()).or_default().insert(entry);
        }
        all.retain(|_, entries| {
            E::keep(entries, now);
            !entries.is_empty()
        });
        let too_many = all.len().saturating_sub(E::SESSIONS);
        if too_many > 0 {
            let newest = |entries: &BTreeSet<E>| entries.iter().map(Entry::at).max();
            let mut ages: Vec<_> = all.values().map(newest).collect();
            ages.sort_unstable();
            let oldest = ages.get(too_many).copied().flatten();
            all.retain(|_, entries| newest(entries) >= oldest);
        }
        all
    }
}

/// What a session told last, as far back as it is looked.
fn last_of<E: Entry>(file: &File, session: &E::Session) -> io::Result<Option<E>> {
    let len = file.metadata()?.len();
    let mut bytes = vec![0; usize::try_from(len.min(BACK)).unwrap_or_default()];
    file.read_exact_at(&mut bytes, len.saturating_sub(BACK))?;
    let mut entries =
        bytes.rsplit(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<E>(line).ok());
    Ok(entries.find(|entry| entry.session() == *session))
}

/// Whether the file is the one that lies there.
fn is_at(file: &File, path: &Path) -> bool {
    let same =
        |one: &fs::Metadata, other: &fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    matches!((file.metadata(), fs::symlink_metadata(path)), (Ok(open), Ok(there)) if same(&open, &there))
}
