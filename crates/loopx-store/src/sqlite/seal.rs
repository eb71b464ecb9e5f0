//! The seal: a small file beside the database that says how its files looked after the last commit of ours.
//!
//! While they still look so, nothing has to be verified. If they don't, somebody else wrote, or a process died between
//! its commit and its seal: then everything is. It also remembers which goals there were and how far their logs went,
//! so that a log that was taken away or set back is noticed.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;

use loopx_contract::GoalId;
use serde::{Deserialize, Serialize};

use super::fault::io_error;
use super::files::{Base, DATABASE, SEAL, WAL, plain_file, private_file};
use crate::damage::DamageCode;
use crate::error::StoreError;

/// The most a seal may weigh: some hundred bytes for each of many thousand goals.
const MOST: u64 = 16 << 20;

/// How a file looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// How the files of the database looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamps {
    database: Option<Stamp>,
    wal: Option<Stamp>,
}

impl Stamps {
    pub(crate) fn of(base: &Base) -> Self {
        // A write-ahead log without a byte, which a mere reader may leave behind, says as much as none.
        let wal = stamp(base, WAL).filter(|stamp| stamp.size > 0);
        Self { database: stamp(base, DATABASE), wal }
    }

    /// The database file itself; none if there is no such file.
    pub(crate) fn inode(&self) -> Option<u64> {
        self.database.map(|stamp| stamp.inode)
    }
}

/// How the seal itself looks.
pub(crate) fn of_seal(base: &Base) -> Option<Stamp> {
    stamp(base, SEAL)
}

fn stamp(base: &Base, name: &str) -> Option<Stamp> {
    let data = std::fs::metadata(base.file(name)).ok()?;
    Some(Stamp { inode: data.ino(), size: data.len(), seconds: data.mtime(), nanoseconds: data.mtime_nsec() })
}

/// How far a goal's log went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SealedHead {
    pub revision: u64,
    /// The checksum of that event, in hexadecimal.
    pub hash: String,
    /// What was found wrong with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub damage: Option<DamageCode>,
}

/// What stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The store's own random id, in hexadecimal.
    pub store: String,
    pub schema: i64,
    pub stamps: Stamps,
    pub goals: BTreeMap<GoalId, SealedHead>,
}

#[derive(Serialize, Deserialize)]
struct Sealed<S> {
    seal: S,
    sum: String,
}

impl Seal {
    /// The seal, if there is a whole one. Half a seal is none: then everything is verified.
    pub(crate) fn read(base: &Base) -> Option<Self> {
        let file = plain_file(&base.file(SEAL)).ok()?;
        let size = file.metadata().ok()?.len().min(MOST);
        let mut text = String::with_capacity(usize::try_from(size).ok()? + 1);
        file.take(MOST).read_to_string(&mut text).ok()?;
        let sealed: Sealed<&serde_json::value::RawValue> = serde_json::from_str(&text).ok()?;
        if blake3::hash(sealed.seal.get().as_bytes()).to_hex().as_str() != sealed.sum {
            return None;
        }
        serde_json::from_str(sealed.seal.get()).ok()
    }

    /// Whether both are of the same database, in the same file.
    pub(crate) fn is_of_file(&self, other: &Self) -> bool {
        self.store == other.store && self.stamps.inode() == other.stamps.inode()
    }

    /// Writes the seal. The lock is held.
    pub(crate) fn write(&self, base: &Base) -> Result<(), StoreError> {
        let invalid = |_| StoreError::Io { what: "writing the seal", kind: std::io::ErrorKind::InvalidData };
        let seal = serde_json::value::to_raw_value(self).map_err(invalid)?;
        let sum = blake3::hash(seal.get().as_bytes()).to_hex().to_string();
        let text = serde_json::to_vec(&Sealed { seal, sum }).map_err(invalid)?;
        let new = base.file("seal.json.new");
        let mut file = private_file(&new, false).map_err(io_error("writing the seal"))?;
        file.set_len(0)
            .and_then(|()| file.write_all(&text))
            .and_then(|()| std::fs::rename(&new, base.file(SEAL)))
            .map_err(io_error("writing the seal"))
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _never_fails = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}
