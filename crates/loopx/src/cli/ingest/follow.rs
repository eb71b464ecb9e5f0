//! A file that is followed: what is appended to it is taken, from where the last time ended. It may come later, be cut
//! short or be replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use loopx_safety::{Handle, HandleKind, InstallKey};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::{CHUNK, Taking};
use crate::app::{file, folder};
use crate::error::CliError;

/// How often it is looked whether there is more.
const PAUSE: Duration = Duration::from_millis(50);

/// How many bytes before the place where we stopped tell that they are the same.
const BEFORE: usize = 4096;

/// The longest note of a place, in bytes.
const LONGEST: u64 = 4096;

const VERSION: &str = "loopx_follow_v0";

/// Where we stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stop {
    schema_version: String,
    /// Which file.
    device: u64,
    inode: u64,
    /// How far, in bytes: up to the end of a line.
    offset: u64,
    /// How many lines that are.
    lines: u64,
    /// The last bytes before, hashed.
    before: Handle,
}

/// The file as it is open.
struct Followed {
    file: File,
    device: u64,
    inode: u64,
    is_pipe: bool,
    /// How far it was read.
    offset: u64,
    lines: Lines,
    /// The last bytes before.
    before: Option<Handle>,
    /// Its length and when it was written, as of the last look.
    looked: Option<(u64, i64, i64)>,
}

/// Follows it until somebody ends us.
pub fn run(path: &Path, data: &Path, key: &InstallKey, taking: &mut Taking<'_>) -> Result<(), CliError> {
    if fs::metadata(path).is_ok_and(|meta| meta.is_dir()) {
        return Err(CliError::usage("a folder can't be followed").hint("name a file in it"));
    }
    let name = key.handle(HandleKind::File, "ingest", &hex(folder::canonical(path).as_os_str().as_bytes()));
    let note = data.join(format!("workers.{name}.json"));
    let mut stop = kept(&note);
    let mut open: Option<Followed> = None;
    let mut buffer = vec![0; CHUNK];
    loop {
        let here = open.take().or_else(|| Followed::open(path, stop.as_ref(), key));
        let Some(mut followed) = here else {
            thread::sleep(PAUSE);
            continue;
        };
        // Looked at before its last lines are read: what another one replaces is no longer written to.
        let is_replaced = followed.is_replaced(path);
        followed.look(key);
        while followed.more(&mut buffer, taking) {
            // A pipe can't be gone back in, and what is not written yet would be lost with us.
            let new = followed.stop(key).filter(|new| stop.as_ref() != Some(new) && taking.waits.is_none());
            if let Some(new) = new {
                // What can't be noted is read again the next time.
                let _ = keep(&note, &new);
                stop = Some(new);
            }
        }
        if is_replaced {
            // Nobody will end its last line.
            followed.end(taking);
            continue;
        }
        open = Some(followed);
        thread::sleep(PAUSE);
    }
}

impl Followed {
    /// Opens it, where it is there, at the place where we stopped if it is the same file.
    fn open(path: &Path, stop: Option<&Stop>, key: &InstallKey) -> Option<Self> {
        // A pipe without a writer would block us for ever.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
        let meta = file.metadata().ok()?;
        let is_pipe = meta.file_type().is_fifo();
        if !is_pipe && !meta.is_file() {
            return None;
        }
        let (device, inode) = (meta.dev(), meta.ino());
        let mut followed = Self {
            file,
            device,
            inode,
            is_pipe,
            offset: 0,
            lines: Lines::default(),
            before: None,
            looked: None,
        };
        let same = stop.filter(|stop| !is_pipe && (stop.device, stop.inode) == (device, inode));
        if let Some(stop) = same.filter(|stop| meta.len() >= stop.offset) {
            followed.offset = stop.offset;
            followed.lines = Lines::after(stop.lines);
            followed.before = Some(stop.before);
            if !followed.goes_on(key) {
                followed.start_over();
            }
        }
        Some(followed)
    }

