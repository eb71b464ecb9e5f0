//! What is to stand in a settings file: an entry for each event in a group of its own, and the status line or notify
//! program around the user's.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use loopx_runtimes::hooks::Prompts;
use serde::{Deserialize, Serialize};

use super::program::Program;
use super::role::Role;
use crate::app::settings::json::{self, Document};
use crate::app::settings::{Before, Fault, Piece, Rest, Site, Taken, toml};

/// Longer than this, in seconds, a runtime does not wait for a hook. Codex allows no more at the end of a session.
const TIMEOUT: u32 = 3;

/// What is wanted in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The words that run us.
    pub program: Program,
    /// The events.
    pub events: Vec<String>,
    /// The status line.
    pub line: LineIs,
}

/// What becomes of the status line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineIs {
    /// It stays as it is.
    Left,
    /// The user's goes on behind ours.
    Wrapped,
    /// There is none of the user's: ours shows nothing.
    Added,
}

#[derive(Serialize)]
struct Group<'a> {
    hooks: [Entry<'a>; 1],
}

#[derive(Serialize)]
struct Entry<'a> {
    r#type: &'static str,
    command: &'a str,
    timeout: u32,
}

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    command: &'a str,
}

const HOOKS: &str = "hooks";
const LINE: &str = "statusLine";
const NOTIFY: &str = "notify";

