use proptest::prelude::*;

use super::testing::{trivia, values, written};
use super::*;
use crate::app::settings::{Piece, Site, Taken, without};

/// The text without a piece.
fn take(text: &str, piece: &Piece) -> Result<(String, Taken), Fault> {
    super::take(text, piece).map(|(cut, taken)| (without(text, &cut), taken))
}

fn path(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The text with an entry for an event put in, and the pieces of it.
fn put_all(text: &str) -> (String, Vec<Piece>) {
    let mut pieces = Vec::new();
    let mut text = text.to_owned();
    let mut step = |put: (String, Piece)| {
        pieces.push(put.1);
        put.0
    };
    if Document::parse(&text).expect("JSON").is_blank() {
        text = step(put_root(&text));
    }
    let has = |text: &str, names: &[&str]| Document::parse(text).expect("JSON").at(&path(names)).is_some();
    for event in ["Stop", "Start"] {
        if !has(&text, &["hooks"]) {
            text = step(put_member(&text, &[], "hooks", &serde_json::Map::new()).expect("put"));
        }
        if !has(&text, &["hooks", event]) {
            text = step(put_member(&text, &path(&["hooks"]), event, &[(); 0]).expect("put"));
        }
        let entry = std::collections::BTreeMap::from([("command", "it's \"ours\"")]);
        text = step(put_element(&text, &path(&["hooks", event]), &entry).expect("put"));
    }
    (text, pieces)
}

fn take_all(text: &str, pieces: &[Piece]) -> (String, Vec<Taken>) {
    let mut text = text.to_owned();
    let mut all = Vec::new();
    for piece in pieces.iter().rev() {
        let (rest, taken) = take(&text, piece).expect("JSON");
        text = rest;
        all.push(taken);
    }
    (text, all)
}

#[track_caller]
fn there_and_back(text: &str) -> String {
    let (with, pieces) = put_all(text);
    let document = Document::parse(&with).expect("JSON");
    for event in ["Stop", "Start"] {
        assert!(document.at(&path(&["hooks", event])).is_some(), "{with}");
    }
    let (without, taken) = take_all(&with, &pieces);
    assert_eq!(without, text, "by way of {with}");
    assert!(taken.iter().all(|taken| *taken == Taken::Out), "{taken:?}");
    with
}

#[test]
fn what_was_put_in_is_taken_out_to_the_byte() {
    for text in [
        "",
        "\n",
        "  \r\n",
        "// nothing yet",
        "/* nothing */ ",
        "{}",
        "{ }",
        "{\n}\n",
        "{ // why\n}",
        "{ /* why */ }",
        "{\"a\":1}",
        "{\"a\": 1, \"b\": [2]}\n",
        "{\n\t\"a\": 1\n}\n",
        "{\r\n    \"a\": 1\r\n}\r\n",
        "{\n  \"a\": 1 // about a\n  // \"b\": 2\n}\n",
        "{\n  \"a\": 1 /* about a */ }",
        "{\n  \"hooks\": {}\n}",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n    ],\n    \"Other\": []\n  },\n  \"z\": \"}{\\\"\"\n}",
        "{\n  \"hooks\": { \"Stop\": [ { \"command\": \"theirs\" } ] }\n}",
        "{\n  \"hooks\": {\n    \"Start\": [ // first\n      1, // one\n      2 // two\n    ]\n  }\n}",
        "{\n\"hooks\":\n{\n\"Stop\":\n[\n1\n]\n}\n}",
        "{\"überall\":\"日本\",\"hooks\":{\"Stop\":[1]}}",
        "  {\"a\":1}  // end",
    ] {
        there_and_back(text);
    }
}

#[test]
fn what_is_put_in_looks_like_what_is_there() {
    let with = there_and_back("{\n\t\"a\": 1 // about a\n}\n");
    let expected = "{\n\t\"a\": 1, // about a\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"command\": \"it's \\\"ours\\\"\" }\n\t\t],";
    assert!(with.starts_with(expected), "{with}");
    let with = there_and_back("{\"a\":1}");
    assert!(with.starts_with("{\"a\":1,\"hooks\":{\"Stop\":[{\"command\":"), "{with}");
    let with = there_and_back("{\r\n  \"a\": 1\r\n}");
    assert!(!with.replace("\r\n", "").contains('\n'), "{with:?}");
}

