//! Check 1: the ids are well formed and enough to reconcile a handoff.

use std::str::FromStr;

use super::finding::{Code, Findings};
use super::missing::names_missing;
use super::view::View;
use crate::ids::{AgentId, GoalId, IdError, Ref, RunId, RuntimeId, TodoId};
use crate::projection::{QuotaState, WaitingOn};

const SESSION: &str = "/runtime/session_id";
const TODO: &str = "/loopx_refs/todo_id";

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    id::<GoalId>(1, view.goal_id, "/goal_id", findings);
    id::<AgentId>(1, view.agent_id, "/agent_id", findings);
    id::<RuntimeId>(1, view.runtime_id, "/runtime/runtime_id", findings);
    id::<Ref>(1, view.session_id.text(), SESSION, findings);
    id::<RunId>(1, view.run_id.text(), "/loopx_refs/run_id", findings);
    id::<TodoId>(1, view.todo_id.text(), TODO, findings);
    id::<Ref>(1, view.event_id.text(), "/loopx_refs/event_id", findings);
    id::<Ref>(1, view.outcome_id.text(), "/loopx_refs/outcome_id", findings);
    match view.is_attached() {
        Some(true) => attached(view, findings),
        Some(false) => unattached(view, findings),
        None => {}
    }
    if view.executable.is_text() && view.todo_id.is_null() {
        let hint = "link the todo that the screen selects";
        findings.error(1, Code::TodoNotLinked, TODO, hint);
    }
    let ids = [view.session_id, view.event_id, view.outcome_id];
    if view.redacted == Some(true) && ids.iter().all(|id| id.is_text()) {
        let hint = "true only where an id that exists was withheld as null";
        findings.warning(1, Code::RedactionUnfounded, "/runtime/source_ids_redacted", hint);
    }
}

/// An id, as its type parses it.
pub(super) fn id<T: FromStr<Err = IdError>>(
    check: u8,
    text: Option<&str>,
    pointer: &str,
    findings: &mut Findings,
) {
    let Some(Err(error)) = text.map(T::from_str) else { return };
    let hint = error.to_string();
    let spaced = text.is_some_and(|text| text.chars().any(char::is_whitespace));
    match error {
        IdError::Length { .. } => findings.error(check, Code::IdLength, pointer, hint),
        IdError::Malformed { .. } if spaced => findings.error(check, Code::IdWhiteSpace, pointer, hint),
        IdError::Malformed { .. } => findings.error(check, Code::IdShape, pointer, hint),
        IdError::Unsafe { refusal, .. } => findings.refused(check, Code::IdUnsafe, pointer, hint, refusal),
    }
}

fn attached(view: &View<'_>, findings: &mut Findings) {
    // Inside a runtime whose session isn't known, the null is explicit once it is said to be missing.
    let said = view.validation.is_some_and(names_missing);
    if view.session_id.is_null() && view.redacted == Some(false) && !said {
        let hint =
            "name the session by a safe handle, or say that source ids are redacted or which fact is missing";
        findings.error(1, Code::SessionMissing, SESSION, hint);
    }
    if view.run_id.is_null() && view.todo_id.is_null() {
        let hint = "name the run that records this, or the todo that it is about";
        if selects_a_task(view) {
            findings.error(1, Code::NothingToReconcile, "/loopx_refs", hint);
        } else {
            // A lane with no todo and no run yet has neither: nothing was handed over.
            findings.warning(1, Code::NothingToReconcile, "/loopx_refs", hint);
        }
    }
}

/// Whether every row of the decision that looks like this names a todo.
fn selects_a_task(view: &View<'_>) -> bool {
    let asked = view.waiting_on == Some(WaitingOn::User) && view.open_user_todo.is_text();
    let named = view.executable.is_text() || asked;
    let row = match (view.waiting_on, view.quota) {
        (Some(waiting), Some(QuotaState::MonitorQuietSkip)) => {
            matches!(waiting, WaitingOn::User | WaitingOn::ExternalEvidence)
        }
        (Some(waiting), Some(QuotaState::Throttled)) => waiting != WaitingOn::Agent,
        (Some(_), Some(quota)) => quota == QuotaState::Eligible,
        (None, _) | (_, None) => false,
    };
    named || row
}

fn unattached(view: &View<'_>, findings: &mut Findings) {
    if view.session_id.is_text() {
        let hint = "name the runtime of this session, or set it to null";
        findings.error(1, Code::SessionWithoutRuntime, SESSION, hint);
    }
    // With no session there is no claim being worked on: the todo to advance is the one it is about.
    if let (Some(executable), Some(todo)) = (view.executable.text(), view.todo_id.text())
        && executable != todo
    {
        let hint = "with no session attached, the linked todo is the executable one";
        findings.error(1, Code::TodoMismatch, TODO, hint);
    }
}