fn path(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A text as it is written, step by step.
struct Steps {
    text: String,
    pieces: Vec<Piece>,
}

impl Steps {
    fn step(&mut self, (text, piece): (String, Piece)) {
        self.text = text;
        self.pieces.push(piece);
    }
}

/// Puts in what is wanted.
pub fn put(role: Role, text: &str, wanted: &Wanted) -> Result<(String, Vec<Piece>), Fault> {
    let mut steps = Steps { text: text.to_owned(), pieces: Vec::new() };
    match role {
        Role::ClaudeSettings | Role::CodexHooks => {
            put_hooks(&mut steps, role, wanted)?;
            put_status_line(&mut steps, wanted)?;
        }
        Role::CodexConfig => {
            let words = if toml::list(text, NOTIFY)?.is_none_or(|words| words.is_empty()) {
                wanted.program.notify()
            } else {
                wanted.program.notify_around()
            };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let put = match toml::list(text, NOTIFY)? {
                Some(_) => toml::put_first(text, NOTIFY, &words)?,
                None => toml::put_line(text, NOTIFY, &words)?,
            };
            steps.step(put);
        }
    }
    Ok((steps.text, steps.pieces))
}

fn put_hooks(steps: &mut Steps, role: Role, wanted: &Wanted) -> Result<(), Fault> {
    if Document::parse(&steps.text)?.is_blank() {
        steps.step(json::put_root(&steps.text));
    }
    check(role, &steps.text)?;
    let hooks = path(&[HOOKS]);
    let there = |text: &str, path: &[String]| Ok(Document::parse(text)?.at(path).is_some());
    if !wanted.events.is_empty() && !there(&steps.text, &hooks)? {
        steps.step(json::put_member(&steps.text, &[], HOOKS, &serde_json::Map::new())?);
    }
    let tells = wanted.events.iter().any(|event| event == "PermissionRequest");
    let prompts = if tells { Prompts::Told } else { Prompts::Untold };
    let command = wanted.program.hook(role.runtime(), prompts);
    for event in &wanted.events {
        let at = path(&[HOOKS, event]);
        if !there(&steps.text, &at)? {
            steps.step(json::put_member(&steps.text, &hooks, event, &[(); 0])?);
        }
        let group = Group { hooks: [Entry { r#type: "command", command: &command, timeout: TIMEOUT }] };
        steps.step(json::put_element(&steps.text, &at, &group)?);
    }
    Ok(())
}

fn put_status_line(steps: &mut Steps, wanted: &Wanted) -> Result<(), Fault> {
    match wanted.line {
        LineIs::Left => {}
        LineIs::Wrapped => {
            let (before, behind) = wanted.program.around();
            steps.step(json::put_around(&steps.text, &path(&[LINE, "command"]), &before, behind)?);
        }
        LineIs::Added => {
            let command = wanted.program.line();
            let line = Line { r#type: "command", command: &command };
            steps.step(json::put_member(&steps.text, &[], LINE, &line)?);
        }
    }
    Ok(())
}

/// Refuses a text in which it is not clear where something belongs.
pub fn check(role: Role, text: &str) -> Result<(), Fault> {
    match role {
        Role::ClaudeSettings | Role::CodexHooks => {}
        Role::CodexConfig => return Ok(()),
    }
    let document = Document::parse(text)?;
    if document.is_blank() {
        return Ok(());
    }
    let Some(hooks) = document.object()?.get(HOOKS) else { return Ok(()) };
    let Value::Object(hooks) = &hooks.value else {
        return Err(Fault::at(text, hooks.value.start(), "`hooks` is no object"));
    };
    for event in &document.unique(hooks)?.properties {
        if !matches!(event.value, Value::Array(_)) {
            return Err(Fault::at(text, event.value.start(), "the hooks of an event are no list"));
        }
    }
    Ok(())
}

/// Whether there is a status line, and whether something can be put around it.
pub fn has_line(text: &str) -> Result<Option<bool>, Fault> {
    let document = Document::parse(text)?;
    if document.is_blank() {
        return Ok(None);
    }
    let Some(line) = document.object()?.get(LINE) else { return Ok(None) };
    let is_command = line.value.as_object().is_some_and(|line| {
        document.unique(line).is_ok()
            && line.get_string("type").is_some_and(|kind| kind.value == "command")
            && line.get_string("command").is_some()
    });
    Ok(Some(is_command))
}

/// Takes pieces out, the last first; what became of each, in that order.
pub fn take(role: Role, rest: &mut Rest<'_>, pieces: &[Piece]) -> Result<Vec<(Site, Taken)>, Fault> {
    let mut all = Vec::new();
    for piece in pieces.iter().rev() {
        let (cut, taken) = match role {
            Role::ClaudeSettings | Role::CodexHooks => json::take(rest.text(), piece)?,
            Role::CodexConfig => toml::take(rest.text(), piece)?,
        };
        rest.cut(cut);
        all.push((piece.place.clone(), taken));
    }
    Ok(all)
}

/// What of ours stands in a text that no piece says.
#[derive(Debug, Default)]
pub struct Left {
    /// Groups that hold an entry of ours and nothing else.
    pub groups: Vec<Piece>,
    /// The bytes where something of ours stands that is not as we write it.
    pub changed: Vec<usize>,
    /// The bytes where something stands of a LoopX that keeps its things in another folder.
    pub others: Vec<usize>,
    /// The bytes where a hook of any LoopX stands that is of no runtime.
    pub nobodys: Vec<usize>,
}

/// Looks for what is ours by its words.
pub fn left(role: Role, text: &str, program: &Program) -> Result<Left, Fault> {
    let mut left = Left::default();
    if role == Role::CodexConfig {
        let Some((at, words)) = toml::list_at(text, NOTIFY) else { return Ok(left) };
        let (ours, others) = program.notifies(&words);
        left.changed.extend(ours.then_some(at));
        left.others.extend(others.then_some(at));
        return Ok(left);
    }
    let document = Document::parse(text)?;
    if document.is_blank() {
        return Ok(left);
    }
    let root = document.object()?;
    let runtime = role.runtime();
    let events = root.get_object(HOOKS).map(|hooks| hooks.properties.as_slice()).unwrap_or_default();
    for event in events {
        let groups = event.value.as_array().map(|groups| groups.elements.as_slice()).unwrap_or_default();
        for group in groups {
            let entries = group.as_object().and_then(|group| group.get_array(HOOKS));
            let entries = entries.map(|entries| entries.elements.as_slice()).unwrap_or_default();
            for entry in entries.iter().filter_map(Value::as_object) {
                let Some(command) = entry.get_string("command") else { continue };
                let is_pure = group.as_object().is_some_and(|group| group.properties.len() == 1)
                    && entries.len() == 1
                    && is_plain(entry)
                    && program.is_hook(runtime, &command.value);
                if is_pure {
                    let range = group.range();
                    left.groups.push(Piece {
                        place: Site::Element { path: path(&[HOOKS, event.name.as_str()]) },
                        lead: blank_before(text, range.start).to_owned(),
                        body: text.get(range.start..range.end).unwrap_or_default().to_owned(),
                        tail: String::new(),
                        before: Before::OurComma,
                    });
                } else if program.is_named(runtime, &command.value) {
                    left.changed.push(command.range.start);
                } else if program.is_others(runtime, &command.value) {
                    left.others.push(command.range.start);
                } else if Program::is_of_nobody(&command.value) {
                    left.nobodys.push(command.range.start);
                }
            }
        }
    }
    let line = root.get_object(LINE).and_then(|line| line.get_string("command"));
    if let Some(line) = line {
        left.changed.extend(program.is_named(runtime, &line.value).then_some(line.range.start));
        left.others.extend(program.is_around(&line.value).then_some(line.range.start));
    }
    Ok(left)
}

/// Whether what is ours at a site is used by what others have put in there, at these bytes.
pub fn is_used(role: Role, text: &str, site: &Site, others: &[usize]) -> bool {
    let within = |path: &[String]| {
        let document = Document::parse(text).ok();
        let range = document.as_ref().and_then(|document| Some(document.at(path)?.range()));
        others.iter().any(|at| range.is_some_and(|range| (range.start..range.end).contains(at)))
    };
    match (role, site) {
        (Role::ClaudeSettings | Role::CodexHooks, Site::Root) => within(&[]),
        (Role::ClaudeSettings | Role::CodexHooks, Site::Member { path, name }) => {
            let whole: Vec<String> = path.iter().chain([name]).cloned().collect();
            within(&whole)
        }
        (Role::CodexConfig, Site::Line { .. }) => !others.is_empty(),
        (
            Role::ClaudeSettings | Role::CodexHooks | Role::CodexConfig,
            Site::Root
            | Site::Member { .. }
            | Site::Element { .. }
            | Site::Around { .. }
            | Site::Line { .. }
            | Site::First { .. },
        ) => false,
    }
}

/// The event of a group.
pub fn event_of(site: &Site) -> Option<&str> {
    match site {
        Site::Element { path } => path.last().map(String::as_str),
        Site::Root | Site::Member { .. } | Site::Around { .. } | Site::Line { .. } | Site::First { .. } => {
            None
        }
    }
}

/// Whether what others have put in stands in the list of one of these events.
pub fn is_beside(text: &str, events: &[&str], others: &[usize]) -> bool {
    let member = |event: &&str| Site::Member { path: path(&[HOOKS]), name: (*event).to_owned() };
    events.iter().map(member).any(|site| is_used(Role::ClaudeSettings, text, &site, others))
}

/// The groups with an entry of ours, each by its event and its place there, from 0.
pub fn groups(text: &str, role: Role, program: &Program) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let Ok(document) = Document::parse(text) else { return found };
    let Some(hooks) = document.at(&path(&[HOOKS])).and_then(Value::as_object) else { return found };
    for event in &hooks.properties {
        let groups = event.value.as_array().map(|groups| groups.elements.as_slice()).unwrap_or_default();
        for (at, group) in groups.iter().enumerate() {
            let entries = group.as_object().and_then(|group| group.get_array(HOOKS));
            let first =
                entries.and_then(|entries| entries.elements.first()?.as_object()?.get_string("command"));
            if first.is_some_and(|command| program.is_hook(role.runtime(), &command.value)) {
                found.push((event.name.as_str().to_owned(), at));
            }
        }
    }
    found
}

/// Whether a runtime reads a text: comments and commas behind the last one make all of it count for nothing.
pub fn is_read(role: Role, text: &str) -> bool {
    match role {
        Role::ClaudeSettings | Role::CodexHooks => {
            text.trim().is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
        }
        Role::CodexConfig => true,
    }
}

fn is_plain(entry: &Object<'_>) -> bool {
    entry.properties.iter().all(|property| match property.name.as_str() {
        "type" | "command" => true,
        "timeout" => property.value.as_number_lit().is_some_and(|number| number.value == TIMEOUT.to_string()),
        _ => false,
    })
}

fn blank_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    &before[before.trim_end().len()..]
}

#[cfg(test)]
mod tests;
