//! Check 3: missing facts are explicit, and no action is guessed.

use loopx_contract::check::{Code, Lane, Options, Severity, check};
use loopx_safety::TierKind;
use serde_json::Value;

use crate::cases::{assert_errors, codes, showcase};
use crate::changes;

fn unattached() -> Value {
    changes!["r.runtime_id" = "none", "r.session_id" = null]
}

#[test]
fn failing_examples() {
    let validation = "s.latest_validation";
    let waiting = |runtime: &str, on: &str, quota: &str| {
        changes![
            "r.runtime_id" = runtime,
            "r.session_id" = null,
            "s.waiting_on" = on,
            "s.first_executable_agent_todo" = null,
            "s.quota_state" = quota,
        ]
    };
    assert_errors(
        3,
        &[
            (
                "a runtime without its session",
                changes!["r.session_id" = null],
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "waiting on no runtime",
                waiting("none", "runtime", "blocked"),
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "limited, no runtime",
                waiting("none", "runtime", "throttled"),
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "throttled, no runtime",
                waiting("none", "none", "throttled"),
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "limit of 0, no runtime",
                waiting("none", "controller", "throttled"),
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "quiet, no session",
                waiting("claude_code", "none", "monitor_quiet_skip"),
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "said in the action alone",
                changes![
                    "r.runtime_id" = "none",
                    "r.session_id" = null,
                    "s.next_action" = "advance the first todo; no session attached",
                ],
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "missing nothing in particular",
                changes!["r.session_id" = null, "s.latest_validation" = "last run validated test; missing:"],
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "unknown, and not why",
                changes![
                    "s.waiting_on" = "runtime",
                    "s.quota_state" = "blocked",
                    "s.first_executable_agent_todo" = null,
                    "s.next_action" =
                        "look at session public-safe-session-handle: running or waiting is unknown",
                ],
                Code::MissingFactUnnamed,
                validation,
            ),
            (
                "state unknown, and yet executable",
                changes!["s.latest_validation" = "no validation recorded; missing: session_state"],
                Code::GuessedAction,
                "s.first_executable_agent_todo",
            ),
            (
                "waiting on the runtime, and yet executable",
                changes!["s.waiting_on" = "runtime", "s.quota_state" = "blocked"],
                Code::GuessedAction,
                "s.first_executable_agent_todo",
            ),
            (
                "a session named unknown",
                changes!["r.session_id" = "unknown"],
                Code::PlaceholderRef,
                "r.session_id",
            ),
            ("an event named null", changes!["l.event_id" = "null"], Code::PlaceholderRef, "l.event_id"),
            (
                "an outcome named none",
                changes!["l.outcome_id" = "None"],
                Code::PlaceholderRef,
                "l.outcome_id",
            ),
            ("a run named tbd", changes!["l.run_id" = "tbd"], Code::PlaceholderRef, "l.run_id"),
        ],
    );
}

#[test]
fn without_a_session_a_lane_of_unknown_kind_is_only_warned_of() {
    let report = showcase(&unattached());
    assert!(report.is_accepted());
    assert_eq!(codes(&report, 3, Severity::Warning), [Code::MissingFactUnnamed]);
}

#[test]
fn the_caller_can_say_whose_lane_it_is() {
    let of = |lane| check(&unattached(), &Options { lane, ..Options::new(TierKind::Showcase) });
    assert_eq!(codes(&of(Lane::Automation), 3, Severity::Error), [Code::MissingFactUnnamed]);
    assert_eq!(of(Lane::Human).findings, []);
}
