//! The spool: one line an event, appended by hooks, read by whoever looks next. Hooks never wait for a reader.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::OFlags;

use super::event::HookEvent;
use crate::Runtime;

/// From this length on a reader writes the spool anew with what still counts, in bytes.
const LONG: u64 = 256 << 10;

/// The longest spool, in bytes: where nobody ever reads, hooks stop to write.
const LONGEST: u64 = 16 << 20;

/// How often a hook looks whether a reader is done with the spool, and how long it waits in between.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// A session of which nothing was told for this long is forgotten.
const FORGOTTEN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Events this fresh are all kept: what belongs before one of them may still be on its way.
const FRESH: SignedDuration = SignedDuration::from_mins(2);

/// Where events are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool {
    path: PathBuf,
}

/// The events of each session.
pub type Events = BTreeMap<(Runtime, String), BTreeSet<HookEvent>>;

impl Spool {
    /// The spool in a folder of LoopX's own.
    pub fn of(data: &Path) -> Self {
        Self { path: data.join("hooks.jsonl") }
    }

    /// Appends an event in one write. A line that is there is whole, whatever ends the process.
    pub fn append(&self, event: &HookEvent) -> io::Result<()> {
        let mut file = self.open_to_append()?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let len = about.len();
        if len >= LONGEST {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut line = Vec::new();
        // A full disk has cut the line before.
        let mut last = [b'\n'];
        if len > 0 && file.read_at(&mut last, len - 1).is_ok() && last != [b'\n'] {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, event)?;
        line.push(b'\n');
        file.write_all(&line)
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

    /// What was told and still counts, by session. A spool that has grown long is written anew without the rest.
    pub fn read(&self, now: Timestamp) -> Events {
        let Ok(file) = Self::options().read(true).open(&self.path) else { return Events::new() };
        let mut told = Told::default();
        told.read(&file);
        if told.offset >= LONG {
            // It is as good as it was if this fails.
            let _ = self.write_anew(&file, &mut told, now);
        }
        told.counting(now)
    }

    /// Writers wait for no more than what was appended since the last read.
    fn write_anew(&self, file: &File, told: &mut Told, now: Timestamp) -> io::Result<()> {
        if file.try_lock().is_err() || !is_at(file, &self.path) {
            return Ok(());
        }
        told.read(file);
        let mut text = Vec::new();
        for event in told.clone().counting(now).into_values().flatten() {
            serde_json::to_writer(&mut text, &event)?;
            text.push(b'\n');
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

/// What was read so far.
#[derive(Clone, Default)]
struct Told {
    events: Events,
    /// How far: up to the last whole line.
    offset: u64,
}

impl Told {
    /// Reads on. What was read before an error counts.
    fn read(&mut self, mut file: &File) {
        let mut bytes = Vec::new();
        let at = file.seek(SeekFrom::Start(self.offset));
        let _ = at.and_then(|_| file.take(LONGEST * 2).read_to_end(&mut bytes));
        for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            self.offset += line.len() as u64;
            if let Ok(event) = serde_json::from_slice::<HookEvent>(line) {
                let key = (event.runtime, event.session.clone());
                self.events.entry(key).or_default().insert(event);
            }
        }
    }

    /// What of it still counts.
    fn counting(mut self, now: Timestamp) -> Events {
        self.events.retain(|_, events| {
            keep(events, now);
            !events.is_empty()
        });
        self.events
    }
}

/// Whether the file is the one that lies there.
fn is_at(file: &File, path: &Path) -> bool {
    let same =
        |one: &fs::Metadata, other: &fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    matches!((file.metadata(), fs::symlink_metadata(path)), (Ok(open), Ok(there)) if same(&open, &there))
}

/// Leaves what still counts: all since the newest event that says how the turn stands, and what is fresh.
fn keep(events: &mut BTreeSet<HookEvent>, now: Timestamp) {
    let Some(newest) = events.last().map(|event| event.at) else { return };
    if now.duration_since(newest) > FORGOTTEN {
        events.clear();
        return;
    }
    let from = events.iter().rev().find(|event| event.what.is_boundary()).map(|event| event.at);
    events
        .retain(|event| from.is_none_or(|from| event.at >= from) || newest.duration_since(event.at) <= FRESH);
}

#[cfg(test)]
mod tests;
