//! The files that are meant by what was typed: none is passed over in silence.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use loopx_contract::check::MAX_BYTES;
use serde::Serialize;

use crate::error::CliError;

/// One file to check.
#[derive(Debug)]
pub struct Found {
    /// The path as it was typed, and what lies below a typed folder.
    path: PathBuf,
    /// The same, to be shown.
    pub shown: String,
    how: How,
}

#[derive(Debug)]
enum How {
    Read,
    Stdin,
    Not(Trouble),
}

/// Why a file could not be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// Reading failed.
    Unreadable,
    /// A pipe, a device, or a link to a folder.
    NotAFile,
    /// A folder without a file.
    EmptyFolder,
}

impl Trouble {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::NotAFile => "not_a_file",
            Self::EmptyFolder => "empty_folder",
        }
    }

    /// What to do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Unreadable => "it can't be read: make it readable, or take it away",
            Self::NotAFile => "no file, so no projection: take it away, or name the file itself",
            Self::EmptyFolder => "nothing to check in it",
        }
    }
}

/// The files that a typed path means.
pub fn below(base: &Path, typed: &Path) -> Result<Vec<Found>, CliError> {
    if typed.as_os_str() == "-" {
        return Ok(vec![Found::new(typed, How::Stdin)]);
    }
    let full = base.join(typed);
    let data = look(&full, typed)?;
    if !data.is_dir() {
        // A pipe that is named on purpose is read: `loopx check <(…)`.
        return Ok(vec![Found::new(typed, How::Read)]);
    }
    let mut found = Vec::new();
    walk(&full, typed, &mut found);
    Ok(found)
}

/// What lies at a path that was typed.
pub fn look(full: &Path, typed: &Path) -> Result<fs::Metadata, CliError> {
    fs::metadata(full).map_err(|error| {
        let shown = typed.to_string_lossy();
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return CliError::not_found(format!("no file or folder {shown}")).hint("look for a typing error");
        }
        CliError::internal(format!("failed to look at {shown}: {}", error.kind()))
            .hint("make it readable, then check again")
    })
}

fn walk(full: &Path, shown: &Path, found: &mut Vec<Found>) {
    let Ok(entries) = fs::read_dir(full).and_then(Iterator::collect::<io::Result<Vec<_>>>) else {
        found.push(Found::new(shown, How::Not(Trouble::Unreadable)));
        return;
    };
    let mut names: Vec<_> = entries.into_iter().map(|entry| entry.file_name()).collect();
    names.sort();
    if names.is_empty() {
        found.push(Found::new(shown, How::Not(Trouble::EmptyFolder)));
    }
    for name in names {
        let (path, shown) = (full.join(&name), shown.join(&name));
        let is_link = fs::symlink_metadata(&path).is_ok_and(|data| data.is_symlink());
        match fs::metadata(&path) {
            Ok(data) if data.is_file() => found.push(Found::new(&shown, How::Read)),
            Ok(data) if data.is_dir() && !is_link => walk(&path, &shown, found),
            Ok(_) => found.push(Found::new(&shown, How::Not(Trouble::NotAFile))),
            Err(_) => found.push(Found::new(&shown, How::Not(Trouble::Unreadable))),
        }
    }
}

impl Found {
    fn new(path: &Path, how: How) -> Self {
        Self { path: path.to_owned(), shown: path.to_string_lossy().into_owned(), how }
    }

    /// What is in it, up to a byte more than a document may have.
    pub fn bytes(&self, base: &Path) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        let most = MAX_BYTES as u64 + 1;
        let read = match self.how {
            How::Not(trouble) => return Err(trouble),
            How::Stdin => io::stdin().lock().take(most).read_to_end(&mut bytes),
            How::Read => {
                fs::File::open(base.join(&self.path)).and_then(|file| file.take(most).read_to_end(&mut bytes))
            }
        };
        read.map(|_| bytes).map_err(|_| Trouble::Unreadable)
    }
}
