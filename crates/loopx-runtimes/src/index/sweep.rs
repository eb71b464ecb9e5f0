//! Which files there are: all of them looked for once a minute, else only where a folder has changed.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use loopx_safety::InstallKey;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::ids::ById;
use super::rows::{add, bytes_of, identity, path_of, short};
use crate::adapter::{Adapter, Root};
use crate::reader::{Found, Identity, Of, Walk, walk};
use crate::runtime::session_handle;
use crate::sweep::SkipKind;
use crate::{Runtime, Sources};

/// How long cold files are left alone.
pub const REST: SignedDuration = SignedDuration::from_secs(60);
/// How long they are left alone by a caller who is told of changes.
pub const TOLD_REST: SignedDuration = SignedDuration::from_mins(10);
/// A folder that was changed this lately may change again within the same tick of its clock.
const TICK: SignedDuration = SignedDuration::from_secs(2);

/// What looking for files has brought.
pub struct Swept {
    /// When all files were looked at last.
    pub at: Timestamp,
    /// What could not be looked at.
    pub skipped: Vec<SkipKind>,
}

/// The number of a runtime in the index.
pub const fn number(runtime: Runtime) -> i64 {
    match runtime {
        Runtime::Codex => 1,
        Runtime::ClaudeCode => 2,
    }
}

/// Brings the index's list of files up to date; of children's files too, or of sessions' alone. All files are looked at
/// where that was not done within so long a rest.
pub fn sweep<A: Adapter>(
    db: &Connection,
    sources: &Sources,
    key: &InstallKey,
    now: Timestamp,
    rest: SignedDuration,
    of: Of,
) -> rusqlite::Result<Swept> {
    let runtime = number(A::RUNTIME);
    let last = db
        .prepare_cached("SELECT at FROM swept WHERE runtime = ?1")?
        .query_row(params![runtime], |row| row.get(0))
        .optional()?
        .and_then(|at| Timestamp::from_millisecond(at).ok());
    // A clock that was set back must not stop us from looking.
    let rested = last.filter(|last| *last <= now && now.duration_since(*last) < rest);
    let roots = A::roots(sources);
    let folders = folders(db, runtime)?;
    if let Some(at) = rested {
        return Ok(Swept { at, skipped: changed::<A>(db, &roots, &folders, key, now)? });
    }
    let skipped = all::<A>(db, &roots, &folders, key, now, of)?;
    db.prepare_cached("INSERT OR REPLACE INTO swept(runtime, at) VALUES (?1, ?2)")?
        .execute(params![runtime, now.as_millisecond()])?;
    Ok(Swept { at: now, skipped })
}

/// Brings the list of children's files up to date, where sessions lie that were written to since then, in nanoseconds.
pub fn children<A: Adapter>(
    db: &Connection,
    sources: &Sources,
    key: &InstallKey,
    since: i64,
) -> rusqlite::Result<()> {
    let runtime = number(A::RUNTIME);
    let mut lately = db.prepare_cached(
        "SELECT path FROM file WHERE runtime = ?1 AND gone = 0 AND children = 0 AND modified >= ?2",
    )?;
    let paths = lately.query_map(params![runtime, since], |row| row.get(0).map(path_of))?;
    let mut places = BTreeSet::new();
    for path in paths {
        places.extend(path?.parent().map(Path::to_owned));
    }
    let (roots, folders) = (A::roots(sources), folders(db, runtime)?);
    let mut news = Vec::new();
    for place in places {
        let Some(folder) = folders.get(&place) else { continue };
        let Some(root) = roots.get(folder.root) else { continue };
        let walk = walk(&place, folder.depth, root.steps, Of::Children);
        for found in walk.files.into_iter().filter(|found| found.of == Of::Children) {
            let held = held(db, &found.path)?;
            if held.as_ref().is_none_or(|held| held.gone || held.identity != found.identity) {
                news.push((held, found));
            }
        }
    }
    if news.is_empty() {
        return Ok(());
    }
    let change = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    for (held, found) in news {
        match held {
            Some(held) => refresh(db, &held, found.identity)?,
            None => note::<A>(db, &found, key)?,
        }
    }
    change.commit()
}

