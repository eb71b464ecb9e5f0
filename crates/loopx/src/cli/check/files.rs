//! The files that are meant by what was typed: none is passed over in silence.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use loopx_contract::check::MAX_BYTES;
use loopx_safety::{PrivateWords, io_words, screen_with};
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

/// The files that a typed path means. What is found below it is named as far as the screen lets it be.
pub fn below(base: &Path, typed: &Path, words: &PrivateWords) -> Result<Vec<Found>, CliError> {
    if typed.as_os_str() == "-" {
        return Ok(vec![Found::typed(typed, How::Stdin)]);
    }
    let full = base.join(typed);
    let data = look(&full, typed)?;
    if !data.is_dir() {
        // A pipe that is named on purpose is read: `loopx check <(…)`.
        return Ok(vec![Found::typed(typed, How::Read)]);
    }
    let mut found = Vec::new();
    walk(&full, typed, &typed.to_string_lossy(), words, &mut found);
    Ok(found)
}

/// What lies at a path that was typed.
pub fn look(full: &Path, typed: &Path) -> Result<fs::Metadata, CliError> {
    fs::metadata(full).map_err(|error| {
        let shown = typed.to_string_lossy();
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return CliError::not_found(format!("no file or folder {shown}")).hint("look for a typing error");
        }
        CliError::internal(format!("failed to look at {shown}: {}", io_words(error.kind())))
            .hint("make it readable, then check again")
    })
}

fn walk(full: &Path, path: &Path, shown: &str, words: &PrivateWords, found: &mut Vec<Found>) {
    let mut add = |path: &Path, shown: &str, how| {
        found.push(Found { path: path.to_owned(), shown: shown.to_owned(), how });
    };
    let Ok(entries) = fs::read_dir(full).and_then(Iterator::collect::<io::Result<Vec<_>>>) else {
        add(path, shown, How::Not(Trouble::Unreadable));
        return;
    };
    let mut names: Vec<_> = entries.into_iter().map(|entry| entry.file_name()).collect();
    names.sort();
    if names.is_empty() {
        add(path, shown, How::Not(Trouble::EmptyFolder));
    }
    for (place, name) in (1..).zip(names) {
        let (full, path) = (full.join(&name), path.join(&name));
        let shown = Path::new(shown).join(said(&name, place, words)).to_string_lossy().into_owned();
        let is_link = fs::symlink_metadata(&full).is_ok_and(|data| data.is_symlink());
        match fs::metadata(&full) {
            Ok(data) if data.is_dir() && !is_link => walk(&full, &path, &shown, words, found),
            Ok(data) if data.is_file() => found.push(Found { path, shown, how: How::Read }),
            Ok(_) => found.push(Found { path, shown, how: How::Not(Trouble::NotAFile) }),
            Err(_) => found.push(Found { path, shown, how: How::Not(Trouble::Unreadable) }),
        }
    }
}

/// A name, or where it may not be said its class and its place among the names of its folder.
fn said(name: &OsStr, place: usize, words: &PrivateWords) -> String {
    let name = name.to_string_lossy();
    match screen_with(&name, words.tier(), usize::MAX, words) {
        Ok(()) => name.into_owned(),
        Err(refusal) => format!("[redacted:{}:{place}]", refusal.class),
    }
}

impl Found {
    /// A file by the path that was typed.
    fn typed(path: &Path, how: How) -> Self {
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
