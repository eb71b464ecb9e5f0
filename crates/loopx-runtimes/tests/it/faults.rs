//! Faults that damaged recordings have brought to light, each by what went wrong.

use jiff::Timestamp;
use loopx_runtimes::Runtime;
use loopx_runtimes::testing::{Folding, Process, Says};

const NOW: &str = "2026-11-29T23:32:00Z";

/// The state that lines give, beside a process.
fn state(runtime: Runtime, process: Process, lines: &[&str]) -> &'static str {
    let line = |rest: &&str| {
        let owner = if runtime == Runtime::ClaudeCode { "\"sessionId\":\"s\"," } else { "" };
        let at = if rest.contains("timestamp") { "" } else { "\"timestamp\":\"2026-11-29T23:31:00Z\"," };
        format!("{{{owner}{at}\"type\":{rest}}}\n")
    };
    let file: String = lines.iter().map(line).collect();
    let now: Timestamp = NOW.parse().unwrap();
    Folding::of(runtime, file.as_bytes()).facts(process, None, now).unwrap().state.word()
}

fn codex(lines: &[&str]) -> &'static str {
    state(Runtime::Codex, Process::Alive, lines)
}

fn claude(process: Process, lines: &[&str]) -> &'static str {
    state(Runtime::ClaudeCode, process, lines)
}

const START: &str = r#""event_msg","payload":{"type":"task_started","turn_id":"a"}"#;
const COMPLETE: &str = r#""event_msg","payload":{"type":"task_complete","turn_id":"a"}"#;

#[test]
fn a_turn_that_is_told_twice_to_begin_ends() {
    assert_eq!(codex(&[START, START]), "running");
    assert_eq!(codex(&[START, START, COMPLETE]), "idle");
    assert_eq!(codex(&[START, COMPLETE, START]), "idle");
}

#[test]
fn an_answer_whose_call_is_not_known_leaves_no_question_up() {
    let ask =
        r#""response_item","payload":{"type":"function_call","name":"request_user_input","call_id":"q"}"#;
    let answer = r#""response_item","payload":{"type":"function_call_output","call_id":"r","output":"yes"}"#;
    assert_eq!(codex(&[START, ask]), "waiting_answer");
    assert_eq!(codex(&[START, ask, answer]), "unknown");

    let go = r#""user","message":{"content":"go"}"#;
    let ask = r#""assistant","message":{"id":"m","content":[{"type":"tool_use","id":"q","name":"AskUserQuestion"}]}"#;
    let answer = r#""user","message":{"content":[{"type":"tool_result","tool_use_id":"r"}]}"#;
    let unnamed = r#""user","message":{"content":[{"type":"tool_result","tool_use_id":7}]}"#;
    assert_eq!(claude(Process::Alive, &[go, ask]), "waiting_answer");
    assert_eq!(claude(Process::Alive, &[go, ask, answer]), "unknown");
    assert_eq!(claude(Process::Alive, &[go, ask, unnamed]), "unknown");
}

#[test]
fn a_message_that_cannot_be_read_is_no_prompt_and_no_response() {
    let go = r#""user","message":{"content":"go"}"#;
    let call = |id: &str| {
        format!(
            r#""assistant","message":{{"id":{id},"content":[{{"type":"tool_use","id":"c","name":"Bash"}}],"stop_reason":"tool_use"}}"#
        )
    };
    let call = call("\"m\"");
    assert_eq!(claude(Process::Alive, &[go, &call]), "unknown");
    for lost in [
        r#""assistant","message":7"#,
        r#""assistant","message":{"id":"n","content":null}"#,
        r#""assistant","message":{"id":"n","content":[7]}"#,
        r#""assistant","message":{"id":"n","content":[{"type":{},"id":"d"}]}"#,
        r#""user","message":{"content":{}}"#,
    ] {
        assert_eq!(claude(Process::Alive, &[go, lost]), "unknown", "{lost}");
        assert_eq!(claude(Process::Alive, &[go, &call, lost]), "unknown", "{lost}");
        let title = r#""ai-title","aiTitle":"t""#;
        assert_eq!(claude(Process::Alive, &[go, &call, lost, title]), "unknown", "{lost}");
    }
}

#[test]
fn a_call_or_response_without_an_id_leaves_the_calls_before_it_open() {
    let go = r#""user","message":{"content":"go"}"#;
    let call = r#""assistant","message":{"id":"m","content":[{"type":"tool_use","id":"c","name":"Bash"}]}"#;
    let unnamed = r#""assistant","message":{"id":7,"content":[{"type":"text","text":"t"}]}"#;
    assert_eq!(claude(Process::Alive, &[go, call, unnamed]), "unknown");
    let call = r#""assistant","message":{"id":"m","content":[{"type":"tool_use","id":7,"name":"Bash"}]}"#;
    assert_eq!(claude(Process::Alive, &[go, call]), "unknown");
}

