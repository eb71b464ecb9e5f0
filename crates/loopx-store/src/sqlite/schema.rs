//! Tables and their version.

use rusqlite::Connection;

use super::chain::random;
use super::fault::Fault;
use super::seal::hex;
use crate::damage::DamageCode;
use crate::error::StoreError;

/// The schema version that this program writes.
pub(crate) const VERSION: i64 = 2;

/// `LXst`: what tells our files from other databases.
const APPLICATION: i64 = 0x4c58_7374;

/// The log: what can't be made again.
const LOG: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE goal (
  num INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT;
CREATE TABLE event (
  place INTEGER PRIMARY KEY,
  goal INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  command INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  imported INTEGER NOT NULL,
  hash BLOB NOT NULL,
  signature BLOB,
  UNIQUE (goal, revision)
) STRICT;
CREATE TABLE text (
  goal INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  key BLOB,
  text TEXT,
  PRIMARY KEY (goal, revision, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE key (
  goal INTEGER NOT NULL,
  key TEXT NOT NULL,
  salt BLOB,
  request BLOB,
  before INTEGER NOT NULL,
  last INTEGER NOT NULL,
  subject TEXT NOT NULL,
  PRIMARY KEY (goal, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE pointer (handle TEXT PRIMARY KEY, bytes BLOB NOT NULL, checksum BLOB NOT NULL) STRICT, WITHOUT ROWID;
";

/// What is made of the log, to be ready to read.
const DERIVED: &str = "
CREATE TABLE head (
  goal INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL,
  hash BLOB NOT NULL,
  body TEXT NOT NULL,
  open_sum BLOB NOT NULL,
  key_sum BLOB NOT NULL,
  checksum BLOB NOT NULL
) STRICT;
CREATE TABLE entity (
  place INTEGER PRIMARY KEY,
  goal INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  checksum BLOB NOT NULL,
  UNIQUE (goal, kind, id)
) STRICT;
";

/// What a database turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing yet.
    Empty,
    /// Ours, as this program writes it.
    Current,
    /// Ours, of an older version.
    Older(i64),
}

/// Looks at what a database is. A newer one and one that is not ours are refused.
pub(crate) fn look(conn: &Connection) -> Result<Found, Fault> {
    let number = |pragma: &str| conn.prepare_cached(pragma)?.query_row([], |row| row.get::<_, i64>(0));
    let version = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    if application == 0 && version == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(Found::Empty);
    }
    if application != APPLICATION {
        return Err(Fault::Damaged(DamageCode::NotADatabase));
    }
    match version {
        VERSION => Ok(Found::Current),
        newer if newer > VERSION => Err(StoreError::Newer { found: newer, known: VERSION }.into()),
        older => Ok(Found::Older(older)),
    }
}

/// Makes the tables of a new store. In a transaction.
pub(crate) fn create(conn: &Connection) -> Result<(), Fault> {
    conn.execute_batch(LOG)?;
    conn.execute_batch(DERIVED)?;
    conn.execute("INSERT INTO meta VALUES ('store', ?1)", [hex(&random::<16>()?)])?;
    conn.pragma_update(None, "application_id", APPLICATION)?;
    conn.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// Goes forward to the current version. In a transaction. Version 0 had the log alone, version 1 no
/// signatures, and 1 for what was imported.
pub(crate) fn migrate(conn: &Connection, from: i64) -> Result<(), Fault> {
    if from < 2 {
        conn.execute_batch("ALTER TABLE event ADD COLUMN signature BLOB")?;
        conn.execute("UPDATE event SET imported = ?1 WHERE imported = 1", [super::log::IMPORTED])?;
    }
    if from < 1 {
        conn.execute_batch(DERIVED)?;
        super::verify::rebuild_all(conn)?;
    }
    conn.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// The store's own id.
pub(crate) fn store_id(conn: &Connection) -> Result<String, Fault> {
    Ok(conn.query_row("SELECT value FROM meta WHERE key = 'store'", [], |row| row.get(0))?)
}