/// A folder that was looked into.
struct Folder {
    root: usize,
    depth: usize,
    modified: i64,
}

fn folders(db: &Connection, runtime: i64) -> rusqlite::Result<HashMap<PathBuf, Folder>> {
    let mut rows = db.prepare_cached("SELECT path, root, depth, modified FROM folder WHERE runtime = ?1")?;
    let small = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    rows.query_map(params![runtime], |row| {
        let folder = Folder { root: small(row.get(1)?), depth: small(row.get(2)?), modified: row.get(3)? };
        Ok((path_of(row.get(0)?), folder))
    })?
    .collect()
}

/// Looks at every folder.
fn all<A: Adapter>(
    db: &Connection,
    roots: &[Root],
    folders: &HashMap<PathBuf, Folder>,
    key: &InstallKey,
    now: Timestamp,
    of: Of,
) -> rusqlite::Result<Vec<SkipKind>> {
    let mut known = known(db, number(A::RUNTIME))?;
    let mut skipped = Vec::new();
    let mut unseen: BTreeSet<&Path> = folders.keys().map(PathBuf::as_path).collect();
    let mut new = Vec::new();
    for (at, root) in roots.iter().enumerate() {
        let walk = walk(&root.path, 0, root.steps, of);
        remember::<A>(db, at, &walk, folders, now)?;
        for (path, _) in &walk.folders {
            unseen.remove(path.as_path());
        }
        skipped.extend_from_slice(&walk.skipped);
        for found in walk.files {
            match known.remove(&short(bytes_of(&found.path))) {
                Some(held) => refresh(db, &held, found.identity)?,
                None => new.push(found),
            }
        }
    }
    // Files are folded newest first: so are their rows written one after another, not here and there.
    new.sort_by_key(|found| Reverse(found.identity.modified));
    for found in &new {
        note::<A>(db, found, key)?;
    }
    for path in unseen {
        db.prepare_cached("DELETE FROM folder WHERE path = ?1")?.execute(params![bytes_of(path)])?;
    }
    // What lies in a folder that can't be read is not gone.
    let all_read = skipped.iter().all(|kind| *kind != SkipKind::Unreadable);
    let left = known.into_values().filter(|held| !held.gone && (of == Of::Children || !held.child));
    for held in left {
        if all_read || is_missing(db, held.id)? {
            super::rows::gone(db, held.id)?;
        }
    }
    Ok(skipped)
}

/// Whether a known file is not there any more.
fn is_missing(db: &Connection, id: i64) -> rusqlite::Result<bool> {
    let path = db
        .prepare_cached("SELECT path FROM file WHERE id = ?1")?
        .query_row(params![id], |row| row.get(0).map(path_of))?;
    Ok(path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound))
}

/// Looks into the folders that have changed.
fn changed<A: Adapter>(
    db: &Connection,
    roots: &[Root],
    folders: &HashMap<PathBuf, Folder>,
    key: &InstallKey,
    now: Timestamp,
) -> rusqlite::Result<Vec<SkipKind>> {
    let mut skipped = Vec::new();
    // A root that wasn't there may be there now.
    let missing = roots.iter().enumerate().filter(|(_, root)| !folders.contains_key(&root.path));
    let missing = missing.map(|(at, root)| (root.path.as_path(), at, 0, i64::MIN));
    let listed = folders.iter().map(|(path, at)| (path.as_path(), at.root, at.depth, at.modified));
    for (path, at, depth, modified) in missing.chain(listed) {
        let Some(root) = roots.get(at) else { continue };
        if modified_of(path).is_none_or(|found| found == modified) {
            continue;
        }
        let walk = walk(path, depth, root.steps, Of::Sessions);
        remember::<A>(db, at, &walk, folders, now)?;
        skipped.extend_from_slice(&walk.skipped);
        for found in &walk.files {
            note::<A>(db, found, key)?;
        }
    }
    Ok(skipped)
}

