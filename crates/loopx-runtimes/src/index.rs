//! The index: what was folded of every session file, so that the next look costs what changed since.
//!
//! One private SQLite file that can be thrown away: whatever is wrong with it, it is made anew. It holds folds and
//! counts, ids, folders and branches; never a word of a transcript. Several processes may use it at once; what two of
//! them find out at the same time is kept once.

mod backfill;
mod closely;
mod hot;
mod ids;
mod kept;
mod rows;
mod schema;
mod spenders;
mod sweep;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use loopx_safety::{HandleKind, InstallKey};
use rusqlite::{Connection, ErrorCode};

pub use backfill::{Backfill, Fold, Pace};
pub(crate) use closely::closely;
pub(crate) use hot::{Hot, hot};
pub use spenders::{Inherited, Spender, Spending};

/// The index.
pub struct Index {
    db: Connection,
    path: Option<PathBuf>,
    /// Which file it is: device and inode.
    opened: Option<(u64, u64)>,
}

impl Index {
    /// Opens the index at a place, or makes it. Where it can't be kept, it lives as long as this process.
    pub fn open(path: &Path, key: &InstallKey) -> Self {
        let signed = signature(key);
        let db = schema::open(path, &signed).or_else(|error| {
            if is_busy(&error) {
                return Err(error);
            }
            // It is damaged, or of another version: what it knew is in the files.
            schema::remove(path);
            schema::open(path, &signed)
        });
        match db {
            Ok(db) => Self { db, opened: place_of(path), path: Some(path.to_owned()) },
            Err(_) => Self::in_memory(key),
        }
    }

    /// An index that lives as long as this process.
    ///
    /// # Panics
    ///
    /// Where SQLite can't make a database in memory: then there is no memory.
    #[expect(clippy::expect_used, reason = "a database in memory can only fail for want of memory")]
    pub fn in_memory(key: &InstallKey) -> Self {
        let db = schema::in_memory(&signature(key)).expect("make a database in memory");
        Self { db, path: None, opened: None }
    }

    /// Whether it is the one that lies at its place: another process may have made it anew.
    pub fn is_there(&self) -> bool {
        let (Some(path), Some(opened)) = (&self.path, self.opened) else { return false };
        place_of(path) == Some(opened)
    }

    /// Goes on without the file; one that is damaged goes away.
    fn give_up(&mut self, error: &rusqlite::Error, key: &InstallKey) {
        // Without a code it is a value of another type; an unknown one is a missing table.
        let damaged = matches!(
            error.sqlite_error_code(),
            None | Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
        );
        if let Some(path) = self.path.as_deref().filter(|_| damaged) {
            schema::remove(path);
        }
        *self = Self::in_memory(key);
    }

    /// Forgets files that the runtime has cleaned up, the oldest first, until no more than `most` bytes are held.
    pub fn trim(&self, most: u64) -> rusqlite::Result<()> {
        while self.held()? > most {
            let gone = "SELECT id FROM file WHERE gone = 1 ORDER BY modified LIMIT 64";
            for table in ["fold", "spent"] {
                self.db.execute(&format!("DELETE FROM {table} WHERE file IN ({gone})"), [])?;
            }
            if self.db.execute(&format!("DELETE FROM file WHERE id IN ({gone})"), [])? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// How many bytes of its file are in use.
    fn held(&self) -> rusqlite::Result<u64> {
        let number = |name: &str| -> rusqlite::Result<i64> {
            self.db.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
        };
        let pages = number("page_count")? - number("freelist_count")?;
        Ok(u64::try_from(pages.saturating_mul(number("page_size")?)).unwrap_or(0))
    }

    /// The size of its file in bytes.
    pub fn size(&self) -> u64 {
        self.path.as_deref().and_then(|path| path.metadata().ok()).map_or(0, |meta| meta.len())
    }
}

fn place_of(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Whether another process holds the index, which is sound.
fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Stands for the install key: handles made with another one are of no use.
fn signature(key: &InstallKey) -> String {
    key.handle(HandleKind::Session, "index", "").to_string()
}
