//! What came of it as SARIF 2.1.0, for the services that show findings beside the code. It holds no text of a file.

use loopx_safety::Class;
use serde_json::{Value, json};

use super::finding::{LINK, Place, Placed, UNREAD};
use super::report::Report;
use super::show::columns;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What stands for the folder that was typed.
const ROOT: &str = "%SRCROOT%";

/// The hint of a link.
const NOT_FOLLOWED: &str = "the link was not followed: check what it points at by its own name";

/// The document.
pub fn document(report: &Report) -> Value {
    let links = report.links().map(|path| result(LINK, "note", NOT_FOLLOWED, path, None));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "loopx",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications(report),
            }],
            "results": report.findings().map(|placed| finding(&placed)).chain(links).collect::<Vec<_>>(),
        }],
    })
}

/// Every class of the screen, and our own two.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let screened = Class::ALL.into_iter().map(|class| (class.as_str(), class.hint()));
    let unread = (UNREAD, "look into it by another way, then allow it with the reason");
    screened.chain([unread, (LINK, NOT_FOLLOWED)])
}

fn rules() -> Vec<Value> {
    let rule = |(id, hint): (&str, &str)| {
        json!({
            "id": id,
            "name": id,
            "shortDescription": { "text": about(id) },
            "help": { "text": hint },
            "defaultConfiguration": { "level": if id == LINK { "note" } else { "error" } },
        })
    };
    words().map(rule).collect()
}

fn about(id: &str) -> String {
    match id {
        UNREAD => "something was not looked into".to_owned(),
        LINK => "a link was not followed".to_owned(),
        _ => format!("the screen refuses it: {}", id.replace('_', " ")),
    }
}

fn finding(Placed(path, finding): &Placed<'_>) -> Value {
    let (word, hint) = (finding.kind.word(), finding.kind.hint());
    let (within, region) = match &finding.place {
        Place::Whole => (String::new(), None),
        Place::Name(within) => (format!(" in its name, {}", columns(within)), None),
        Place::Target(within) => (format!(" where it points, {}", columns(within)), None),
        Place::Line(line, within) => (
            String::new(),
            Some(json!({ "startLine": line, "startColumn": within.start, "endColumn": within.end })),
        ),
        Place::Bytes(bytes) => {
            (String::new(), Some(json!({ "byteOffset": bytes.start, "byteLength": bytes.end - bytes.start })))
        }
    };
    result(word, "error", &format!("{word}{within}: {hint}"), path, region)
}

fn result(id: &str, level: &str, message: &str, path: &str, region: Option<Value>) -> Value {
    let mut place = json!({ "artifactLocation": artifact(path) });
    if let Some(region) = region {
        place["region"] = region;
    }
    json!({
        "ruleId": id,
        "ruleIndex": words().position(|(word, _)| word == id),
        "level": level,
        "message": { "text": message },
        "locations": [{ "physicalLocation": place }],
    })
}

fn artifact(path: &str) -> Value {
    json!({ "uri": uri(path), "uriBaseId": ROOT })
}

/// A relative address: only what needs no escape stands as it is.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// What is no finding and has to be said.
fn notifications(report: &Report) -> Vec<Value> {
    let of_file = |path: &str, text: String| {
        let place = json!([{ "physicalLocation": { "artifactLocation": artifact(path) } }]);
        json!({ "level": "note", "message": { "text": text }, "locations": place })
    };
    let read = report.read_as().map(|(path, read_as)| of_file(path, read_as.words().to_owned()));
    let crowded = report.checked.iter().filter(|one| one.looked.unlisted > 0);
    let more =
        crowded.map(|one| of_file(&one.path, format!("{} more findings not listed", one.looked.unlisted)));
    let unused = report.unused.iter().map(|line| {
        json!({
            "level": "warning",
            "message": { "text": format!("the exception at line {line} matches nothing: take it out") },
        })
    });
    read.chain(more).chain(unused).collect()
}
