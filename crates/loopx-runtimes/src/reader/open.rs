//! Opening a foreign file: read-only, without waiting, regular files only.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use jiff::Timestamp;

use crate::sweep::SkipKind;

/// An open file and what was true of it when it was opened: only that many bytes are read.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub file: File,
    /// Its length in bytes.
    pub len: u64,
    /// When it was last written.
    pub modified: Option<Timestamp>,
    /// Which file it is, and in which state.
    pub identity: Identity,
    /// Whether it was read from.
    pub(super) moved: bool,
}

/// By what a file is known again, and known to be unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The device it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its length in bytes.
    pub len: u64,
    /// When it was last written, nanoseconds since the epoch.
    pub modified: i64,
}

impl Identity {
    /// By the metadata of a file.
    pub fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let modified = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        Self { device: meta.dev(), inode: meta.ino(), len: meta.len(), modified }
    }

    /// Whether both are the same file, in whatever state.
    pub const fn is_file(self, other: Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }

    /// Whether the file may have been written on since it was `before`: it is the same one, and longer if it was
    /// written at all. One that was written and is as long as before was written anew.
    pub const fn goes_on(self, before: Self) -> bool {
        self.is_file(before) && (self.len != before.len || self.modified == before.modified)
    }

    /// When it was last written.
    pub fn modified_at(self) -> Option<Timestamp> {
        Timestamp::from_nanosecond(self.modified.into()).ok()
    }
}

/// Opens a file for reading. A pipe, device or folder is refused and cannot make us wait.
pub fn open(path: &Path) -> Result<Opened, SkipKind> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe without a writer would block us for ever.
        options
            .custom_flags((rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| kind_of(&error))?;
    let meta = file.metadata().map_err(|error| kind_of(&error))?;
    if !meta.is_file() {
        return Err(SkipKind::NotAFile);
    }
    Ok(Opened {
        len: meta.len(),
        modified: modified(&meta),
        identity: Identity::of(&meta),
        moved: false,
        file,
    })
}

/// How much of a small file is read at once, in bytes.
const AT_ONCE: usize = 8 << 10;

/// Reads a small file whole; more than `max` bytes are refused.
pub fn small(path: &Path, max: u64) -> Result<Vec<u8>, SkipKind> {
    // Files of the process folder say that they are empty: read to the end, not to the length. What is read of them at
    // once was true at once, so it is not begun with a few bytes.
    let mut bytes = Vec::with_capacity(AT_ONCE);
    let opened = open(path)?;
    opened.file.take(max + 1).read_to_end(&mut bytes).map_err(|error| kind_of(&error))?;
    if bytes.len() as u64 > max { Err(SkipKind::TooLarge) } else { Ok(bytes) }
}

/// When a file was last written, by its metadata.
pub fn modified(meta: &Metadata) -> Option<Timestamp> {
    meta.modified().ok().and_then(|at| Timestamp::try_from(at).ok())
}

/// Why a file could not be read.
pub fn kind_of(error: &io::Error) -> SkipKind {
    if error.kind() == ErrorKind::NotFound { SkipKind::Vanished } else { SkipKind::Unreadable }
}
