//! The skimmer against `serde_json`.
//!
//! The rule: where `serde_json` reads a record out of a line's text, the skimmer reads the same out of its bytes. Where
//! `serde_json` refuses it, the skimmer does too, or nothing is wrong with the line but escapes in strings that no
//! field is decoded from: with these mended both read the same.

use std::fs;

use loopx_runtimes::testing::{Agreement, Form, mended};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::{Index, select};

use crate::json::{Json, object, spaces, value};
use crate::scene::{recordings, text};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

/// Holds one line to the rule.
fn agree(form: Form, line: &[u8]) {
    let told = form.compare(line);
    let shown = || format!("{form:?}: {}", line.escape_ascii());
    match told {
        Agreement::Same | Agreement::Refused => {}
        Agreement::Lenient => assert_eq!(form.compare(&mended(line)), Agreement::Same, "{}", shown()),
        Agreement::Strict => panic!("the skimmer alone refuses {}", shown()),
        Agreement::Different(found) => panic!("{}\n{found}", shown()),
    }
}

fn agree_in_every_form(line: &[u8]) {
    for form in Form::ALL {
        agree(form, line);
    }
}

/// Every line of every recording.
pub fn lines() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for folder in ["codex", "claude-code"] {
        for path in fs::read_dir(recordings().join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            lines.extend(text(&path).lines().map(|line| (folder.to_owned(), line.to_owned())));
        }
    }
    lines.sort();
    lines
}

