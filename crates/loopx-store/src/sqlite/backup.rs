//! Copies of the store, made while others go on and verified before they count.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::SqliteStore;
use super::fault::{Fault, io_error};
use super::files::{Base, DATABASE, SEAL, SHM, WAL, private_file};
use super::schema::{self, Found};
use super::seal::Seal;
use super::verify;
use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;

/// Pages that are copied before others get a chance.
const PAGES: i32 = 1024;

/// Copies a database into a new file that only its owner may read.
fn copy(from: &Connection, file: &Path) -> Result<Connection, Fault> {
    private_file(file, true).map_err(io_error("creating the backup"))?;
    let mut to = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let backup = Backup::new(from, &mut to)?;
    loop {
        let step = backup.step(PAGES)?;
        if step == StepResult::Done {
            break;
        }
        if step != StepResult::More {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    drop(backup);
    // One file, to be moved about: without a write-ahead log beside it.
    to.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    Ok(to)
}

/// Keeps the store as it is before it is migrated.
pub(super) fn before_migration(base: &Base, conn: &Connection, from: i64) -> Result<(), Fault> {
    let file = base.file(&format!("loopx.v{from}.backup.db"));
    if file.exists() {
        return Ok(());
    }
    let new = base.file("loopx.backup.new");
    let _from_an_earlier_try = std::fs::remove_file(&new);
    let to = copy(conn, &new)?;
    let right: String = to.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    drop(to);
    if right != "ok" {
        return Err(StoreError::Backup.into());
    }
    std::fs::rename(new, file).map_err(io_error("keeping the backup"))?;
    Ok(base.keep()?)
}

impl SqliteStore {
    pub(super) fn backup_to(&mut self, file: &Path) -> Result<(), StoreError> {
        self.ready()?;
        if let Some((goal, code)) = self.damaged.iter().next() {
            return Err(StoreError::Damaged(Damage { goal: Some(goal.clone()), code: *code }));
        }
        let Some(tx) = self.reading()? else {
            return Err(StoreError::Damaged(Damage { goal: None, code: DamageCode::MissingFile }));
        };
        let result = copy(&tx, file).and_then(|to| {
            let right: String = to.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            if right == "ok" && verify::all(&to, None)?.is_empty() {
                Ok(())
            } else {
                Err(StoreError::Backup.into())
            }
        });
        result.map_err(|fault| {
            if !matches!(fault, Fault::Store(StoreError::Io { kind: std::io::ErrorKind::AlreadyExists, .. }))
            {
                let _half = std::fs::remove_file(file);
            }
            fault.of(None)
        })
    }

    /// Puts a backup in the place of what is there. The backup is verified first; what was there is kept beside it as
    /// `loopx.replaced.db`.
    pub fn restore(&mut self, file: &Path) -> Result<(), StoreError> {
        if !self.base.check()? {
            self.base.create_folder()?;
        }
        let _turn = self.base.lock()?;
        let new = self.base.file("loopx.restore.new");
        let _from_an_earlier_try = std::fs::remove_file(&new);
        let verified = || -> Result<(), Fault> {
            let from = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            if !matches!(schema::look(&from)?, Found::Current | Found::Older(_)) {
                return Err(Fault::Damaged(DamageCode::NotADatabase));
            }
            let to = copy(&from, &new)?;
            if schema::look(&to)? == Found::Current && !verify::all(&to, None)?.is_empty() {
                return Err(StoreError::Backup.into());
            }
            Ok(())
        };
        if let Err(fault) = verified() {
            let _half = std::fs::remove_file(&new);
            return Err(fault.of(None));
        }
        self.conn = None;
        self.trusted = None;
        let moved = |from: &str, to: &str| match std::fs::rename(self.base.file(from), self.base.file(to)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error("restoring")(error)),
            Ok(()) | Err(_) => Ok(()),
        };
        // The seal goes last: what is cut short before that is noticed, and never taken for the whole of a log.
        moved(DATABASE, "loopx.replaced.db")?;
        moved(WAL, "loopx.replaced.db-wal")?;
        let _made_again = std::fs::remove_file(self.base.file(SHM));
        // A write-ahead log must not come back beside another database.
        self.base.keep()?;
        moved("loopx.restore.new", DATABASE)?;
        self.base.keep()?;
        // Without its seal, what lies there is verified and taken as it is.
        moved(SEAL, "seal.replaced.json")?;
        self.base.keep()?;
        self.ensure_held()?;
        debug_assert!(Seal::read(&self.base).is_some());
        Ok(())
    }
}
