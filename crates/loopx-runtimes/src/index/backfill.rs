//! Folding whole files, after the screen is out: resumable, newest first, by one process at a time.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use jiff::{SignedDuration, Timestamp};
use loopx_safety::InstallKey;
use rusqlite::{Transaction, TransactionBehavior, params};
use rustix::fs::OFlags;

use super::Index;
use super::kept::{Brought, Kept, UNPACKED, unpack};
use super::rows::{EVER, FileRow, SELECT, UNREADABLE, gone, save};
use super::sweep::{number, sweep};
use crate::adapter::Adapter;
use crate::reader::{self, Buffer, Of, Opened, Progress, Rest, is_packed};
use crate::sweep::SkipKind;
use crate::{Sources, claude_code, codex};

/// How much of a file is folded before it is asked whether to go on, in bytes.
const STEP: u64 = 32 << 20;
/// How many files are handed over at once, at most.
const BATCH: usize = 128;
/// How many bytes are folded before what was found out is handed over.
const HANDED: u64 = 16 << 20;
/// The most that the index holds, in bytes: about 25 GB of history. Files that are there are never forgotten.
const MOST: u64 = 256 << 20;
/// How many files are folded at once at most.
const AT_ONCE: usize = 4;

/// How far a backfill has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backfill {
    /// The bytes of the files that are folded now.
    pub done: u64,
    /// The bytes of all files that were open at the beginning.
    pub total: u64,
    /// Whether all files are folded.
    pub complete: bool,
}

/// Whether a backfill goes on. It is asked between files, and within long ones.
pub trait Pace: Sync {
    /// Takes note of how far it is; false to stop.
    fn go_on(&self, so_far: Backfill) -> bool;
}

impl<F: Fn(Backfill) -> bool + Sync> Pace for F {
    fn go_on(&self, so_far: Backfill) -> bool {
        self(so_far)
    }
}

/// Which files are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Those that are known; nothing, where another process is at it.
    Known,
    /// All there are, subagents' among them: it is looked for them first, and waited for another process.
    All,
}

impl Index {
    /// Folds files to their end, as long as `pace` lets it.
    pub fn backfill(
        &mut self,
        sources: &Sources,
        key: &InstallKey,
        now: Timestamp,
        which: Fold,
        pace: &dyn Pace,
    ) -> Backfill {
        if which == Fold::Known && !self.is_open().unwrap_or(false) {
            return Backfill { complete: true, ..Backfill::default() };
        }
        let turn = self.turn(which);
        if turn.is_none() && self.path.is_some() && which == Fold::Known {
            return Backfill::default();
        }
        let result = self.try_backfill(sources, key, now, which, pace);
        result.unwrap_or_else(|error| {
            if which == Fold::Known {
                return Backfill::default();
            }
            // Who waits wants an answer: it is found out without the file.
            self.give_up(&error, key);
            self.try_backfill(sources, key, now, which, pace).unwrap_or_default()
        })
    }

    fn try_backfill(
        &mut self,
        sources: &Sources,
        key: &InstallKey,
        now: Timestamp,
        which: Fold,
        pace: &dyn Pace,
    ) -> rusqlite::Result<Backfill> {
        if which == Fold::All {
            let change = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            sweep::<codex::Codex>(&change, sources, key, now, SignedDuration::ZERO, Of::Children)?;
            sweep::<claude_code::ClaudeCode>(&change, sources, key, now, SignedDuration::ZERO, Of::Children)?;
            change.commit()?;
        }
        let total = self.open_bytes()?;
        let so_far = Backfill { done: 0, total, complete: true };
        let so_far = self.fold_all::<claude_code::ClaudeCode>(so_far, EVER, pace)?;
        let so_far = self.fold_all::<codex::Codex>(so_far, EVER, pace)?;
        self.trim(MOST)?;
        Ok(so_far)
    }

