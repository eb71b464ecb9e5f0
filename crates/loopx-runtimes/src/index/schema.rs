//! The tables of the index.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, params};

/// Changes with every change of a table or of what is folded: an index of another version is made anew.
const VERSION: i64 = 5;

/// How much of the index is held in memory at most, in KiB.
const CACHE: i64 = 8 << 10;

/// How long one process waits for another one's write.
const WAIT: Duration = Duration::from_millis(250);

const TABLES: &str = "
CREATE TABLE signed(signature TEXT NOT NULL);
CREATE TABLE swept(runtime INTEGER PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE folder(
    path BLOB PRIMARY KEY, runtime INTEGER NOT NULL, root INTEGER NOT NULL, depth INTEGER NOT NULL,
    modified INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE file(
    id INTEGER PRIMARY KEY,
    runtime INTEGER NOT NULL, path BLOB NOT NULL, native TEXT NOT NULL, children INTEGER NOT NULL,
    path_key INTEGER NOT NULL UNIQUE, handle_key INTEGER NOT NULL,
    device INTEGER NOT NULL, inode INTEGER NOT NULL, len INTEGER NOT NULL, modified INTEGER NOT NULL,
    born INTEGER,
    gone INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 0,
    whole INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE fold(file INTEGER PRIMARY KEY, kept BLOB, behind BLOB);
CREATE INDEX file_modified ON file(runtime, gone, children, modified);
CREATE INDEX file_handle ON file(handle_key);
CREATE INDEX file_open ON file(modified) WHERE whole = 0 AND gone = 0;
CREATE TABLE spent(file INTEGER NOT NULL, part INTEGER NOT NULL, entries BLOB NOT NULL, UNIQUE(file, part));
";

/// Opens the index at a place; makes it where there is none.
pub fn open(path: &Path, signature: &str) -> rusqlite::Result<Connection> {
    if path.is_symlink() {
        // Where it leads may be somebody else's file, and is open to others.
        return Err(rusqlite::Error::InvalidPath(path.to_owned()));
    }
    private(path);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(WAIT)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    prepare(db, signature)
}

/// Makes an index in memory.
pub fn in_memory(signature: &str) -> rusqlite::Result<Connection> {
    prepare(Connection::open_in_memory()?, signature)
}

fn prepare(db: Connection, signature: &str) -> rusqlite::Result<Connection> {
    // What a loss of power takes with it is folded again.
    db.pragma_update(None, "synchronous", "OFF")?;
    db.pragma_update(None, "cache_size", -CACHE)?;
    db.set_prepared_statement_cache_capacity(32);
    // A statement that is kept is else planned anew for each value that it is asked for.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    if fits(&db, signature)? {
        return Ok(db);
    }
    let change = db.unchecked_transaction()?;
    // Another process may have been quicker.
    let mut version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version == 0 {
        change.execute_batch(TABLES)?;
        change.execute("INSERT INTO signed(signature) VALUES (?1)", params![signature])?;
        change.pragma_update(None, "user_version", VERSION)?;
        version = VERSION;
    }
    change.commit()?;
    if version == VERSION && fits(&db, signature)? { Ok(db) } else { Err(rusqlite::Error::InvalidQuery) }
}

fn fits(db: &Connection, signature: &str) -> rusqlite::Result<bool> {
    let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version != VERSION {
        return Ok(false);
    }
    let signed: String = db.query_row("SELECT signature FROM signed", [], |row| row.get(0))?;
    Ok(signed == signature)
}

/// Makes the file before SQLite does, for its owner alone.
fn private(path: &Path) {
    use std::os::unix::fs::OpenOptionsExt as _;
    let _ = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
}

/// Removes an index and what belongs to it.
pub fn remove(path: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let _ = fs::remove_file(name);
    }
}
