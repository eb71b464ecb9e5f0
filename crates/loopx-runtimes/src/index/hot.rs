//! The files that the first screen looks at, brought up to date.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::Index;
use super::kept::{Brought, glance, short};
use super::rows::{FileRow, SELECT, gone, save, short as short_of};
use super::sweep::{REST, TOLD_REST, number, sweep};
use crate::Sources;
use crate::adapter::Adapter;
use crate::reader::{self, Buffer, Identity, Of, Reading, is_packed};
use crate::runtime::session_handle;
use crate::sweep::{Look, Scope, SkipKind};

/// Files not written to for this long are counted, not looked at.
const OLD: SignedDuration = SignedDuration::from_hours(14 * 24);
/// From so many files on, two are read at once.
const MANY: usize = 16;

/// A file that was looked at.
pub struct Hot<F> {
    /// Where it lies.
    pub path: PathBuf,
    /// The session's id by its name; empty where the name tells none.
    pub native: String,
    /// What it says.
    pub reading: Result<Reading<F>, SkipKind>,
}

/// Looks at every file that may matter now: written to lately, living, or asked for.
pub fn hot<A: Adapter>(
    index: &mut Index,
    sources: &Sources,
    live: &BTreeSet<String>,
    look: &mut Look<'_>,
) -> Vec<Hot<A::Fold>> {
    let found = find::<A>(index, sources, live, look).or_else(|error| {
        // The index fails: without it everything is looked at anew.
        index.give_up(&error, look.key);
        find::<A>(index, sources, live, look)
    });
    let Ok(rows) = found else { return Vec::new() };
    let looked = look_at::<A>(rows);
    // What can't be saved is looked at again the next time.
    let _ = save_all(&index.db, &looked);
    looked.into_iter().filter_map(|looked| looked.hot(look)).collect()
}

/// Brings the list of files up to date, and gives those that may matter.
fn find<A: Adapter>(
    index: &mut Index,
    sources: &Sources,
    live: &BTreeSet<String>,
    look: &mut Look<'_>,
) -> rusqlite::Result<Vec<FileRow>> {
    let change = index.db.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let rest = match look.scope {
        Scope::Hot => REST,
        Scope::Told => TOLD_REST,
        Scope::Fresh | Scope::Old => SignedDuration::ZERO,
    };
    let swept = sweep::<A>(&change, sources, look.key, look.now, rest, Of::Sessions)?;
    change.commit()?;
    let rows = rows::<A>(&index.db, live, look)?;
    let total: i64 = index
        .db
        .prepare_cached("SELECT count(*) FROM file WHERE runtime = ?1 AND gone = 0 AND children = 0")?
        .query_row(params![number(A::RUNTIME)], |row| row.get(0))?;
    look.swept(swept.at);
    look.older(u64::try_from(total).unwrap_or(0).saturating_sub(rows.len() as u64));
    look.skip_all(swept.skipped);
    Ok(rows)
}

/// Saves what was found out. Nothing is written where nothing has changed.
fn save_all<A: Adapter>(db: &Connection, looked: &[Looked<A>]) -> rusqlite::Result<()> {
    let news = |looked: &&Looked<A>| !matches!(looked.found, Ok(Now::Same(..)));
    let mut news = looked.iter().filter(news).peekable();
    if news.peek().is_none() {
        return Ok(());
    }
    let change = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    for Looked { row, found } in news {
        match found {
            Ok(Now::Brought(brought)) => save::<A>(db, row, brought.as_ref().clone())?,
            Err(SkipKind::Vanished) => gone(db, row.id)?,
            Ok(Now::Same(..)) | Err(_) => {}
        }
    }
    change.commit()
}

