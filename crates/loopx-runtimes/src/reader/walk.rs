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
    /// Whose it is.
    pub of: Of,
}

/// Whose files lie in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Sessions'.
    Sessions,
    /// Those of what sessions started: they are looked at for what they spent, never for the first screen.
    Children,
}

/// What to do with an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Go into the folder: files lie below it.
    Enter(Of),
    /// Take the file.
    Take(Of),
    /// Leave it alone.
    Pass,
}

/// Says what to do with an entry, by its name and by how many folders it lies below the root.
pub type Steps = fn(usize, &str) -> Step;

/// What a walk brought.
#[derive(Debug, Default)]
pub struct Walk {
    /// The files.
    pub files: Vec<Found>,
    /// The folders that were looked into for sessions, each with how many folders it lies below the root.
    pub folders: Vec<(PathBuf, usize)>,
    /// What could not be looked at.
    pub skipped: Vec<SkipKind>,
}

/// The files in a folder whose name is wanted, by their names.
pub fn files(folder: &Path, wanted: Steps) -> Walk {
    let mut walk = walk(folder, 0, wanted, Of::Sessions);
    walk.files.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    walk
}

/// The files that are wanted below a folder, which lies so many folders below the root; without `Children`, sessions'
/// alone. A folder that isn't there is an empty walk.
pub fn walk(start: &Path, depth: usize, steps: Steps, of: Of) -> Walk {
    let mut walk = Walk::default();
    let mut open = vec![(start.to_owned(), depth, Of::Sessions)];
    let wanted = |step| match step {
        Step::Enter(Of::Children) | Step::Take(Of::Children) if of == Of::Sessions => Step::Pass,
        step @ (Step::Enter(_) | Step::Take(_) | Step::Pass) => step,
    };
    while let Some((folder, depth, whose)) = open.pop() {
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
        for entry in entries {
            let (entry, kind) = match entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind))) {
                Ok(found) => found,
                Err(error) => {
                    walk.skipped.push(kind_of(&error));
                    continue;
                }
            };
            match wanted(steps(depth, &entry.file_name().to_string_lossy())) {
                Step::Enter(whose) if kind.is_dir() => open.push((entry.path(), depth + 1, whose)),
                Step::Enter(_) if kind.is_symlink() => walk.skipped.push(SkipKind::Link),
                Step::Enter(_) | Step::Pass => {}
                Step::Take(of) => {
                    // A link to a file counts as the file.
                    let meta = if kind.is_symlink() { fs::metadata(entry.path()) } else { entry.metadata() };
                    match meta {
                        Ok(meta) if meta.is_file() => {
                            let born = meta.created().ok().and_then(|at| Timestamp::try_from(at).ok());
                            walk.files.push(Found {
                                path: entry.path(),
                                identity: Identity::of(&meta),
                                born: born.map(Timestamp::as_millisecond),
                                of,
                            });
                        }
                        Ok(_) => walk.skipped.push(SkipKind::NotAFile),
                        Err(error) => walk.skipped.push(kind_of(&error)),
                    }
                }
            }
        }
        if whose == Of::Sessions {
            walk.folders.push((folder, depth));
        }
    }
    walk
}
