//! Check 2: the first screen renders and is of one mind: what always holds of a decision holds of it.

use super::finding::{Code, Findings};
use super::ids;
use super::rows::{self, Fit};
use super::view::{EXECUTABLE, GATE, QUOTA, USER_TODO, View, WAITING_ON};
use crate::ids::TodoId;
use crate::projection::{GateState, QuotaState, WaitingOn};

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    ids::id::<TodoId>(2, view.open_user_todo.text(), USER_TODO, findings);
    ids::id::<TodoId>(2, view.executable.text(), EXECUTABLE, findings);
    if view.open_user_todo.is_text() && view.open_user_todo == view.executable {
        findings.error(2, Code::TodoOfTwoAudiences, EXECUTABLE, "a todo is the user's or an agent's");
    }
    executable(view, findings);
    asked(view, findings);
    combination(view, findings);
}

fn executable(view: &View<'_>, findings: &mut Findings) {
    let eligible = view.quota == Some(QuotaState::Eligible);
    if view.executable.is_text() {
        let waits = view.waiting_on.is_some_and(|waiting| waiting != WaitingOn::Agent);
        if waits || view.quota.is_some_and(|quota| quota != QuotaState::Eligible) {
            let hint = "only a screen that waits on an agent with eligible quota has one; else null";
            findings.error(2, Code::ExecutableNotRunnable, EXECUTABLE, hint);
        }
        if view.gate == Some(GateState::Blocked) {
            let hint = "under a blocked gate nothing is executable";
            findings.error(2, Code::BlockedGateExecutable, EXECUTABLE, hint);
        }
    } else if eligible && view.executable.is_null() {
        let hint = "name the todo to spend the turn on; with none, quota is monitor_quiet_skip";
        findings.error(2, Code::EligibleWithoutExecutable, EXECUTABLE, hint);
    }
    if eligible && view.waiting_on.is_some_and(|waiting| waiting != WaitingOn::Agent) {
        findings.error(2, Code::EligibleNotAgent, QUOTA, "eligible quota waits on an agent");
    }
}

fn asked(view: &View<'_>, findings: &mut Findings) {
    if !view.open_user_todo.is_null() {
        return;
    }
    if view.waiting_on == Some(WaitingOn::User) && !may_be_prompt(view) {
        let hint = "name the user's todo, or the session whose prompt is up";
        findings.error(2, Code::UserNotAsked, USER_TODO, hint);
    }
    if view.gate == Some(GateState::UserTodo) {
        findings.error(2, Code::UserTodoUnnamed, USER_TODO, "name the user todo that is the gate");
    }
}

/// A session's own prompt needs no todo: it is answered in the session.
fn may_be_prompt(view: &View<'_>) -> bool {
    view.quota.is_none_or(|quota| quota == QuotaState::OperatorGate)
        && view.is_attached() != Some(false)
        && (!view.session_id.is_null() || view.redacted != Some(false))
}

fn combination(view: &View<'_>, findings: &mut Findings) {
    let (Some(waiting), Some(quota)) = (view.waiting_on, view.quota) else { return };
    match rows::fit(waiting, quota, view.gate, view.is_attached()) {
        Fit::Fits => {}
        // That is reported as what it is.
        Fit::NoPair if quota == QuotaState::Eligible => {}
        Fit::NoPair => {
            let hint = "no decision gives this waiting_on with this quota_state";
            findings.error(2, Code::ImpossiblePair, WAITING_ON, hint);
        }
        // A blocked gate over an executable todo is reported as what it is.
        Fit::NoGate if view.gate == Some(GateState::Blocked) && view.executable.is_text() => {}
        // An approval covers an executable todo, and a closed goal is clear: that is the definition.
        Fit::NoGate if view.gate == Some(GateState::Approved) || waiting == WaitingOn::None => {
            let hint = "no decision gives this gate_state with this waiting_on and quota_state";
            findings.error(2, Code::ImpossibleGate, GATE, hint);
        }
        Fit::NoGate => {
            let hint = "no decision of LoopX gives this gate_state with this waiting_on and quota_state";
            findings.warning(2, Code::ImpossibleGate, GATE, hint);
        }
    }
}