    fn start_over(&mut self) {
        self.offset = 0;
        self.lines = Lines::default();
        self.before = None;
    }

    /// Starts over where it was cut short or written anew.
    fn look(&mut self, key: &InstallKey) {
        if self.is_pipe {
            return;
        }
        let Ok(meta) = self.file.metadata() else { return };
        let looked = Some((meta.len(), meta.mtime(), meta.mtime_nsec()));
        if looked == self.looked {
            return;
        }
        self.looked = looked;
        if meta.len() < self.offset || !self.goes_on(key) {
            self.start_over();
        }
    }

    /// Whether the bytes before the last line's end are those that were there.
    fn goes_on(&self, key: &InstallKey) -> bool {
        self.before.is_none() || self.hashed(key) == self.before
    }

    fn line_end(&self) -> u64 {
        self.offset.saturating_sub(self.lines.unended())
    }

    fn hashed(&self, key: &InstallKey) -> Option<Handle> {
        let end = self.line_end();
        let mut bytes = [0; BEFORE];
        let len = usize::try_from(end).map_or(BEFORE, |end| end.min(BEFORE));
        let bytes = bytes.get_mut(..len)?;
        self.file.read_exact_at(bytes, end - len as u64).ok()?;
        Some(key.handle(HandleKind::File, "ingest", &hex(bytes)))
    }

    /// Takes the next bytes; whether there were any.
    fn more(&mut self, buffer: &mut [u8], taking: &mut Taking<'_>) -> bool {
        if !self.is_pipe && self.file.seek(SeekFrom::Start(self.offset)).is_err() {
            return false;
        }
        match self.file.read(buffer) {
            Ok(0) => {
                if self.is_pipe {
                    // Its writers have gone, and took the end of the last line with them.
                    self.end(taking);
                }
                false
            }
            Ok(read) => {
                self.offset += read as u64;
                let written = self.written();
                taking.take(buffer.get(..read).unwrap_or_default(), &mut self.lines, written);
                taking.flush();
                true
            }
            Err(error) => error.kind() == ErrorKind::Interrupted,
        }
    }

    fn end(&mut self, taking: &mut Taking<'_>) {
        let (now, written) = (taking.clock.now(), self.written());
        self.lines.end(|number, line| taking.line(number, line, now, written));
        taking.flush();
    }

    /// When it was written last: no line is newer than that.
    fn written(&self) -> Option<Timestamp> {
        let meta = self.file.metadata().ok().filter(fs::Metadata::is_file)?;
        Timestamp::new(meta.mtime(), i32::try_from(meta.mtime_nsec()).ok()?).ok()
    }

    /// Where it was read up to the end of a line.
    fn stop(&mut self, key: &InstallKey) -> Option<Stop> {
        if self.is_pipe {
            return None;
        }
        self.before = self.hashed(key);
        Some(Stop {
            schema_version: VERSION.to_owned(),
            device: self.device,
            inode: self.inode,
            offset: self.line_end(),
            lines: self.lines.ended(),
            before: self.before?,
        })
    }

    /// Whether another file lies in its place. Where none does, it may still be written to.
    fn is_replaced(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|meta| (meta.dev(), meta.ino()) != (self.device, self.inode))
    }
}

/// Where we stopped the last time, as far as that can be read.
fn kept(note: &Path) -> Option<Stop> {
    let text = file::text(note, LONGEST).ok()??;
    serde_json::from_str(&text).ok().filter(|stop: &Stop| stop.schema_version == VERSION)
}

/// Notes it: whole or not at all.
fn keep(note: &Path, stop: &Stop) -> std::io::Result<()> {
    let new = PathBuf::from(format!("{}.{}", note.display(), std::process::id()));
    let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    out.write_all(&serde_json::to_vec(stop)?)?;
    fs::rename(&new, note).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
