//! Check 1: ids well formed and enough to reconcile a handoff.

use loopx_contract::check::{Code, Severity};

use crate::cases::{assert_errors, codes, showcase};
use crate::changes;

#[test]
fn failing_examples() {
    let long = |prefix: &str, length| format!("{prefix}{}", "a".repeat(length));
    let uuid = format!("0190c0de-{}-7000-8000-00000000beef", "aaaa");
    let (goal, run, event) = (long("", 121), long("run_", 61), long("e", 64));
    assert_errors(
        1,
        &[
            ("an array", serde_json::json!([]), Code::NotAnObject, ""),
            (
                "another version",
                changes!["/schema_version" = "v1"],
                Code::WrongSchemaVersion,
                "/schema_version",
            ),
            ("no version", changes!["/schema_version" = gone], Code::MissingField, "/schema_version"),
            ("no goal", changes!["/goal_id" = gone], Code::MissingField, "/goal_id"),
            ("a goal without a name", changes!["/goal_id" = ""], Code::IdLength, "/goal_id"),
            ("a goal too long", changes!["/goal_id" = goal], Code::IdLength, "/goal_id"),
            ("a goal of dots", changes!["/goal_id" = ".."], Code::IdShape, "/goal_id"),
            ("an agent with a space", changes!["/agent_id" = "side bypass"], Code::IdWhiteSpace, "/agent_id"),
            ("an agent that is a number", changes!["/agent_id" = 7], Code::WrongType, "/agent_id"),
            ("an agent null", changes!["/agent_id" = null], Code::WrongType, "/agent_id"),
            ("no runtime", changes!["/runtime" = gone], Code::MissingField, "/runtime"),
            ("a runtime id null", changes!["r.runtime_id" = null], Code::WrongType, "r.runtime_id"),
            ("a runtime id empty", changes!["r.runtime_id" = ""], Code::IdLength, "r.runtime_id"),
            (
                "a runtime id with a tab",
                changes!["r.runtime_id" = "codex\tcli"],
                Code::IdWhiteSpace,
                "r.runtime_id",
            ),
            (
                "redaction unsaid",
                changes!["r.source_ids_redacted" = gone],
                Code::MissingField,
                "r.source_ids_redacted",
            ),
            ("no refs", changes!["/loopx_refs" = gone], Code::MissingField, "/loopx_refs"),
            ("refs a list", changes!["/loopx_refs" = []], Code::WrongType, "/loopx_refs"),
            ("no run ref", changes!["l.run_id" = gone], Code::MissingField, "l.run_id"),
            ("no todo ref", changes!["l.todo_id" = gone], Code::MissingField, "l.todo_id"),
            ("no event ref", changes!["l.event_id" = gone], Code::MissingField, "l.event_id"),
            ("no outcome ref", changes!["l.outcome_id" = gone], Code::MissingField, "l.outcome_id"),
            ("a run ref too long", changes!["l.run_id" = run], Code::IdLength, "l.run_id"),
            ("an event ref too long", changes!["l.event_id" = event], Code::IdLength, "l.event_id"),
            (
                "an event ref with a space",
                changes!["l.event_id" = "evt 123"],
                Code::IdWhiteSpace,
                "l.event_id",
            ),
            ("an outcome ref a number", changes!["l.outcome_id" = 1], Code::WrongType, "l.outcome_id"),
            ("a todo ref of no todo", changes!["l.todo_id" = "task_123"], Code::IdShape, "l.todo_id"),
            (
                "a session that is a path",
                changes!["r.session_id" = "/home/someone/x.jsonl"],
                Code::IdUnsafe,
                "r.session_id",
            ),
            (
                "a session that is a native id",
                changes!["r.session_id" = uuid],
                Code::IdUnsafe,
                "r.session_id",
            ),
            (
                "an event that is a URL",
                changes!["l.event_id" = "https://host.example/e/1"],
                Code::IdUnsafe,
                "l.event_id",
            ),
            ("attached to no session", changes!["r.session_id" = null], Code::SessionMissing, "r.session_id"),
            (
                "a session of no runtime",
                changes!["r.runtime_id" = "none"],
                Code::SessionWithoutRuntime,
                "r.session_id",
            ),
            (
                "neither run nor todo",
                changes!["l.run_id" = null, "l.todo_id" = null],
                Code::NothingToReconcile,
                "/loopx_refs",
            ),
            ("a todo that is not linked", changes!["l.todo_id" = null], Code::TodoNotLinked, "l.todo_id"),
            (
                "another todo linked",
                changes!["r.runtime_id" = "none", "r.session_id" = null, "l.todo_id" = "todo_9"],
                Code::TodoMismatch,
                "l.todo_id",
            ),
        ],
    );
}

#[test]
fn a_lane_with_nothing_to_hand_over_is_warned_of() {
    let value = changes![
        "l.run_id" = null,
        "l.todo_id" = null,
        "s.first_executable_agent_todo" = null,
        "s.waiting_on" = "none",
        "s.quota_state" = "monitor_quiet_skip",
    ];
    let report = showcase(&value);
    assert!(report.is_accepted());
    assert_eq!(codes(&report, 1, Severity::Warning), [Code::NothingToReconcile]);
}

#[test]
fn redacted_with_every_source_id_there_is_warned_of() {
    let value = changes!["r.source_ids_redacted" = true, "l.outcome_id" = "out_1"];
    assert_eq!(codes(&showcase(&value), 1, Severity::Warning), [Code::RedactionUnfounded]);
}