    /// Whose turn it is to fold: the lock's file lies beside the index.
    fn turn(&self, which: Fold) -> Option<File> {
        let path = self.path.as_ref()?.with_extension("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        // A pipe in its place would block us for ever.
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let file = options.open(path).ok()?;
        let locked = match which {
            Fold::All => file.lock().is_ok(),
            Fold::Known => file.try_lock().is_ok(),
        };
        locked.then_some(file)
    }

    /// Whether any file waits to be folded.
    fn is_open(&self) -> rusqlite::Result<bool> {
        self.db
            .prepare_cached("SELECT EXISTS(SELECT 1 FROM file WHERE whole = 0 AND gone = 0)")?
            .query_row([], |row| row.get(0))
    }

    fn open_bytes(&self) -> rusqlite::Result<u64> {
        let bytes: i64 = self.db.query_row(
            "SELECT coalesce(sum(max(len, 0)), 0) FROM file WHERE whole = 0 AND gone = 0",
            [],
            |row| row.get(0),
        )?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// Folds the files of one runtime that wait for it and were written to since then, in nanoseconds.
    pub(super) fn fold_all<A: Adapter>(
        &mut self,
        so_far: Backfill,
        since: i64,
        pace: &dyn Pace,
    ) -> rusqlite::Result<Backfill> {
        let rows: Vec<FileRow> = self
            .db
            .prepare(&format!(
                "{SELECT} WHERE whole = 0 AND gone = 0 AND runtime = ?1 AND modified >= ?2
                 ORDER BY modified DESC"
            ))?
            .query_map(params![number(A::RUNTIME), since], FileRow::read)?
            .collect::<Result<_, _>>()?;
        let work = Work {
            next: AtomicU64::new(0),
            rows,
            done: AtomicU64::new(so_far.done),
            total: so_far.total,
            stopped: AtomicBool::new(false),
            pace,
        };
        let workers = thread::available_parallelism().map_or(1, usize::from).min(AT_ONCE);
        let result = thread::scope(|scope| {
            let (send, folded) = mpsc::sync_channel::<Vec<Folded<A>>>(AT_ONCE);
            for _ in 0..workers.min(work.rows.len()) {
                let (send, work) = (send.clone(), &work);
                scope.spawn(move || work.fold::<A>(&send));
            }
            drop(send);
            self.save_folded(&work.rows, &folded)
        });
        result?;
        let done = work.done.load(Ordering::Relaxed);
        let complete = so_far.complete && !work.stopped.load(Ordering::Relaxed);
        Ok(Backfill { done, complete, ..so_far })
    }

    /// Saves what the workers bring, many files at once.
    fn save_folded<A: Adapter>(
        &self,
        rows: &[FileRow],
        folded: &mpsc::Receiver<Vec<Folded<A>>>,
    ) -> rusqlite::Result<()> {
        for batch in folded {
            let change = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
            for Folded { row, brought } in batch {
                let Some(row) = rows.get(row) else { continue };
                match brought {
                    Ok(brought) => save::<A>(&self.db, row, brought)?,
                    Err(SkipKind::Vanished) => gone(&self.db, row.id)?,
                    // It can't be read: it isn't tried again before it changes.
                    Err(_) => {
                        self.db
                            .prepare_cached("UPDATE file SET whole = ?3 WHERE id = ?1 AND version = ?2")?
                            .execute(params![row.id, row.version, UNREADABLE])?;
                    }
                }
            }
            change.commit()?;
        }
        Ok(())
    }
}

/// The files that wait to be folded.
struct Work<'p> {
    rows: Vec<FileRow>,
    next: AtomicU64,
    done: AtomicU64,
    total: u64,
    stopped: AtomicBool,
    pace: &'p dyn Pace,
}

struct Folded<A: Adapter> {
    row: usize,
    brought: Result<Brought<A::Fold>, SkipKind>,
}

impl Work<'_> {
    fn fold<A: Adapter>(&self, send: &mpsc::SyncSender<Vec<Folded<A>>>) {
        let mut buffer = Buffer::default();
        let (mut batch, mut bytes) = (Vec::new(), 0);
        loop {
            let at = usize::try_from(self.next.fetch_add(1, Ordering::Relaxed)).unwrap_or(usize::MAX);
            let row = self.rows.get(at).filter(|_| self.go_on(0));
            if let Some(row) = row {
                bytes = row.identity.len.saturating_add(bytes);
                batch.push(Folded { row: at, brought: self.one::<A>(row, &mut buffer) });
            }
            if row.is_none() || batch.len() >= BATCH || bytes >= HANDED {
                bytes = 0;
                if send.send(std::mem::take(&mut batch)).is_err() || row.is_none() {
                    return;
                }
            }
        }
    }

    /// Whether to go on, so many bytes later.
    fn go_on(&self, bytes: u64) -> bool {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let so_far = Backfill { done, total: self.total, complete: false };
        let on = !self.stopped.load(Ordering::Relaxed) && self.pace.go_on(so_far);
        if !on {
            self.stopped.store(true, Ordering::Relaxed);
        }
        on
    }

    fn one<A: Adapter>(&self, row: &FileRow, buffer: &mut Buffer) -> Result<Brought<A::Fold>, SkipKind> {
        let mut opened = reader::open(&row.path)?;
        let identity = opened.identity;
        if is_packed(&row.path) {
            let kept = unpack::<A>(&opened, UNPACKED, buffer)?;
            self.go_on(opened.len);
            return Ok(Brought { identity, kept: Some(kept), behind: None, anew: true });
        }
        let trouble = |error: std::io::Error| reader::kind_of(&error);
        let kept = row.kept::<A::Fold>();
        let same = opened.identity.goes_on(row.identity);
        let begun = match (&kept, row.behind()) {
            (Some(kept), _) if kept.is_whole() => Some(kept.progress.clone()),
            (_, behind) => behind,
        };
        let begun = begun.filter(|_| same);
        let (mut progress, anew) = match begun {
            Some(begun) if begun.holds(&opened).map_err(trouble)? => (begun, false),
            _ => (Progress::new(A::Fold::default()), true),
        };
        let rest = self.to_the_end(&mut opened, &mut progress, buffer).map_err(trouble)?;
        Ok(match rest {
            Some(rest) => Brought { identity, kept: Some(Kept { progress, rest }), behind: None, anew },
            // It was stopped: what is known of the file's end stays.
            None => Brought { identity: row.identity, kept, behind: Some(progress), anew },
        })
    }

    /// Folds step by step; `None` where it was stopped before the end.
    fn to_the_end<F: crate::reader::Fold>(
        &self,
        opened: &mut Opened,
        progress: &mut Progress<F>,
        buffer: &mut Buffer,
    ) -> std::io::Result<Option<Rest<F>>> {
        let end = opened.len;
        let mut step = STEP;
        loop {
            let from = progress.offset;
            opened.len = end.min(from.saturating_add(step));
            let rest = progress.advance(opened, buffer)?;
            if opened.len == end {
                self.go_on(end - from);
                return Ok(Some(rest));
            }
            // A line that is longer than a step.
            if progress.offset == from {
                step = step.saturating_mul(2);
            } else if !self.go_on(progress.offset - from) {
                return Ok(None);
            }
        }
    }
}