#[test]
fn a_call_whose_id_is_lost_is_not_said_to_run() {
    for name in ["shell", "request_user_input"] {
        let call =
            format!(r#""response_item","payload":{{"type":"function_call","name":"{name}","call_id":7}}"#);
        assert_eq!(codex(&[START, &call]), "unknown", "{name}");
        assert_eq!(codex(&[START, &call, COMPLETE]), "idle", "{name}");
    }
    // The runtime's own search has no id where the server runs it.
    let search = r#""response_item","payload":{"type":"tool_search_call","call_id":null}"#;
    assert_eq!(codex(&[START, search]), "running");
}

#[test]
fn a_result_whose_words_are_lost_is_no_prompt() {
    let go = r#""user","message":{"content":"go"}"#;
    let stop = r#""user","message":{"content":"[Request interrupted by user]"}"#;
    let late = r#""user","toolUseResult":{"stdout":""},"message":{"content":"x"}"#;
    assert_eq!(claude(Process::Alive, &[go, stop, late]), "interrupted");
}

#[test]
fn a_record_without_an_instant_is_not_older_than_those_before_it() {
    let go = r#""user","message":{"content":"go"}"#;
    let done = r#""assistant","message":{"id":"m","content":[],"stop_reason":"end_turn"},"timestamp":7"#;
    let over = r#""system","subtype":"turn_duration","timestamp":null"#;
    let asked = Process::Says(Says::Asks, "2026-11-29T23:30:00Z".parse().unwrap());
    assert_eq!(claude(asked, &[go, done, over]), "idle");
    // Notes of the runtime are no such record.
    let note = r#""ai-title","timestamp":"2026-11-29T23:31:30Z""#;
    let asked = Process::Says(Says::Asks, "2026-11-29T23:31:15Z".parse().unwrap());
    assert_eq!(claude(asked, &[go, note, done, over]), "waiting_permission");
}

const GO: &str = r#""user","promptSource":"typed","message":{"content":"go"}"#;
const DONE: &str = r#""assistant","message":{"id":"m","content":[],"stop_reason":"end_turn"}"#;

#[test]
fn an_agent_whose_launch_is_told_twice_is_one_agent() {
    let launched = r#""user","toolUseResult":{"isAsync":true,"agentId":"a"},"message":{"content":[{"type":"tool_result","tool_use_id":"c"}]}"#;
    let back = r#""user","origin":{"kind":"task-notification"},"message":{"content":"x"}"#;
    assert_eq!(claude(Process::Alive, &[GO, launched, launched, DONE]), "background");
    assert_eq!(claude(Process::Alive, &[GO, launched, launched, DONE, back, DONE]), "idle");
}

#[test]
fn a_queue_whose_end_is_lost_is_empty_once_somebody_types() {
    let queued = r#""queue-operation","operation":"enqueue""#;
    assert_eq!(claude(Process::Alive, &[GO, queued, DONE]), "background");
    assert_eq!(claude(Process::Alive, &[GO, queued, DONE, GO, DONE]), "idle");
}

#[test]
fn fewer_agents_than_none_are_none() {
    let over = r#""system","subtype":"turn_duration","pendingBackgroundAgentCount":-9223372036854775808"#;
    let back = r#""user","origin":{"kind":"task-notification"},"message":{"content":"x"}"#;
    assert_eq!(claude(Process::Alive, &[GO, DONE, over, back, DONE]), "idle");
}

#[test]
fn an_error_whose_flag_is_lost_is_an_error() {
    let limit = r#""assistant","isApiErrorMessage":7,"error":"rate_limit","message":{"id":"m","content":[],"stop_reason":"stop_sequence"}"#;
    assert_eq!(claude(Process::Alive, &[GO, limit]), "rate_limited");
}

#[test]
fn a_question_of_a_response_that_may_have_begun_with_other_calls_is_not_said_to_be_up() {
    let call = r#""assistant","message":{"id":"m","content":[{"type":"tool_use","id":"c","name":"Bash"}]}"#;
    let ask = r#""assistant","message":{"id":"n","content":[{"type":"tool_use","id":"q","name":"AskUserQuestion"}]}"#;
    assert_eq!(claude(Process::Alive, &[GO, call, ask]), "unknown");
    let other = r#""user","message":{"content":[{"type":"tool_result","tool_use_id":"d"}]}"#;
    assert_eq!(claude(Process::Alive, &[GO, call, other, ask]), "waiting_answer");
}

#[test]
fn an_instant_that_is_too_precise_is_the_same_after_a_pause() {
    let now: Timestamp = NOW.parse().unwrap();
    for (runtime, owner, kind) in [
        (Runtime::Codex, "", "\"event_msg\",\"payload\":{\"type\":\"task_started\"}"),
        (
            Runtime::ClaudeCode,
            "\"sessionId\":\"s\",",
            "\"user\",\"message\":{\"role\":\"user\",\"content\":\"go\"}",
        ),
    ] {
        let file = format!("{{{owner}\"timestamp\":\"2026-11-29T23:31:00.123456789Z\",\"type\":{kind}}}\n");
        let whole = Folding::of(runtime, file.as_bytes());
        let mut paused = Folding::new(runtime);
        paused.grow(file.as_bytes());
        paused.reload();
        let facts = whole.facts(Process::Alive, None, now);
        assert_eq!(paused.facts(Process::Alive, None, now), facts);
        assert_eq!(facts.unwrap().last_activity, Some("2026-11-29T23:31:00.123456Z".parse().unwrap()));
    }
}
