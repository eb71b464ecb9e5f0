//! What came of all files, as one document.

use loopx_safety::TierKind;
use serde::Serialize;

use super::content::ReadAs;
use super::finding::Placed;
use super::look::Looked;
use super::walk::{Item, What};

/// What came of one file.
#[derive(Debug)]
pub struct Checked {
    /// Its path, to be shown.
    pub path: String,
    /// What it is.
    pub what: What,
    /// What came of it.
    pub looked: Looked,
}

/// What came of all.
#[derive(Debug)]
pub struct Report {
    /// For whom.
    pub tier: TierKind,
    /// Every file, and every folder or link with something to say of.
    pub checked: Vec<Checked>,
    /// The lines of exceptions that matched nothing.
    pub unused: Vec<usize>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    /// Whether there is no finding.
    accepted: bool,
    tier: &'static str,
    files: usize,
    findings: Vec<Placed<'a>>,
    /// Findings of files with too many of them.
    unlisted: usize,
    /// Findings that the exceptions allow.
    excepted: usize,
    /// Links, which were not followed.
    links: Vec<&'a str>,
    /// Files that are no plain UTF-8.
    read_as: Vec<ReadFile<'a>>,
    /// Lines of exceptions that matched nothing.
    unused: &'a [usize],
}

#[derive(Serialize)]
struct ReadFile<'a> {
    path: &'a str,
    #[serde(rename = "as")]
    read_as: ReadAs,
}

impl Checked {
    /// Of an item.
    pub fn new(item: Item, looked: Looked) -> Self {
        Self { path: item.shown, what: item.what, looked }
    }
}

impl Report {
    /// Whether there is no finding.
    pub fn is_accepted(&self) -> bool {
        self.checked.iter().all(|one| one.looked.findings.is_empty())
    }

    /// How many files were looked at.
    pub fn files(&self) -> usize {
        self.checked.iter().filter(|one| matches!(one.what, What::File(_) | What::Stdin)).count()
    }

    /// Findings that are not listed, and those that are excepted.
    pub fn unlisted_and_excepted(&self) -> (usize, usize) {
        self.checked.iter().fold((0, 0), |(unlisted, excepted), Checked { looked, .. }| {
            (unlisted + looked.unlisted, excepted + looked.excepted)
        })
    }

    /// Every finding that is listed.
    pub fn findings(&self) -> impl Iterator<Item = Placed<'_>> {
        self.checked
            .iter()
            .flat_map(|one| one.looked.findings.iter().map(|finding| Placed(&one.path, finding)))
    }

    /// The links.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.checked.iter().filter(|one| one.what == What::Link).map(|one| one.path.as_str())
    }

    /// Files that are no plain UTF-8.
    pub fn read_as(&self) -> impl Iterator<Item = (&str, ReadAs)> {
        self.checked.iter().filter_map(|one| one.looked.read_as.map(|read_as| (one.path.as_str(), read_as)))
    }

    /// The document.
    pub fn document(&self) -> impl Serialize {
        let (unlisted, excepted) = self.unlisted_and_excepted();
        Document {
            schema_version: "loopx_check_text_v0",
            accepted: self.is_accepted(),
            tier: match self.tier {
                TierKind::Local => "local",
                TierKind::Showcase => "showcase",
            },
            files: self.files(),
            findings: self.findings().collect(),
            unlisted,
            excepted,
            links: self.links().collect(),
            read_as: self.read_as().map(|(path, read_as)| ReadFile { path, read_as }).collect(),
            unused: &self.unused,
        }
    }
}
