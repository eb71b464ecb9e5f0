//! Names of files and folders: they are screened too, and a name that is refused is not shown.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use loopx_safety::{PrivateWords, Refusal};

use super::finding::{Finding, Kind, Place};
use super::piece::Shared;
use super::search;

/// What is shown of the folders that were seen.
pub struct Names<'a> {
    words: &'a PrivateWords,
    shown: HashMap<PathBuf, String>,
}

/// A name that was screened.
pub struct Named {
    /// The path up to it, to be shown.
    pub shown: String,
    /// What stands against the name itself.
    pub findings: Vec<Finding>,
}

impl<'a> Names<'a> {
    /// None yet.
    pub fn new(words: &'a PrivateWords) -> Self {
        Self { words, shown: HashMap::new() }
    }

    /// Screens the last name of a path; those before it were screened with their folders. `full` is where it lies.
    pub fn screen(&mut self, path: &Path, full: &Path) -> Named {
        let Some(name) = path.file_name() else {
            return Named { shown: String::new(), findings: Vec::new() };
        };
        let findings = self.findings(name, Place::Name);
        let name = match findings.first() {
            Some(finding) => stand_in(finding.kind, full),
            None => name.to_string_lossy().into_owned(),
        };
        let shown = match path.parent().and_then(|parent| self.shown.get(parent)) {
            Some(parent) if !parent.is_empty() => format!("{parent}/{name}"),
            Some(_) | None => name,
        };
        self.shown.insert(path.to_owned(), shown.clone());
        Named { shown, findings }
    }

    /// Keeps no more of a file's name.
    pub fn forget(&mut self, path: &Path) {
        self.shown.remove(path);
    }

    /// Whether this path's name was screened.
    pub fn knows(&self, path: &Path) -> bool {
        self.shown.contains_key(path)
    }

    /// What stands against where a link points.
    pub fn target(&self, target: &Path) -> Vec<Finding> {
        if target.is_relative() && !target.starts_with("../..") {
            let parts = target.components();
            return parts.flat_map(|part| self.findings(part.as_os_str(), Place::Target)).collect();
        }
        self.findings(target.as_os_str(), Place::Target)
    }

    fn findings(&self, name: &OsStr, place: fn(Range<usize>) -> Place) -> Vec<Finding> {
        let found = search::all(&name.to_string_lossy(), Shared::default(), self.words);
        let refused =
            |refusal: Refusal| Finding { kind: Kind::Refused(refusal.class), place: place(refusal.columns) };
        found.refusals.into_iter().map(refused).collect()
    }
}

/// What is shown for a refused name: its class, and its place among the names of its folder, sorted by their bytes.
fn stand_in(kind: Kind, full: &Path) -> String {
    let siblings = full.parent().and_then(|folder| fs::read_dir(folder).ok());
    let mut names: Vec<_> = siblings.into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let place = names.iter().position(|name| Some(name.as_os_str()) == full.file_name());
    place.map_or_else(
        || format!("[redacted:{}]", kind.word()),
        |place| format!("[redacted:{}:{}]", kind.word(), place + 1),
    )
}

/// A typed path as what is found in it is named by: its own names, or the last one where it leads elsewhere.
pub fn typed(path: &Path) -> PathBuf {
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    if is_inside { names.collect() } else { path.file_name().map(PathBuf::from).unwrap_or_default() }
}
