//! Files of ours that say who may look: read with distrust, changed one after the other.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;

use loopx_safety::io_words;
use rustix::fs::OFlags;
use rustix::process::geteuid;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::app::file;
use crate::app::home::make_folder;
use crate::error::{CliError, ErrorKind as Kind};

/// The longest that is read, in bytes.
const LONGEST: u64 = 64 << 10;

/// How long it is waited for whoever else changes it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a file that is there counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// A link, a folder, a pipe.
    NoFile,
    /// Another user's.
    Foreign,
    /// Others may read or write it.
    Open,
    /// It is longer than any of ours.
    Long,
    /// What stands in it is none of ours.
    Torn,
    /// The system does not let us read it.
    Unreadable(&'static str),
}

impl Distrust {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoFile => "is no file of its own",
            Self::Foreign => "belongs to another user",
            Self::Open => "is open to others",
            Self::Long => "is too long",
            Self::Torn => "is damaged",
            Self::Unreadable(why) => why,
        }
    }
}

/// What tells whether a file is another one than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([i64; 6]);

impl Stamp {
    /// Of a path, whatever lies there; none of nothing.
    pub fn of(path: &Path) -> Option<Self> {
        std::fs::symlink_metadata(path).ok().as_ref().map(Self::read)
    }

    fn read(meta: &Metadata) -> Self {
        let [dev, ino, size] = [meta.dev(), meta.ino(), meta.size()].map(u64::cast_signed);
        Self([dev, ino, size, meta.mtime(), meta.mtime_nsec(), meta.ctime_nsec()])
    }
}

/// What stands in such a file; `None` where there is none.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Distrust> {
    let Some(text) = text(path)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|_| Distrust::Torn)
}

/// The text of such a file; `None` where there is none.
pub fn text(path: &Path) -> Result<Option<String>, Distrust> {
    // A link leads elsewhere, and a pipe without a writer would block us for ever.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let unreadable = |error: io::Error| Distrust::Unreadable(io_words(error.kind()));
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) if path.is_symlink() => return Err(Distrust::NoFile),
        Err(error) => return Err(unreadable(error)),
    };
    let meta = file.metadata().map_err(unreadable)?;
    if !meta.is_file() {
        return Err(Distrust::NoFile);
    }
    if meta.uid() != geteuid().as_raw() {
        return Err(Distrust::Foreign);
    }
    if meta.mode() & 0o077 != 0 {
        return Err(Distrust::Open);
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LONGEST {
        return Err(Distrust::Long);
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Distrust::Torn)
}

/// Changes what stands in such a file, alone among all processes. What counts for nothing is written anew.
pub fn change<T: Default + Serialize + DeserializeOwned, R>(
    path: &Path,
    change: impl FnOnce(&mut T) -> R,
) -> Result<R, CliError> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("it");
    let failed =
        |error: io::Error| CliError::internal(format!("failed to write {name}: {}", io_words(error.kind())));
    if let Some(folder) = path.parent() {
        make_folder(folder).map_err(failed)?;
    }
    let lock = lock_file(&path.with_extension("lock")).map_err(failed)?;
    if !file::lock(&lock, PATIENCE).map_err(failed)? {
        return Err(CliError::new(Kind::Conflict, format!("{name} is being changed by another process"))
            .hint("try again"));
    }
    let mut held: T = read(path).ok().flatten().unwrap_or_default();
    let done = change(&mut held);
    let bytes = serde_json::to_vec_pretty(&held).map_err(|error| failed(error.into()))?;
    file::replace(path, &bytes).map_err(failed)?;
    Ok(done)
}

/// A file that is there to be locked. A link in its place is not followed.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let mut open = OpenOptions::new();
    open.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
    let file = open.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::from(ErrorKind::InvalidInput)) }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_file_that_others_had_a_hand_in_counts_for_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own.json");
        let counts = || read::<Vec<u8>>(&path);
        assert_eq!(counts(), Ok(None));
        change(&path, |held: &mut Vec<u8>| held.push(7)).expect("written");
        assert_eq!(counts(), Ok(Some(vec![7])));
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("a mode");
        assert_eq!(counts(), Err(Distrust::Open));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("a mode");
        for (bytes, why) in [
            (vec![b'['; 70_000], Distrust::Long),
            (b"[7".to_vec(), Distrust::Torn),
            (vec![0xff], Distrust::Torn),
        ] {
            fs::write(&path, bytes).expect("a file");
            assert_eq!(counts(), Err(why));
        }
        let elsewhere = folder.path().join("elsewhere.json");
        fs::rename(&path, &elsewhere).expect("moved");
        fs::write(&elsewhere, "[7]").expect("a file");
        symlink(&elsewhere, &path).expect("a link");
        assert_eq!(counts(), Err(Distrust::NoFile));
        // It is written in the link's place, and nothing where the link leads.
        change(&path, |held: &mut Vec<u8>| held.push(1)).expect("written");
        assert_eq!((counts(), read(&elsewhere)), (Ok(Some(vec![1])), Ok(Some(vec![7_u8]))));
        fs::remove_file(&path).expect("gone");
        fs::create_dir(&path).expect("a folder");
        assert_eq!(counts(), Err(Distrust::NoFile));
    }
}
