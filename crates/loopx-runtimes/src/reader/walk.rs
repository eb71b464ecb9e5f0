//! Finding files in a foreign folder: bounded depth, links to folders not followed, nothing that ends the walk.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::open::{kind_of, modified};
use crate::sweep::SkipKind;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where.
    pub path: PathBuf,
    /// When it was last written.
    pub modified: Option<Timestamp>,
}

/// What a walk brought.
#[derive(Debug, Default)]
pub struct Walk {
    /// The files.
    pub files: Vec<Found>,
    /// What could not be looked at.
    pub skipped: Vec<SkipKind>,
}

/// The files exactly `depth` folders below `root` whose name is wanted; an absent root is an empty walk.
pub fn files(root: &Path, depth: u8, wanted: impl Fn(&str) -> bool) -> Walk {
    let mut walk = Walk::default();
    let mut folders = vec![(root.to_owned(), depth)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                // A root that isn't there is a runtime that isn't installed.
                if folder != root || kind_of(&error) != SkipKind::Vanished {
                    walk.skipped.push(kind_of(&error));
                }
                continue;
            }
        };
        for entry in entries {
            let (entry, kind) = match entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind))) {
                Ok(found) => found,
                Err(error) => {
                    walk.skipped.push(kind_of(&error));
                    continue;
                }
            };
            if depth > 0 {
                if kind.is_dir() {
                    folders.push((entry.path(), depth - 1));
                } else if kind.is_symlink() {
                    walk.skipped.push(SkipKind::Link);
                }
                continue;
            }
            if !entry.file_name().to_str().is_some_and(&wanted) {
                continue;
            }
            // By the path, not the entry: a link to a file counts as the file.
            match fs::metadata(entry.path()) {
                Ok(meta) if meta.is_file() => {
                    walk.files.push(Found { path: entry.path(), modified: modified(&meta) });
                }
                Ok(_) => walk.skipped.push(SkipKind::NotAFile),
                Err(error) => walk.skipped.push(kind_of(&error)),
            }
        }
    }
    walk.files.sort_by(|a, b| a.path.cmp(&b.path));
    walk
}
