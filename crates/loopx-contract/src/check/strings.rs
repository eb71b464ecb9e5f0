//! Check 5: nothing private in any string or key, and the flags say so.

use std::borrow::Cow;

use loopx_safety::text::{ACTION_MAX, TEXT_MAX};
use loopx_safety::{Handle, HandleKind, PrivateWords, Refusal, TierKind, base32, screen, screen_with};
use serde_json::Value;

use super::finding::{Code, Findings};
use super::view::{COPIED, View};
use super::{Flags, Options};
use crate::projection::PROJECTION_VERSION;

/// How deep a projection may nest.
pub const MAX_DEPTH: usize = 16;

/// How many values a projection may hold.
pub const MAX_NODES: usize = 10_000;

/// After so many findings, only the flags are still computed.
const MAX_FINDINGS: usize = 200;

/// How many times its length of a text is screened again around what was refused.
const RESCREENED: usize = 4;

/// How many bytes of a short text may be screened again.
const MIN_RESCREENED: usize = 8_192;

/// Whether it is one of the contract's own names, which say nothing.
fn is_field(key: &str) -> bool {
    matches!(
        key,
        "schema_version"
            | "goal_id"
            | "agent_id"
            | "runtime"
            | "runtime_id"
            | "session_id"
            | "source_ids_redacted"
            | "loopx_refs"
            | "run_id"
            | "todo_id"
            | "event_id"
            | "outcome_id"
            | "first_screen"
            | "waiting_on"
            | "next_action"
            | "open_user_todo"
            | "first_executable_agent_todo"
            | "latest_validation"
            | "gate_state"
            | "quota_state"
            | "boundary"
            | "mode"
            | "raw_transcripts_copied"
            | "credentials_copied"
            | "private_paths_copied"
            | "stop_condition"
            | "read_scope"
            | "write_scope"
            | "private_data_rule"
    )
}

/// A value on the way, and its spot as far as that can be said.
struct Place<'a> {
    value: &'a Value,
    spot: usize,
    depth: usize,
}

/// The spots that were come to, each with the one that it is in: a pointer is written only for what is found.
struct Trail<'a>(Vec<(usize, Segment<'a>)>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Segment<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> Trail<'a> {
    const ROOT: usize = 0;

    fn put(&mut self, within: usize, segment: Segment<'a>) -> usize {
        self.0.push((within, segment));
        self.0.len() - 1
    }

    fn at(&self, spot: usize) -> (usize, Segment<'a>) {
        self.0.get(spot).copied().unwrap_or((Self::ROOT, Segment::Root))
    }

    fn is_next_action(&self, spot: usize) -> bool {
        let (within, name) = self.at(spot);
        let (root, screen) = self.at(within);
        let path = [self.at(root).1, screen, name];
        path == [Segment::Root, Segment::Member("first_screen"), Segment::Member("next_action")]
    }

    fn pointer(&self, mut spot: usize) -> String {
        let mut segments = Vec::new();
        loop {
            let (within, segment) = self.at(spot);
            match segment {
                Segment::Root => break,
                Segment::Member(key) => segments.push(escaped(key)),
                Segment::Item(index) => segments.push(index.to_string().into()),
            }
            spot = within;
        }
        segments.iter().rev().fold(String::new(), |pointer, segment| pointer + "/" + segment)
    }
}

pub(super) fn check(value: &Value, view: &View<'_>, options: &Options, findings: &mut Findings) -> Flags {
    let flags = screened(value, options, findings);
    disagreements(view, flags, findings);
    flags
}

/// The same, whatever the projection states of itself.
pub(super) fn screened(value: &Value, options: &Options, findings: &mut Findings) -> Flags {
    let (tier, words) = (options.tier, &options.words);
    let trail = Trail(vec![(Trail::ROOT, Segment::Root)]);
    let mut walk = Walk { tier, words, trail, flags: Flags::default(), findings };
    let mut stack = vec![Place { value, spot: Trail::ROOT, depth: 0 }];
    let mut seen = 1;
    // No recursion: a value made by hand can be as deep as memory.
    while let Some(Place { value, spot, depth }) = stack.pop() {
        let first = stack.len();
        let children =
            value.as_array().map_or(0, Vec::len) + value.as_object().map_or(0, serde_json::Map::len);
        seen += children;
        if children > 0 && depth == MAX_DEPTH {
            let pointer = walk.trail.pointer(spot);
            walk.findings.error(5, Code::TooDeep, pointer, format!("no deeper than {MAX_DEPTH}"));
            continue;
        }
        if seen > MAX_NODES {
            let pointer = walk.trail.pointer(spot);
            walk.findings.error(5, Code::TooLarge, pointer, format!("at most {MAX_NODES} values"));
            break;
        }
        match value {
            Value::String(text) if text == PROJECTION_VERSION => {}
            Value::String(text) => walk.text(text, spot),
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    let spot = walk.trail.put(spot, Segment::Item(index));
                    stack.push(Place { value, spot, depth: depth + 1 });
                }
            }
            Value::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    stack.push(Place { value, spot: walk.key(key, index, spot), depth: depth + 1 });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        stack[first..].reverse();
    }
    walk.flags
}

struct Walk<'f, 'v> {
    tier: TierKind,
    words: &'f PrivateWords,
    trail: Trail<'v>,
    flags: Flags,
    findings: &'f mut Findings,
}

