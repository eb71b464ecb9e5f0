//! Every row of the decision passes with each gate it can stand beside, and no other pair does.

use loopx_contract::check::{Code, Severity};
use serde_json::{Value, json};

use crate::cases::{codes, showcase};
use crate::changes;

const WAITING: [&str; 6] = ["none", "user", "controller", "agent", "runtime", "external_evidence"];
const QUOTA: [&str; 5] = ["eligible", "throttled", "monitor_quiet_skip", "operator_gate", "blocked"];

/// Row, `waiting_on`, `quota_state`, and the gates that can stand beside it.
const ROWS: [(&str, &str, &str, &str); 27] = [
    ("integrity", "controller", "blocked", "blocked"),
    ("unknown_lane", "controller", "blocked", "blocked"),
    ("closed", "none", "blocked", "clear"),
    ("paused", "controller", "blocked", "clear user_todo operator_gate blocked deferred approved"),
    ("prompt", "user", "operator_gate", "clear user_todo operator_gate blocked deferred approved"),
    ("held", "user", "operator_gate", "user_todo operator_gate"),
    ("held", "controller", "operator_gate", "operator_gate"),
    ("working", "agent", "throttled", "clear user_todo operator_gate blocked deferred approved"),
    ("working", "agent", "eligible", "clear user_todo operator_gate deferred approved"),
    ("working", "agent", "monitor_quiet_skip", "clear blocked deferred"),
    ("unsure", "runtime", "blocked", "clear user_todo operator_gate blocked deferred approved"),
    ("rejected", "controller", "blocked", "blocked"),
    ("deferred", "external_evidence", "operator_gate", "deferred"),
    ("unfit", "controller", "blocked", "clear"),
    ("failed", "runtime", "blocked", "clear user_todo operator_gate deferred approved"),
    ("limited", "runtime", "throttled", "clear user_todo operator_gate deferred approved"),
    ("throttled", "none", "throttled", "clear user_todo operator_gate deferred approved"),
    ("throttled", "controller", "throttled", "clear user_todo operator_gate deferred approved"),
    ("ready", "agent", "eligible", "clear user_todo operator_gate deferred approved"),
    ("peers", "agent", "monitor_quiet_skip", "clear"),
    ("evidence", "external_evidence", "monitor_quiet_skip", "clear"),
    ("stuck", "controller", "blocked", "clear"),
    ("succession", "agent", "monitor_quiet_skip", "clear"),
    ("succession", "agent", "throttled", "clear"),
    ("asked", "user", "monitor_quiet_skip", "clear"),
    ("quiet", "none", "monitor_quiet_skip", "clear"),
    ("ready", "agent", "eligible", "clear"),
];

fn projection(waiting: &str, quota: &str, gate: &str) -> Value {
    let executable = if quota == "eligible" { json!("todo_123") } else { json!(null) };
    let user_todo = if waiting == "user" || gate == "user_todo" { json!("todo_9") } else { json!(null) };
    changes![
        "s.waiting_on" = waiting,
        "s.quota_state" = quota,
        "s.gate_state" = gate,
        "s.first_executable_agent_todo" = executable,
        "s.open_user_todo" = user_todo,
    ]
}

#[test]
fn every_row_passes() {
    for (row, waiting, quota, gates) in ROWS {
        for gate in gates.split(' ') {
            assert_eq!(showcase(&projection(waiting, quota, gate)).findings, [], "{row} {gate}");
        }
    }
}

#[test]
fn no_other_pair_passes() {
    for waiting in WAITING {
        for quota in QUOTA {
            let known = ROWS.iter().any(|row| (row.1, row.2) == (waiting, quota));
            let errors = codes(&showcase(&projection(waiting, quota, "clear")), 2, Severity::Error);
            let pair = errors.contains(&Code::ImpossiblePair) || errors.contains(&Code::EligibleNotAgent);
            assert_eq!(pair, !known, "{waiting} {quota}: {errors:?}");
        }
    }
}

#[test]
fn a_prompt_needs_no_todo() {
    let mut value = projection("user", "operator_gate", "clear");
    value["first_screen"]["open_user_todo"] = json!(null);
    assert_eq!(showcase(&value).findings, []);
    value["runtime"] = json!({"runtime_id": "codex_exec", "session_id": null, "source_ids_redacted": true});
    assert_eq!(showcase(&value).findings, []);
}