/// Notes a file that may be new.
fn note<A: Adapter>(db: &Connection, found: &Found, key: &InstallKey) -> rusqlite::Result<()> {
    let native = match found.of {
        Of::Sessions => A::native_id(&found.path).unwrap_or_default(),
        Of::Children => "",
    };
    let handle =
        if native.is_empty() { String::new() } else { session_handle(key, A::RUNTIME, native).to_string() };
    add(db, number(A::RUNTIME), found, native, &handle)
}

/// Remembers the folders that were looked into, as far as that is news.
fn remember<A: Adapter>(
    db: &Connection,
    root: usize,
    walk: &Walk,
    folders: &HashMap<PathBuf, Folder>,
    now: Timestamp,
) -> rusqlite::Result<()> {
    for (path, depth) in &walk.folders {
        let Some(modified) = modified_of(path) else { continue };
        // One that was changed just now is looked into again: what came after our look may have the same instant.
        let settled =
            Timestamp::from_nanosecond(modified.into()).is_ok_and(|at| now.duration_since(at) > TICK);
        let modified = if settled { modified } else { i64::MIN };
        if folders.get(path).is_some_and(|folder| folder.modified == modified) {
            continue;
        }
        db.prepare_cached(
            "INSERT OR REPLACE INTO folder(path, runtime, root, depth, modified) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            bytes_of(path),
            number(A::RUNTIME),
            i64::try_from(root).unwrap_or(i64::MAX),
            i64::try_from(*depth).unwrap_or(i64::MAX),
            modified
        ])?;
    }
    Ok(())
}

/// When a folder was last changed, nanoseconds since the epoch.
fn modified_of(path: &Path) -> Option<i64> {
    fs::metadata(path).ok().map(|meta| Identity::of(&meta).modified)
}

/// A file that is known.
struct Held {
    id: i64,
    identity: Identity,
    gone: bool,
    child: bool,
}

/// One known file.
fn held(db: &Connection, path: &Path) -> rusqlite::Result<Option<Held>> {
    db.prepare_cached(
        "SELECT id, device, inode, len, modified, gone, children FROM file WHERE path_key = ?1",
    )?
    .query_row(params![short(bytes_of(path))], |row| {
        Ok(Held { id: row.get(0)?, identity: identity(row, 1)?, gone: row.get(5)?, child: row.get(6)? })
    })
    .optional()
}

/// The known files, by what stands for their path.
fn known(db: &Connection, runtime: i64) -> rusqlite::Result<HashMap<i64, Held, ById>> {
    let mut rows = db.prepare_cached(
        "SELECT id, path_key, device, inode, len, modified, gone, children FROM file WHERE runtime = ?1",
    )?;
    rows.query_map(params![runtime], |row| {
        let held =
            Held { id: row.get(0)?, identity: identity(row, 2)?, gone: row.get(6)?, child: row.get(7)? };
        Ok((row.get(1)?, held))
    })?
    .collect()
}

/// A known file that has changed is open to being folded on.
fn refresh(db: &Connection, held: &Held, found: Identity) -> rusqlite::Result<()> {
    if held.identity == found && !held.gone {
        return Ok(());
    }
    let (same, goes_on) = (held.identity == found, found.goes_on(held.identity));
    // It is not in the state that was folded: its length is left unknown, and whether it is the same file at all,
    // where that is in doubt.
    db.prepare_cached(
        "UPDATE file SET gone = 0, whole = whole * ?1, modified = ?2, len = iif(?1, len, -1),
         inode = iif(?4, inode, -1) WHERE id = ?3",
    )?
    .execute(params![same, found.modified, held.id, goes_on])
    .map(|_| ())
}
