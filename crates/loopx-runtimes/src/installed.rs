//! Which version of a runtime is installed, found without running it.

use std::ffi::OsStr;
use std::fmt;
use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::adapter::Adapter;
use crate::claude_code::ClaudeCode;
use crate::codex::Codex;
use crate::reader::field::{Object, Text};
use crate::reader::{Buffer, Found, Lines, Of, Shape, Step, files, open, skim, small};
use crate::{Runtime, Sources};

/// The longest manifest that is read, in bytes.
const MANIFEST: u64 = 256 << 10;

/// How much of a session file's end is looked through for a version, in bytes.
const END: u64 = 256 << 10;

/// How many folders above a program its manifest is looked for.
const ABOVE: usize = 6;

/// How many session files are looked into, newest first.
const FILES: usize = 8;

/// A version: three numbers. What comes behind them is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "[u32; 3]", from = "[u32; 3]")]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

/// The text is no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a version: three numbers with dots between them")]
pub struct NoVersion;

/// How a version was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// The caller told it.
    Told,
    /// The manifest of the package that the program on PATH belongs to.
    Package,
    /// The folder or file that the program on PATH leads to is called by it.
    Name,
    /// The newest record of a session.
    Session,
    /// It is kept from when hooks were written for it.
    Record,
}

/// A version, and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The version.
    pub version: Version,
    /// How it was found.
    pub found_by: FoundBy,
}

impl Version {
    /// A version.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }
}

impl From<[u32; 3]> for Version {
    fn from([major, minor, patch]: [u32; 3]) -> Self {
        Self { major, minor, patch }
    }
}

impl From<Version> for [u32; 3] {
    fn from(version: Version) -> Self {
        [version.major, version.minor, version.patch]
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let mut parts = text.splitn(3, '.');
        let mut number = |cut: bool| {
            let part = parts.next().ok_or(NoVersion)?;
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (digits, rest) = part.split_at(end);
            // Behind the last number: `-beta.1`, `+build`, ` (Claude Code)`.
            let ends = rest.is_empty() || cut && rest.starts_with(['-', '+', ' ', '_']);
            if ends { digits.parse().map_err(|_| NoVersion) } else { Err(NoVersion) }
        };
        Ok(Self { major: number(false)?, minor: number(false)?, patch: number(true)? })
    }
}

/// The version that is installed: of the program that a search path leads to, else of the newest session.
pub fn installed(runtime: Runtime, sources: &Sources, path: Option<&OsStr>) -> Option<Installed> {
    let program = match runtime {
        Runtime::Codex => "codex",
        Runtime::ClaudeCode => "claude",
    };
    let folders = path.map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
    let on_path = folders.iter().filter(|folder| folder.is_absolute()).find_map(|folder| {
        let file = folder.join(program).canonicalize().ok()?;
        of_program(runtime, &file)
    });
    on_path.or_else(|| local(runtime, sources)).or_else(|| of_sessions(runtime, sources))
}

fn package(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::Codex => "@openai/codex",
        Runtime::ClaudeCode => "@anthropic-ai/claude-code",
    }
}

/// By the manifest above the program, else by how its path is called.
fn of_program(runtime: Runtime, file: &Path) -> Option<Installed> {
    let manifest = file.ancestors().skip(1).take(ABOVE).find_map(|folder| manifest(runtime, folder));
    manifest.or_else(|| {
        let version = of_names(runtime, file)?;
        Some(Installed { version, found_by: FoundBy::Name })
    })
}

/// `versions/2.1.332`, `Caskroom/codex/0.171.0/…`, `…-claude-code-2.1.332/bin/claude`. A version of something else, such
/// as that of the folder of a language, is none of it.
fn of_names(runtime: Runtime, file: &Path) -> Option<Version> {
    let names: &[&str] = match runtime {
        Runtime::Codex => &["codex"],
        Runtime::ClaudeCode => &["claude", "claude-code"],
    };
    let steps: Vec<&str> = file.iter().rev().take(ABOVE).filter_map(OsStr::to_str).collect();
    let own = match steps.as_slice() {
        [version, "versions", ..] => version.parse().ok(),
        [..] => None,
    };
    let below = || {
        steps.windows(2).find_map(|two| match two {
            [version, name] if names.contains(name) => version.parse().ok(),
            _ => None,
        })
    };
    let joined = || {
        let behind = |step: &str, name: &str| {
            let name = format!("-{name}-");
            step.get(step.rfind(&name)? + name.len()..)?.parse().ok()
        };
        steps.iter().find_map(|step| names.iter().find_map(|name| behind(step, name)))
    };
    own.or_else(below).or_else(joined)
}