#[test]
fn what_others_added_around_it_stays() {
    let (with, pieces) = put_all("{\n  \"a\": 1\n}\n");
    let edited = with
        .replace("\"a\": 1,", "\"a\": 2, // two")
        .replace("\"Start\": [\n", "\"Start\": [\n      {\"command\": \"theirs\"},\n")
        .replace("\n}\n", ",\n  \"b\": 3\n}\n");
    let (left, taken) = take_all(&edited, &pieces);
    assert_eq!(
        left,
        "{\n  \"a\": 2, // two\n  \"hooks\": {\n    \"Start\": [\n      {\"command\": \"theirs\"}\n    ]\n  },\n  \"b\": 3\n}\n"
    );
    assert_eq!(taken, [Taken::Out, Taken::InUse, Taken::Out, Taken::Out, Taken::InUse]);
}

/// As a runtime lays it out anew that changes one of its own settings.
fn laid_out(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    serde_json::to_string_pretty(&value).expect("text") + "\n"
}

#[test]
fn what_was_laid_out_anew_is_known_again_and_leaves_no_gap() {
    for was in [
        "{\n  \"a\": 1\n}\n",
        "{\"hooks\":{\"Stop\":[1]},\"z\":[]}",
        "{\n  \"hooks\": { \"Stop\": [ { \"command\": \"theirs\" } ], \"Zed\": [ 1 ] }\n}\n",
    ] {
        let (with, pieces) = put_all(was);
        let (left, taken) = take_all(&laid_out(&with), &pieces);
        assert!(taken.iter().all(|taken| *taken == Taken::Out), "{taken:?}");
        assert_eq!(left, laid_out(was));
        let value: serde_json::Value = serde_json::from_str(&with).expect("JSON");
        let (left, _) = take_all(&value.to_string(), &pieces);
        assert_eq!(laid_out(&left), laid_out(was));
    }
}

#[test]
fn a_text_is_wrapped_inside_its_quotes_and_stays_as_it_is_written() {
    let text = r#"{"statusLine": {"command": "caf\u00e9 \/x \"y\""}}"#;
    let at = path(&["statusLine", "command"]);
    let (with, piece) = put_around(text, &at, "{ 'a \"b\"' || cat; } | (\n", "\n)").expect("put");
    let document: serde_json::Value = serde_json::from_str(&with).expect("JSON");
    let command = document["statusLine"]["command"].as_str().expect("a text");
    assert_eq!(command, "{ 'a \"b\"' || cat; } | (\ncafé /x \"y\"\n)");
    assert_eq!(take(&with, &piece).expect("JSON"), (text.to_owned(), Taken::Out));
    let changed = with.replace("\\n)\"", "\"");
    assert!(matches!(take(&changed, &piece).expect("JSON").1, Taken::Changed(_)));
    let replaced = r#"{"statusLine": {"command": "other"}}"#;
    assert_eq!(take(replaced, &piece).expect("JSON").1, Taken::Gone);
}

#[test]
fn a_member_that_was_changed_stays() {
    let line = std::collections::BTreeMap::from([("command", "ours")]);
    let (with, piece) = put_member("{}", &[], "statusLine", &line).expect("put");
    let changed = with.replace("ours", "mine");
    let (left, taken) = take(&changed, &piece).expect("JSON");
    assert_eq!((left.as_str(), taken), (changed.as_str(), Taken::Changed(4)));
    assert!(matches!(piece.place, Site::Member { .. }));
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    for (text, place) in [
        ("{", "1:1"),
        ("{\"a\":1 \"b\":2}", "1:7"),
        ("{\n  'a': 1\n}", "2:3"),
        ("{\n  a: 1\n}", "2:3"),
        ("{\"a\": 0x1}", "1:7"),
        ("{} {}", "1:4"),
    ] {
        let fault = Document::parse(text).err().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(fault.at.map(|at| at.to_string()).as_deref(), Some(place), "{text}");
    }
    let twice = Document::parse("{\n \"a\": 1,\n \"\\u0061\": 2\n}").expect("JSON");
    assert_eq!(twice.object().expect_err("twice").at.map(|at| at.to_string()).as_deref(), Some("3:2"));
    let list = Document::parse("[]").expect("JSON");
    assert!(list.object().is_err());
    assert!(Document::parse(&"[".repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn any_document_comes_back_to_the_byte(
        members in prop::collection::btree_map("[a-z]{1,3}", values(), 0..4),
        hooks in prop::option::of(prop::collection::btree_map("Stop|Start|Other", prop::collection::vec(values(), 0..3), 0..3)),
        seed in any::<u64>(),
    ) {
        let mut object: serde_json::Map<_, _> = members.into_iter().collect();
        if let Some(hooks) = hooks {
            let hooks: serde_json::Map<_, _> =
                hooks.into_iter().map(|(event, list)| (event, list.into())).collect();
            object.insert("hooks".to_owned(), hooks.into());
        }
        let (mut seed, mut text) = (seed, String::new());
        trivia(&mut seed, &mut text);
        written(&object.into(), &mut seed, &mut text);
        trivia(&mut seed, &mut text);
        there_and_back(&text);
    }
}
