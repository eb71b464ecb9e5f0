//! The events that would undo an event, given the state before it.

use std::collections::BTreeSet;

use loopx_contract::{GateId, TodoId};

use crate::event::{Event, LogBlocker};
use crate::gate::{Gate, GateDecision, Uses};
use crate::goal::{Goal, LastFinished};
use crate::handoff::HandoffState;
use crate::scope::Glob;
use crate::state::State;
use crate::text::{LogText, texts};
use crate::todo::{Blocker, Claim, Todo, TodoState};
use crate::undo::WhyNot;

type Inverse = Result<Vec<Event>, WhyNot>;

/// The events that would undo an event. None where it changes nothing, as one about a thing that is not there.
pub(super) fn inverse(state: &State, event: &Event) -> Inverse {
    match event {
        Event::GoalAdded { .. } => Err(WhyNot::GoalAdded),
        Event::AgentAdded { .. } => Err(WhyNot::AgentAdded),
        Event::AuthorityLocked { .. } => Err(WhyNot::AuthorityLocked),
        Event::RunRecorded { .. } => Err(WhyNot::RunRecorded),
        Event::RunResolved { .. } => Err(WhyNot::RunResolved),
        Event::Spent { .. } => Err(WhyNot::Spent),
        Event::SpendVoided { .. } => Err(WhyNot::SpendVoided),
        Event::RewardGiven { .. } => Err(WhyNot::RewardGiven),
        Event::Undone { .. } => Err(WhyNot::Undone),
        Event::Refused { .. } | Event::Purged { .. } => Ok(vec![]),
        Event::GoalEdited { .. }
        | Event::AuthoritySet { .. }
        | Event::AuthorityRemoved { .. }
        | Event::GoalStateSet { .. }
        | Event::QuotaSet { agent: None, .. } => Ok(of_head(state.goal.as_ref(), event)),
        Event::AgentEdited { agent, .. } => {
            Ok(one(state.agents.get(agent).map(|agent| Event::AgentEdited {
                agent: agent.id.clone(),
                runtime: agent.runtime.clone(),
                capabilities: texts(&agent.capabilities),
                state: agent.state,
            })))
        }
        Event::QuotaSet { agent: Some(id), .. } => Ok(one(state
            .agents
            .get(id)
            .map(|agent| Event::QuotaSet { agent: Some(agent.id.clone()), quota: agent.quota }))),
        Event::Bound { target, .. } => Ok(vec![match state.bindings.get(target) {
            Some(before) => Event::Bound { target: target.clone(), agent: before.agent.clone() },
            None => Event::Unbound { target: target.clone() },
        }]),
        Event::Unbound { target } => Ok(one(state
            .bindings
            .get(target)
            .map(|before| Event::Bound { target: target.clone(), agent: before.agent.clone() }))),
        Event::TodoAdded { todo, .. }
        | Event::TodoEdited { todo, .. }
        | Event::TodoClaimed { todo, .. }
        | Event::TodoRenewed { todo, .. }
        | Event::TodoReleased { todo, .. }
        | Event::TodoFinished { todo, .. }
        | Event::TodoSucceeded { todo, .. }
        | Event::TodoBlocked { todo, .. }
        | Event::TodoUnblocked { todo, .. }
        | Event::TodoDeferred { todo, .. }
        | Event::TodoDropped { todo, .. }
        | Event::TodoReopened { todo, .. } => match state.todos.get(todo) {
            Some(before) => of_todo(state, before, event),
            None => Ok(of_new_todo(event)),
        },
        Event::GateAsked { gate, .. } => {
            let new = !state.gates.contains(gate);
            Ok(one(new.then(|| Event::GateWithdrawn { gate: gate.clone() })))
        }
        Event::GateApproved { gate, .. }
        | Event::GateRejected { gate, .. }
        | Event::GateDeferred { gate, .. }
        | Event::GateConditionMet { gate }
        | Event::GateRevoked { gate }
        | Event::GateWithdrawn { gate } => state.gates.get(gate).map_or(Ok(vec![]), decision),
        Event::GateCovered { gate, .. } => Ok(one(state
            .gates
            .get(gate)
            .map(|gate| Event::GateCovered { gate: gate.id.clone(), covers: gate.covers.clone() }))),
        Event::HandoffOffered { handoff, todo, from, .. } => {
            let mut events = vec![Event::HandoffMoved {
                handoff: handoff.clone(),
                state: HandoffState::Withdrawn,
                agent: Some(from.clone()),
            }];
            events.extend(state.todos.get(todo).and_then(|todo| claimed(todo, todo.claim.as_ref())));
            Ok(events)
        }
        Event::HandoffMoved { handoff, .. } => {
            Ok(one(state.handoffs.get(handoff).map(|before| Event::HandoffMoved {
                handoff: handoff.clone(),
                state: before.state,
                agent: before.accepted_by.clone(),
            })))
        }
    }
}

