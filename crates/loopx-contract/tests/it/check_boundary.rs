//! Check 4: read-only, unless writeback was accepted.

use loopx_contract::check::{Code, Options, Severity, Writeback, check};
use loopx_contract::{AgentId, GoalId, RuntimeId};

use crate::cases::{assert_errors, codes, options};
use crate::changes;

#[test]
fn failing_examples() {
    let mode = "b.mode";
    assert_errors(
        4,
        &[
            (
                "writeback not accepted",
                changes!["b.mode" = "controlled_writeback"],
                Code::WritebackNotAccepted,
                mode,
            ),
            ("another mode", changes!["b.mode" = "read_write"], Code::UnknownValue, mode),
            ("nearly read-only", changes!["b.mode" = "read_only"], Code::UnknownValue, mode),
            ("capitals", changes!["b.mode" = "Read_Only_Projection"], Code::UnknownValue, mode),
            ("a space behind", changes!["b.mode" = "read_only_projection "], Code::UnknownValue, mode),
            ("empty", changes!["b.mode" = ""], Code::UnknownValue, mode),
            ("null", changes!["b.mode" = null], Code::WrongType, mode),
            ("a flag", changes!["b.mode" = true], Code::WrongType, mode),
            ("a list", changes!["b.mode" = ["read_only_projection"]], Code::WrongType, mode),
            ("gone", changes!["b.mode" = gone], Code::MissingField, mode),
            ("no boundary", changes!["s.boundary" = gone], Code::MissingField, mode),
            ("no screen", changes!["/first_screen" = gone], Code::MissingField, mode),
        ],
    );
}

#[test]
fn an_acceptance_covers_its_own_goal_lane_and_runtime() {
    let value = changes!["b.mode" = "controlled_writeback"];
    let accepted = |goal: &str, agent: Option<&str>, runtime: Option<&str>| {
        let writeback = Writeback {
            goal_id: GoalId::parse(goal).unwrap(),
            agent_id: agent.map(|agent| AgentId::parse(agent).unwrap()),
            runtime_id: runtime.map(|runtime| RuntimeId::parse(runtime).unwrap()),
        };
        check(&value, &Options { writeback: Some(writeback), ..options() })
    };
    assert_eq!(accepted("loopx-meta", None, None).findings, []);
    assert_eq!(accepted("loopx-meta", Some("codex-side-bypass"), Some("codex_cli_tui")).findings, []);
    for report in [
        accepted("other", None, None),
        accepted("loopx-meta", Some("other"), None),
        accepted("loopx-meta", None, Some("other")),
    ] {
        assert_eq!(codes(&report, 4, Severity::Error), [Code::WritebackElsewhere]);
    }
}