/// The rows of the files that may matter.
fn rows<A: Adapter>(
    db: &Connection,
    live: &BTreeSet<String>,
    look: &Look<'_>,
) -> rusqlite::Result<Vec<FileRow>> {
    let runtime = number(A::RUNTIME);
    let young = match look.scope {
        Scope::Hot | Scope::Told | Scope::Fresh => look.now.checked_sub(OLD).unwrap_or(Timestamp::MIN),
        Scope::Old => Timestamp::MIN,
    };
    let young = i64::try_from(young.as_nanosecond()).unwrap_or(i64::MIN);
    let here = "runtime = ?1 AND gone = 0 AND children = 0";
    let mut rows = HashMap::new();
    let mut take = |condition: &str, value: &dyn rusqlite::ToSql| -> rusqlite::Result<()> {
        let mut found = db.prepare_cached(&format!("{SELECT} WHERE {here} AND {condition}"))?;
        for row in found.query_map(params![runtime, value], FileRow::read)? {
            let row = row?;
            rows.insert(row.id, row);
        }
        Ok(())
    };
    take("modified > ?2", &young)?;
    let live = live.iter().map(|native| session_handle(look.key, A::RUNTIME, native));
    for handle in live.chain(look.also.iter().copied()) {
        take("handle_key = ?2", &short_of(handle.to_string().as_bytes()))?;
    }
    let mut rows: Vec<FileRow> = rows.into_values().collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(rows)
}

/// A file as it is now.
enum Now<A: Adapter> {
    /// As it was.
    Same(super::kept::Kept<A::Fold>, Identity),
    /// Another.
    Brought(Box<Brought<A::Fold>>),
}

struct Looked<A: Adapter> {
    row: FileRow,
    found: Result<Now<A>, SkipKind>,
}

impl<A: Adapter> Looked<A> {
    /// What it says; nothing of a large packed file, which is left to the backfill.
    fn hot(self, look: &Look<'_>) -> Option<Hot<A::Fold>> {
        let Self { row: FileRow { path, native, .. }, found } = self;
        let reading = match found {
            Ok(Now::Same(kept, identity)) => Ok(kept.reading(identity, look.now)),
            Ok(Now::Brought(brought)) => Ok(brought.kept?.reading(brought.identity, look.now)),
            Err(kind) => Err(kind),
        };
        Some(Hot { path, native, reading })
    }
}

/// Looks at every file, two at once where there are many.
fn look_at<A: Adapter>(mut rows: Vec<FileRow>) -> Vec<Looked<A>> {
    let short = short(rows.iter().filter(|row| row.kept.is_none()).count());
    let some = |rows: Vec<FileRow>| {
        let mut buffer = Buffer::default();
        let one = |row: FileRow| {
            let found = one::<A>(&row, short, &mut buffer);
            Looked { row, found }
        };
        rows.into_iter().map(one).collect::<Vec<_>>()
    };
    if rows.len() < MANY {
        return some(rows);
    }
    let second = rows.split_off(rows.len() / 2);
    thread::scope(|scope| {
        let other = scope.spawn(|| some(second));
        let mut looked = some(rows);
        looked.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        looked
    })
}

fn one<A: Adapter>(row: &FileRow, short: u64, buffer: &mut Buffer) -> Result<Now<A>, SkipKind> {
    let found = identity_of(&row.path)?;
    let known = row.kept::<A::Fold>();
    if found == row.identity
        && let Some(kept) = known
    {
        return Ok(Now::Same(kept, found));
    }
    let opened = reader::open(&row.path)?;
    // Another file in the same place is another file.
    let (known, behind) =
        if opened.identity.goes_on(row.identity) { (known, row.behind::<A::Fold>()) } else { (None, None) };
    glance::<A>(opened, is_packed(&row.path), known, behind, short, buffer)
        .map(|brought| Now::Brought(Box::new(brought)))
}

fn identity_of(path: &Path) -> Result<Identity, SkipKind> {
    match fs::metadata(path) {
        Ok(meta) => Ok(Identity::of(&meta)),
        Err(error) => Err(reader::kind_of(&error)),
    }
}
