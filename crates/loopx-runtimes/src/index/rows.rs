//! The rows of files: loaded, and saved where nobody else has saved meanwhile.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;

use super::kept::{Brought, Kept, decode, encode};
use xxhash_rust::xxh3::xxh3_64;

use crate::adapter::Adapter;
use crate::reader::{Found, Identity, Of, Progress, Rest};
use crate::usage::{Entry, Ledger};

/// How many settled entries a file's row holds before they move to a part of their own.
const PART: usize = 256;

/// What stands in the column `whole`: the file waits to be folded.
pub const OPEN: i64 = 0;
/// It is folded to its end.
pub const WHOLE: i64 = 1;
/// It can't be read: nothing of it is folded until it changes.
pub const UNREADABLE: i64 = 2;

/// Since ever, as an instant of files.
pub const EVER: i64 = i64::MIN;

/// One file, as the index knows it.
#[derive(Debug)]
pub struct FileRow {
    pub id: i64,
    pub path: PathBuf,
    pub native: String,
    /// Which file it was at the last look, and in which state.
    pub identity: Identity,
    pub version: i64,
    pub kept: Option<Vec<u8>>,
    pub behind: Option<Vec<u8>>,
}

/// What a [`FileRow`] is read from; conditions follow.
pub const SELECT: &str = "SELECT id, path, native, device, inode, len, modified, version, kept, behind
    FROM file LEFT JOIN fold ON fold.file = file.id";

impl FileRow {
    pub fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            path: path_of(row.get(1)?),
            native: row.get(2)?,
            identity: identity(row, 3)?,
            version: row.get(7)?,
            kept: row.get(8)?,
            behind: row.get(9)?,
        })
    }

    /// What is kept of it, where it can be read.
    pub fn kept<F: DeserializeOwned>(&self) -> Option<Kept<F>> {
        decode(self.kept.as_deref()?)
    }

    /// How far it was folded from its beginning.
    pub fn behind<F: DeserializeOwned>(&self) -> Option<Progress<F>> {
        decode(self.behind.as_deref()?)
    }
}

/// An identity out of four columns.
pub fn identity(row: &Row<'_>, from: usize) -> rusqlite::Result<Identity> {
    let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
    Ok(Identity {
        device: number(from)?,
        inode: number(from + 1)?,
        len: number(from + 2)?,
        modified: row.get(from + 3)?,
    })
}

pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

pub fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// A short stand-in for a text that is looked up.
pub fn short(bytes: &[u8]) -> i64 {
    xxh3_64(bytes).cast_signed()
}

/// Saves what a look has brought, unless another process has saved the file since it was loaded.
pub fn save<A: Adapter>(db: &Connection, row: &FileRow, brought: Brought<A::Fold>) -> rusqlite::Result<()> {
    let Brought { identity, mut kept, mut behind, anew } = brought;
    let whole = kept.as_ref().is_some_and(Kept::is_whole);
    // Only what is folded from the beginning tells all that was spent.
    let mut settled = Vec::new();
    if let Some(kept) = kept.as_mut().filter(|_| whole) {
        settled = take::<A>(&mut kept.progress.fold);
        if let Rest::Record(fold, _) = &mut kept.rest {
            let _ = take::<A>(fold);
        }
    } else if let Some(behind) = behind.as_mut() {
        settled = take::<A>(&mut behind.fold);
    }
    let Identity { device, inode, len, modified } = identity;
    let changed = if identity == row.identity {
        // The columns that stay are not written: each of them would cost its index.
        db.prepare_cached(
            "UPDATE file SET whole = ?1, version = version + 1 WHERE id = ?2 AND version = ?3 AND gone = 0",
        )?
        .execute(params![whole, row.id, row.version])?
    } else {
        db.prepare_cached(
            "UPDATE file SET device = ?1, inode = ?2, len = ?3, modified = ?4, whole = ?5, gone = 0,
             version = version + 1 WHERE id = ?6 AND version = ?7",
        )?
        .execute(params![
            device.cast_signed(),
            inode.cast_signed(),
            len.cast_signed(),
            modified,
            whole,
            row.id,
            row.version
        ])?
    };
    if changed == 0 {
        return Ok(());
    }
    db.prepare_cached("INSERT OR REPLACE INTO fold(file, kept, behind) VALUES (?1, ?2, ?3)")?
        .execute(params![row.id, kept.as_ref().and_then(encode), behind.as_ref().and_then(encode)])?;
    if anew {
        db.prepare_cached("DELETE FROM spent WHERE file = ?1")?.execute(params![row.id])?;
    }
    if !settled.is_empty() {
        let part: Option<i64> = db
            .prepare_cached("SELECT max(part) FROM spent WHERE file = ?1")?
            .query_row(params![row.id], |row| row.get(0))
            .optional()?
            .flatten();
        db.prepare_cached("INSERT INTO spent(file, part, entries) VALUES (?1, ?2, ?3)")?.execute(params![
            row.id,
            part.unwrap_or(0) + 1,
            encode(&settled)
        ])?;
    }
    Ok(())
}

/// Takes the settled entries of a fold, once there are enough of them for a part.
fn take<A: Adapter>(fold: &mut A::Fold) -> Vec<Entry> {
    let ledger: &mut Ledger = A::ledger(fold);
    if ledger.entries().len() > PART { ledger.take_settled() } else { Vec::new() }
}

/// A file is not there any more: what is known of it stays.
pub fn gone(db: &Connection, id: i64) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE file SET gone = 1 WHERE id = ?1")?.execute(params![id]).map(|_| ())
}

/// Adds a file that was found.
pub fn add(db: &Connection, runtime: i64, found: &Found, native: &str, handle: &str) -> rusqlite::Result<()> {
    let Identity { device, inode, len, modified } = found.identity;
    db.prepare_cached(
        "INSERT INTO file(runtime, path, native, children, path_key, handle_key, device, inode, len, modified, born)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT(path_key) DO UPDATE SET gone = 0",
    )?
    .execute(params![
        runtime,
        bytes_of(&found.path),
        native,
        found.of == Of::Children,
        short(bytes_of(&found.path)),
        short(handle.as_bytes()),
        device.cast_signed(),
        inode.cast_signed(),
        len.cast_signed(),
        modified,
        found.born
    ])
    .map(|_| ())
}
