//! Codex's lifecycle rule, case by case.

use loopx_contract::{Hint, MissingFact, Turn};

use crate::scene::Scene;

const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";

fn meta(source: &str, version: &str) -> String {
    line(
        "session_meta",
        &format!(
            r#"{{"id":"{THREAD}","timestamp":"2026-11-29T23:30:00Z","cwd":"/w","cli_version":"{version}","source":{source},"thread_source":"user"}}"#
        ),
    )
}

fn line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-11-29T23:31:00Z","type":"{kind}","payload":{payload}}}"#) + "\n"
}

fn event(payload: &str) -> String {
    line("event_msg", payload)
}

fn item(payload: &str) -> String {
    line("response_item", payload)
}

fn start(turn: &str) -> String {
    event(&format!(r#"{{"type":"task_started","turn_id":"{turn}"}}"#))
}

fn complete(turn: &str, error: &str) -> String {
    event(&format!(
        r#"{{"type":"task_complete","turn_id":"{turn}","last_agent_message":"x","error":{error}}}"#
    ))
}

fn call(name: &str, id: &str) -> String {
    item(&format!(r#"{{"type":"function_call","name":"{name}","arguments":"{{}}","call_id":"{id}"}}"#))
}

/// Facts without a lock, and with it held.
fn both(lines: &[String]) -> (loopx_contract::SessionFacts, loopx_contract::SessionFacts) {
    let scene = Scene::new();
    scene.rollout(THREAD, &lines.concat());
    let now = "2026-11-29T23:32:00Z".parse().unwrap();
    let alone = scene.facts(now);
    scene.hold(&scene.lock(THREAD));
    (alone, scene.facts(now))
}

#[test]
fn states_of_a_turn() {
    let error = |info: &str| format!(r#"{{"message":"m","codex_error_info":{info}}}"#);
    let never = || line("turn_context", r#"{"turn_id":"a","approval_policy":"never"}"#);
    let cli = || meta("\"cli\"", "0.171.0");
    let output =
        |id: &str| item(&format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"o"}}"#));
    let cases: Vec<(&str, Vec<String>, &str, &str)> = vec![
        ("open, no call", vec![cli(), start("a")], "unknown", "running"),
        ("open call", vec![cli(), start("a"), call("shell", "c")], "unknown", "unknown"),
        ("answered call", vec![cli(), start("a"), call("shell", "c"), output("c")], "unknown", "running"),
        (
            "one of two answered",
            vec![cli(), start("a"), call("s", "c"), call("s", "d"), output("d")],
            "unknown",
            "unknown",
        ),
        ("open call, never asks", vec![cli(), start("a"), never(), call("shell", "c")], "unknown", "running"),
        (
            "exec never asks",
            vec![meta("\"exec\"", "0.171.0"), start("a"), call("shell", "c")],
            "unknown",
            "running",
        ),
        (
            "question",
            vec![cli(), start("a"), call("request_user_input", "c")],
            "waiting_answer",
            "waiting_answer",
        ),
        (
            "question beside a call",
            vec![cli(), start("a"), call("request_user_input", "c"), call("s", "d")],
            "unknown",
            "unknown",
        ),
        (
            "question, never asks for approval",
            vec![cli(), start("a"), never(), call("request_user_input", "c")],
            "waiting_answer",
            "waiting_answer",
        ),
        ("complete", vec![cli(), start("a"), complete("a", "null")], "idle", "idle"),
        (
            "limit",
            vec![cli(), start("a"), complete("a", &error("\"usage_limit_exceeded\""))],
            "rate_limited",
            "rate_limited",
        ),
        (
            "budget",
            vec![cli(), start("a"), complete("a", &error("\"session_budget_exceeded\""))],
            "rate_limited",
            "rate_limited",
        ),
        (
            "failed",
            vec![cli(), start("a"), complete("a", &error("{\"http_connection_failed\":{}}"))],
            "errored",
            "errored",
        ),
        ("failed without a class", vec![cli(), start("a"), complete("a", "{}")], "errored", "errored"),
        (
            "aborted without an id",
            vec![cli(), start("a"), event(r#"{"type":"turn_aborted","reason":"interrupted"}"#)],
            "interrupted",
            "interrupted",
        ),
        (
            "an unfinished turn before it",
            vec![cli(), start("a"), call("s", "c"), start("b")],
            "unknown",
            "running",
        ),
        (
            "late end of an older turn",
            vec![cli(), start("a"), start("b"), complete("a", "null")],
            "unknown",
            "running",
        ),
        (
            "late item",
            vec![
                cli(),
                start("a"),
                complete("a", "null"),
                event(
                    r#"{"type":"item_completed","turn_id":"a","item":{"type":"CommandExecution","id":"c"}}"#,
                ),
            ],
            "idle",
            "idle",
        ),
        ("late call", vec![cli(), start("a"), complete("a", "null"), call("s", "c")], "idle", "idle"),
        (
            "rolled back",
            vec![
                cli(),
                start("a"),
                complete("a", &error("\"other\"")),
                event(r#"{"type":"thread_rolled_back","num_turns":1}"#),
            ],
            "idle",
            "idle",
        ),
        (
            "error event, silent end",
            vec![
                cli(),
                start("a"),
                event(r#"{"type":"error","codex_error_info":"usage_limit_exceeded"}"#),
                event(r#"{"type":"task_complete","turn_id":"a"}"#),
            ],
            "rate_limited",
            "rate_limited",
        ),
        (
            "error event, spoken end",
            vec![
                cli(),
                start("a"),
                event(r#"{"type":"error","codex_error_info":"other"}"#),
                complete("a", "null"),
            ],
            "idle",
            "idle",
        ),
        ("nothing but the beginning", vec![cli()], "unknown", "unknown"),
        ("unmarked call", vec![meta("\"cli\"", "0.98.0"), call("shell", "c")], "unknown", "unknown"),
        (
            "unmarked question",
            vec![meta("\"cli\"", "0.98.0"), event(r#"{"type":"user_message"}"#)],
            "unknown",
            "unknown",
        ),
        (
            "unmarked, aborted, asked again",
            vec![
                meta("\"cli\"", "0.80.0"),
                event(r#"{"type":"turn_aborted","reason":"interrupted"}"#),
                event(r#"{"type":"user_message"}"#),
            ],
            "unknown",
            "unknown",
        ),
    ];
    for (name, lines, alone, held) in cases {
        let (without, with) = both(&lines);
        assert_eq!((without.state.word(), with.state.word()), (alone, held), "{name}: {with:?}");
    }
}

#[test]
fn an_escalation_is_a_hint_and_no_more() {
    let call = item(
        r#"{"type":"function_call","name":"exec_command","arguments":"{\"sandbox_permissions\":\"require_escalated\"}","call_id":"c"}"#,
    );
    let (_, held) = both(&[meta("\"cli\"", "0.171.0"), start("a"), call]);
    assert_eq!((held.state.word(), held.turn), ("unknown", Turn::Open));
    assert_eq!(held.hints, [Hint::EscalationRequested]);
    assert_eq!(held.missing, [MissingFact::PermissionState]);
}

#[test]
fn front_ends() {
    for (source, runtime, missing) in [
        ("\"cli\"", "codex_cli_tui", false),
        ("\"exec\"", "codex_exec", false),
        ("\"vscode\"", "codex_vscode", false),
        ("\"vscode\",\"originator\":\"codex_vscode\"", "codex_vscode", false),
        // A terminal whose thread lives in a daemon.
        ("\"vscode\",\"originator\":\"codex-tui\"", "codex_cli_tui", false),
        ("\"mcp\"", "codex_cli_tui", true),
        ("{\"custom\":\"x\"}", "codex_cli_tui", true),
        ("7", "codex_cli_tui", true),
    ] {
        let (facts, _) = both(&[meta(source, "0.171.0"), start("a"), complete("a", "null")]);
        assert_eq!(facts.runtime_id.as_str(), runtime);
        assert_eq!(facts.missing.contains(&MissingFact::Source), missing, "{source}");
    }
}

#[test]
fn a_lost_first_line_hides_nothing() {
    let (facts, _) = both(&["{broken\n".to_owned(), start("a"), complete("a", "null")]);
    assert_eq!(facts.state.word(), "idle");
    assert!(
        facts.missing.contains(&MissingFact::SessionMeta) && facts.missing.contains(&MissingFact::Records)
    );
}

#[test]
fn a_turn_that_began_far_back_is_found() {
    let note = |size: usize| event(&format!(r#"{{"type":"agent_reasoning","text":"{}"}}"#, "x".repeat(size)));
    let mut lines = vec![meta("\"cli\"", "0.171.0"), start("a"), call("shell", "c")];
    lines.extend((0..300).map(|_| note(10_000)));
    let (_, held) = both(&lines);
    assert_eq!((held.state.word(), held.turn), ("unknown", Turn::Open));
    assert!(!held.missing.contains(&MissingFact::OlderRecords));
    lines.extend((0..600).map(|_| note(10_000)));
    let (_, held) = both(&lines);
    assert_eq!((held.state.word(), held.turn), ("unknown", Turn::Unknown));
    assert!(held.missing.contains(&MissingFact::OlderRecords));
}
