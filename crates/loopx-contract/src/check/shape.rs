//! The shape: every field of the contract is there and of its type. What can't be read is reported once, here.

use loopx_safety::PrivateWords;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde_json::{Map, Value};

use super::finding::{Code, Findings};
use super::strings::{escaped, is_sayable};
use super::view::{COPIED, MODE, Slot, View};
use crate::projection::PROJECTION_VERSION;

/// How many unknown fields of one object are named.
const MAX_UNKNOWN: usize = 16;

/// Reads every field and reports what can't be.
pub(super) fn read<'a>(value: &'a Value, words: &PrivateWords, findings: &mut Findings) -> View<'a> {
    let Some(top) = value.as_object() else {
        findings.error(1, Code::NotAnObject, "", "a projection is one JSON object");
        return View::default();
    };
    let mut view = View::default();
    let mut at = Reader { object: Some(top), base: "", words, findings };
    match at.text("schema_version", 1) {
        Some(PROJECTION_VERSION) | None => {}
        Some(_) => at.findings.error(
            1,
            Code::WrongSchemaVersion,
            "/schema_version",
            format!("this checks {PROJECTION_VERSION}"),
        ),
    }
    view.goal_id = at.text("goal_id", 1);
    view.agent_id = at.text("agent_id", 1);
    at.known(&["schema_version", "goal_id", "agent_id", "runtime", "loopx_refs", "first_screen"]);
    let runtime = at.object("runtime", 1);
    let refs = at.object("loopx_refs", 1);
    let screen = at.object("first_screen", 2);

    let mut at = Reader { object: runtime, base: "/runtime", words, findings };
    view.runtime_id = at.text("runtime_id", 1);
    view.session_id = at.slot("session_id", 1);
    view.redacted = at.flag("source_ids_redacted", 1);
    at.known(&["runtime_id", "session_id", "source_ids_redacted"]);

    let mut at = Reader { object: refs, base: "/loopx_refs", words, findings };
    view.run_id = at.slot("run_id", 1);
    view.todo_id = at.slot("todo_id", 1);
    view.event_id = at.slot("event_id", 1);
    view.outcome_id = at.slot("outcome_id", 1);
    at.known(&["run_id", "todo_id", "event_id", "outcome_id"]);

    let mut at = Reader { object: screen, base: "/first_screen", words, findings };
    view.waiting_on = at.word("waiting_on", 2, "none, user, controller, agent, runtime or external_evidence");
    view.next_action = at.said("next_action", 2);
    view.open_user_todo = at.slot("open_user_todo", 2);
    view.executable = at.slot("first_executable_agent_todo", 2);
    view.validation = at.said("latest_validation", 2);
    view.gate = at.word("gate_state", 2, "clear, user_todo, operator_gate, blocked, deferred or approved");
    view.quota =
        at.word("quota_state", 2, "eligible, throttled, monitor_quiet_skip, operator_gate or blocked");
    at.known(&[
        "waiting_on",
        "next_action",
        "open_user_todo",
        "first_executable_agent_todo",
        "latest_validation",
        "gate_state",
        "quota_state",
        "boundary",
    ]);
    let boundary = at.object("boundary", 2);
    read_boundary(boundary, &mut view, words, findings);
    view
}

fn read_boundary(
    boundary: Option<&Map<String, Value>>,
    view: &mut View<'_>,
    words: &PrivateWords,
    findings: &mut Findings,
) {
    if boundary.is_none() {
        findings.error(4, Code::MissingField, MODE, "say that the projection is read-only");
    }
    let mut at = Reader { object: boundary, base: "/first_screen/boundary", words, findings };
    view.mode = at.word("mode", 4, "read_only_projection, or controlled_writeback once it is accepted");
    view.copied = COPIED.map(|name| at.flag(name, 5));
    at.said("stop_condition", 2);
    at.globs("read_scope");
    at.globs("write_scope");
    if at.object.is_some_and(|object| object.get("private_data_rule").is_some_and(|rule| !rule.is_null())) {
        at.said("private_data_rule", 2);
    }
    let others = ["mode", "stop_condition", "read_scope", "write_scope", "private_data_rule"];
    at.known(&[&others[..], &COPIED[..]].concat());
}

