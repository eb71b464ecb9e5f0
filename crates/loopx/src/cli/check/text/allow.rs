//! Exceptions: what was looked at by a person and may go out, with the reason.
//!
//! An exception names a path and a class, and can be narrowed to a line, to columns and to a number. It holds no
//! fingerprint of the text: the file is published with the tree, and who can guess a host or an address can try it
//! against any hash whose key is public too. A line and columns say nothing of the text, and an exception that no longer
//! fits its place fails closed: the finding is back, and the exception is named as unused.

mod parse;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::GlobMatcher;

use super::finding::{Finding, Place};
use crate::error::CliError;

/// All exceptions.
#[derive(Debug, Default)]
pub struct Allow(Vec<Rule>);

/// One exception.
#[derive(Debug)]
struct Rule {
    /// Where it stands in its file, counted from 1.
    stands_at: usize,
    path: GlobMatcher,
    class: String,
    line: Option<u64>,
    columns: Option<Range<usize>>,
    /// How many findings of one file.
    most: Option<u64>,
    is_used: AtomicBool,
}

impl Allow {
    /// Reads them.
    pub fn read(base: &Path, typed: &Path) -> Result<Self, CliError> {
        parse::read(base, typed).map(Self)
    }

    /// Those for a file.
    pub fn of(&self, path: &Path) -> OfFile<'_> {
        OfFile {
            rules: self.0.iter().filter(|rule| rule.path.is_match(path)).collect(),
            uses: HashMap::new(),
        }
    }

    /// The lines of those that matched nothing.
    pub fn unused(&self) -> Vec<usize> {
        let unused = self.0.iter().filter(|rule| !rule.is_used.load(Ordering::Relaxed));
        unused.map(|rule| rule.stands_at).collect()
    }
}

/// The exceptions for a file, and how often each was used.
pub struct OfFile<'a> {
    rules: Vec<&'a Rule>,
    uses: HashMap<usize, u64>,
}

impl OfFile<'_> {
    /// Whether a finding is excepted. It is then counted.
    pub fn excepts(&mut self, finding: &Finding) -> bool {
        let Self { rules, uses } = self;
        let rule = rules.iter().find(|rule| {
            let used = uses.get(&rule.stands_at).copied().unwrap_or_default();
            rule.fits(finding) && rule.most.is_none_or(|most| used < most)
        });
        let Some(rule) = rule else { return false };
        *uses.entry(rule.stands_at).or_default() += 1;
        rule.is_used.store(true, Ordering::Relaxed);
        true
    }
}

impl Rule {
    fn fits(&self, finding: &Finding) -> bool {
        let line = match &finding.place {
            Place::Line(line, _) => Some(*line),
            Place::Whole | Place::Name(_) | Place::Target(_) | Place::Bytes(_) => None,
        };
        self.class == finding.kind.word()
            && (self.line.is_none() || self.line == line)
            && self.columns.as_ref().is_none_or(|columns| Some(columns) == finding.place.columns())
    }
}
