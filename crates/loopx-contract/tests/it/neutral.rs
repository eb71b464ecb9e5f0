//! What is right is not reported.

use loopx_contract::check::{Lane, Options, check};
use loopx_safety::{HandleKind, InstallKey, TierKind};
use serde_json::Value;

use crate::cases::{CONTRACT, mutated, showcase};
use crate::changes;

#[track_caller]
fn assert_clean(name: &str, value: &Value) {
    assert_eq!(showcase(value).findings, [], "{name}");
}

#[test]
fn the_contracts_own_example_has_no_finding() {
    assert_clean("contract", &mutated([]));
    let local = check(&serde_json::from_str(CONTRACT).unwrap(), &Options::new(TierKind::Local));
    assert_eq!(local.findings, []);
}

#[test]
fn neutral_mutations_have_no_finding() {
    let goal = "release-".repeat(15);
    for (name, value) in [
        ("another goal", changes!["/goal_id" = "Checkout_v2.1"]),
        ("the longest goal", changes!["/goal_id" = goal]),
        ("another lane", changes!["/agent_id" = "reviewer-2"]),
        ("an unknown runtime", changes!["r.runtime_id" = "some_new_worker"]),
        (
            "our own ids",
            changes![
                "l.todo_id" = "todo_06dq2m8v4t9gk3xz",
                "s.first_executable_agent_todo" = "todo_06dq2m8v4t9gk3xz",
                "l.run_id" = "run_06dq2m8v4t9gk3xz",
            ],
        ),
        ("no run yet", changes!["l.run_id" = null]),
        ("no event", changes!["l.event_id" = null]),
        ("an outcome", changes!["l.outcome_id" = "out_9"]),
        ("a session withheld", changes!["r.session_id" = null, "r.source_ids_redacted" = true]),
        ("an event withheld", changes!["l.event_id" = null, "r.source_ids_redacted" = true]),
        ("another action", changes!["s.next_action" = "check the password reset page, version 2.4.1"]),
        ("an action with accents", changes!["s.next_action" = "prüfe die Änderungen ± 日本語"]),
        (
            "a check from inside with a fact missing",
            changes!["s.latest_validation" = "last run validated test; missing: permission_state",],
        ),
        ("an operator gate on other work", changes!["s.gate_state" = "operator_gate"]),
        ("a user todo on other work", changes!["s.gate_state" = "user_todo", "s.open_user_todo" = "todo_9"]),
        ("an approval", changes!["s.gate_state" = "approved"]),
        ("a deferred gate on other work", changes!["s.gate_state" = "deferred"]),
        ("a user todo that does not block", changes!["s.open_user_todo" = "todo_9"]),
        ("scopes of nothing", changes!["b.read_scope" = [], "b.write_scope" = null]),
        ("a private-data rule", changes!["b.private_data_rule" = "no customer data"]),
        ("another stop condition", changes!["b.stop_condition" = "stop at the first failing check"]),
        (
            "no session, and it is said",
            changes![
                "r.runtime_id" = "none",
                "r.session_id" = null,
                "s.latest_validation" = "last run validated test; missing: session",
            ],
        ),
        (
            "inside a runtime, its session not known",
            changes![
                "r.session_id" = null,
                "s.latest_validation" = "last run validated test; missing: session_id",
            ],
        ),
        (
            "the runtime waited on, none attached",
            changes![
                "r.runtime_id" = "none",
                "r.session_id" = null,
                "s.waiting_on" = "runtime",
                "s.quota_state" = "blocked",
                "s.first_executable_agent_todo" = null,
                "s.latest_validation" = "no validation recorded; missing: session",
            ],
        ),
    ] {
        assert_clean(name, &value);
    }
}

#[test]
fn a_lane_in_a_session_is_clean_locally() {
    let key = InstallKey::from_bytes([7; 32], "0123456789abcdef");
    let handle = |kind| key.handle(kind, "claude_code", "x").to_string();
    let value = changes![
        "r.session_id" = (handle(HandleKind::Session)),
        "l.event_id" = (handle(HandleKind::Event)),
        "l.outcome_id" = (handle(HandleKind::Outcome)),
        "b.write_scope" = ["src/**", "docs/*.md"],
        "s.next_action" = (format!("go on with todo_123 in session {}", handle(HandleKind::Session))),
    ];
    assert_eq!(check(&value, &Options::new(TierKind::Local)).findings, []);
}

#[test]
fn a_persons_lane_misses_nothing() {
    let human = Options { lane: Lane::Human, ..Options::new(TierKind::Showcase) };
    for value in [
        changes!["r.runtime_id" = "none", "r.session_id" = null],
        changes![
            "r.runtime_id" = "none",
            "r.session_id" = null,
            "s.waiting_on" = "none",
            "s.quota_state" = "monitor_quiet_skip",
            "s.first_executable_agent_todo" = null,
            "l.todo_id" = null,
        ],
    ] {
        assert_eq!(check(&value, &human).findings, []);
    }
}