/// Reads the fields of one object. Of an object that is absent, nothing more is said.
struct Reader<'a, 'f> {
    object: Option<&'a Map<String, Value>>,
    base: &'static str,
    words: &'f PrivateWords,
    findings: &'f mut Findings,
}

impl<'a> Reader<'a, '_> {
    fn get(&mut self, name: &str, check: u8) -> Option<&'a Value> {
        let value = self.object?.get(name);
        if value.is_none() {
            self.error(check, Code::MissingField, name, "add it: every field of the contract is present");
        }
        value
    }

    fn error(&mut self, check: u8, code: Code, name: &str, hint: &str) {
        self.findings.error(check, code, format!("{}/{name}", self.base), hint);
    }

    fn object(&mut self, name: &str, check: u8) -> Option<&'a Map<String, Value>> {
        let value = self.get(name, check)?;
        if !value.is_object() {
            self.error(check, Code::WrongType, name, "an object");
        }
        value.as_object()
    }

    fn text(&mut self, name: &str, check: u8) -> Option<&'a str> {
        let value = self.get(name, check)?;
        if !value.is_string() {
            self.error(check, Code::WrongType, name, "a string");
        }
        value.as_str()
    }

    /// A text that says something.
    fn said(&mut self, name: &str, check: u8) -> Option<&'a str> {
        let text = self.text(name, check)?;
        if text.trim().is_empty() {
            self.error(check, Code::EmptyText, name, "say something in it");
            return None;
        }
        Some(text)
    }

    fn slot(&mut self, name: &str, check: u8) -> Slot<'a> {
        match self.get(name, check) {
            None => Slot::Unreadable,
            Some(Value::Null) => Slot::Null,
            Some(Value::String(text)) => Slot::Text(text),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.error(check, Code::WrongType, name, "a string or null");
                Slot::Unreadable
            }
        }
    }

    fn flag(&mut self, name: &str, check: u8) -> Option<bool> {
        let value = self.get(name, check)?;
        if !value.is_boolean() {
            self.error(check, Code::WrongType, name, "true or false");
        }
        value.as_bool()
    }

    fn word<T: Deserialize<'a>>(&mut self, name: &str, check: u8, words: &str) -> Option<T> {
        let text = self.text(name, check)?;
        let source: StrDeserializer<'a, Error> = text.into_deserializer();
        let word = T::deserialize(source).ok();
        if word.is_none() {
            self.error(check, Code::UnknownValue, name, &format!("one of {words}"));
        }
        word
    }

    /// An optional list of texts.
    fn globs(&mut self, name: &str) {
        let Some(value) = self.object.and_then(|object| object.get(name)).filter(|value| !value.is_null())
        else {
            return;
        };
        let Some(globs) = value.as_array().filter(|globs| globs.iter().all(Value::is_string)) else {
            self.error(2, Code::WrongType, name, "a list of strings");
            return;
        };
        if globs.iter().filter_map(Value::as_str).any(|glob| glob.trim().is_empty()) {
            self.error(2, Code::EmptyText, name, "no glob is empty");
        }
    }

    /// Warns of every field but these, by name where that may be said.
    fn known(&mut self, names: &[&str]) {
        let Some(object) = self.object else { return };
        let mut unnamed = 0;
        for (count, key) in object.keys().filter(|key| !names.contains(&key.as_str())).enumerate() {
            if count < MAX_UNKNOWN && is_sayable(key, self.words) {
                let pointer = format!("{}/{}", self.base, escaped(key));
                self.findings.warning(5, Code::UnknownField, pointer, "the contract has no such field");
            } else {
                unnamed += 1;
            }
        }
        if unnamed > 0 {
            let hint = format!("{unnamed} more fields that the contract doesn't have");
            self.findings.warning(5, Code::UnknownField, self.base, hint);
        }
    }
}