fn one(event: Option<Event>) -> Vec<Event> {
    event.into_iter().collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `inverse`")]
fn of_head(goal: Option<&Goal>, event: &Event) -> Vec<Event> {
    let Some(goal) = goal else { return vec![] };
    let source = |role, label: &LogText| {
        let same = |source: &&crate::goal::AuthoritySource| source.role == role && source.label == label.text;
        goal.authority_sources.iter().find(same)
    };
    match event {
        Event::GoalEdited {
            objective,
            stop_condition,
            private_data_rule,
            private_data_rule_removed,
            read,
            write,
        } => {
            let rule = &goal.boundary.private_data_rule;
            let of_rule = private_data_rule.is_some() || *private_data_rule_removed;
            let globs = |globs: &[Glob]| texts(globs.iter().map(Glob::as_text));
            vec![Event::GoalEdited {
                objective: objective.as_ref().map(|_| goal.objective.clone().into()),
                stop_condition: stop_condition.as_ref().map(|_| goal.boundary.stop_condition.clone().into()),
                private_data_rule: rule.clone().filter(|_| of_rule).map(LogText::from),
                private_data_rule_removed: of_rule && rule.is_none(),
                read: read.as_ref().map(|_| globs(&goal.boundary.read)),
                write: write.as_ref().map(|_| globs(&goal.boundary.write)),
            }]
        }
        Event::AuthoritySet { role, label, .. } => vec![match source(*role, label) {
            Some(before) => {
                Event::AuthoritySet { role: *role, label: label.clone(), freshness: before.freshness }
            }
            None => Event::AuthorityRemoved { role: *role, label: label.clone() },
        }],
        Event::AuthorityRemoved { role, label } => one(source(*role, label).map(|before| {
            Event::AuthoritySet { role: *role, label: label.clone(), freshness: before.freshness }
        })),
        Event::GoalStateSet { to, .. } => vec![Event::GoalStateSet { from: *to, to: goal.state }],
        Event::QuotaSet { .. } => vec![Event::QuotaSet { agent: None, quota: goal.quota }],
        _ => vec![],
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `inverse`")]
fn of_new_todo(event: &Event) -> Vec<Event> {
    match event {
        // A gate's own todo goes with its gate.
        Event::TodoAdded { audience: crate::event::LogAudience::User { gate: Some(_), .. }, .. } => vec![],
        Event::TodoAdded { todo, .. } => {
            vec![Event::TodoDropped { todo: todo.clone(), reason: None, uses: BTreeSet::new() }]
        }
        _ => vec![],
    }
}

/// The claim as it was, under a new epoch: the old token stays stale.
fn claimed(todo: &Todo, claim: Option<&Claim>) -> Option<Event> {
    claim.map(|claim| Event::TodoClaimed {
        todo: todo.id.clone(),
        agent: claim.agent.clone(),
        until: claim.until,
        epoch: todo.epoch.saturating_add(1),
        takes: BTreeSet::new(),
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `inverse`")]
fn of_todo(state: &State, before: &Todo, event: &Event) -> Inverse {
    let todo = before.id.clone();
    Ok(match event {
        Event::TodoEdited { .. } => vec![Event::TodoEdited {
            todo,
            title: before.title.clone().into(),
            audience: (&before.audience).into(),
            priority: before.priority,
            class: before.class,
            globs: texts(before.globs.iter().map(Glob::as_text)),
            needs: texts(&before.needs),
        }],
        Event::TodoClaimed { takes, .. } => vec![Event::TodoReleased { todo, gives_back: takes.clone() }],
        Event::TodoRenewed { .. } => {
            one(before.claim.as_ref().map(|claim| Event::TodoRenewed { todo, until: claim.until }))
        }
        Event::TodoReleased { .. } => one(claimed(before, before.claim.as_ref())),
        Event::TodoFinished { uses, .. } => {
            let last = state.goal.as_ref().and_then(|goal| goal.last_finished.clone());
            restored(state, before, uses, last)
        }
        Event::TodoSucceeded { .. } => match &before.state {
            TodoState::Done { succession } => {
                vec![Event::TodoSucceeded { todo, succession: succession.clone() }]
            }
            TodoState::Open | TodoState::Deferred { .. } | TodoState::Dropped => vec![],
        },
        Event::TodoDropped { uses, .. } => restored(state, before, uses, None),
        Event::TodoDeferred { .. } => restored(state, before, &BTreeSet::new(), None),
        Event::TodoBlocked { on, .. } => {
            let new = !before.blocked_by.contains(&Blocker::from(on));
            one(new.then(|| Event::TodoUnblocked { todo, off: on.clone() }))
        }
        Event::TodoUnblocked { off, .. } => {
            let there = before.blocked_by.contains(&Blocker::from(off));
            one(there.then(|| Event::TodoBlocked { todo, on: LogBlocker::clone(off) }))
        }
        Event::TodoReopened { takes, .. } => match &before.state {
            TodoState::Open => vec![],
            TodoState::Deferred { until } => vec![Event::TodoDeferred { todo, until: *until }],
            TodoState::Dropped => vec![Event::TodoDropped { todo, reason: None, uses: takes.clone() }],
            TodoState::Done { .. } => return Err(WhyNot::Reopened),
        },
        _ => vec![],
    })
}

/// A todo that was put off or ended, as it was before: its state, its approvals and its claim. `ended_with` are the
/// approvals that its end used up, `last_finished` is what its finish took the place of.
fn restored(
    state: &State,
    before: &Todo,
    ended_with: &BTreeSet<GateId>,
    last_finished: Option<LastFinished>,
) -> Vec<Event> {
    let todo: TodoId = before.id.clone();
    let was_taken = |id: &GateId| state.gates.get(id).is_some_and(|gate| is_taken(gate, &todo));
    let (takes, gives_back): (BTreeSet<GateId>, BTreeSet<GateId>) =
        ended_with.iter().cloned().partition(was_taken);
    let mut events = vec![Event::TodoReopened { todo: todo.clone(), takes, last_finished }];
    if !gives_back.is_empty() {
        events.push(Event::TodoReleased { todo: todo.clone(), gives_back });
    }
    match &before.state {
        TodoState::Deferred { until } => events.push(Event::TodoDeferred { todo, until: *until }),
        TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => {}
    }
    events.extend(claimed(before, before.claim.as_ref()));
    events
}

fn is_taken(gate: &Gate, todo: &TodoId) -> bool {
    match &gate.state {
        GateDecision::Approved { uses: Uses::Taken(by), .. } => by == todo,
        GateDecision::Approved { uses: Uses::Any | Uses::Single | Uses::Used, .. }
        | GateDecision::Requested
        | GateDecision::Rejected { .. }
        | GateDecision::Deferred { .. }
        | GateDecision::Withdrawn => false,
    }
}

/// What was decided of a gate, decided again.
fn decision(before: &Gate) -> Inverse {
    let gate = before.id.clone();
    Ok(match &before.state {
        GateDecision::Requested => vec![Event::GateRevoked { gate }],
        GateDecision::Approved { until, uses: Uses::Any } => {
            vec![Event::GateApproved { gate, until: *until, single_use: false }]
        }
        GateDecision::Approved { until, uses: Uses::Single } => {
            vec![Event::GateApproved { gate, until: *until, single_use: true }]
        }
        GateDecision::Approved { uses: Uses::Taken(_) | Uses::Used, .. } => return Err(WhyNot::ApprovalUsed),
        GateDecision::Rejected { reason } => {
            vec![Event::GateRejected { gate, reason: reason.clone().map(LogText::from) }]
        }
        GateDecision::Deferred { until, condition, met } => {
            let condition = condition.clone().map(LogText::from);
            let deferred = Event::GateDeferred { gate: gate.clone(), until: *until, condition };
            let met = met.then_some(Event::GateConditionMet { gate });
            std::iter::once(deferred).chain(met).collect()
        }
        GateDecision::Withdrawn => vec![Event::GateWithdrawn { gate }],
    })
}