#[test]
fn every_recorded_line_reads_the_same() {
    for (folder, line) in lines() {
        agree_in_every_form(line.as_bytes());
        let own = if folder == "codex" { Form::CodexLine } else { Form::ClaudeLine };
        assert_eq!(own.compare(line.as_bytes()), Agreement::Same, "{line}");
        // Arguments and outputs are records in strings.
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        for field in ["/payload/arguments", "/payload/output"] {
            if let Some(inner) = value.pointer(field).and_then(serde_json::Value::as_str) {
                agree_in_every_form(inner.as_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn made_up_records_read_the_same(object in object(), spaces in spaces()) {
        agree_in_every_form(&object.written(&spaces));
    }
}

/// One byte changed, taken away or put in.
#[derive(Clone, Debug)]
enum Slip {
    Flip(Index, u8),
    Gone(Index),
    New(Index, u8),
    Cut(Index),
}

fn slip() -> impl Strategy<Value = Slip> {
    let telling = select(&b"\"\\{}[],:0-eu \n\x80"[..]);
    prop_oneof![
        (any::<Index>(), 0..8u8).prop_map(|(at, bit)| Slip::Flip(at, bit)),
        any::<Index>().prop_map(Slip::Gone),
        (any::<Index>(), prop_oneof![telling, any::<u8>()]).prop_map(|(at, byte)| Slip::New(at, byte)),
        any::<Index>().prop_map(Slip::Cut),
    ]
}

fn slipped(mut line: Vec<u8>, slips: &[Slip]) -> Vec<u8> {
    for slip in slips {
        let len = line.len();
        match slip {
            Slip::Flip(at, bit) if len > 0 => line[at.index(len)] ^= 1 << bit,
            Slip::Gone(at) if len > 0 => {
                line.remove(at.index(len));
            }
            Slip::New(at, byte) => line.insert(at.index(len + 1), *byte),
            Slip::Cut(at) => line.truncate(at.index(len + 1)),
            Slip::Flip(..) | Slip::Gone(_) => {}
        }
    }
    line
}

proptest! {
    #![proptest_config(config(3072))]

    #[test]
    fn made_up_records_with_a_slip_read_the_same(
        object in object(),
        spaces in spaces(),
        slips in vec(slip(), 1..4),
    ) {
        agree_in_every_form(&slipped(object.written(&spaces), &slips));
    }

    #[test]
    fn recorded_lines_with_another_value_somewhere_read_the_same(
        line in select(lines()),
        at in any::<Index>(),
        value in value(),
        spaces in spaces(),
        slips in vec(slip(), 0..2),
    ) {
        let mut json = Json::of(&serde_json::from_str(&line.1).unwrap());
        let size = json.size();
        *json.nth(at.index(size)).unwrap() = value;
        agree_in_every_form(&slipped(json.written(&spaces), &slips));
    }

    #[test]
    fn any_bytes_read_the_same(line in vec(any::<u8>(), 0..64)) {
        agree_in_every_form(&line);
    }
}

#[test]
fn nesting_of_any_depth_reads_the_same() {
    for depth in [1, 63, 64, 65, 127, 128, 129, 192, 200, 20_000] {
        for (open, close) in
            [("[", "]"), ("{\"a\":", "}"), ("[{\"type\":[", "]}]"), ("{\"a\":[null,", "],\"b\":{}}")]
        {
            let nested = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            // The deepest in one field alone: that it is looked at at all is slow enough.
            let fields = ["x", "type", "payload", "content", "message", "source", "timestamp", "arguments"];
            for field in fields.into_iter().take(if depth > 200 { 1 } else { fields.len() }) {
                let inside = format!("{{\"{field}\":{nested},\"id\":\"1\"}}");
                let below = format!("{{\"payload\":{inside},\"message\":{inside}}}");
                for line in [&inside, &below] {
                    agree_in_every_form(line.as_bytes());
                    assert_eq!(
                        Form::CodexLine.compare(line.as_bytes()),
                        Agreement::Same,
                        "{depth} in {field}"
                    );
                    agree_in_every_form(&line.as_bytes()[..line.len() - 1]);
                    agree_in_every_form(line.replacen(']', "}", 1).as_bytes());
                }
            }
        }
    }
}

#[test]
fn a_string_of_any_length_ends_where_it_ends() {
    let marks = [
        "", "\\\"", "\\\\", "\\\\\\\"", "\\n", "\\u0022", "\"", "\t", "\u{1f}", "\u{0}", "\u{7f}", "ü", "\\",
    ];
    for length in 0..72 {
        for at in 0..=length {
            for mark in marks {
                let body = format!("{}{mark}{}", "a".repeat(at), "b".repeat(length - at));
                // Behind the last string a block may not be full.
                for line in [
                    format!("{{\"type\":\"{body}\"}}"),
                    format!(
                        "{{\"x\":\"{body}\",\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:00Z\"}}"
                    ),
                    format!("{{\"{body}\":1}}"),
                ] {
                    agree(Form::CodexLine, line.as_bytes());
                }
            }
        }
    }
}

/// Where an escape that is none is let pass: in what is skipped, and in what is kept as it stands.
#[test]
fn a_bad_escape_costs_a_record_where_a_field_is_decoded_from_it() {
    for bad in ["\\x", "\\u12", "\\u00g0", "\\ud83d", "\\ude00", "\\ud83d\\u0041"] {
        for (line, told) in [
            ("{\"x\":\"?\"}", Agreement::Lenient),
            ("{\"x\":{\"?\":[\"?\"]}}", Agreement::Lenient),
            ("{\"payload\":{\"output\":\"?\"}}", Agreement::Lenient),
            ("{\"payload\":\"?\"}", Agreement::Lenient),
            ("{\"type\":\"?\"}", Agreement::Refused),
            ("{\"timestamp\":\"?\"}", Agreement::Refused),
            ("{\"?\":1}", Agreement::Refused),
            ("{\"payload\":{\"?\":1}}", Agreement::Refused),
            ("{\"payload\":{\"exit_code\":\"?\"}}", Agreement::Refused),
        ] {
            let line = line.replace('?', bad);
            let found = Form::CodexLine.compare(line.as_bytes());
            // Halves of pairs are escapes to `serde_json` too, where it skips a string.
            let half = bad.starts_with("\\ud") && found == Agreement::Same;
            assert!(found == told || half, "{line}: {found:?}");
            agree_in_every_form(line.as_bytes());
        }
    }
}
