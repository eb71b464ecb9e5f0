//! What damage did to a line, and what of it no reader can make good.

use loopx_runtimes::Runtime;
use serde_json::Value;

/// The fields of a line that are others now, by their paths.
pub fn hit(line: &[u8], damaged: &[u8]) -> Vec<String> {
    let read = |line| serde_json::from_str::<Value>(&String::from_utf8_lossy(line)).ok();
    let mut paths = Vec::new();
    if let (Some(line), Some(damaged)) = (read(line), read(damaged)) {
        differ(&line, Some(&damaged), "", &mut paths);
    }
    paths
}

fn differ(one: &Value, other: Option<&Value>, path: &str, into: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Some(Value::Object(other))) => {
            for (key, value) in one {
                differ(value, other.get(key), &format!("{path}/{key}"), into);
            }
        }
        (Value::Array(one), Some(Value::Array(other))) if one.len() == other.len() => {
            for (at, value) in one.iter().enumerate() {
                differ(value, other.get(at), &format!("{path}/{at}"), into);
            }
        }
        (one, other) if other != Some(one) => into.push(path.to_owned()),
        _ => {}
    }
}

/// Paths to every field of a line.
pub fn fields(value: &Value, path: &str, into: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    let inside: Vec<(String, &Value)> = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (escaped(key), value)).collect(),
    };
    for (key, value) in inside {
        let path = format!("{path}/{key}");
        fields(value, &path, into);
        into.push(path);
    }
}

/// What may be said beyond the rule of a session with a line of which this field was hit, for it reads as another line
/// that is meant.
pub fn excused(runtime: Runtime, line: &[u8], path: &str) -> &'static [&'static str] {
    let line: Value = serde_json::from_slice(line).unwrap_or_default();
    let is = |field: &str, word: &str| line.pointer(field).and_then(Value::as_str) == Some(word);
    match runtime {
        // A turn without an error is fine, and what an error is called tells limits from others.
        Runtime::Codex if path.starts_with("/payload/error") => &["idle", "errored"],
        // Before errors had a class, a flag and words told them, and limits apart from others.
        Runtime::ClaudeCode if is("/type", "assistant") => {
            let told = path == "/isApiErrorMessage" || path.starts_with("/message/content");
            let old = line.get("isApiErrorMessage").is_some() && line.get("error").is_none();
            if told && old { &["idle", "errored"] } else { &[] }
        }
        // Where no record says who asked, flags and words tell prompts from what the runtime writes beside them.
        Runtime::ClaudeCode if is("/type", "user") => {
            let told = path.starts_with("/is")
                || path.starts_with("/repeats")
                || path.starts_with("/message/content");
            let unsaid = line.get("origin").is_none() && line.get("promptSource").is_none();
            if told && unsaid { &["running", "idle", "waiting_permission"] } else { &[] }
        }
        Runtime::Codex | Runtime::ClaudeCode => &[],
    }
}
