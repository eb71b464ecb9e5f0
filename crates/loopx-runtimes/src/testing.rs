//! For tests and fuzz targets: a record read by the skimmer and by `serde_json`, and a file folded as it grows.
//!
//! ```
//! use loopx_runtimes::Runtime;
//! use loopx_runtimes::testing::{Agreement, Folding, Form, Process};
//!
//! let line = br#"{"type":"event_msg","payload":{"type":"task_started","turn_id":"1"}}"#;
//! assert_eq!(Form::CodexLine.compare(line), Agreement::Same);
//!
//! let mut folding = Folding::new(Runtime::Codex);
//! folding.grow(&line[..20]);
//! folding.grow(line);
//! let facts = folding.facts(Process::Alive, None, jiff::Timestamp::UNIX_EPOCH).ok_or("no session")?;
//! assert_eq!(facts.state.word(), "running");
//! # Ok::<(), &str>(())
//! ```

use std::fmt::Debug;
use std::io::{self, Read};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::SessionFacts;
use loopx_safety::InstallKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Runtime;
use crate::adapter::Adapter;
use crate::check;
use crate::claude_code::ClaudeCode;
use crate::claude_code::testing as claude_code;
use crate::codex::Codex;
use crate::codex::testing as codex;
use crate::hooks::{Around, HookEvent, Windows, told};
use crate::reader::field::Body;
use crate::reader::{Buffer, Fold, Lines, Progress, Reading, Rest, skim, unpacked};

/// The session's id.
const ID: &str = "00000000-0000-4000-8000-000000000000";

/// A record that is read out of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line of a rollout.
    CodexLine,
    /// An item of a rollout before 0.32.
    CodexItem,
    /// The arguments of Codex's calls.
    CodexArguments,
    /// What Codex's oldest tool gave.
    CodexOutput,
    /// A line of a transcript.
    ClaudeLine,
}

/// What two readers make of the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both read it and find the same.
    Same,
    /// Neither reads it.
    Refused,
    /// The skimmer alone reads it.
    Lenient,
    /// The skimmer alone refuses it.
    Strict,
    /// Both read it and find other things: what each finds.
    Different(String),
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 5] =
        [Self::CodexLine, Self::CodexItem, Self::CodexArguments, Self::CodexOutput, Self::ClaudeLine];

    /// Reads bytes by the skimmer, and as text by `serde_json`. Strings of any length are compared by what they say.
    pub fn compare(self, bytes: &[u8]) -> Agreement {
        let text = String::from_utf8_lossy(bytes);
        match self {
            Self::CodexLine => compare::<codex::Line<'_>>(bytes, &text),
            Self::CodexItem => compare::<codex::Payload<'_>>(bytes, &text),
            Self::CodexArguments => compare::<codex::Arguments<'_>>(bytes, &text),
            Self::CodexOutput => compare::<codex::Output>(bytes, &text),
            Self::ClaudeLine => compare::<claude_code::Line<'_>>(bytes, &text),
        }
    }

    /// Whether the skimmer finds the same in both, or reads neither.
    pub fn same(self, one: &[u8], other: &[u8]) -> bool {
        match self {
            Self::CodexLine => same::<codex::Line<'_>>(one, other),
            Self::CodexItem => same::<codex::Payload<'_>>(one, other),
            Self::CodexArguments => same::<codex::Arguments<'_>>(one, other),
            Self::CodexOutput => same::<codex::Output>(one, other),
            Self::ClaudeLine => same::<claude_code::Line<'_>>(one, other),
        }
    }
}

