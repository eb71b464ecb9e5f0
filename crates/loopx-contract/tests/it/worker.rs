//! What a worker of the user's own says is judged field by field, and no fault holds a value.

use loopx_contract::worker::{LONGEST, read};
use loopx_contract::{
    Check, CheckLabel, CheckOutcome, EvidenceTier, LimitWindow, RuntimeId, SessionState, schema,
};
use loopx_safety::{PrivateWord, PrivateWords, TierKind, WordKind};
use proptest::prelude::*;
use serde_json::{Value, json};

fn words() -> PrivateWords {
    PrivateWords::none(TierKind::Local)
}

proptest! {
    #[test]
    fn no_bytes_are_too_much_for_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(!read(&bytes, &words()).is_err_and(|faults| faults.is_empty()));
    }

    #[test]
    fn no_value_comes_back_in_a_fault(
        field in proptest::sample::select(full().as_object().unwrap().keys().cloned().collect::<Vec<_>>()),
        before in "[^a-z]{0,6}",
        after in "[^a-z]{0,6}",
    ) {
        let line = with(&field, json!(format!("{before}quixotic{after}"))).to_string();
        if let Err(faults) = read(line.as_bytes(), &words()) {
            prop_assert!(!faults.is_empty());
            let said: Vec<String> = faults.iter().map(|fault| format!("{fault} {fault:?}")).collect();
            prop_assert!(!said.concat().contains("quixotic"), "{:?}", said);
        }
    }
}

/// The faults of a line, as they are said.
fn faults(line: &[u8]) -> Vec<String> {
    let faults = read(line, &words()).err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect()
}

/// A sound line with one more field, or another value of one.
fn with(field: &str, value: Value) -> Value {
    let mut line = json!({"runtime_id": "custom_worker", "session_id": "build-7", "state": "idle"});
    line[field] = value;
    line
}

fn of(field: &str, value: Value) -> Vec<String> {
    faults(with(field, value).to_string().as_bytes())
}

#[test]
fn three_fields_are_enough() {
    let line = with("state", json!("running")).to_string();
    let line = read(line.as_bytes(), &words()).unwrap();
    assert_eq!(line.facts.runtime_id.as_str(), RuntimeId::CUSTOM_WORKER);
    assert_eq!(line.facts.session_id.expose(), "build-7");
    assert_eq!((line.facts.state, line.dropped), (SessionState::Running, 0));
}

#[test]
fn every_field_is_taken() {
    let line = full();
    let read = read(line.to_string().as_bytes(), &words()).unwrap();
    let facts = read.facts;
    assert_eq!(read.dropped, 0);
    assert_eq!((facts.pid, facts.children), (Some(4711), 2));
    assert_eq!((facts.tier, facts.goal_id.unwrap().as_str()), (Some(EvidenceTier::Caller), "pilot"));
    assert_eq!(facts.limits[0].window, LimitWindow::Primary);
    let at = Some("2026-11-30T10:00:00Z".parse().unwrap());
    let check = Check {
        label: CheckLabel::Test,
        outcome: CheckOutcome::Failed,
        exit_code: Some(-1),
        at,
        compound: true,
    };
    assert_eq!(facts.checks, [check]);
    assert_eq!(facts.usage.unwrap().output_tokens, 7);
    assert_eq!((facts.missing.len(), facts.hints.len()), (2, 1));
}

fn full() -> Value {
    let at = "2026-11-30T10:00:00Z";
    json!({
        "schema_version": "session_facts_v0", "runtime_id": "my_worker2", "session_id": "build 7", "at": at,
        "state": "waiting_answer", "pid": 4711, "goal_id": "pilot", "agent_id": "builder", "cwd": "/made/up",
        "tier": "caller", "turn": "open", "since": at, "last_activity": at, "started_at": at,
        "missing": ["liveness", "file", "file"], "hints": ["project_process"],
        "limits": [{"window": "primary", "used_basis_points": 9950, "window_minutes": 300, "resets_at": at,
                    "reached": true, "seen_at": at}],
        "checks": [{"label": "test", "outcome": "failed", "exit_code": -1, "at": at, "compound": true}],
        "usage": {"turns": 1, "input_tokens": 2, "cached_input_tokens": 1, "output_tokens": 7,
                  "reasoning_output_tokens": 3},
        "children": 2,
    })
}

