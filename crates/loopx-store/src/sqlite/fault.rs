//! What goes wrong inside, before it is known whose it is.

use std::io;

use loopx_contract::GoalId;
use loopx_core::Refusal;
use rusqlite::ErrorCode;

use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;

/// An error that may turn out to be a goal's damage.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What is read can't be trusted.
    Damaged(DamageCode),
    /// SQLite's.
    Sql(rusqlite::Error),
    /// Already what the caller gets.
    Store(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Store(refusal.into())
    }
}

impl Fault {
    /// What is wrong with the data, if the fault is the data's and not of this moment.
    pub(crate) fn damage(&self) -> Option<DamageCode> {
        match self {
            Self::Damaged(code) => Some(*code),
            Self::Store(StoreError::Damaged(damage)) => Some(damage.code),
            Self::Store(_) => None,
            Self::Sql(error) => sql_damage(error),
        }
    }

    /// The error, as of `goal`.
    pub(crate) fn of(self, goal: Option<&GoalId>) -> StoreError {
        if let Self::Store(error) = self {
            return error;
        }
        match self.damage() {
            Some(code) => StoreError::Damaged(Damage { goal: goal.cloned(), code }),
            None => match self {
                Self::Sql(error) => sql_error(&error),
                Self::Damaged(code) => StoreError::Damaged(Damage { goal: goal.cloned(), code }),
                Self::Store(error) => error,
            },
        }
    }
}

/// Damage, if a value that we wrote does not read back as one.
#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate, open to new variants")]
fn sql_damage(error: &rusqlite::Error) -> Option<DamageCode> {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Some(DamageCode::NotADatabase),
        // A table or column that is not there (`Unknown` is SQLITE_ERROR) is a schema that was changed.
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::TypeMismatch) => {
            Some(DamageCode::Unreadable)
        }
        Some(_) => None,
        None => match error {
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::QueryReturnedNoRows => Some(DamageCode::Unreadable),
            _ => None,
        },
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate, open to new variants")]
pub(crate) fn sql_error(error: &rusqlite::Error) -> StoreError {
    let code = match error {
        rusqlite::Error::SqliteFailure(error, _) => error.extended_code,
        _ => 0,
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly
        }
        Some(ErrorCode::DiskFull) => StoreError::DiskFull,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { pid: None, seconds: super::files::WAIT.as_secs() }
        }
        _ => StoreError::Database { code },
    }
}

/// The operating system's error as ours.
#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate, open to new variants")]
pub(crate) fn io_error(what: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    move |error| match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
        kind => StoreError::Io { what, kind },
    }
}

/// A number of ours in SQLite's signed integers.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// One of SQLite's integers as a number of ours: none of those is negative.
pub(crate) fn unsigned(number: i64) -> Result<u64, Fault> {
    u64::try_from(number).map_err(|_| Fault::Damaged(DamageCode::Unreadable))
}