fn manifest(runtime: Runtime, folder: &Path) -> Option<Installed> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Manifest<'a> {
        #[serde(borrow)]
        name: Text<'a>,
        #[serde(borrow)]
        version: Text<'a>,
    }
    let bytes = small(&folder.join("package.json"), MANIFEST).ok()?;
    let manifest: Manifest<'_> = skim::object(&bytes).ok()?;
    // The packages of one platform each are called after the whole.
    let rest = manifest.name.get()?.strip_prefix(package(runtime))?;
    let is_it = rest.is_empty() || rest.starts_with('-');
    let version = manifest.version.get()?.parse().ok().filter(|_| is_it)?;
    Some(Installed { version, found_by: FoundBy::Package })
}

/// Claude Code's own folder may hold the package that an alias leads to.
fn local(runtime: Runtime, sources: &Sources) -> Option<Installed> {
    match runtime {
        Runtime::Codex => None,
        Runtime::ClaudeCode => sources
            .claude_roots
            .iter()
            .find_map(|root| manifest(runtime, &root.join("local/node_modules").join(package(runtime)))),
    }
}

/// By what sessions wrote down, newest first.
fn of_sessions(runtime: Runtime, sources: &Sources) -> Option<Installed> {
    let (roots, registries): (_, &[PathBuf]) = match runtime {
        Runtime::Codex => (Codex::roots(sources), &[]),
        Runtime::ClaudeCode => (ClaudeCode::roots(sources), &sources.claude_roots),
    };
    let transcripts = roots.iter().flat_map(|root| files(&root.path, root.steps).files);
    let entries = registries.iter().flat_map(|root| files(&root.join("sessions"), entry).files);
    let mut found: Vec<Found> = transcripts.chain(entries).collect();
    found.retain(|file| file.of == Of::Sessions);
    found.sort_by_key(|file| std::cmp::Reverse(file.identity.modified));
    let version = found.iter().take(FILES).find_map(|file| of_session(runtime, &file.path))?;
    Some(Installed { version, found_by: FoundBy::Session })
}

/// Entries of the live registry; secret keys lie beside them.
fn entry(_: usize, name: &str) -> Step {
    match name.strip_suffix(".json") {
        Some(pid) if pid.bytes().all(|byte| byte.is_ascii_digit()) => Step::Take(Of::Sessions),
        Some(_) | None => Step::Pass,
    }
}

/// Claude Code says it in every record, Codex in the first.
fn of_session(runtime: Runtime, path: &Path) -> Option<Version> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Record<'a> {
        #[serde(borrow)]
        version: Text<'a>,
        #[serde(borrow)]
        payload: Object<Payload<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Payload<'a> {
        #[serde(borrow)]
        cli_version: Text<'a>,
    }
    let mut opened = open(path).ok()?;
    let from = match runtime {
        Runtime::Codex => 0,
        Runtime::ClaudeCode => opened.len.saturating_sub(END),
    };
    opened.file.seek(SeekFrom::Start(from)).ok()?;
    let mut buffer = Buffer::default();
    let mut lines = Lines::new(std::io::Read::take(&opened.file, END), from, &mut buffer);
    let mut version = None;
    while let Ok(Some(shape)) = lines.advance() {
        let record = match shape {
            Shape::Ended | Shape::Unended => skim::object::<Record<'_>>(lines.bytes()).ok(),
            Shape::Oversized | Shape::Endless => None,
        };
        let told = record.as_ref().and_then(|record| match runtime {
            Runtime::Codex => record.payload.get()?.cli_version.get()?.parse().ok(),
            Runtime::ClaudeCode => record.version.get()?.parse().ok(),
        });
        version = told.or(version);
        if runtime == Runtime::Codex {
            break;
        }
    }
    version
}

#[cfg(test)]
mod tests;
