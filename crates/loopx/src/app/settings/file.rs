//! The file itself: read whole, and replaced whole only if nobody has changed it meanwhile.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The longest settings file that is edited, in bytes.
const LONGEST: u64 = 4 << 20;

/// What begins a text of some editors.
const BOM: &str = "\u{feff}";

/// A settings file as it was read.
#[derive(Clone, Debug)]
pub struct Original {
    /// Where it lies, links followed.
    path: PathBuf,
    /// What was in it; none where there was no file.
    bytes: Option<Vec<u8>>,
    /// A mark of the byte order, if it begins with one.
    bom: &'static str,
    text: String,
}

/// Why a file is neither read nor written. Nothing was changed.
#[derive(Debug)]
pub enum Trouble {
    /// Its folder is not there.
    NoFolder,
    /// A link that leads nowhere.
    Dangling,
    /// A pipe, device or folder.
    NotAFile,
    /// Longer than settings are.
    TooLong,
    /// Its text is not UTF-8.
    NotText,
    /// Nobody may write to it, or to its folder: another program looks after it.
    ReadOnly,
    /// It lies under several names, and would get away from the others.
    Linked,
    /// It belongs to somebody else, and would get away from them.
    NotYours,
    /// Somebody has changed it since it was read.
    Changed,
    /// The system refused.
    Io(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Original {
    /// Reads the file that is meant by a path, whatever links lead to it. One that is not there is an empty one.
    pub fn read(path: &Path) -> Result<Self, Trouble> {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if fs::symlink_metadata(path).is_ok() {
                    return Err(Trouble::Dangling);
                }
                let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
                let (folder, name) = folder.zip(path.file_name()).ok_or(Trouble::NoFolder)?;
                let path = folder.join(name);
                return Ok(Self { path, bytes: None, bom: "", text: String::new() });
            }
            Err(error) => return Err(error.into()),
        };
        let bytes = contents(&real)?;
        let whole = String::from_utf8(bytes.clone()).map_err(|_| Trouble::NotText)?;
        let (bom, text) = match whole.strip_prefix(BOM) {
            Some(rest) => (BOM, rest.to_owned()),
            None => ("", whole),
        };
        Ok(Self { path: real, bytes: Some(bytes), bom, text })
    }

    /// The text in it, without a mark of the byte order.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there was a file.
    pub const fn exists(&self) -> bool {
        self.bytes.is_some()
    }

    /// Where it lies, links followed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it could be replaced; nothing is.
    pub fn check(&self) -> Result<(), Trouble> {
        let folder = self.path.parent().ok_or(Trouble::NoFolder)?;
        let meta = fs::metadata(folder)?;
        if !may_write(folder, &meta) {
            return Err(Trouble::ReadOnly);
        }
        if self.exists() {
            let meta = fs::metadata(&self.path)?;
            if !may_write(&self.path, &meta) {
                return Err(Trouble::ReadOnly);
            }
            if meta.nlink() > 1 {
                return Err(Trouble::Linked);
            }
        }
        Ok(())
    }

    /// Puts another text in its place, mode and owner kept, at once: nobody ever sees half of it.
    pub fn replace(&self, text: &str) -> Result<(), Trouble> {
        self.check()?;
        let beside = self.beside();
        let written = self.write(&beside, text);
        written.inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    }

    /// Takes the file away.
    pub fn remove(&self) -> Result<(), Trouble> {
        self.check()?;
        self.unchanged()?;
        fs::remove_file(&self.path)?;
        Ok(self.sync_folder()?)
    }

    fn write(&self, beside: &Path, text: &str) -> Result<(), Trouble> {
        match fs::remove_file(beside) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(beside)?;
        out.write_all(self.bom.as_bytes())?;
        out.write_all(text.as_bytes())?;
        if self.exists() {
            let was = fs::metadata(&self.path)?;
            let is = out.metadata()?;
            if (was.uid(), was.gid()) != (is.uid(), is.gid()) {
                let chown = std::os::unix::fs::fchown(&out, Some(was.uid()), Some(was.gid()));
                chown.map_err(|_| Trouble::NotYours)?;
            }
            out.set_permissions(fs::Permissions::from_mode(was.mode() & 0o7777))?;
        }
        out.sync_all()?;
        self.unchanged()?;
        fs::rename(beside, &self.path)?;
        Ok(self.sync_folder()?)
    }

    /// Looks whether what is there is what was read.
    fn unchanged(&self) -> Result<(), Trouble> {
        let there = match contents(&self.path) {
            Ok(bytes) => Some(bytes),
            Err(Trouble::Io(error)) if error.kind() == ErrorKind::NotFound => None,
            Err(trouble) => return Err(trouble),
        };
        if there == self.bytes { Ok(()) } else { Err(Trouble::Changed) }
    }

    /// One name: who changes settings holds a lock, and what a killed process has left is in nobody's way.
    fn beside(&self) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(self.path.file_name().unwrap_or_default());
        name.push(".loopx-new");
        self.path.with_file_name(name)
    }

    fn sync_folder(&self) -> io::Result<()> {
        self.path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    }
}

/// Whether we may write to it. The mode counts for root too: what nobody may write to, another program looks after.
fn may_write(path: &Path, meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o222 != 0 && rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// What is in a file. A pipe or device is no file and is not waited for.
fn contents(path: &Path) -> Result<Vec<u8>, Trouble> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Trouble::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST { Err(Trouble::TooLong) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests;
