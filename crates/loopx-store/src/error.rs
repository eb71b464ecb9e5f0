//! Why a store did not do what was asked.

use loopx_core::Refusal;

use crate::damage::Damage;

/// Why a store did not do what was asked. Never holds a path of this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The domain refused the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The goal, or the store, can't be trusted.
    #[error("{}: {}", .0.goal.as_ref().map_or("the store", |goal| goal.as_str()), .0.code.meaning())]
    Damaged(Damage),
    /// Another process held the lock for too long.
    #[error("the store is held by {} for more than {seconds} s", .pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}")))]
    Busy {
        /// The holder, where it said so.
        pid: Option<u32>,
        /// How long we waited.
        seconds: u64,
    },
    /// A file or folder is open to others.
    #[error("{file} has mode {mode:04o}: others could write to it")]
    Permissions {
        /// Which, relative to the base folder; `.` is the folder.
        file: &'static str,
        /// Its mode.
        mode: u32,
    },
    /// The folder lies on a network file system.
    #[error("the store's folder lies on {kind}, where locks and shared memory can't be relied on")]
    NetworkFs {
        /// Which kind.
        kind: &'static str,
    },
    /// A newer program wrote the store.
    #[error("the store has schema version {found}; this program knows versions up to {known}")]
    Newer {
        /// The store's schema version.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// An older program wrote the store, and it can't be migrated here.
    #[error("the store has schema version {found} and must be migrated to {known}, but can't be written")]
    Older {
        /// The store's schema version.
        found: i64,
        /// The one that this program writes.
        known: i64,
    },
    /// The store can be read only.
    #[error("the store can't be written: its folder or disk is read-only")]
    ReadOnly,
    /// The disk is full.
    #[error("the disk is full: nothing was recorded")]
    DiskFull,
    /// A line of an import is not right; nothing was imported.
    #[error("line {line}: {reason}")]
    Import {
        /// Which line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The backup is not whole.
    #[error("the backup did not verify and was removed")]
    Backup,
    /// Texts were purged from the log, but an open reader keeps old pages of the file.
    #[error("purged from the log, but a reader keeps the old pages of the file in use")]
    PurgePending,
    /// The operating system said no.
    #[error("{what}: {}", loopx_safety::io_words(*kind))]
    Io {
        /// While doing what.
        what: &'static str,
        /// What it said.
        kind: std::io::ErrorKind,
    },
    /// The database said no.
    #[error("{}", failed(*code))]
    Database {
        /// SQLite's extended code.
        code: i32,
    },
}

/// What SQLite's codes of a failing disk mean, for people.
fn failed(code: i32) -> String {
    let doing = match code {
        266 | 522 => "reading the database",
        778 => "writing the database",
        1034 => "syncing the database",
        1290 => "syncing the folder",
        1546 => "shortening a file of the database",
        code if code & 0xff == 10 => "working on the database",
        code => return format!("the database failed with code {code}"),
    };
    format!("the disk failed while {doing} (code {code}): nothing was recorded")
}

/// An error's name in `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreErrorCode {
    /// See [`StoreError::Refused`].
    Refused,
    /// See [`StoreError::Damaged`].
    Damaged,
    /// See [`StoreError::Busy`].
    Busy,
    /// See [`StoreError::Permissions`].
    Permissions,
    /// See [`StoreError::NetworkFs`].
    NetworkFs,
    /// See [`StoreError::Newer`] and [`StoreError::Older`].
    SchemaVersion,
    /// See [`StoreError::ReadOnly`].
    ReadOnly,
    /// See [`StoreError::DiskFull`].
    DiskFull,
    /// See [`StoreError::Import`].
    Import,
    /// See [`StoreError::Backup`].
    Backup,
    /// See [`StoreError::PurgePending`].
    PurgePending,
    /// See [`StoreError::Io`] and [`StoreError::Database`].
    Failed,
}

impl StoreErrorCode {
    /// Its name in `--json`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Damaged => "damaged",
            Self::Busy => "busy",
            Self::Permissions => "permissions",
            Self::NetworkFs => "network_fs",
            Self::SchemaVersion => "schema_version",
            Self::ReadOnly => "read_only",
            Self::DiskFull => "disk_full",
            Self::Import => "import",
            Self::Backup => "backup",
            Self::PurgePending => "purge_pending",
            Self::Failed => "failed",
        }
    }
}

impl StoreError {
    /// Its name.
    pub const fn code(&self) -> StoreErrorCode {
        match self {
            Self::Refused(_) => StoreErrorCode::Refused,
            Self::Damaged(_) => StoreErrorCode::Damaged,
            Self::Busy { .. } => StoreErrorCode::Busy,
            Self::Permissions { .. } => StoreErrorCode::Permissions,
            Self::NetworkFs { .. } => StoreErrorCode::NetworkFs,
            Self::Newer { .. } | Self::Older { .. } => StoreErrorCode::SchemaVersion,
            Self::ReadOnly => StoreErrorCode::ReadOnly,
            Self::DiskFull => StoreErrorCode::DiskFull,
            Self::Import { .. } => StoreErrorCode::Import,
            Self::Backup => StoreErrorCode::Backup,
            Self::PurgePending => StoreErrorCode::PurgePending,
            Self::Io { .. } | Self::Database { .. } => StoreErrorCode::Failed,
        }
    }

    /// One way out. Files are named relative to the base folder.
    pub fn hint(&self) -> String {
        match self {
            Self::Refused(refusal) => refusal.hint(),
            Self::Damaged(damage) => damage.way_out(),
            Self::Busy { pid: Some(pid), .. } => {
                format!(
                    "let it finish, or look at it: `ps -p {pid}`; a stopped one goes on with `kill -CONT {pid}`"
                )
            }
            Self::Busy { pid: None, .. } => "let it finish, then try again".to_owned(),
            Self::Permissions { file: ".", .. } => {
                "take that away: `chmod 700 .` in the base folder".to_owned()
            }
            Self::Permissions { file, .. } => format!("take that away: `chmod 600 {file}`"),
            Self::NetworkFs { .. } => "set LOOPX_HOME to a folder on a local disk".to_owned(),
            Self::Newer { .. } => "upgrade loopx".to_owned(),
            Self::Older { .. } | Self::ReadOnly => {
                "make the folder writable, or set LOOPX_HOME to one that is".to_owned()
            }
            Self::DiskFull => "free some space, then try again".to_owned(),
            Self::Import { .. } => {
                "nothing was imported; export again from the source: `loopx export`".to_owned()
            }
            Self::Backup => "check the disk, then `loopx backup FILE` again".to_owned(),
            Self::PurgePending => "close other loopx processes, then purge again".to_owned(),
            Self::Io { .. } | Self::Database { .. } => "see `loopx doctor`".to_owned(),
        }
    }
}