#[test]
fn what_is_taken_is_valid_by_the_schema() {
    let validator = jsonschema::draft202012::new(&schema::worker_facts()).unwrap();
    let least = with("state", json!("ended"));
    for line in [&full(), &least, &with("checks", json!([{"label": "lint", "outcome": "passed"}]))] {
        assert!(validator.is_valid(line), "{line}");
        assert!(read(line.to_string().as_bytes(), &words()).is_ok(), "{line}");
    }
    for (field, value) in
        [("state", json!("busy")), ("pid", json!(0)), ("checks", json!([{"label": "test"}]))]
    {
        assert!(!validator.is_valid(&with(field, value.clone())), "{field}");
        assert!(!of(field, value).is_empty(), "{field}");
    }
    // Every field of the schema is one that is read, and every word of it is one that is taken.
    let schema = schema::worker_facts();
    let properties = schema["properties"].as_object().unwrap();
    let known: Vec<String> = full().as_object().unwrap().keys().cloned().collect();
    assert_eq!(properties.keys().cloned().collect::<Vec<_>>(), known);
    for (field, name) in [("state", "SessionState"), ("tier", "EvidenceTier"), ("turn", "Turn")] {
        for word in schema_words(&schema, name) {
            assert_eq!(of(field, json!(word)), Vec::<String>::new());
        }
    }
    for (field, name) in [("missing", "MissingFact"), ("hints", "Hint")] {
        assert_eq!(of(field, json!(schema_words(&schema, name))), Vec::<String>::new());
    }
}

/// The words of an enum; each is named where a word is none of them.
fn schema_words(schema: &Value, name: &str) -> Vec<String> {
    let words: Vec<String> = schema["$defs"][name]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["const"].as_str().unwrap().to_owned())
        .collect();
    assert!(words.len() > 2);
    words
}

#[test]
fn each_fault_names_its_field_and_no_value() {
    let id = "1 to 120 are allowed";
    for (field, value, said) in [
        ("schema_version", json!("v1"), "not one of session_facts_v0"),
        ("runtime_id", json!(null), "missing"),
        ("runtime_id", json!("codex_cli_tui"), "a built-in runtime: use custom_worker or a word of your own"),
        ("runtime_id", json!("codex"), "a built-in runtime: use custom_worker or a word of your own"),
        ("runtime_id", json!("none"), "a built-in runtime: use custom_worker or a word of your own"),
        ("runtime_id", json!("Canary Word"), "malformed runtime id: a lower-case letter"),
        ("runtime_id", json!(7), "not a text"),
        ("session_id", json!(""), "refused: empty"),
        ("session_id", json!("canary\nword"), "refused: multi_line at column 7"),
        ("session_id", json!("canary\u{0}"), "refused: control at column 7"),
        ("session_id", json!("x".repeat(129)), "refused: too_long"),
        ("session_id", json!("/canary/word"), "refused: path at column"),
        ("session_id", json!("canary@word.example"), "refused: mail at column"),
        ("session_id", json!(["canary"]), "not a text"),
        ("state", json!(null), "missing"),
        (
            "state",
            json!("canary"),
            "not one of running, waiting_permission, waiting_answer, idle, background",
        ),
        ("state", json!("Running"), "not one of running"),
        ("at", json!("canary"), "not an instant such as 2026-11-30T12:00:00Z"),
        ("at", json!(1_796_048_478), "not an instant"),
        ("since", json!("2026-11-30"), "not an instant"),
        ("last_activity", json!("2026-13-30T12:00:00Z"), "not an instant"),
        ("started_at", json!(true), "not an instant"),
        ("pid", json!(0), "not a whole number from 1 to 4294967295"),
        ("pid", json!(4_294_967_296_u64), "not a whole number from 1"),
        ("pid", json!(1.5), "not a whole number from 1"),
        ("pid", json!("12"), "not a whole number from 1"),
        ("goal_id", json!("../canary"), "malformed goal id"),
        ("goal_id", json!("x".repeat(121)), id),
        ("agent_id", json!(""), id),
        ("cwd", json!("canary/word"), "not an absolute path of at most 4096 bytes"),
        ("cwd", json!("/canary\nword"), "not an absolute path"),
        ("cwd", json!(format!("/{}", "x".repeat(4096))), "not an absolute path"),
        ("tier", json!("canary"), "not one of clock, transcript, hook"),
        ("turn", json!("canary"), "not one of open, closed, unknown"),
        ("missing", json!("liveness"), "not a list"),
        ("missing", json!(["canary"]), "not one of liveness, permission_state"),
        ("missing", json!(vec!["liveness"; 33]), "over 32 elements"),
        ("hints", json!(["canary"]), "not one of escalation_requested"),
        ("limits", json!({}), "not a list"),
        ("checks", json!(vec![json!({}); 33]), "over 32 elements"),
        ("usage", json!([]), "not an object"),
        ("children", json!(-1), "not a whole number from 0 to 4294967295"),
    ] {
        let found = of(field, value.clone());
        assert_eq!(found.len(), 1, "{field} {value}: {found:?}");
        assert!(found[0].starts_with(&format!("{field}: ")), "{found:?}");
        assert!(found[0].contains(said), "{field} {value}: {found:?}");
        assert!(!found[0].to_lowercase().contains("canary"), "{found:?}");
    }
}

