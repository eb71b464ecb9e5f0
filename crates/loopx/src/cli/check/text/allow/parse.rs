//! The file of exceptions. An error names the line and the way out, and nothing that stands in the file.

use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use globset::{GlobBuilder, GlobMatcher};
use loopx_safety::{Class, io_words};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::finding::UNREAD;
use super::Rule;
use crate::cli::check::files;
use crate::error::CliError;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The table of an exception.
const TABLE: &str = "allow";

/// What an exception is made of.
const SHAPE: &str =
    "write `[[allow]]`, then `path`, `class` and `reason`, and perhaps `line`, `columns` or `most`";

/// Reads the exceptions of a file.
pub fn read(base: &Path, typed: &Path) -> Result<Vec<Rule>, CliError> {
    let full = base.join(typed);
    files::look(&full, typed)?;
    let failed = |why: &str| {
        CliError::usage(format!("failed to read {}: {why}", typed.display()))
            .hint("name a file of exceptions, or leave --allow out")
    };
    let mut text = String::new();
    fs::File::open(&full)
        .and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text))
        .map_err(|error| failed(io_words(error.kind())))?;
    if text.len() as u64 > LONGEST {
        return Err(failed("it is over a megabyte long"));
    }
    let faulty = |fault: Fault| {
        let Fault { at, what, way } = fault;
        let line = line_of(&text, at);
        CliError::usage(format!("line {line} of {}: {what}", typed.display())).hint(way)
    };
    rules(&text).map_err(faulty)
}

/// What is wrong with the file.
struct Fault {
    /// The byte.
    at: usize,
    what: &'static str,
    way: String,
}

impl Fault {
    fn new(at: usize, what: &'static str, way: impl Into<String>) -> Self {
        Self { at, what, way: way.into() }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

fn rules(text: &str) -> Result<Vec<Rule>, Fault> {
    let table = DeTable::parse(text)
        .map_err(|error| Fault::new(error.span().map_or(0, |span| span.start), "it is no TOML", SHAPE))?;
    let mut rules = Vec::new();
    for (key, value) in table.get_ref() {
        let entries = value.get_ref().as_array().filter(|_| key.get_ref() == TABLE);
        let entries = entries.ok_or_else(|| Fault::new(key.span().start, "this is no exception", SHAPE))?;
        for entry in entries {
            let DeValue::Table(fields) = entry.get_ref() else {
                return Err(Fault::new(entry.span().start, "this is no exception", SHAPE));
            };
            let at = entry.span().start;
            rules.push(Draft::of(fields)?.rule(at, line_of(text, at))?);
        }
    }
    Ok(rules)
}

/// An exception of which something may be missing.
#[derive(Default)]
struct Draft {
    path: Option<GlobMatcher>,
    class: Option<String>,
    has_reason: bool,
    line: Option<u64>,
    columns: Option<Range<usize>>,
    most: Option<u64>,
}

impl Draft {
    fn of(fields: &DeTable<'_>) -> Result<Self, Fault> {
        let mut draft = Self::default();
        for (key, value) in fields {
            match key.get_ref().as_ref() {
                "path" => draft.path = Some(path(value)?),
                "class" => draft.class = Some(class(value)?),
                "reason" => draft.has_reason = reason(value)?,
                "line" => draft.line = Some(number(value)?),
                "columns" => draft.columns = Some(columns(value)?),
                "most" => draft.most = Some(number(value)?),
                _ => return Err(Fault::new(key.span().start, "an exception has no such key", SHAPE)),
            }
        }
        Ok(draft)
    }

    fn rule(self, at: usize, stands_at: usize) -> Result<Rule, Fault> {
        let missing = |what| Fault::new(at, what, SHAPE);
        let path = self.path.ok_or_else(|| missing("the exception has no path"))?;
        let class = self.class.ok_or_else(|| missing("the exception has no class"))?;
        if !self.has_reason {
            return Err(missing("the exception has no reason"));
        }
        let Self { line, columns, most, .. } = self;
        Ok(Rule { stands_at, path, class, line, columns, most, is_used: AtomicBool::new(false) })
    }
}

type Written<'a> = Spanned<DeValue<'a>>;

fn path(value: &Written<'_>) -> Result<GlobMatcher, Fault> {
    let glob = value.get_ref().as_str().filter(|glob| !glob.is_empty());
    glob.and_then(|glob| GlobBuilder::new(glob).literal_separator(true).build().ok())
        .map(|glob| glob.compile_matcher())
        .ok_or_else(|| {
            let way = "write a path as findings show it; `*` stays within a folder, `**` crosses folders";
            Fault::new(value.span().start, "the path is no glob", way)
        })
}

fn class(value: &Written<'_>) -> Result<String, Fault> {
    let word = value.get_ref().as_str().unwrap_or_default();
    if word == UNREAD || Class::ALL.iter().any(|class| class.as_str() == word) {
        return Ok(word.to_owned());
    }
    let known: Vec<_> = Class::ALL.iter().map(|class| class.as_str()).chain([UNREAD]).collect();
    Err(Fault::new(value.span().start, "there is no such class", format!("choose of {}", known.join(", "))))
}

fn reason(value: &Written<'_>) -> Result<bool, Fault> {
    let is_said = value.get_ref().as_str().is_some_and(|reason| !reason.trim().is_empty());
    if is_said {
        return Ok(true);
    }
    Err(Fault::new(value.span().start, "the reason is empty", "say why this may be published"))
}

fn number(value: &Written<'_>) -> Result<u64, Fault> {
    let digits = value.get_ref().as_integer().filter(|number| number.radix() == 10);
    let number = digits.and_then(|number| number.as_str().parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| Fault::new(value.span().start, "this is no number", "write a number of 1 or more"))
}

/// As findings show them: `5`, or `5-12`.
fn columns(value: &Written<'_>) -> Result<Range<usize>, Fault> {
    let text = value.get_ref().as_str().unwrap_or_default();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let read = |part: &str| part.parse::<usize>().ok().filter(|column| (1..usize::MAX).contains(column));
    read(first)
        .zip(read(last))
        .filter(|(first, last)| first <= last)
        .map(|(first, last)| first..last + 1)
        .ok_or_else(|| {
            Fault::new(
                value.span().start,
                "these are no columns",
                "write them as findings show them: \"5-12\"",
            )
        })
}
