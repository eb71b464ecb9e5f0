//! What lies in the paths that were typed: every file once, in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use loopx_safety::PrivateWords;

use super::finding::{Finding, Kind, Place, Why};
use super::names::{self, Names};
use crate::cli::check::files;
use crate::error::CliError;

/// The folder of git, which is not looked into.
const GIT: &str = ".git";

/// Something that was found.
#[derive(Debug)]
pub struct Item {
    /// Where it lies.
    pub full: PathBuf,
    /// Its path in the folder that was typed: exceptions go by it.
    pub path: PathBuf,
    /// The same, to be shown.
    pub shown: String,
    /// What it is.
    pub what: What,
    /// What stands against it already: its name, or that it can't be looked into.
    pub findings: Vec<Finding>,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A file to look into, and its bytes.
    File(u64),
    /// What comes in on stdin.
    Stdin,
    /// A link, which is not followed.
    Link,
    /// Nothing to look into: a folder, or what can't be.
    Other,
}

/// Whether ignored files are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// They are left out.
    LeftOut,
    /// They are not.
    LookedInto,
}

/// Walks through what was typed.
pub struct Walk<'a> {
    base: &'a Path,
    ignored: Ignored,
    names: Names<'a>,
    items: Vec<Item>,
}

/// Finds everything below what was typed.
pub fn all(
    base: &Path,
    typed: &[PathBuf],
    ignored: Ignored,
    words: &PrivateWords,
) -> Result<Vec<Item>, CliError> {
    let mut walk = Walk { base, ignored, names: Names::new(words), items: Vec::new() };
    for path in typed {
        walk.typed(path, typed.len() == 1)?;
    }
    Ok(walk.items)
}

impl Walk<'_> {
    fn typed(&mut self, typed: &Path, is_only: bool) -> Result<(), CliError> {
        if typed.as_os_str() == "-" {
            self.push(typed.to_owned(), typed.to_owned(), What::Stdin, Vec::new());
            return Ok(());
        }
        let full = self.base.join(typed);
        let data = files::look(&full, typed)?;
        // What is found is named from the only folder, or as it was typed.
        let root = if is_only && data.is_dir() { PathBuf::new() } else { names::typed(typed) };
        self.names_of(&root, &full);
        if data.is_dir() {
            self.folder(&full, &root);
        } else {
            // A link or a pipe that is named on purpose is read.
            self.push(full, root, What::File(data.len()), Vec::new());
        }
        Ok(())
    }

    /// Screens the names of a typed path; the last one of a file is screened with it.
    fn names_of(&mut self, root: &Path, full: &Path) {
        let mut above: Vec<_> = root.ancestors().skip(1).zip(full.ancestors().skip(1)).collect();
        above.reverse();
        for (path, full) in above {
            if path.file_name().is_some() && !self.names.knows(path) {
                self.push(full.to_owned(), path.to_owned(), What::Other, Vec::new());
            }
        }
    }

    fn folder(&mut self, full: &Path, root: &Path) {
        let before = self.items.len();
        let respect = self.ignored == Ignored::LeftOut;
        // Outside a repository the files of a folder above are another's.
        let in_repository = full.ancestors().any(|folder| folder.join(GIT).exists());
        let walk = WalkBuilder::new(full)
            .hidden(false)
            .follow_links(false)
            .ignore(respect)
            .git_ignore(respect)
            .git_exclude(respect)
            .git_global(false)
            .parents(respect && in_repository)
            .require_git(false)
            .sort_by_file_name(Ord::cmp)
            .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != GIT)
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => self.entry(&entry, full, root),
                Err(error) => {
                    let path = where_it_failed(&error).unwrap_or(full).to_owned();
                    self.unread(path, full, root, Why::Unreadable);
                }
            }
        }
        let looked = |item: &Item| matches!(item.what, What::File(_)) || !item.findings.is_empty();
        if !self.items[before..].iter().any(looked) {
            self.unread(full.to_owned(), full, root, Why::Nothing);
        }
    }

    fn entry(&mut self, entry: &DirEntry, folder: &Path, root: &Path) {
        let full = entry.path();
        let path = within(root, folder, full);
        let Some(kind) = entry.file_type() else {
            return self.unread(full.to_owned(), folder, root, Why::NotAFile);
        };
        if kind.is_dir() || entry.depth() == 0 {
            self.push(full.to_owned(), path, What::Other, Vec::new());
        } else if kind.is_symlink() {
            let target = fs::read_link(full).unwrap_or_default();
            let findings = self.names.target(&target);
            self.push(full.to_owned(), path, What::Link, findings);
        } else if kind.is_file() {
            let bytes = entry.metadata().map_or(0, |data| data.len());
            self.push(full.to_owned(), path, What::File(bytes), Vec::new());
        } else {
            self.unread(full.to_owned(), folder, root, Why::NotAFile);
        }
    }

    fn unread(&mut self, full: PathBuf, folder: &Path, root: &Path, why: Why) {
        let path = within(root, folder, &full);
        let finding = Finding { kind: Kind::Unread(why), place: Place::Whole };
        self.push(full, path, What::Other, vec![finding]);
    }

    fn push(&mut self, full: PathBuf, path: PathBuf, what: What, mut findings: Vec<Finding>) {
        let named = self.names.screen(&path, &full);
        findings.extend(named.findings);
        let shown = if named.shown.is_empty() { ".".to_owned() } else { named.shown };
        if what != What::Other {
            self.names.forget(&path);
        }
        self.items.push(Item { full, path, shown, what, findings });
    }
}

/// The path of what lies in a folder, from where it was typed.
fn within(root: &Path, folder: &Path, full: &Path) -> PathBuf {
    full.strip_prefix(folder).map_or_else(
        |_| root.to_owned(),
        |inside| {
            if inside.as_os_str().is_empty() { root.to_owned() } else { root.join(inside) }
        },
    )
}

/// The path in an error of the walk, whose words are not shown.
fn where_it_failed(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            where_it_failed(err)
        }
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::Partial(errors) => errors.iter().find_map(where_it_failed),
        ignore::Error::Io(_)
        | ignore::Error::Glob { .. }
        | ignore::Error::UnrecognizedFileType(_)
        | ignore::Error::InvalidDefinition => None,
    }
}
