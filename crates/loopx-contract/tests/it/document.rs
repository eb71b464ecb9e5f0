//! Whole documents: one projection, an array, or one a line.

use loopx_contract::check::{Code, DocumentReport, Format, MAX_BYTES, Place, check_document};

use crate::cases::{CONTRACT, options};

fn report(text: &str) -> DocumentReport {
    check_document(text.as_bytes(), &options())
}

fn line() -> String {
    serde_json::from_str::<serde_json::Value>(CONTRACT).unwrap().to_string()
}

fn places(report: &DocumentReport) -> Vec<Place> {
    report.items.iter().map(|item| item.place).collect()
}

#[track_caller]
fn assert_document(report: &DocumentReport, format: Format, code: Code, hint: &str) {
    assert_eq!(report.format, format);
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    assert_eq!((report.findings[0].code, report.findings[0].hint.as_str()), (code, hint));
    assert!(!report.is_accepted());
}

#[test]
fn one_projection() {
    let report = report(CONTRACT);
    assert_eq!((report.format, places(&report)), (Format::Json, vec![Place::Whole]));
    assert!(report.is_accepted());
}

#[test]
fn an_array() {
    let good = report(&format!("[{CONTRACT},{CONTRACT}]"));
    assert_eq!((good.format, places(&good)), (Format::Json, vec![Place::Element(0), Place::Element(1)]));
    assert!(good.is_accepted());
    assert!(!report(&format!("[{CONTRACT},7]")).is_accepted());
    assert_document(&report("[]"), Format::Json, Code::EmptyDocument, "no projection in the array");
}

#[test]
fn one_a_line() {
    let line = line();
    let report = report(&format!("{line}\n\n{line}\r\n"));
    assert_eq!((report.format, places(&report)), (Format::Jsonl, vec![Place::Line(1), Place::Line(3)]));
    assert!(report.is_accepted());
}

#[test]
fn a_torn_line_is_named() {
    let line = line();
    let torn = report(&format!("{line}\n{line}\n{{\"goal_id\": "));
    assert_eq!(places(&torn), [Place::Line(1), Place::Line(2)]);
    let hint = "line 3, column 12: ends in the middle of a value";
    assert_document(&torn, Format::Jsonl, Code::MalformedJson, hint);
}

#[test]
fn malformed_json_is_placed() {
    let comma = CONTRACT.replacen("\"loopx-meta\",", "\"loopx-meta\"", 1);
    let hint = "line 4, column 3: no JSON from here on";
    assert_document(&report(&comma), Format::Neither, Code::MalformedJson, hint);
    assert_eq!(report("hello").format, Format::Neither);
    assert_eq!(check_document(b"{\"a\": \"\xff\"}", &options()).format, Format::Neither);
    assert_document(&report(" \n"), Format::Neither, Code::EmptyDocument, "nothing but white space");
}

#[test]
fn a_repeated_key_hides_nothing() {
    let twice = CONTRACT.replacen("\"goal_id\":", "\"goal_id\": \"/home/someone\", \"goal_id\":", 1);
    let hint = "keys repeated in one object: 1; keep one of each";
    assert_document(&report(&twice), Format::Json, Code::DuplicateKey, hint);
}

#[test]
fn deep_and_huge_documents_are_refused() {
    assert_eq!(report(&"[".repeat(1_000_000)).findings[0].code, Code::TooDeep);
    assert_eq!(report(&" ".repeat(MAX_BYTES + 1)).findings[0].code, Code::TooLarge);
    assert_eq!(report(&format!("[{}0]", "0,".repeat(1_000_000))).findings[0].code, Code::TooLarge);
}

#[test]
fn the_json_of_a_report() {
    let bad = line().replacen("loopx-meta", "loopx meta", 1).replacen(
        "advance the first executable agent todo",
        "see /home/someone/x",
        1,
    );
    insta::assert_json_snapshot!(report(&bad).items[0].report, @r#"
    {
      "findings": [
        {
          "code": "id_white_space",
          "check": 1,
          "severity": "error",
          "pointer": "/goal_id",
          "hint": "malformed goal id: a letter or digit, then letters, digits, '_', '.' or '-'"
        },
        {
          "code": "unsafe_text",
          "check": 5,
          "severity": "error",
          "pointer": "/first_screen/next_action",
          "hint": "name the file relative to the project, or say what it is",
          "class": "path",
          "columns": {
            "start": 5,
            "end": 20
          }
        },
        {
          "code": "flag_disagrees",
          "check": 5,
          "severity": "error",
          "pointer": "/first_screen/boundary/private_paths_copied",
          "hint": "screening the strings gives true"
        }
      ],
      "flags": {
        "raw_transcripts_copied": false,
        "credentials_copied": false,
        "private_paths_copied": true
      }
    }
    "#);
}
