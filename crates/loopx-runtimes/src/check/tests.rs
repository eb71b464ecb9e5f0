use loopx_contract::{CheckLabel, CheckOutcome};
use proptest::prelude::*;

use super::modes::Modes;
use super::{Exit, Joined, Kind, line, names_a_tool, of_words, tools};
use crate::reader::field::Body;

/// Lines, each with what it is: a label and how it is joined, or nothing.
const LINES: &str = include_str!("tests/lines.txt");

fn of_line(line: &str) -> Option<Kind> {
    super::of_line(&Body::Decoded(line.into()))
}

fn said(kind: Option<Kind>) -> String {
    let Some(kind) = kind else { return "-".to_owned() };
    let label = match kind.label {
        CheckLabel::Test => "test",
        CheckLabel::Lint => "lint",
        CheckLabel::Build => "build",
    };
    let joined = match kind.joined {
        Joined::Alone => "alone",
        Joined::Conjoined => "conjoined",
        Joined::Masked => "masked",
    };
    format!("{label} {joined}")
}

/// The table: `what | line`, with `⏎` where a line ends.
fn table() -> Vec<(&'static str, String)> {
    LINES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("##"))
        .map(|line| {
            let (what, line) = line.split_once(" | ").unwrap();
            (what.trim(), line.replace('⏎', "\n"))
        })
        .collect()
}

