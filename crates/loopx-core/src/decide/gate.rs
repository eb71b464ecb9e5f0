//! Decides commands on gates.

use jiff::Timestamp;
use loopx_contract::GateId;

use super::{Case, Decided, Outcome, Subject};
use crate::command::{Decision, GateAsk, GateWithdraw, Mint};
use crate::event::{Event, LogAudience};
use crate::gate::{Gate, GateActor, GateDecision, GateStanding};
use crate::refusal::Refusal;
use crate::text::LogText;
use crate::todo::{Blocking, Covers, Priority, TodoClass};

fn wrong(gate: &Gate, state: &'static str, hint: &'static str) -> Refusal {
    Refusal::WrongState { thing: gate.id.to_string(), state, hint }
}

fn ahead(case: &Case<'_>, at: Option<Timestamp>, field: &'static str) -> Result<(), Refusal> {
    match at {
        Some(at) if at <= case.now => Err(Refusal::BadValue { field, reason: "has passed" }),
        Some(_) | None => Ok(()),
    }
}

fn not_withdrawn(gate: &Gate) -> Result<(), Refusal> {
    match gate.state {
        GateDecision::Withdrawn => Err(wrong(gate, "withdrawn", "ask again: `loopx gate ask`")),
        GateDecision::Requested
        | GateDecision::Approved { .. }
        | GateDecision::Rejected { .. }
        | GateDecision::Deferred { .. } => Ok(()),
    }
}

/// Asks for a decision; of a user, by a todo of its own. The same question while it is requested is the same gate.
pub(super) fn ask(case: &Case<'_>, ask: &GateAsk, mint: &mut Mint<'_>) -> Outcome {
    let by = case.acting(ask.agent.as_ref())?.map(|agent| agent.id.clone());
    case.not_over()?;
    let question = ask.question.as_str().trim();
    if question.is_empty() {
        return Err(Refusal::BadValue { field: "question", reason: "is empty" });
    }
    ahead(case, ask.expires_at, "expires")?;
    let covers = case.covers(&ask.covers)?;
    let same = |gate: &&Gate| {
        gate.standing(case.now) == GateStanding::Requested
            && gate.actor == ask.actor
            && gate.covers == covers
            && !gate.question.is_purged()
            && gate.question.as_str().trim() == question
    };
    if let Some(there) = case.state.gates.values().find(same) {
        return Ok(Decided::new(vec![], Subject::Gate(there.id.clone())));
    }
    let gate = mint.gate();
    let linked_todo = match ask.actor {
        GateActor::User => Some(mint.todo()),
        GateActor::Controller => None,
    };
    let mut events = vec![Event::GateAsked {
        gate: gate.clone(),
        question: ask.question.clone().into(),
        actor: ask.actor,
        covers: covers.clone(),
        expires_at: ask.expires_at,
        linked_todo: linked_todo.clone(),
        by: by.clone(),
    }];
    events.extend(linked_todo.map(|todo| Event::TodoAdded {
        todo,
        title: ask.question.clone().into(),
        // Its gate is what holds.
        audience: LogAudience::User { covers, blocking: Blocking::NonBlocking, gate: Some(gate.clone()) },
        priority: Priority::default(),
        class: TodoClass::default(),
        globs: vec![],
        needs: vec![],
        blocked_by: vec![],
        by,
    }));
    Ok(Decided::new(events, Subject::Gate(gate)))
}

fn on_gate(gate: &Gate, event: Event) -> Decided {
    Decided::one(event, Subject::Gate(gate.id.clone()))
}

/// Decides a gate, whatever was decided before: a person may change their mind.
pub(super) fn decide(case: &Case<'_>, id: &GateId, decision: &Decision) -> Outcome {
    let gate = case.gate(id)?;
    not_withdrawn(gate)?;
    let event = match decision {
        Decision::Approve { until, single_use } => {
            ahead(case, *until, "until")?;
            Event::GateApproved { gate: id.clone(), until: *until, single_use: *single_use }
        }
        Decision::Reject { reason } => {
            Event::GateRejected { gate: id.clone(), reason: reason.clone().map(LogText::from) }
        }
        Decision::Defer { until: None, condition: None } => {
            return Err(Refusal::BadValue {
                field: "until",
                reason: "say until when, or until what condition is met",
            });
        }
        Decision::Defer { until, condition } => {
            ahead(case, *until, "until")?;
            let condition = condition.clone().map(LogText::from);
            Event::GateDeferred { gate: id.clone(), until: *until, condition }
        }
    };
    Ok(on_gate(gate, event))
}

/// Takes an approval back.
pub(super) fn revoke(case: &Case<'_>, id: &GateId) -> Outcome {
    let gate = case.gate(id)?;
    let state = match gate.state {
        GateDecision::Approved { .. } => {
            return Ok(on_gate(gate, Event::GateRevoked { gate: id.clone() }));
        }
        GateDecision::Requested => "requested",
        GateDecision::Rejected { .. } => "rejected",
        GateDecision::Deferred { .. } => "deferred",
        GateDecision::Withdrawn => "withdrawn",
    };
    Err(wrong(gate, state, "only an approval is revoked; see `loopx gate show`"))
}

/// Takes a question back. A lane may where it asked; else it is a person's.
pub(super) fn withdraw(case: &Case<'_>, withdraw: &GateWithdraw) -> Outcome {
    let agent = case.acting(withdraw.agent.as_ref())?;
    let gate = case.gate(&withdraw.gate)?;
    if agent.is_none_or(|agent| gate.asked_by.as_ref() != Some(&agent.id)) {
        case.person()?;
    }
    not_withdrawn(gate)?;
    // What a person has decided is no longer a lane's to take away.
    if !matches!(gate.state, GateDecision::Requested) {
        case.person()?;
    }
    Ok(on_gate(gate, Event::GateWithdrawn { gate: gate.id.clone() }))
}

/// Says that a deferred gate's condition is met.
pub(super) fn condition_met(case: &Case<'_>, id: &GateId) -> Outcome {
    let gate = case.gate(id)?;
    match &gate.state {
        GateDecision::Deferred { condition: Some(_), met: false, .. } => {
            Ok(on_gate(gate, Event::GateConditionMet { gate: id.clone() }))
        }
        GateDecision::Deferred { .. }
        | GateDecision::Requested
        | GateDecision::Approved { .. }
        | GateDecision::Rejected { .. }
        | GateDecision::Withdrawn => Err(wrong(gate, "not waiting for a condition", "see `loopx gate show`")),
    }
}

/// Says what a gate covers from now on.
pub(super) fn cover(case: &Case<'_>, id: &GateId, covers: &Covers) -> Outcome {
    let gate = case.gate(id)?;
    not_withdrawn(gate)?;
    let covers = case.covers(covers)?;
    Ok(on_gate(gate, Event::GateCovered { gate: id.clone(), covers }))
}
