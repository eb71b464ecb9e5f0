//! Opening the database file.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::chain::random;
use super::fault::{Fault, io_error};
use super::files::{Base, DATABASE, WAIT, WAL};
use super::seal::{Stamps, hex};
use super::{Mode, Open};
use crate::error::StoreError;

/// A private copy of the database; removed when dropped.
#[derive(Debug)]
pub(crate) struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        let _left_to_the_system = std::fs::remove_dir_all(&self.0);
    }
}

impl Open {
    /// Opens the database, for writing if that can be, else for reading; from a private copy if not even that.
    pub(crate) fn new(base: &Base) -> Result<Self, Fault> {
        let inode = Stamps::of(base).inode();
        let file = base.file(DATABASE);
        let writable = rustix::fs::access(&file, rustix::fs::Access::WRITE_OK).is_ok()
            && rustix::fs::access(base.folder(), rustix::fs::Access::WRITE_OK).is_ok();
        if writable {
            let conn = open(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            return Ok(Self { conn, mode: Mode::ReadWrite, inode, copy: None, empty: false });
        }
        match open(&file, OpenFlags::SQLITE_OPEN_READ_ONLY) {
            Ok(conn) => Ok(Self { conn, mode: Mode::Read, inode, copy: None, empty: false }),
            Err(Fault::Sql(error)) if can_be_copied(&error) => {
                let copy = copy(base)?;
                let conn = open(&copy.0.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
                Ok(Self { conn, mode: Mode::Read, inode, copy: Some(copy), empty: false })
            }
            Err(fault) => Err(fault),
        }
    }

    /// Sets the connection up for durable writing.
    pub(crate) fn writing(&mut self) -> Result<&mut Connection, Fault> {
        match self.mode {
            Mode::Read => return Err(StoreError::ReadOnly.into()),
            Mode::ReadWrite => {
                // Everything that is deleted is overwritten, and nothing is acknowledged before it is on the disk.
                self.conn.execute_batch(
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;",
                )?;
                self.mode = Mode::Writing;
                super::purge::finish(&self.conn);
            }
            Mode::Writing => {}
        }
        Ok(&mut self.conn)
    }
}

fn open(file: &Path, access: OpenFlags) -> Result<Connection, Fault> {
    let conn = Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A statement that is kept is else planned anew for each value that it is asked for.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.busy_timeout(WAIT)?;
    conn.set_prepared_statement_cache_capacity(64);
    // Checkpoints are made by writers whose turn it is.
    conn.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY;")?;
    // The first read shows whether the shared memory beside the file can be had.
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(conn)
}

fn can_be_copied(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            rusqlite::ErrorCode::CannotOpen
                | rusqlite::ErrorCode::ReadOnly
                | rusqlite::ErrorCode::PermissionDenied
        )
    )
}

/// Copies the database to where it can be opened. A copy that a writer wrote into is taken again.
pub(crate) fn copy(base: &Base) -> Result<Copy, Fault> {
    let folder = std::env::temp_dir().join(format!("loopx-{}", hex(&random::<12>()?)));
    DirBuilder::new().mode(0o700).create(&folder).map_err(io_error("making a private copy"))?;
    let copy = Copy(folder);
    for _ in 0..5 {
        let before = Stamps::of(base);
        for name in [DATABASE, WAL] {
            let from = base.file(name);
            if from.exists() {
                std::fs::copy(from, copy.0.join(name)).map_err(io_error("making a private copy"))?;
            }
        }
        if Stamps::of(base) == before {
            return Ok(copy);
        }
    }
    Err(StoreError::Busy { pid: None, seconds: 0 }.into())
}