#[test]
fn lines_of_the_table() {
    let table = table();
    assert!(table.len() >= 120, "{}", table.len());
    let wrong: Vec<String> = table
        .iter()
        .filter(|(what, line)| said(of_line(line)) != *what)
        .map(|(what, line)| format!("{what}, but {}: {line}", said(of_line(line))))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line as it stands in a record: as `serde_json` writes it, and with every letter escaped.
fn in_records(line: &str) -> [String; 2] {
    let json = serde_json::to_string(line).unwrap();
    let units: Vec<String> = line.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    let escaped = units.concat();
    [json[1..json.len() - 1].to_owned(), escaped]
}

#[test]
fn a_line_is_the_same_with_its_escapes() {
    for (what, line) in table() {
        for body in in_records(&line) {
            assert_eq!(said(super::of_line(&Body::Raw(body.as_bytes()))), what, "{body}");
        }
    }
}

#[test]
fn a_line_that_names_no_tool_is_no_check() {
    for (_, line) in table() {
        if !names_a_tool(line.as_bytes()) && !line.contains(['\\', '"', '\'']) {
            assert_eq!(line::read(&line, Modes::default(), 0), None, "{line}");
        }
    }
    // Most of them name one: the test could not fail otherwise.
    assert!(table().iter().filter(|(_, line)| !names_a_tool(line.as_bytes())).count() >= 3);
}

#[test]
fn a_line_is_the_same_behind_a_shell() {
    for (what, line) in table() {
        for shell in [&["bash", "-lc"][..], &["/bin/sh", "-c"], &["env", "A=b", "zsh", "-i", "-c"]] {
            let mut words = shell.to_vec();
            words.push(&line);
            assert_eq!(said(of_words(&words)), what, "{line}");
        }
        if !line.contains('\'') {
            assert_eq!(said(of_line(&format!("bash -lc '{line}'"))), what, "{line}");
        }
    }
}

#[test]
fn words_are_read_as_they_are() {
    for (words, what) in [
        (&["cargo", "test"][..], "test alone"),
        (&["/usr/bin/env", "CI=1", "pytest", "-q"], "test alone"),
        (&["bash", "-lc", "cargo test"], "test alone"),
        (&["bash", "-lc", "cd x && cargo test"], "test conjoined"),
        (&["bash", "-lc", "cargo test | tail -5"], "test masked"),
        (&["bash", "-o", "pipefail", "-c", "cargo test | tail -5"], "test conjoined"),
        (&["bash", "-euo", "pipefail", "-c", "cargo test | tail -5; echo"], "test conjoined"),
        (&["bash", "-c", "-e", "cargo test; echo"], "test conjoined"),
        (&["bash", "--norc", "--rcfile", "x", "-c", "npm test"], "test alone"),
        (&["timeout", "60", "bash", "-c", "npm test"], "test alone"),
        (&["C:\\x\\npm.cmd", "test"], "test alone"),
        (&["bash", "cargo test"], "-"),
        (&["bash", "-x", "test.sh"], "-"),
        (&["bash", "-c"], "-"),
        (&["echo", "cargo", "test"], "-"),
        (&["cargo test"], "-"),
        (&["git", "commit", "-m", "cargo test && pytest"], "-"),
        (&["cargo", "test", "&&", "x"], "test alone"),
        (&["\"pytest\""], "-"),
        (&[""], "-"),
        (&[], "-"),
    ] {
        assert_eq!(said(of_words(words)), what, "{words:?}");
    }
}

#[test]
fn outcomes() {
    use CheckOutcome::{Cancelled, Failed, Passed, Unknown};
    for (joined, exit, outcome) in [
        (Joined::Alone, Exit::Code(0), (Passed, Some(0))),
        (Joined::Alone, Exit::Code(101), (Failed, Some(101))),
        (Joined::Alone, Exit::Code(130), (Failed, Some(130))),
        (Joined::Alone, Exit::Code(137), (Failed, Some(137))),
        (Joined::Alone, Exit::Code(143), (Failed, Some(143))),
        (Joined::Alone, Exit::Failed, (Failed, None)),
        (Joined::Alone, Exit::Cancelled, (Cancelled, None)),
        (Joined::Alone, Exit::Unknown, (Unknown, None)),
        (Joined::Conjoined, Exit::Code(0), (Passed, Some(0))),
        (Joined::Conjoined, Exit::Code(1), (Failed, Some(1))),
        (Joined::Conjoined, Exit::Failed, (Failed, None)),
        (Joined::Masked, Exit::Code(0), (Unknown, Some(0))),
        (Joined::Masked, Exit::Code(1), (Unknown, Some(1))),
        (Joined::Masked, Exit::Failed, (Unknown, None)),
        (Joined::Masked, Exit::Cancelled, (Cancelled, None)),
        (Joined::Masked, Exit::Unknown, (Unknown, None)),
    ] {
        let kind = Kind { label: CheckLabel::Test, joined };
        assert_eq!(kind.outcome(exit), outcome, "{joined:?} {exit:?}");
        assert_eq!(kind.compound(), joined != Joined::Alone);
    }
}

#[test]
fn a_kind_is_written_in_plain_words() {
    let kind = Kind { label: CheckLabel::Lint, joined: Joined::Conjoined };
    let json = serde_json::to_string(&kind).unwrap();
    assert_eq!(json, r#"{"label":"lint","joined":"conjoined"}"#);
    assert_eq!(serde_json::from_str::<Kind>(&json).unwrap(), kind);
}

#[test]
fn programs_are_sorted_and_named_once() {
    for pair in tools::TOOLS.windows(2) {
        assert!(pair[0].name < pair[1].name, "{} {}", pair[0].name, pair[1].name);
    }
}

#[test]
fn a_long_line_is_looked_at_in_part() {
    let long = "x".repeat(70_000);
    assert_eq!(said(of_line(&format!("cargo test {long}"))), "test masked");
    assert_eq!(said(of_line(&format!("cargo test '{long}'"))), "test masked");
    assert_eq!(said(of_line(&format!("echo {long}; cargo test"))), "-");
    assert_eq!(said(of_line(&format!("cargo test {}", "ü".repeat(40_000)))), "test masked");
}

#[test]
fn nothing_is_followed_without_end() {
    for part in [
        "(",
        "((",
        "{ ",
        "$(",
        "\"$(",
        "${",
        "`",
        "if ",
        "f() ",
        "f()",
        "! ",
        "sudo ",
        "time ",
        "time { ",
        "a=(",
        "<<a ",
        "case x in ",
        "function f ",
        "x | ",
        "x && ",
        "; ",
        "'",
        "\"",
        "\\",
        "<(",
        "[[ ",
        "<<a\n",
    ] {
        let line = part.repeat(64_000 / part.len());
        assert!(of_line(&line).is_none(), "{part}");
        // What opens and never closes is no line for a shell.
        let _ = of_line(&format!("cargo test; {line} cargo test"));
    }
    let mut nested = "cargo test".to_owned();
    for depth in 1..8 {
        nested = format!("sh -c {}", quoted(&nested));
        assert_eq!(of_line(&nested).is_some(), depth <= 4, "{depth}");
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Pieces that a shell reads in its own way.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "cargo test",
        "pytest",
        "npm run lint",
        "make",
        "echo",
        "cd x",
        "&&",
        "||",
        "|",
        ";",
        "&",
        "\n",
        "(",
        ")",
        "{",
        "}",
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "\\",
        "<<E",
        "E\n",
        ">",
        "2>&1",
        "<(",
        "#",
        "!",
        "if",
        "then",
        "fi",
        "for",
        "do",
        "done",
        "case",
        "in",
        "esac",
        "time",
        "set -e",
        "exit",
        "exit 1",
        "A=1",
        "é",
        " ",
        "[[",
        "]]",
        "((",
        "bash -c",
    ]);
    prop::collection::vec((piece, prop::bool::ANY), 0..40).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, blank)| if blank { format!("{piece} ") } else { piece.to_owned() })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(line in "\\PC*", words in prop::collection::vec("\\PC{0,12}", 0..8)) {
        let _ = of_line(&line);
        let _ = of_words(&words);
    }

    #[test]
    fn any_shell_text_is_read(line in pieces()) {
        let told = of_line(&line);
        let _ = of_words(&["bash", "-c", &line]);
        for body in in_records(&line) {
            prop_assert_eq!(super::of_line(&Body::Raw(body.as_bytes())), told);
        }
        if !names_a_tool(line.as_bytes()) && !line.contains(['\\', '"', '\'']) {
            prop_assert_eq!(line::read(&line, Modes::default(), 0), None);
        }
    }

    #[test]
    fn what_is_quoted_for_echo_is_no_check(line in pieces()) {
        let line = line.replace("E\n", "");
        prop_assert_eq!(of_line(&format!("echo {}", quoted(&line))), None);
        prop_assert_eq!(of_line(&format!("cat <<'END'\n{line}\nEND\n")), None);
        prop_assert_eq!(of_line(&format!("git commit -m \"$(cat <<'END'\n{line}\nEND\n)\"")), None);
        let beside = of_line(&format!("git commit -m \"$(cat <<'END'\n{line}\nEND\n)\" && cargo test"));
        prop_assert_eq!(said(beside), "test conjoined");
        prop_assert_eq!(said(of_line(&format!("echo {} && cargo test", quoted(&line)))), "test conjoined");
    }

    #[test]
    fn a_shell_joins_like_any_command(line in pieces()) {
        let (alone, shell) = (of_line(&line), format!("sh -c {}", quoted(&line)));
        prop_assert_eq!(of_line(&shell), alone);
        for after in ["| cat", "|| true", "; echo", "\necho", "& wait"] {
            prop_assert_eq!(of_line(&format!("{shell} {after}")), alone.map(Kind::masked));
        }
        let beside =
            [("", "&& echo"), ("cd x;", ""), ("cd x &&", ""), ("", "|| exit 1"), ("set -e;", "; echo")];
        for (before, after) in beside {
            prop_assert_eq!(of_line(&format!("{before} {shell} {after}")), alone.map(Kind::conjoined));
        }
    }
}
