//! A whole document: one projection, an array of them, or one a line.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::finding::{Code, Finding, Findings};
use super::parse::{Cause, Malformed, Parsed, parse};
use super::{Options, Report, check};

/// How many bytes a document may have.
pub const MAX_BYTES: usize = 8 << 20;

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One JSON value: a projection or an array of them.
    Json,
    /// One JSON value a line.
    Jsonl,
    /// No JSON.
    Neither,
}

/// Where in a document a projection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// It is the document.
    Whole,
    /// An element of the array, from 0.
    Element(usize),
    /// A line, from 1.
    Line(usize),
}

/// The report of one projection of a document; its pointers start at the projection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ItemReport {
    /// Where it stands.
    pub place: Place,
    /// What the checks found.
    pub report: Report,
}

/// What was found in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentReport {
    /// What the bytes are.
    pub format: Format,
    /// Every projection in it.
    pub items: Vec<ItemReport>,
    /// What stands against the document itself: no JSON, nothing in it.
    pub findings: Vec<Finding>,
}

impl DocumentReport {
    /// Whether all of it is acceptable.
    pub fn is_accepted(&self) -> bool {
        self.findings.is_empty() && self.items.iter().all(|item| item.report.is_accepted())
    }
}

/// Says what the bytes are and checks every projection in them.
pub fn check_document(bytes: &[u8], options: &Options) -> DocumentReport {
    let mut findings = Findings::default();
    let mut items = Vec::new();
    let format = if bytes.len() > MAX_BYTES {
        findings.error(2, Code::TooLarge, "", format!("at most {MAX_BYTES} bytes in one document"));
        Format::Neither
    } else if bytes.trim_ascii().is_empty() {
        findings.error(2, Code::EmptyDocument, "", "nothing but white space");
        Format::Neither
    } else {
        match parse(bytes) {
            Ok(parsed) => {
                whole(&parsed, options, &mut items, &mut findings);
                Format::Json
            }
            Err(_) if is_jsonl(bytes) => {
                lines(bytes, options, &mut items, &mut findings);
                Format::Jsonl
            }
            Err(malformed) => {
                report(malformed, &mut findings);
                Format::Neither
            }
        }
    };
    DocumentReport { format, items, findings: findings.sorted() }
}

fn whole(parsed: &Parsed, options: &Options, items: &mut Vec<ItemReport>, findings: &mut Findings) {
    repeated(parsed, "", findings);
    let Value::Array(elements) = &parsed.value else {
        items.push(ItemReport { place: Place::Whole, report: check(&parsed.value, options) });
        return;
    };
    if elements.is_empty() {
        findings.error(2, Code::EmptyDocument, "", "no projection in the array");
    }
    for (index, element) in elements.iter().enumerate() {
        items.push(ItemReport { place: Place::Element(index), report: check(element, options) });
    }
}

fn lines(bytes: &[u8], options: &Options, items: &mut Vec<ItemReport>, findings: &mut Findings) {
    for (line, bytes) in filled_lines(bytes) {
        match parse(bytes) {
            Ok(parsed) => {
                repeated(&parsed, &format!("line {line}: "), findings);
                items.push(ItemReport { place: Place::Line(line), report: check(&parsed.value, options) });
            }
            Err(malformed) => report(Malformed { line, ..malformed }, findings),
        }
    }
}

/// Whether most lines, and more than one of them, are objects of their own.
fn is_jsonl(bytes: &[u8]) -> bool {
    let (mut all, mut objects) = (0, 0);
    for (_, line) in filled_lines(bytes) {
        all += 1;
        objects += usize::from(parse(line).is_ok_and(|parsed| parsed.value.is_object()));
    }
    all > 1 && objects * 2 >= all
}

/// Lines with something on them, numbered from 1.
fn filled_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines.map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.trim_ascii().is_empty())
}

fn repeated(parsed: &Parsed, place: &str, findings: &mut Findings) {
    if parsed.repeated > 0 {
        let hint = format!("{place}keys repeated in one object: {}; keep one of each", parsed.repeated);
        findings.error(5, Code::DuplicateKey, "", hint);
    }
}

fn report(malformed: Malformed, findings: &mut Findings) {
    let (code, words) = match malformed.cause {
        Cause::Syntax => (Code::MalformedJson, "no JSON from here on"),
        Cause::Ends => (Code::MalformedJson, "ends in the middle of a value"),
        Cause::Deep => (Code::TooDeep, "nested too deep"),
        Cause::Large => (Code::TooLarge, "too many values"),
    };
    let hint = format!("line {}, column {}: {words}", malformed.line, malformed.column);
    findings.error(2, code, "", hint);
}
