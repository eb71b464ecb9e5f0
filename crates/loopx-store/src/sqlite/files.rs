//! The files of a store: who may touch them, where they may lie, and whose turn it is to write.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::fault::io_error;
use crate::error::StoreError;

/// How long a writer waits for its turn.
pub(crate) const WAIT: Duration = Duration::from_secs(10);

pub(crate) const DATABASE: &str = "loopx.db";
pub(crate) const WAL: &str = "loopx.db-wal";
pub(crate) const SHM: &str = "loopx.db-shm";
pub(crate) const LOCK: &str = "loopx.lock";
pub(crate) const SEAL: &str = "seal.json";

/// The folder of a store.
#[derive(Clone, Debug)]
pub(crate) struct Base(PathBuf);

impl Base {
    pub(crate) fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Refuses a folder or file that others may write to, and a file system that can't lock. True if there is a folder.
    pub(crate) fn check(&self) -> Result<bool, StoreError> {
        let Some(mode) = mode(&self.0)? else { return Ok(false) };
        if mode & 0o022 != 0 {
            return Err(StoreError::Permissions { file: ".", mode });
        }
        for file in [DATABASE, WAL, SHM, LOCK, SEAL] {
            if let Some(mode) = mode_of(&self.file(file))?.filter(|mode| mode & 0o022 != 0) {
                return Err(StoreError::Permissions { file, mode });
            }
        }
        if let Ok(stat) = rustix::fs::statfs(&self.0)
            && let Some(kind) = network(stat.f_type)
        {
            return Err(StoreError::NetworkFs { kind });
        }
        Ok(true)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Makes the folder, for its owner alone.
    pub(crate) fn create_folder(&self) -> Result<(), StoreError> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0).map_err(io_error("creating the folder"))
    }

    /// Sees to it that the folder and what lies in it are found again after a power loss: a file that is synced is lost
    /// all the same while its name is not, or that of a folder above it.
    pub(crate) fn keep(&self) -> Result<(), StoreError> {
        let folder = std::fs::canonicalize(&self.0).map_err(io_error("keeping the folder"))?;
        for folder in folder.ancestors() {
            // Of a folder above that can't be opened nothing was made by us.
            let Ok(opened) = File::open(folder) else { continue };
            match opened.sync_all() {
                // Some file systems have nothing to sync there.
                Err(error) if error.kind() != io::ErrorKind::InvalidInput => {
                    return Err(io_error("keeping the folder")(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Makes the empty database file, so that it is never open to others.
    pub(crate) fn create(&self) -> Result<(), StoreError> {
        match private_file(&self.file(DATABASE), true) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(io_error("creating the database")(error)),
        }
    }

    /// Whether there is a database. One that can't be looked at is not taken for none.
    pub(crate) fn has_database(&self) -> Result<bool, StoreError> {
        self.file(DATABASE).try_exists().map_err(io_error("looking at the database"))
    }

    /// Waits for this process's turn to write.
    pub(crate) fn lock(&self) -> Result<Turn, StoreError> {
        let file = private_file(&self.file(LOCK), false).map_err(io_error("opening the lock"))?;
        let mut file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::WouldBlock) => self.queue(file)?,
            Err(TryLockError::Error(error)) => return Err(io_error("taking the lock")(error)),
        };
        // Only said to people: that it can't be written stops nobody.
        let _said = file.rewind().and_then(|()| writeln!(file, "{:<10}", std::process::id()));
        Ok(Turn { _file: file })
    }

    /// Waits in the kernel's queue, so that turns come in order, but not for longer than [`WAIT`]: a holder may be
    /// stopped. A wait that was given up lets go of the lock as soon as it gets it.
    fn queue(&self, file: File) -> Result<File, StoreError> {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let result = file.lock().map(|()| file);
            let _nobody_waits_any_more = sender.send(result);
        });
        match receiver.recv_timeout(WAIT) {
            Ok(result) => result.map_err(io_error("taking the lock")),
            Err(_) => Err(StoreError::Busy { pid: self.holder(), seconds: WAIT.as_secs() }),
        }
    }

    /// The process that said last that it has the turn.
    fn holder(&self) -> Option<u32> {
        let mut text = String::new();
        plain_file(&self.file(LOCK)).ok()?.take(16).read_to_string(&mut text).ok()?;
        text.trim().parse().ok()
    }

    /// The turn to write, if it can be had at once.
    pub(crate) fn try_lock(&self) -> Option<Turn> {
        let file = private_file(&self.file(LOCK), false).ok()?;
        file.try_lock().ok()?;
        Some(Turn { _file: file })
    }

    /// Looks again and again until `done` says so, or until nobody is between a commit and its seal, for at most
    /// `wait`. What is given back keeps writers out.
    pub(crate) fn settle(&self, wait: Duration, mut done: impl FnMut() -> bool) -> Option<Turn> {
        let file = plain_file(&self.file(LOCK)).ok()?;
        let start = Instant::now();
        loop {
            match file.try_lock_shared() {
                Ok(()) => {
                    done();
                    return Some(Turn { _file: file });
                }
                Err(_) if done() || start.elapsed() > wait => return None,
                Err(_) => thread::sleep(Duration::from_micros(300)),
            }
        }
    }
}

/// The turn to write; over when dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _file: File,
}

/// Opens a file to read. A pipe or device is none, and is not waited for.
pub(crate) fn plain_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(WITHOUT_WAITING).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// A pipe without a writer would block us for ever.
const WITHOUT_WAITING: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// Opens a file that only its owner may read.
pub(crate) fn private_file(path: &Path, new: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600).custom_flags(WITHOUT_WAITING);
    let file = if new { options.create_new(true) } else { options.create(true) }.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The mode of what lies at a path, links followed.
fn mode(path: &Path) -> Result<Option<u32>, StoreError> {
    match std::fs::metadata(path) {
        Ok(data) => Ok(Some(data.mode() & 0o7777)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("looking at the folder")(error)),
    }
}

/// The same, where an unreadable file counts as none.
fn mode_of(path: &Path) -> Result<Option<u32>, StoreError> {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.file_type().is_symlink() => mode(path),
        Ok(data) => Ok(Some(data.mode() & 0o7777)),
        Err(_) => Ok(None),
    }
}

/// The kind of a file system that can't be relied on, by the magic numbers of `statfs(2)`.
fn network(magic: impl Into<i128>) -> Option<&'static str> {
    match magic.into() & 0xffff_ffff {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x6573_5546 => Some("FUSE"),
        0x0102_1997 => Some("9P"),
        0x00c3_6400 => Some("Ceph"),
        0x7375_7245 => Some("Coda"),
        0x5346_414f => Some("AFS"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        assert_eq!(network(0x6969_i64), Some("NFS"));
        assert_eq!(network(-11_317_950_i32), Some("SMB"));
        for local in [0xef53_i64, 0x0102_1994, 0x9123_683e, 0x5846_5342, 0x794c_7630] {
            assert_eq!(network(local), None);
        }
    }
}
