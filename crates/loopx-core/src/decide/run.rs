//! Decides entries of run history.

use loopx_contract::{RunId, TodoId};

use super::{Case, Decided, Outcome, Subject};
use crate::agent::Agent;
use crate::command::{Mint, RunDraft, RunRecord};
use crate::event::{Event, LogBlocker};
use crate::refusal::Refusal;
use crate::run::RunKind;
use crate::text::LogText;

/// The longest label of a validation, in characters.
const LONGEST_LABEL: usize = 80;

/// Adds to run history. A blocker names an open agent todo, stands in its way until it is resolved, and says what it is.
pub(super) fn record(case: &Case<'_>, record: &RunRecord, mint: &mut Mint<'_>) -> Outcome {
    let agent = case.acting_as(&record.agent)?;
    let todo = record.todo.as_ref().map(|id| case.todo(id)).transpose()?;
    let (run, event) = recording(case, agent, record.todo.as_ref(), &record.run, mint)?;
    let mut events = vec![event];
    if matches!(record.run.kind, RunKind::Blocker) {
        let Some(todo) = todo else {
            return Err(Refusal::BadValue { field: "todo", reason: "a blocker says what it blocks" });
        };
        if !todo.is_agents() || todo.is_closed() {
            return Err(Refusal::BadValue { field: "todo", reason: "a blocker blocks an open agent todo" });
        }
        if record.run.summary.is_none() {
            return Err(Refusal::BadValue { field: "summary", reason: "a blocker says what it is" });
        }
        events.push(Event::TodoBlocked { todo: todo.id.clone(), on: LogBlocker::Run(run.clone()) });
    }
    Ok(Decided::new(events, Subject::Run(run)))
}

/// The event that records a run, with its id.
pub(super) fn recording(
    case: &Case<'_>,
    agent: &Agent,
    todo: Option<&TodoId>,
    draft: &RunDraft,
    mint: &mut Mint<'_>,
) -> Result<(RunId, Event), Refusal> {
    let bad = |reason| Refusal::BadValue { field: "validation", reason };
    match (draft.kind, &draft.validation) {
        (RunKind::Validation, None) => return Err(bad("say what was checked")),
        (RunKind::Projection, Some(_)) => return Err(bad("a projection is never a validation")),
        (RunKind::Blocker, Some(_)) => return Err(bad("a blocker is no validation; record two runs")),
        (
            RunKind::Progress
            | RunKind::Validation
            | RunKind::Blocker
            | RunKind::NoProgress
            | RunKind::Handoff
            | RunKind::Projection,
            validation,
        ) => {
            let label = validation.as_ref().map(|validation| validation.label.as_str());
            if label.is_some_and(|label| label.trim().is_empty() || label.chars().count() > LONGEST_LABEL) {
                return Err(bad("a label has 1 to 80 characters"));
            }
        }
    }
    let run = match &draft.id {
        Some(id) if case.state.runs.contains(id) => {
            return Err(Refusal::BadValue { field: "run", reason: "this id is taken" });
        }
        Some(id) => id.clone(),
        None => mint.run(),
    };
    let event = Event::RunRecorded {
        run: run.clone(),
        agent: agent.id.clone(),
        kind: draft.kind,
        todo: todo.cloned(),
        session: draft.session.clone(),
        validation: draft.validation.as_ref().map(Into::into),
        summary: draft.summary.clone().map(LogText::from),
        event_id: draft.event_id.clone(),
        outcome_id: draft.outcome_id.clone(),
    };
    Ok((run, event))
}

/// What a blocker run reported is out of the way.
pub(super) fn resolve(case: &Case<'_>, id: &RunId) -> Outcome {
    case.acting(None)?;
    let run = case.run(id)?;
    let wrong = |state, hint| Err(Refusal::WrongState { thing: id.to_string(), state, hint });
    if !matches!(run.kind, RunKind::Blocker) {
        return wrong("no blocker", "only a blocker run is resolved; see `loopx run list`");
    }
    if run.resolved_at.is_some() {
        return wrong("resolved", "nothing is left to do");
    }
    Ok(Decided::one(Event::RunResolved { run: id.clone() }, Subject::Run(id.clone())))
}
