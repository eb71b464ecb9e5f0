//! What was written into which file, to the byte: a file of LoopX's own.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use loopx_contract::Ref;
use loopx_runtimes::Version;
use loopx_safety::io_words;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::entries::Wanted;
use super::role::Role;
use crate::app::file;
use crate::app::home::make_folder;
use crate::app::settings::Piece;
use crate::error::{CliError, ErrorKind};

/// The file's name in the data folder.
pub const FILE: &str = "hooks-installed.json";

/// Whoever changes settings holds it.
pub const LOCK: &str = "hooks-installed.lock";

const VERSION: &str = "loopx_hooks_installed_v0";

/// The longest record that is read, in bytes.
const LONGEST: u64 = 4 << 20;

/// All that was written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    schema_version: String,
    files: Vec<Written>,
}

/// What was written into one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// What the file is for.
    pub role: Role,
    /// Which file it is, by its path.
    pub file: Ref,
    /// When it was written.
    pub at: Timestamp,
    /// Whether there was no file before.
    pub made: bool,
    /// The version of the runtime that it was written for.
    pub version: Option<Version>,
    /// Whether the user named that version.
    #[serde(default)]
    pub is_named: bool,
    /// What was wanted.
    pub wanted: Wanted,
    /// What was put in, in this order.
    pub pieces: Vec<Piece>,
}

/// How long it is waited for another one that changes settings.
const WAIT: Duration = Duration::from_secs(1);

/// Keeps others from changing settings as long as it is held: of two at once one would lose what it wrote.
pub fn hold(data: &Path) -> Result<fs::File, CliError> {
    let failed =
        |error: io::Error| CliError::internal(format!("failed to lock {LOCK}: {}", io_words(error.kind())));
    make_folder(data).map_err(failed)?;
    // A pipe in its place would block us for ever, and a link may lead anywhere.
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
    let file = file.open(data.join(LOCK)).map_err(failed)?;
    match file::lock(&file, WAIT) {
        Ok(false) => Err(CliError::new(ErrorKind::Conflict, "another `loopx hooks` is changing settings")
            .hint("try again when it has ended")),
        // Some file systems know no locks.
        Ok(true) | Err(_) => Ok(file),
    }
}

impl Record {
    /// The record in this data folder; an empty one where there is none.
    pub fn read(data: &Path) -> Result<Self, CliError> {
        let bad = |error: io::Error| {
            CliError::internal(format!("failed to read {FILE}: {}", io_words(error.kind()))).hint(format!(
                "move {FILE} out of the data folder; `loopx hooks status` then says what is still there"
            ))
        };
        let Some(text) = file::text(&data.join(FILE), LONGEST).map_err(bad)? else {
            return Ok(Self { schema_version: VERSION.to_owned(), files: Vec::new() });
        };
        let record: Self = serde_json::from_str(&text).map_err(|error| bad(error.into()))?;
        if record.schema_version == VERSION {
            Ok(record)
        } else {
            Err(bad(io::ErrorKind::InvalidData.into()))
        }
    }

    /// What was written into a file.
    pub fn of(&self, role: Role, file: &Ref) -> Option<&Written> {
        self.files.iter().find(|written| written.role == role && written.file == *file)
    }

    /// Whether something was written into another file of this kind.
    pub fn elsewhere(&self, role: Role, file: &Ref) -> bool {
        self.files.iter().any(|written| written.role == role && written.file != *file)
    }

    /// Whether something was written into any file of this kind.
    pub fn has(&self, role: Role) -> bool {
        self.files.iter().any(|written| written.role == role)
    }

    /// Notes what stands in a file, in the place of what was noted before.
    pub fn set(&mut self, role: Role, file: &Ref, written: Option<Written>) {
        self.files.retain(|written| !(written.role == role && written.file == *file));
        self.files.extend(written);
    }

    /// Writes it whole, for its owner alone.
    pub fn write(&self, data: &Path) -> Result<(), CliError> {
        let failed = |error: io::Error| {
            CliError::internal(format!("failed to write {FILE}: {}", io_words(error.kind())))
        };
        self.put(data).map_err(failed)
    }

    fn put(&self, data: &Path) -> io::Result<()> {
        make_folder(data)?;
        if self.files.is_empty() {
            return match fs::remove_file(data.join(FILE)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        file::replace(&data.join(FILE), &serde_json::to_vec_pretty(self)?)
    }
}
