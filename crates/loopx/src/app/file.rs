//! Small files of LoopX's own.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

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