fn compare<'a, T: Deserialize<'a> + PartialEq + Debug>(bytes: &'a [u8], text: &'a str) -> Agreement {
    // An array fills a struct too, by position: no record is one.
    let is_object = text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{');
    let read = serde_json::from_str::<T>(text).ok().filter(|_| is_object);
    match (skim::object::<T>(bytes).ok(), read) {
        (None, None) => Agreement::Refused,
        (Some(_), None) => Agreement::Lenient,
        (None, Some(_)) => Agreement::Strict,
        (Some(skimmed), Some(read)) if skimmed == read => Agreement::Same,
        (Some(skimmed), Some(read)) => Agreement::Different(format!("{skimmed:?}\n{read:?}")),
    }
}

fn same<'a, T: Deserialize<'a> + PartialEq>(one: &'a [u8], other: &'a [u8]) -> bool {
    skim::object::<T>(one).ok() == skim::object::<T>(other).ok()
}

/// The line with `x` in place of what is no escape, and of half of a pair.
pub fn mended(line: &[u8]) -> Vec<u8> {
    let mut line = line.to_vec();
    let (mut at, mut inside) = (0, false);
    while at < line.len() {
        let (sound, len) = match line.get(at).copied().unwrap_or_default() {
            b'"' => {
                inside = !inside;
                (true, 1)
            }
            b'\\' if inside => escape(line.get(at + 1..).unwrap_or_default()),
            _ => (true, 1),
        };
        let end = line.len().min(at + len);
        if !sound {
            line.get_mut(at..end).unwrap_or_default().fill(b'x');
        }
        at = end;
    }
    line
}

/// Whether an escape is one, without its backslash, and how long it is with it.
fn escape(rest: &[u8]) -> (bool, usize) {
    let unit = |rest: &[u8]| {
        let digits = rest.strip_prefix(b"u").and_then(|rest| rest.get(..4))?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16)
            .ok()
            .filter(|_| digits.first() != Some(&b'+'))
    };
    match (rest.first(), unit(rest)) {
        (Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'), _) => (true, 2),
        (_, Some(0xd800..=0xdbff)) => match rest.get(5..).and_then(|rest| unit(rest.strip_prefix(b"\\")?)) {
            Some(0xdc00..=0xdfff) => (true, 12),
            _ => (false, 6),
        },
        (_, Some(0xdc00..=0xdfff)) => (false, 6),
        (_, Some(_)) => (true, 6),
        _ => (false, 2),
    }
}

/// What a shell line checks, in the words of its label and of how it stands in the line.
pub fn check(line: &str) -> Option<(String, String)> {
    let line = Body::Decoded(line.into());
    check::of_line(&line).map(|kind| (format!("{:?}", kind.label), format!("{:?}", kind.joined)))
}

/// What the payloads of hooks say, one a line, a second apart: each event as it is kept, and whether they say a state
/// together. Codex's `notify` and Claude Code's status line are given each payload too.
pub fn hooks(runtime: Runtime, payloads: &[u8]) -> (Vec<HookEvent>, bool) {
    let mut at = Timestamp::UNIX_EPOCH;
    let mut events = Vec::new();
    for payload in payloads.split(|byte| *byte == b'\n') {
        at = at.checked_add(SignedDuration::from_secs(1)).unwrap_or(at);
        events.extend(HookEvent::read(runtime, payload, at, Around::default()));
        events.extend(HookEvent::notice(payload, at, Around::default()));
        let _ = Windows::read(payload, at);
    }
    let set = events.iter().cloned().collect();
    let says = [true, false].map(|knows| told(&set, at, |_| knows).is_some());
    (events, says.contains(&true))
}

/// The lines of bytes that come in pieces of so many.
pub fn lines(bytes: &[u8], pieces: usize) -> Vec<Vec<u8>> {
    let mut buffer = Buffer::default();
    let mut lines = Lines::new(Pieces { bytes, pieces: pieces.max(1) }, 0, &mut buffer);
    let mut found = Vec::new();
    while let Ok(Some(_)) = lines.advance() {
        found.push(lines.bytes().to_vec());
    }
    found
}

struct Pieces<'a> {
    bytes: &'a [u8],
    pieces: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.bytes.len().min(self.pieces).min(into.len());
        let (now, later) = self.bytes.split_at(len);
        into.get_mut(..len).unwrap_or_default().copy_from_slice(now);
        self.bytes = later;
        Ok(len)
    }
}