#[test]
fn a_fault_inside_a_list_names_its_element() {
    let checks = json!([{"label": "test", "outcome": "passed"}, {"label": "canary", "exit_code": 1e9}, 7]);
    assert_eq!(
        of("checks", checks),
        [
            "checks[1].label: not one of test, lint, build",
            "checks[1].outcome: missing",
            "checks[1].exit_code: not a whole number from -2147483648 to 2147483647",
            "checks[2]: not an object",
        ]
    );
    let limits = json!([{"window": "canary", "reached": "yes", "used_basis_points": -1}]);
    assert_eq!(
        of("limits", limits),
        [
            "limits[0].window: not one of primary, secondary, other",
            "limits[0].used_basis_points: not a whole number from 0 to 4294967295",
            "limits[0].reached: neither true nor false",
        ]
    );
    let usage = of("usage", json!({"turns": 10_000_000_000_000_000_000_u64}));
    assert_eq!(usage, ["usage.turns: not a whole number from 0 to 9223372036854775807"]);
}

#[test]
fn all_faults_of_a_line_are_named_at_once() {
    let line = br#"{"runtime_id": "codex_exec", "state": "canary", "pid": "canary", "prompt": "canary"}"#;
    let found = faults(line);
    let fields: Vec<&str> = found.iter().map(|fault| fault.split(':').next().unwrap()).collect();
    assert_eq!(fields, ["runtime_id", "session_id", "state", "pid"]);
}

#[test]
fn what_is_no_line_of_facts_is_said_in_our_words() {
    let long = format!("{{\"prompt\": \"{}\"}}", "x".repeat(LONGEST));
    let deep = format!("{{\"x\": {}1{}}}", "[".repeat(1000), "]".repeat(1000));
    for (line, said) in [
        (&b"canary"[..], "not JSON from byte 1 on"),
        (b"[1]", "not an object"),
        (b"\"canary\"", "not an object"),
        (b"7", "not an object"),
        (b"{\"state\": \"can", "ends in the middle of a value"),
        (b"{\"state\": \"idle\"} canary", "not JSON from byte 19 on"),
        (b"{\"state\": \"a\x00\"}", "not JSON from byte"),
        (b"{\"state\": \"\xff\"}", "not UTF-8 from byte 12 on"),
        (b"{\"pid\": 1e999}", "not JSON from byte"),
        (deep.as_bytes(), "nested too deep"),
        (long.as_bytes(), "over 65536 bytes"),
    ] {
        let found = faults(line);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(said), "{found:?} is not {said}");
    }
}

#[test]
fn a_field_that_is_given_twice_is_refused_whichever_would_count() {
    let line =
        br#"{"runtime_id":"w","session_id":"s","state":"ended","pid":1,"state":"running","x":1,"x":2}"#;
    assert_eq!(faults(line), ["state: given twice"]);
}

#[test]
fn unknown_keys_and_what_is_not_a_workers_to_say_are_dropped_and_counted() {
    let mut line = with("prompt", json!({"text": "canary"}));
    line["liveness"] = json!("alive");
    line["lines"] = json!({"read": 1});
    line["event_id"] = json!("canary");
    line["rule"] = json!("works");
    line["checks"] = json!([{"label": "test", "outcome": "passed", "command": "canary"}]);
    let read = read(line.to_string().as_bytes(), &words()).unwrap();
    assert_eq!(read.dropped, 6);
    assert!(!format!("{read:?}").contains("canary"), "{read:?}");
}

#[test]
fn random_ids_are_taken_for_names_of_sessions_and_credentials_are_not() {
    let uuid = "88a73867-150f-4f26-a74c-8cf20a491c54";
    assert_eq!(of("session_id", json!(uuid)), Vec::<String>::new());
    assert_eq!(of("session_id", json!("0f".repeat(20))), Vec::<String>::new());
    let token = format!("gh{}_{}", 'p', "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    assert!(of("session_id", json!(token))[0].starts_with("session_id: refused: credential"));
}

#[test]
fn private_words_are_refused_where_they_would_be_shown() {
    let mut words = words();
    words.add(&PrivateWord::new(WordKind::Term, "zanzibar"));
    for field in ["runtime_id", "goal_id", "agent_id", "session_id"] {
        let line = with(field, json!("zanzibar")).to_string();
        let faults = read(line.as_bytes(), &words).unwrap_err();
        let said = format!("{field}: refused: private_word at columns 1-8");
        assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [said]);
    }
}
