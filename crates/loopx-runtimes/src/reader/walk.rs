//! Finding files in a foreign folder: bounded depth, links to folders not followed, nothing that ends the walk.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::open::{Identity, kind_of};
use crate::sweep::SkipKind;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub path: PathBuf,
    /// Which file it is, and in which state.
    pub identity: Identity,
    /// When it was made, where the file system knows it; milliseconds since the epoch.
    pub born: Option<i64>,
}

/// What a walk brought.
#[derive(Debug, Default)]
pub struct Walk {
    /// The files.
    pub files: Vec<Found>,
    /// The folders that were looked into, each with how many folders it lies below the root.
    pub folders: Vec<(PathBuf, usize)>,
    /// What could not be looked at.
    pub skipped: Vec<SkipKind>,
}

impl Walk {
    /// Adds what another walk brought.
    pub fn join(&mut self, other: Self) {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self.skipped.extend(other.skipped);
    }
}

/// The files in a folder whose name is wanted.
pub fn files(folder: &Path, wanted: fn(&str) -> bool) -> Walk {
    walk(folder, 0, &[], wanted)
}

/// The files as many folders below a root as `folders` are given, which say by its name whether one is gone into; an
/// absent root is an empty walk. `from` is where to begin: a folder that lies so many folders below the root.
pub fn walk(start: &Path, from: usize, folders: &[fn(&str) -> bool], wanted: fn(&str) -> bool) -> Walk {
    let mut walk = Walk::default();
    let mut open = vec![(start.to_owned(), from)];
    while let Some((folder, depth)) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                // A root that isn't there is a runtime that isn't installed.
                if folder != start || kind_of(&error) != SkipKind::Vanished {
                    walk.skipped.push(kind_of(&error));
                }
                continue;
            }
        };
        walk.folders.push((folder, depth));
        for entry in entries {
            let (entry, kind) = match entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind))) {
                Ok(found) => found,
                Err(error) => {
                    walk.skipped.push(kind_of(&error));
                    continue;
                }
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if let Some(enter) = folders.get(depth) {
                if kind.is_dir() && enter(&name) {
                    open.push((entry.path(), depth + 1));
                } else if kind.is_symlink() {
                    walk.skipped.push(SkipKind::Link);
                }
                continue;
            }
            if !wanted(&name) {
                continue;
            }
            // A link to a file counts as the file.
            let meta = if kind.is_symlink() { fs::metadata(entry.path()) } else { entry.metadata() };
            match meta {
                Ok(meta) if meta.is_file() => {
                    let born = meta.created().ok().and_then(|at| Timestamp::try_from(at).ok());
                    walk.files.push(Found {
                        path: entry.path(),
                        identity: Identity::of(&meta),
                        born: born.map(Timestamp::as_millisecond),
                    });
                }
                Ok(_) => walk.skipped.push(SkipKind::NotAFile),
                Err(error) => walk.skipped.push(kind_of(&error)),
            }
        }
    }
    walk.files.sort_by(|a, b| a.path.cmp(&b.path));
    walk
}