/// What is known of a session's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Nothing.
    Unproved,
    /// It lives.
    Alive,
    /// It lives, and has said this since then. Only Claude Code's says anything.
    Says(Says, Timestamp),
    /// It has ended.
    Dead,
}

/// What a process says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It works.
    Works,
    /// It does nothing.
    Rests,
    /// It asks for a permission.
    Asks,
}

/// A file that is folded as it grows.
#[derive(Clone, Debug)]
pub struct Folding(Kept);

#[derive(Clone, Debug)]
enum Kept {
    Codex(Box<Growing<<Codex as Adapter>::Fold>>),
    ClaudeCode(Box<Growing<<ClaudeCode as Adapter>::Fold>>),
}

impl Folding {
    /// Nothing is folded yet.
    pub fn new(runtime: Runtime) -> Self {
        Self(match runtime {
            Runtime::Codex => Kept::Codex(Box::new(Growing::new())),
            Runtime::ClaudeCode => Kept::ClaudeCode(Box::new(Growing::new())),
        })
    }

    /// A file that is whole.
    pub fn of(runtime: Runtime, file: &[u8]) -> Self {
        let mut folding = Self::new(runtime);
        folding.grow(file);
        folding
    }

    /// Looks at the file as it is now: it begins with what was folded.
    pub fn grow(&mut self, file: &[u8]) {
        match &mut self.0 {
            Kept::Codex(growing) => growing.grow(file),
            Kept::ClaudeCode(growing) => growing.grow(file),
        }
    }

    /// Folds what a packed file unpacks to.
    pub fn unpack(&mut self, packed: impl Read) -> io::Result<()> {
        let unpacked = unpacked(packed)?;
        match &mut self.0 {
            Kept::Codex(growing) => growing.read(unpacked),
            Kept::ClaudeCode(growing) => growing.read(unpacked),
        }
    }

    /// As the index keeps it.
    pub fn encoded(&self) -> Vec<u8> {
        match &self.0 {
            Kept::Codex(growing) => growing.encoded(),
            Kept::ClaudeCode(growing) => growing.encoded(),
        }
    }

    /// Forgets all but what the index would keep.
    pub fn reload(&mut self) {
        match &mut self.0 {
            Kept::Codex(growing) => growing.reload(),
            Kept::ClaudeCode(growing) => growing.reload(),
        }
    }

    /// What the file says by now, given when it was last written; `None` where it is no session's.
    pub fn facts(
        &self,
        process: Process,
        modified: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<SessionFacts> {
        let key = InstallKey::from_bytes([7; 32], "0123456789abcdef");
        match &self.0 {
            Kept::Codex(growing) => codex::facts(&growing.reading(modified, now), ID, process, &key, now),
            Kept::ClaudeCode(growing) => {
                claude_code::facts(&growing.reading(modified, now), ID, process, &key, now)
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Growing<F> {
    progress: Progress<F>,
    rest: Rest<F>,
}

impl<F: Fold + Default + Serialize + DeserializeOwned> Growing<F> {
    fn new() -> Self {
        Self { progress: Progress::new(F::default()), rest: Rest::Nothing }
    }

    fn grow(&mut self, file: &[u8]) {
        let from = usize::try_from(self.progress.offset).unwrap_or(usize::MAX);
        // Bytes in memory can be read.
        let _ = self.read(file.get(from..).unwrap_or_default());
    }

    fn read(&mut self, source: impl Read) -> io::Result<()> {
        self.rest = self.progress.read(source, &mut Buffer::default())?;
        Ok(())
    }

    fn encoded(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.progress, &self.rest)).unwrap_or_default()
    }

    fn reload(&mut self) {
        if let Ok((progress, rest)) = postcard::from_bytes(&self.encoded()) {
            *self = Self { progress, rest };
        } else {
            *self = Self::new();
        }
    }

    fn reading(&self, modified: Option<Timestamp>, now: Timestamp) -> Reading<F> {
        self.progress.clone().reading(self.rest.clone(), modified, now)
    }
}
