//! Claude Code's transcript rule, case by case.

use jiff::Timestamp;
use loopx_contract::Turn;

use crate::scene::{Scene, entry};

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

fn record(rest: &str) -> String {
    format!(r#"{{"sessionId":"{SESSION}","isSidechain":false,"timestamp":"2026-11-29T23:31:00Z",{rest}}}"#)
        + "\n"
}

fn user(text: &str) -> String {
    record(&format!(r#""message":{{"role":"user","content":"{text}"}},"type":"user""#))
}

fn says(id: &str, stop: &str) -> String {
    record(&format!(
        r#""type":"assistant","message":{{"id":"{id}","content":[{{"type":"text","text":"t"}}],"stop_reason":{stop}}}"#
    ))
}

fn calls(id: &str, tool: &str, call: &str) -> String {
    record(&format!(
        r#""type":"assistant","message":{{"id":"{id}","content":[{{"type":"tool_use","id":"{call}","name":"{tool}","input":{{}}}}],"stop_reason":"tool_use"}}"#
    ))
}

fn result(call: &str) -> String {
    record(&format!(
        r#""type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call}"}}]}}"#
    ))
}

fn system(rest: &str) -> String {
    record(&format!(r#""type":"system",{rest}"#))
}

/// From the file alone, and with a process alive whose entry tells no status.
fn both(lines: &[String]) -> (&'static str, &'static str) {
    let scene = Scene::new();
    scene.transcript(SESSION, &lines.concat());
    let now: Timestamp = "2026-11-29T23:32:00Z".parse().unwrap();
    let alone = scene.facts(now).state.word();
    scene.entry(&entry(SESSION, "new word", None, now));
    scene.alive();
    (alone, scene.facts(now).state.word())
}

#[test]
fn states_of_a_turn() {
    let error_in_words = |words: &str, rest: &str| {
        record(&format!(
            r#""type":"assistant","isApiErrorMessage":true,{rest},"message":{{"id":"e","model":"<synthetic>","content":[{{"type":"text","text":"{words}"}}],"stop_reason":"stop_sequence"}}"#
        ))
    };
    let error = |rest: &str| error_in_words("5-hour limit reached", rest);
    let mode = |mode: &str| {
        format!(r#"{{"type":"permission-mode","permissionMode":"{mode}","sessionId":"{SESSION}"}}"#) + "\n"
    };
    let launched = || {
        record(
            r#""type":"user","toolUseResult":{"isAsync":true,"status":"async_launched","agentId":"a1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}"#,
        )
    };
    let done = || system(r#""subtype":"turn_duration","durationMs":1"#);
    let cases: Vec<(&str, Vec<String>, &str, &str)> = vec![
        (
            "a local command in the middle",
            vec![user("x"), calls("m", "Bash", "c"), user("<bash-stdout>1</bash-stdout>")],
            "unknown",
            "unknown",
        ),
        (
            "a local command's record after the end",
            vec![user("x"), says("m", "\"end_turn\""), system(r#""subtype":"local_command""#)],
            "idle",
            "idle",
        ),
        (
            "a late result",
            vec![user("x"), calls("m", "Bash", "c"), user("[Request interrupted by user]"), result("c")],
            "interrupted",
            "interrupted",
        ),
        (
            "a limit that 2.0 tells by its status alone",
            vec![user("x"), error_in_words("API Error: 429 {}", r#""error":"unknown""#)],
            "rate_limited",
            "rate_limited",
        ),
        (
            "another error of 2.0",
            vec![user("x"), error_in_words("API Error: 500 {429}", r#""error":"unknown""#)],
            "errored",
            "errored",
        ),
        (
            "nothing but a local command",
            vec![
                user("<command-name>/cost</command-name>"),
                user("<local-command-stdout>1</local-command-stdout>"),
            ],
            "idle",
            "idle",
        ),
        ("asked", vec![user("x")], "unknown", "running"),
        ("tool open", vec![user("x"), calls("m", "Bash", "c")], "unknown", "unknown"),
        (
            "tool open, never asks",
            vec![user("x"), mode("bypassPermissions"), calls("m", "Bash", "c")],
            "unknown",
            "running",
        ),
        (
            "never asked before, asks now",
            vec![mode("dontAsk"), user("x"), mode("default"), calls("m", "Bash", "c")],
            "unknown",
            "unknown",
        ),
        ("tool back", vec![user("x"), calls("m", "Bash", "c"), result("c")], "unknown", "running"),
        (
            "one of two back",
            vec![user("x"), calls("m", "Bash", "c"), calls("m", "Read", "d"), result("d")],
            "unknown",
            "unknown",
        ),
        ("question", vec![user("x"), calls("m", "AskUserQuestion", "c")], "waiting_answer", "waiting_answer"),
        ("plan", vec![user("x"), calls("m", "ExitPlanMode", "c")], "waiting_answer", "waiting_answer"),
        (
            "question beside a tool",
            vec![user("x"), calls("m", "AskUserQuestion", "c"), calls("m", "Bash", "d")],
            "unknown",
            "unknown",
        ),
        ("words before a tool", vec![user("x"), says("m", "\"tool_use\"")], "unknown", "running"),
        ("end", vec![user("x"), says("m", "\"end_turn\"")], "idle", "idle"),
        ("cut off", vec![user("x"), says("m", "\"max_tokens\"")], "idle", "idle"),
        ("no reason yet", vec![user("x"), says("m", "null")], "unknown", "running"),
        ("no reason, end marked", vec![user("x"), says("m", "null"), done()], "idle", "idle"),
        (
            "a lost result",
            vec![user("x"), calls("m", "Bash", "c"), says("n", "\"end_turn\"")],
            "idle",
            "idle",
        ),
        (
            "limit",
            vec![user("x"), error(r#""error":"rate_limit","apiErrorStatus":429"#)],
            "rate_limited",
            "rate_limited",
        ),
        ("limit in words", vec![user("x"), error(r#""level":1"#)], "rate_limited", "rate_limited"),
        (
            "overloaded",
            vec![user("x"), error(r#""error":"overloaded","apiErrorStatus":529"#)],
            "errored",
            "errored",
        ),
        (
            "interrupted",
            vec![
                user("x"),
                calls("m", "Bash", "c"),
                result("c"),
                user("[Request interrupted by user for tool use]"),
            ],
            "interrupted",
            "interrupted",
        ),
        (
            "agents go on",
            vec![
                user("x"),
                calls("m", "Task", "c"),
                launched(),
                says("n", "\"end_turn\""),
                system(r#""subtype":"turn_duration","pendingBackgroundAgentCount":1"#),
            ],
            "background",
            "background",
        ),
        (
            "agents go on, unmarked",
            vec![user("x"), calls("m", "Task", "c"), launched(), says("n", "\"end_turn\"")],
            "background",
            "background",
        ),
        (
            "agents are back",
            vec![
                user("x"),
                calls("m", "Task", "c"),
                launched(),
                says("n", "\"end_turn\""),
                user("<task-notification> a1"),
                says("o", "\"end_turn\""),
            ],
            "idle",
            "idle",
        ),
        (
            "local command",
            vec![
                user("x"),
                says("m", "\"end_turn\""),
                user("<command-name>/cost</command-name>"),
                user("<local-command-stdout>1</local-command-stdout>"),
            ],
            "idle",
            "idle",
        ),
        (
            "command that may ask",
            vec![user("x"), says("m", "\"end_turn\""), user("<command-name>/review</command-name>")],
            "unknown",
            "unknown",
        ),
        (
            "a subagent's records",
            vec![
                user("x"),
                says("m", "\"end_turn\""),
                calls("z", "Bash", "c").replace("\"isSidechain\":false", "\"isSidechain\":true"),
            ],
            "idle",
            "idle",
        ),
        (
            "a title of another session",
            vec![
                user("x"),
                says("m", "\"end_turn\""),
                "{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"u\"}\n".to_owned(),
            ],
            "idle",
            "idle",
        ),
        (
            "keys in another order",
            vec![
                user("x"),
                says("m", "\"end_turn\"")
                    .replace(r#""type":"assistant","#, "")
                    .replace("}}\n", "},\"type\":\"assistant\"}\n"),
            ],
            "idle",
            "idle",
        ),
        (
            "fields of another type",
            vec![
                user("x"),
                says("m", "\"end_turn\"")
                    .replace("\"m\"", "7")
                    .replace("\"isSidechain\":false", "\"isSidechain\":\"no\""),
            ],
            "idle",
            "idle",
        ),
    ];
    for (name, lines, alone, live) in cases {
        assert_eq!(both(&lines), (alone, live), "{name}");
    }
}

#[test]
fn background_work_dies_with_its_process() {
    let lines = [
        user("x"),
        says("n", "\"end_turn\""),
        system(r#""subtype":"turn_duration","pendingBackgroundAgentCount":2"#),
    ];
    let scene = Scene::new();
    scene.transcript(SESSION, &lines.concat());
    let now: Timestamp = "2026-11-29T23:32:00Z".parse().unwrap();
    assert_eq!(scene.facts(now).state.word(), "background");
    scene.entry(&entry(SESSION, "busy", None, now));
    let facts = scene.facts(now);
    assert_eq!((facts.state.word(), facts.turn), ("idle", Turn::Closed));
}
