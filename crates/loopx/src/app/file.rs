//! Small files of LoopX's own.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

/// Reads one of at most this many bytes; `None` where there is none. A pipe or device is no file and is not waited for,
/// and a link that leads nowhere is not the same as no file.
pub fn text(path: &Path, most: u64) -> io::Result<Option<String>> {
    // A pipe without a writer would block us for ever.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a file"));
    }
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(Some(text)) }
}

/// Takes a file's lock, and waits so long at most for whoever holds it. Gives whether it was had.
pub fn lock(file: &fs::File, most: Duration) -> io::Result<bool> {
    let until = Instant::now() + most;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(fs::TryLockError::Error(error)) => return Err(error),
            Err(fs::TryLockError::WouldBlock) if Instant::now() >= until => return Ok(false),
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Writes one whole, readable by its owner alone, in the place of the one that is there. Who writes the same file at the
/// same time is kept away by a lock: `FILE.new` beside it is one file for all.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    // What lies there was left by one who was cut off.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn what_was_left_by_one_who_was_cut_off_is_neither_kept_nor_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, new) = (folder.path().join("own.json"), folder.path().join("own.json.new"));
        let foreign = folder.path().join("foreign");
        fs::write(&foreign, "theirs").expect("a file");
        symlink(&foreign, &new).expect("a link");
        replace(&path, b"first").expect("written");
        fs::write(&new, "half of a").expect("a file");
        replace(&path, b"second").expect("written");
        let read = |path: &Path| text(path, 100).expect("a file");
        assert_eq!((read(&path).as_deref(), read(&foreign).as_deref()), (Some("second"), Some("theirs")));
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing is left beside it");
    }
}
