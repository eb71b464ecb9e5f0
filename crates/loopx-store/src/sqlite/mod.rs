//! The store in one SQLite file.

mod apply;
mod backup;
#[cfg(feature = "testing")]
mod bulk;
mod chain;
mod connect;
mod doctor;
mod export;
mod fault;
mod files;
mod guard;
mod head;
mod import;
mod ledger;
mod load;
mod log;
mod pointer;
mod purge;
mod read;
mod rows;
mod schema;
mod seal;
mod sign;
mod store;
mod told;
mod verify;
mod write;

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

use self::files::Base;
use self::seal::{Seal, Stamps};
use self::told::Told;
use self::verify::Damaged;
use crate::damage::DamageCode;
use crate::error::StoreError;

/// A store in `loopx.db` of a folder. Any number of processes may have it open.
///
/// Opening looks at the folder alone; the database is opened by the first call that needs it, and made by the first
/// that writes.
#[derive(Debug)]
pub struct SqliteStore {
    base: Base,
    conn: Option<Open>,
    /// How the files looked when they were last found right, or wrong as `damaged` says.
    trusted: Option<Stamps>,
    /// The seal that was found right last.
    sealed: Option<Arc<Seal>>,
    told: Told,
    damaged: Damaged,
    /// What is wrong with the store as a whole.
    whole: Option<DamageCode>,
}

/// A connection and what it is to.
#[derive(Debug)]
struct Open {
    conn: Connection,
    mode: Mode,
    /// The database file that it was opened on.
    inode: Option<u64>,
    /// The private copy that it reads, where the folder can't be written.
    copy: Option<connect::Copy>,
    /// Whether it has no tables yet.
    empty: bool,
}

/// What a connection can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Read,
    ReadWrite,
    /// `ReadWrite`, and set up for durable writing.
    Writing,
}

impl SqliteStore {
    /// A store in this folder, which need not be there yet.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let base = Base::new(folder);
        base.check()?;
        Ok(Self {
            base,
            conn: None,
            trusted: None,
            sealed: None,
            told: Told::default(),
            damaged: Damaged::new(),
            whole: None,
        })
    }
}
