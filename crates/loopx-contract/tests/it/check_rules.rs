//! Check 2: the first screen renders and is of one mind.

use loopx_contract::check::{Code, Severity};

use crate::cases::{assert_errors, codes, showcase};
use crate::changes;

#[test]
fn fields_that_do_not_render() {
    assert_errors(
        2,
        &[
            ("no screen", changes!["/first_screen" = gone], Code::MissingField, "/first_screen"),
            ("a screen that is a text", changes!["/first_screen" = "x"], Code::WrongType, "/first_screen"),
            ("no waiting_on", changes!["s.waiting_on" = gone], Code::MissingField, "s.waiting_on"),
            ("no next_action", changes!["s.next_action" = gone], Code::MissingField, "s.next_action"),
            (
                "no open_user_todo",
                changes!["s.open_user_todo" = gone],
                Code::MissingField,
                "s.open_user_todo",
            ),
            (
                "no executable",
                changes!["s.first_executable_agent_todo" = gone],
                Code::MissingField,
                "s.first_executable_agent_todo",
            ),
            (
                "no validation",
                changes!["s.latest_validation" = gone],
                Code::MissingField,
                "s.latest_validation",
            ),
            ("no gate", changes!["s.gate_state" = gone], Code::MissingField, "s.gate_state"),
            ("no quota", changes!["s.quota_state" = gone], Code::MissingField, "s.quota_state"),
            ("no boundary", changes!["s.boundary" = gone], Code::MissingField, "s.boundary"),
            ("waiting on a stranger", changes!["s.waiting_on" = "human"], Code::UnknownValue, "s.waiting_on"),
            ("a gate in capitals", changes!["s.gate_state" = "Clear"], Code::UnknownValue, "s.gate_state"),
            (
                "a quota of another table",
                changes!["s.quota_state" = "deferred"],
                Code::UnknownValue,
                "s.quota_state",
            ),
            ("waiting on null", changes!["s.waiting_on" = null], Code::WrongType, "s.waiting_on"),
            ("an action of nothing", changes!["s.next_action" = "  "], Code::EmptyText, "s.next_action"),
            ("two actions", changes!["s.next_action" = ["a", "b"]], Code::WrongType, "s.next_action"),
            (
                "a validation of nothing",
                changes!["s.latest_validation" = ""],
                Code::EmptyText,
                "s.latest_validation",
            ),
            (
                "a validation null",
                changes!["s.latest_validation" = null],
                Code::WrongType,
                "s.latest_validation",
            ),
            (
                "a user todo that is prose",
                changes!["s.open_user_todo" = "ask them"],
                Code::IdWhiteSpace,
                "s.open_user_todo",
            ),
            (
                "a user todo that is a gate",
                changes!["s.open_user_todo" = "gate_1"],
                Code::IdShape,
                "s.open_user_todo",
            ),
            (
                "an executable that is a flag",
                changes!["s.first_executable_agent_todo" = true],
                Code::WrongType,
                "s.first_executable_agent_todo",
            ),
            (
                "no stop condition",
                changes!["b.stop_condition" = gone],
                Code::MissingField,
                "b.stop_condition",
            ),
            (
                "a stop condition of nothing",
                changes!["b.stop_condition" = ""],
                Code::EmptyText,
                "b.stop_condition",
            ),
            ("a scope that is no list", changes!["b.read_scope" = "src"], Code::WrongType, "b.read_scope"),
            (
                "a rule that is a list",
                changes!["b.private_data_rule" = []],
                Code::WrongType,
                "b.private_data_rule",
            ),
        ],
    );
}

#[test]
fn screens_of_two_minds() {
    let todo = "s.first_executable_agent_todo";
    assert_errors(
        2,
        &[
            (
                "executable, waiting on the user",
                changes!["s.waiting_on" = "user"],
                Code::ExecutableNotRunnable,
                todo,
            ),
            (
                "executable, throttled",
                changes!["s.quota_state" = "throttled"],
                Code::ExecutableNotRunnable,
                todo,
            ),
            (
                "executable under a blocked gate",
                changes!["s.gate_state" = "blocked"],
                Code::BlockedGateExecutable,
                todo,
            ),
            (
                "eligible without a todo",
                changes!["s.first_executable_agent_todo" = null],
                Code::EligibleWithoutExecutable,
                todo,
            ),
            (
                "eligible, waiting on the controller",
                changes!["s.waiting_on" = "controller", "s.first_executable_agent_todo" = null],
                Code::EligibleNotAgent,
                "s.quota_state",
            ),
            ("one todo for both", changes!["s.open_user_todo" = "todo_123"], Code::TodoOfTwoAudiences, todo),
            (
                "a user todo unnamed",
                changes!["s.gate_state" = "user_todo"],
                Code::UserTodoUnnamed,
                "s.open_user_todo",
            ),
            (
                "the user asked nothing",
                changes![
                    "s.waiting_on" = "user",
                    "s.first_executable_agent_todo" = null,
                    "s.quota_state" = "monitor_quiet_skip"
                ],
                Code::UserNotAsked,
                "s.open_user_todo",
            ),
            (
                "a prompt of no session",
                changes![
                    "s.waiting_on" = "user",
                    "s.first_executable_agent_todo" = null,
                    "s.quota_state" = "operator_gate",
                    "r.runtime_id" = "none",
                    "r.session_id" = null,
                ],
                Code::UserNotAsked,
                "s.open_user_todo",
            ),
            (
                "an agent behind an operator gate",
                changes!["s.first_executable_agent_todo" = null, "s.quota_state" = "operator_gate"],
                Code::ImpossiblePair,
                "s.waiting_on",
            ),
            (
                "a throttled user",
                changes![
                    "s.waiting_on" = "user",
                    "s.first_executable_agent_todo" = null,
                    "s.quota_state" = "throttled"
                ],
                Code::ImpossiblePair,
                "s.waiting_on",
            ),
            (
                "a closed goal with a gate",
                changes![
                    "s.waiting_on" = "none",
                    "s.first_executable_agent_todo" = null,
                    "s.quota_state" = "blocked",
                    "s.gate_state" = "deferred",
                ],
                Code::ImpossibleGate,
                "s.gate_state",
            ),
            (
                "an approval of nothing",
                changes![
                    "s.waiting_on" = "external_evidence",
                    "s.first_executable_agent_todo" = null,
                    "s.quota_state" = "monitor_quiet_skip",
                    "s.gate_state" = "approved",
                ],
                Code::ImpossibleGate,
                "s.gate_state",
            ),
        ],
    );
}

#[test]
fn a_gate_that_only_loopx_rules_out_is_warned_of() {
    let value = changes![
        "s.waiting_on" = "external_evidence",
        "s.first_executable_agent_todo" = null,
        "s.quota_state" = "monitor_quiet_skip",
        "s.gate_state" = "deferred",
    ];
    let report = showcase(&value);
    assert!(report.is_accepted());
    assert_eq!(codes(&report, 2, Severity::Warning), [Code::ImpossibleGate]);
}
