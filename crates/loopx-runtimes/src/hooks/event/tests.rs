use serde_json::{Value, json};

use super::*;

const AT: Timestamp = Timestamp::UNIX_EPOCH;

fn read(runtime: Runtime, payload: &Value) -> Option<HookEvent> {
    HookEvent::read(runtime, payload.to_string().as_bytes(), AT, Around::default())
}

fn what(name: &str, more: &Value) -> Option<What> {
    let mut payload = json!({ "session_id": "88a73867-150f", "hook_event_name": name, "cwd": "/made/up" });
    for (key, value) in more.as_object().into_iter().flatten() {
        payload[key] = value.clone();
    }
    read(Runtime::ClaudeCode, &payload).map(|event| event.what)
}

#[test]
fn each_event_says_what_happened() {
    for (name, more, expected) in [
        ("SessionStart", json!({ "source": "resume" }), Some(What::Started)),
        ("SessionStart", json!({ "source": "compact" }), Some(What::Compacted)),
        ("PreCompact", json!({ "trigger": "manual" }), Some(What::Compacts)),
        ("PreCompact", json!({ "trigger": "auto" }), None),
        ("PostCompact", json!({ "trigger": "manual" }), Some(What::Compacted)),
        ("UserPromptSubmit", json!({ "prompt": "made up" }), Some(What::Prompted)),
        ("PreToolUse", json!({ "tool_name": "Bash" }), Some(What::CallBegins)),
        ("PreToolUse", json!({ "tool_name": "AskUserQuestion" }), Some(What::QuestionBegins)),
        ("PermissionRequest", json!({ "tool_name": "Bash" }), Some(What::AsksPermission)),
        ("PermissionRequest", json!({ "tool_name": "ExitPlanMode" }), Some(What::AsksAnswer)),
        ("Notification", json!({ "notification_type": "permission_prompt" }), Some(What::SaysPermission)),
        (
            "Notification",
            json!({ "message": "needs your permission to use Bash" }),
            Some(What::SaysPermission),
        ),
        ("Notification", json!({ "notification_type": "idle_prompt", "message": "permission" }), None),
        ("PostToolUse", json!({ "tool_response": {} }), Some(What::CallEnded)),
        ("PostToolUseFailure", json!({ "is_interrupt": true }), Some(What::Interrupted)),
        ("Stop", json!({ "background_tasks": [] }), Some(What::TurnEnded)),
        ("Stop", json!({ "background_tasks": [{ "id": 1 }] }), Some(What::TurnEndedInBackground)),
        ("StopFailure", json!({ "error": "rate_limit" }), Some(What::TurnLimited)),
        ("StopFailure", json!({ "error": "server_error" }), Some(What::TurnFailed)),
        ("Interrupt", json!({}), Some(What::Interrupted)),
        ("SessionEnd", json!({ "reason": "other" }), Some(What::Ended)),
        ("SubagentStop", json!({}), Some(What::SubagentEnded)),
        ("SubagentStart", json!({}), None),
        ("MadeUpTomorrow", json!({}), None),
    ] {
        assert_eq!(what(name, &more), expected, "{name} {more}");
    }
}

#[test]
fn what_a_subagent_does_flips_no_session() {
    for name in ["Stop", "StopFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "Interrupt"] {
        assert_eq!(what(name, &json!({ "agent_id": "a1" })), None, "{name}");
    }
    // But what it asks, the user is asked.
    let asks = json!({ "tool_name": "Bash", "agent_id": "a1" });
    assert_eq!(what("PermissionRequest", &asks), Some(What::AsksPermission));
    assert_eq!(what("Stop", &json!({ "agent_id": null })), Some(What::TurnEnded));
}

#[test]
fn nothing_that_was_said_is_kept() {
    let payload = json!({
        "session_id": "88a73867-150f", "prompt_id": "c899", "tool_use_id": "toolu_1", "cwd": "/canary/path",
        "hook_event_name": "PermissionRequest", "tool_name": "canary", "transcript_path": "/canary/file",
        "tool_input": { "command": "canary" }, "message": "canary", "model": "canary", "title": "canary",
    });
    let event = read(Runtime::ClaudeCode, &payload).unwrap();
    let line = serde_json::to_string(&event).unwrap();
    assert!(!line.contains("canary"), "{line}");
    assert_eq!(serde_json::from_str::<HookEvent>(&line).unwrap(), event);
    assert_eq!((event.call.as_deref(), event.turn.as_deref()), (Some("toolu_1"), Some("c899")));
}

#[test]
fn what_is_no_event_is_none() {
    for bytes in [&b""[..], b"{", b"[]", b"null", b"{\"hook_event_name\": \"Stop\"}", b"\xff\xfe", b"{} {}"] {
        assert_eq!(HookEvent::read(Runtime::Codex, bytes, AT, Around::default()), None);
    }
    // An id is what ids are written with, or none.
    for id in ["a b", "../x", "", "\u{1b}[2J", &"x".repeat(200)] {
        let payload = json!({ "session_id": id, "hook_event_name": "Stop" });
        assert_eq!(read(Runtime::Codex, &payload), None, "{id}");
    }
}

#[test]
fn a_notice_is_the_end_of_a_turn_that_it_names() {
    let notice = |kind: &str, turn: &str| {
        let notice =
            json!({ "type": kind, "thread-id": "01a2", "turn-id": turn, "last-assistant-message": "canary" });
        HookEvent::notice(notice.to_string().as_bytes(), AT, Around::default())
    };
    let event = notice("agent-turn-complete", "t1").unwrap();
    assert_eq!((event.what, event.turn.as_deref()), (What::NoticedEnd, Some("t1")));
    assert_eq!(notice("agent-turn-complete", ""), None);
    assert_eq!(notice("something-new", "t1"), None);
}

#[test]
fn two_subagents_whose_ids_are_written_otherwise_are_no_one_agent() {
    let agent = |id: &Value| {
        let payload = json!({
            "session_id": "88a73867", "hook_event_name": "PreToolUse", "tool_name": "Bash", "agent_id": id,
        });
        read(Runtime::ClaudeCode, &payload).unwrap().subagent.unwrap()
    };
    let long = "x".repeat(200);
    let odd = ["researcher@team", "writer@team", "a b", "", &long].map(|id| agent(&json!(id)));
    let unlike: BTreeSet<&String> = odd.iter().collect();
    assert_eq!(unlike.len(), odd.len(), "{odd:?}");
    assert_eq!(agent(&json!("writer@team")), odd[1], "the same each time");
    for id in &odd {
        assert!(!["researcher", "writer", "team", "xxx"].iter().any(|raw| id.contains(raw)), "{id}");
        assert!(id.len() < 40 && id.starts_with('~'), "no id begins so: {id}");
    }
    assert_eq!(agent(&json!("a1")), "a1");
}

#[test]
fn no_id_of_the_runtime_is_in_what_is_printed_for_debugging() {
    let payload = json!({
        "session_id": "canary-1", "turn_id": "canary-2", "tool_use_id": "canary-3", "agent_id": "canary-4",
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
    });
    let event = read(Runtime::Codex, &payload).unwrap();
    let printed = format!("{event:?} {event:#?}");
    assert!(!printed.contains("canary"), "{printed}");
    assert!(printed.contains("CallBegins"), "{printed}");
}
