//! Planting: a recording is walked as JSON, and every string of it gives way to a canary, but for those that steer the
//! readers. A new field is planted without anyone naming it.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::words::{Canaries, Kind};

/// The words that steer the readers, by the field they stand in. Anything else in these fields is planted.
const STEERS: &[(&str, &[&str])] = &[
    ("role", &["user", "assistant", "developer", "system"]),
    ("stop_reason", &["tool_use", "end_turn", "stop_sequence", "max_tokens", "refusal"]),
    ("status", &["busy", "idle", "waiting", "shell", "completed", "failed", "in_progress", "async_launched"]),
    ("waitingFor", &["permission prompt", "input needed"]),
    ("source", &["cli", "exec", "vscode"]),
    ("thread_source", &["user", "subagent"]),
    ("approval_policy", &["on-request", "never"]),
    ("sandbox_permissions", &["require_escalated"]),
    ("codex_error_info", &["usage_limit_exceeded"]),
    ("reason", &["interrupted"]),
    ("cli_version", &["0.80.0", "0.98.0", "0.125.0", "0.145.0", "0.171.0"]),
    (
        "name",
        &["exec_command", "shell", "shell_command", "request_user_input", "Bash", "AskUserQuestion", "Agent"],
    ),
    ("command", &["bash", "/bin/bash", "-lc"]),
    ("operation", &["enqueue", "dequeue"]),
    ("trigger", &["manual", "auto"]),
    ("kind", &["human", "task-notification", "interactive"]),
    ("promptSource", &["typed", "system", "sdk"]),
    ("permissionMode", &["default", "bypassPermissions"]),
    ("error", &["rate_limit"]),
    ("procStart", &["118955"]),
];

/// Fields whose values are words of the format.
const WORDS: &[&str] = &["type", "subtype"];

/// Beginnings that the readers tell texts apart by: they stay, and a canary follows.
const BEGINNINGS: &[&str] = &[
    "[Request interrupted by user",
    "<system-reminder>",
    "<task-notification>",
    "<local-command-stdout>",
    "<command-name>",
    "Exit code: 3\n",
    "Process exited with code 3\n",
];

/// Fields that hold a command: the canary becomes an argument of one that is known as a check.
const COMMANDS: &[&str] = &["command", "cmd"];

/// What may be in the index: where sessions are and what they are called.
const INDEXED: &[&str] = &["cwd", "gitBranch", "branch", "repository_url"];

/// One session's values of the recording's own.
pub struct Planter<'c> {
    /// Where canaries come from.
    pub canaries: &'c mut Canaries,
    /// The recording's name.
    pub recording: &'c str,
    /// What became of its ids.
    pub ids: BTreeMap<String, String>,
    /// Its folder.
    pub folder: &'c Path,
    /// How far its instants are moved, so that it is of today.
    pub shift: SignedDuration,
    /// Its process.
    pub pid: u32,
    /// The machine, as its entries name it.
    pub domain: &'c str,
}

impl Planter<'_> {
    /// The recording with every string planted.
    pub fn text(&mut self, text: &str) -> String {
        let mut planted = String::new();
        for (line, number) in text.lines().zip(1..) {
            let value: Value = serde_json::from_str(line).expect("a record");
            planted += &self.value(value, "", &format!("line {number}")).to_string();
            planted.push('\n');
        }
        planted
    }

    /// What became of an id.
    pub fn id(&mut self, id: &str, path: &str) -> String {
        if let Some(there) = self.ids.get(id) {
            return there.clone();
        }
        let place = self.place(path);
        let made = if is_uuid(id) {
            self.canaries.uuid(Kind::Indexed, &place)
        } else {
            self.canaries.word(Kind::Indexed, &place)
        };
        self.ids.insert(id.to_owned(), made.clone());
        made
    }

    fn place(&self, path: &str) -> String {
        format!("{}: {path}", self.recording)
    }

    fn value(&mut self, value: Value, field: &str, path: &str) -> Value {
        match value {
            Value::Object(fields) => Value::Object(self.fields(fields, path)),
            Value::Array(list) => {
                let each = |(at, value)| self.value(value, field, &format!("{path}[{at}]"));
                Value::Array(list.into_iter().enumerate().map(each).collect())
            }
            Value::String(text) => Value::String(self.string(text, field, path)),
            Value::Number(number) if field == "pid" && number.is_u64() => self.pid.into(),
            Value::Number(number) => {
                number.as_i64().map_or(Value::Number(number), |number| self.moved(number).into())
            }
            Value::Null | Value::Bool(_) => value,
        }
    }

    fn fields(&mut self, fields: Map<String, Value>, path: &str) -> Map<String, Value> {
        let mut planted = Map::new();
        for (name, value) in fields {
            if is_field(&name) {
                let value = self.value(value, &name, &format!("{path}.{name}"));
                planted.insert(name, value);
            } else {
                // A question, a path or an id as a key is data.
                let path = format!("{path}.*");
                let place = self.place(&format!("{path} (key)"));
                let value = self.value(value, "", &path);
                planted.insert(self.canaries.word(Kind::Said, &place), value);
            }
        }
        if let Some(git) = planted.get_mut("git").and_then(Value::as_object_mut) {
            let place = self.place(&format!("{path}.git.repository_url (added)"));
            let remote = self.canaries.word(Kind::Indexed, &place);
            git.insert("repository_url".into(), format!("https://{remote}.example/{remote}.git").into());
        }
        planted
    }

    fn string(&mut self, text: String, field: &str, path: &str) -> String {
        let steers = STEERS.iter().any(|(name, words)| *name == field && words.contains(&text.as_str()));
        if steers || WORDS.contains(&field) && is_field(&text.replace('-', "_")) {
            return text;
        }
        if field == "timestamp"
            && let Ok(at) = text.parse::<Timestamp>()
        {
            return (at + self.shift).to_string();
        }
        if field == "pidDomain" {
            return self.domain.to_owned();
        }
        if field == "cwd" {
            return self.folder.to_str().expect("text").to_owned();
        }
        if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&text) {
            return self.value(inner, field, &format!("{path} (JSON)")).to_string();
        }
        if is_id(field) {
            return self.id(&text, path);
        }
        let kind = if INDEXED.contains(&field) { Kind::Indexed } else { Kind::Said };
        let canary = self.canaries.word(kind, &self.place(path));
        if let Some(beginning) = BEGINNINGS.iter().find(|beginning| text.contains(**beginning)) {
            return format!("{beginning}{canary}");
        }
        if COMMANDS.contains(&field) { format!("cargo test --test {canary}") } else { canary }
    }

    /// A number that is an instant, in seconds or milliseconds, moved like the others.
    fn moved(&self, number: i64) -> i64 {
        match number {
            1_700_000_000..2_100_000_000 => number + self.shift.as_secs(),
            1_700_000_000_000..2_100_000_000_000 => number + self.shift.as_secs() * 1000,
            _ => number,
        }
    }
}

fn is_field(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Whether a field's values are ids, which must match between records.
fn is_id(field: &str) -> bool {
    let field = field.to_lowercase();
    ["id", "uuids", "ref", "revision"].iter().any(|end| field.ends_with(end))
}

/// Whether a text has the form of a UUID.
pub fn is_uuid(text: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    text.len() == 36
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}
