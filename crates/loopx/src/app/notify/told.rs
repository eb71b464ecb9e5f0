//! What was told, in a file of LoopX's own, so that of several watchers one tells, and none tells again after a start.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::edges::{Memory, Noted};
use crate::app::file;
use crate::app::home::make_folder;

/// The file.
pub const TOLD: &str = "told.json";
/// Whose lock it is.
pub const LOCK: &str = "told.lock";
/// Held by whoever tells, from before it begins until what it came to is kept.
pub const TELLING: &str = "telling.lock";
/// What takes its place.
pub const NEW: &str = "told.json.new";

/// The one version there is; an unknown one is not read.
#[derive(Serialize, Deserialize)]
enum Version {
    #[serde(rename = "loopx_told_v0")]
    V0,
}

/// The longest file that is read, in bytes.
const LONGEST: u64 = 4 << 20;

/// How long it is waited for another process that tells.
const WAIT: Duration = Duration::from_millis(200);

#[derive(Serialize, Deserialize)]
struct Document {
    schema_version: Version,
    entries: Vec<Noted>,
}

/// What was told, held for this process alone as long as this lives.
pub struct Told {
    folder: PathBuf,
    _lock: File,
}

impl Told {
    /// Takes the lock. None where another process keeps it for too long.
    pub fn lock(data: &Path) -> io::Result<Option<Self>> {
        make_folder(data)?;
        let lock = file_of(&data.join(LOCK))?;
        Ok(file::lock(&lock, WAIT)?.then(|| Self { folder: data.to_owned(), _lock: lock }))
    }

    /// Begins to tell: others leave what is to be told alone until this is closed, as it is when the process ends,
    /// however it ends. None where another process tells.
    pub fn begin(&self) -> io::Result<Option<File>> {
        let lock = file_of(&self.folder.join(TELLING))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(fs::TryLockError::Error(error)) => Err(error),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
        }
    }

    /// What was told; nothing where the file can't be read: then it is told anew.
    pub fn read(&self) -> Option<Memory> {
        let text = file::text(&self.folder.join(TOLD), LONGEST).ok()??;
        let document: Document = serde_json::from_str(&text).ok()?;
        Some(document.entries.into_iter().map(|entry| (entry.what.clone(), entry)).collect())
    }

    /// Keeps it, whole or not at all.
    pub fn write(&self, memory: &Memory) -> io::Result<()> {
        let entries = memory.values().cloned().collect();
        let text = serde_json::to_vec(&Document { schema_version: Version::V0, entries })?;
        file::replace(&self.folder.join(TOLD), &text)
    }
}

/// The file of a lock.
fn file_of(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // A pipe in its place would block us for ever, and a link may lead anywhere.
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(flags.bits().cast_signed());
    options.open(path)
}