impl<'v> Walk<'_, 'v> {
    fn text(&mut self, text: &str, spot: usize) {
        let max = if self.trail.is_next_action(spot) { ACTION_MAX } else { TEXT_MAX };
        if self.is_done() {
            return;
        }
        for refusal in self.refusals(text, max) {
            let hint = refusal.hint().to_owned();
            self.refused(Code::UnsafeText, spot, hint, refusal);
        }
        if self.tier == TierKind::Showcase && has_handle(text) {
            self.handle(spot, "null it, and say that source ids are redacted");
        }
    }

    /// Whether nothing more would be said, whatever comes.
    fn is_done(&self) -> bool {
        let Flags { raw_transcripts_copied, credentials_copied, private_paths_copied } = self.flags;
        let flagged = raw_transcripts_copied && credentials_copied && private_paths_copied;
        flagged && self.findings.len() >= MAX_FINDINGS
    }

    /// Screens a key; where its value is, as far as that can be said.
    fn key(&mut self, key: &'v str, index: usize, parent: usize) -> usize {
        if is_field(key) {
            return self.trail.put(parent, Segment::Member(key));
        }
        let refusals = self.refusals(key, TEXT_MAX);
        let handle = self.tier == TierKind::Showcase && has_handle(key);
        if handle {
            self.handle(parent, &format!("the key of member {}: rename it", index + 1));
        }
        if !handle && refusals.is_empty() {
            return self.trail.put(parent, Segment::Member(key));
        }
        for refusal in refusals {
            let hint = format!("the key of member {}: {}", index + 1, refusal.hint());
            self.refused(Code::UnsafeKey, parent, hint, refusal);
        }
        parent
    }

    fn handle(&mut self, spot: usize, hint: &str) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.error(5, Code::HandleInShowcase, self.trail.pointer(spot), hint);
        }
    }

    fn refused(&mut self, code: Code, spot: usize, hint: String, refusal: Refusal) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.refused(5, code, &self.trail.pointer(spot), hint, refusal);
        }
    }

    fn screen(&self, text: &str, max: usize) -> Result<(), Refusal> {
        screen_with(text, self.tier, max, self.words)
    }

    /// What the screen refuses of a text, each class once: also before and behind the first thing it finds.
    fn refusals(&mut self, text: &str, max: usize) -> Vec<Refusal> {
        let Err(first) = self.screen(text, max) else { return Vec::new() };
        let mut found: Vec<Refusal> = Vec::new();
        if first.class.as_str() == "too_long" {
            self.note(&first, text);
            found.push(first);
        }
        let mut parts = vec![(text, 0)];
        let mut budget = text.len().saturating_mul(RESCREENED).max(MIN_RESCREENED);
        while let Some((part, before)) = parts.pop() {
            // At the latest when the budget is gone: what is left was refused anyway.
            let Some(left) = budget.checked_sub(part.len().max(1)) else { break };
            budget = left;
            let Err(mut refusal) = self.screen(part, usize::MAX) else { continue };
            if refusal.class.as_str() == "empty" {
                // Nothing copied; a field that must say something is check 2's to report.
                continue;
            }
            self.note(&refusal, part);
            let (start, end) =
                (refusal.columns.start.saturating_sub(1), refusal.columns.end.saturating_sub(1));
            parts.push((skip(part, end), before + end));
            parts.push((&part[..part.len() - skip(part, start).len()], before));
            refusal.columns = refusal.columns.start + before..refusal.columns.end + before;
            if found.iter().all(|earlier| earlier.class != refusal.class) {
                found.push(refusal);
            }
        }
        found.sort_by_key(|refusal| refusal.columns.start);
        found
    }

    /// Raises the flag of what was refused.
    fn note(&mut self, refusal: &Refusal, text: &str) {
        match refusal.class.as_str() {
            "multi_line" | "too_long" | "markup" => self.flags.raw_transcripts_copied = true,
            "credential" | "high_entropy" => self.flags.credentials_copied = true,
            // A path of the project is not for the showcase, but it is not private.
            "path" if screen(text, TierKind::Local, usize::MAX).is_err() => {
                self.flags.private_paths_copied = true;
            }
            _ => {}
        }
    }
}

fn disagreements(view: &View<'_>, flags: Flags, findings: &mut Findings) {
    let found = [flags.raw_transcripts_copied, flags.credentials_copied, flags.private_paths_copied];
    for ((name, stated), found) in COPIED.into_iter().zip(view.copied).zip(found) {
        if stated.is_some_and(|stated| stated != found) {
            let hint = format!("screening the strings gives {found}");
            findings.error(5, Code::FlagDisagrees, format!("/first_screen/boundary/{name}"), hint);
        }
    }
}

/// A text without its first characters.
fn skip(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or("", |(at, _)| &text[at..])
}

/// Whether a handle stands anywhere in a text.
fn has_handle(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    HandleKind::ALL.into_iter().any(|kind| {
        let length = kind.prefix().len() + 1 + base32::LEN_128;
        lower
            .match_indices(kind.prefix())
            .any(|(at, _)| lower.get(at..at + length).is_some_and(|part| Handle::parse(part).is_ok()))
    })
}

/// Whether a key may be said in a pointer, whoever reads it.
pub(super) fn is_sayable(key: &str, words: &PrivateWords) -> bool {
    screen_with(key, TierKind::Showcase, 64, words).is_ok() && !has_handle(key)
}

/// A key as a segment of a JSON pointer.
pub(super) fn escaped(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}
