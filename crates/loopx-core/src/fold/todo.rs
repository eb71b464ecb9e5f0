//! Folds events of todos.

use std::collections::BTreeSet;

use loopx_contract::GateId;

use super::globs;
use crate::event::{Event, Recorded};
use crate::gate::{GateDecision, Uses};
use crate::goal::LastFinished;
use crate::state::State;
use crate::todo::{Blocker, Claim, Todo, TodoState};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
    pub(super) fn fold_todo(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::TodoAdded { todo, .. } if self.todos.contains(todo) => {}
            Event::TodoAdded { todo, title, audience, priority, class, globs: on, needs, blocked_by, by } => {
                let row = Todo {
                    id: todo.clone(),
                    title: title.text.clone(),
                    audience: audience.into(),
                    priority: *priority,
                    state: TodoState::Open,
                    class: *class,
                    globs: globs(on),
                    needs: needs.iter().map(|text| text.text.clone()).collect(),
                    blocked_by: blocked_by.iter().map(Blocker::from).collect(),
                    claim: None,
                    epoch: 0,
                    offered: None,
                    added_by: by.clone(),
                    created_at: recorded.at,
                    closed_at: None,
                };
                self.todos.insert(todo.clone(), row);
            }
            Event::TodoClaimed { todo, takes, .. } if self.todos.contains(todo) => {
                self.set_uses(takes, &Uses::Taken(todo.clone()));
            }
            Event::TodoReleased { todo, gives_back } if self.todos.contains(todo) => {
                self.set_uses(gives_back, &Uses::Single);
            }
            Event::TodoDropped { todo, uses, .. } if self.todos.contains(todo) => {
                self.set_uses(uses, &Uses::Used);
            }
            Event::TodoFinished { todo, agent, succession, uses } => {
                let Some(row) = self.todos.get(todo) else { return };
                let agents = row.is_agents();
                self.set_uses(uses, &Uses::Used);
                if let Some(goal) = &mut self.goal
                    && agents
                {
                    goal.last_finished = agent.clone().map(|agent| LastFinished {
                        todo: todo.clone(),
                        agent,
                        succession: succession.clone(),
                    });
                }
            }
            Event::TodoReopened { todo, takes, last_finished } if self.todos.contains(todo) => {
                self.set_uses(takes, &Uses::Taken(todo.clone()));
                if let Some(goal) = &mut self.goal
                    && goal.last_finished.as_ref().is_none_or(|last| last.todo == *todo)
                {
                    goal.last_finished.clone_from(last_finished);
                }
            }
            Event::TodoSucceeded { todo, succession } => {
                if let Some(last) = self.goal.as_mut().and_then(|goal| goal.last_finished.as_mut())
                    && last.todo == *todo
                {
                    last.succession.clone_from(succession);
                }
            }
            _ => {}
        }
        let event = &recorded.event;
        let Some(id) = subject(event) else { return };
        let Some(row) = self.todos.get_mut(id) else { return };
        change(row, recorded);
    }

    /// Sets how far single-use approvals are used.
    fn set_uses(&mut self, gates: &BTreeSet<GateId>, to: &Uses) {
        for id in gates {
            let single = self.gates.get(id).is_some_and(|gate| match &gate.state {
                GateDecision::Approved { uses, .. } => *uses != Uses::Any,
                GateDecision::Requested
                | GateDecision::Rejected { .. }
                | GateDecision::Deferred { .. }
                | GateDecision::Withdrawn => false,
            });
            if single
                && let Some(gate) = self.gates.get_mut(id)
                && let GateDecision::Approved { uses, .. } = &mut gate.state
            {
                uses.clone_from(to);
            }
        }
    }
}

/// The todo that an event changes, if it is not the one that adds it.
#[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
fn subject(event: &Event) -> Option<&loopx_contract::TodoId> {
    match event {
        Event::TodoEdited { todo, .. }
        | Event::TodoClaimed { todo, .. }
        | Event::TodoRenewed { todo, .. }
        | Event::TodoReleased { todo, .. }
        | Event::TodoFinished { todo, .. }
        | Event::TodoSucceeded { todo, .. }
        | Event::TodoBlocked { todo, .. }
        | Event::TodoUnblocked { todo, .. }
        | Event::TodoDeferred { todo, .. }
        | Event::TodoDropped { todo, .. }
        | Event::TodoReopened { todo, .. } => Some(todo),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
fn change(row: &mut Todo, recorded: &Recorded) {
    match &recorded.event {
        Event::TodoEdited { title, audience, priority, class, globs: on, needs, .. } => {
            row.title = title.text.clone();
            row.audience = audience.into();
            row.priority = *priority;
            row.class = *class;
            row.globs = globs(on);
            row.needs = needs.iter().map(|text| text.text.clone()).collect();
        }
        Event::TodoClaimed { agent, until, epoch, .. } => {
            row.epoch = row.epoch.max(*epoch);
            row.claim = Some(Claim { agent: agent.clone(), until: *until, epoch: row.epoch });
            row.offered = None;
        }
        Event::TodoRenewed { until, .. } => {
            if let Some(claim) = &mut row.claim {
                claim.until = *until;
            }
        }
        Event::TodoReleased { .. } => row.claim = None,
        Event::TodoFinished { succession, .. } => {
            row.rest(TodoState::Done { succession: succession.clone() });
            row.closed_at = Some(recorded.at);
        }
        Event::TodoSucceeded { succession, .. } => {
            if let TodoState::Done { succession: said } = &mut row.state {
                said.clone_from(succession);
            }
        }
        Event::TodoBlocked { on, .. } => drop(row.blocked_by.insert(on.into())),
        Event::TodoUnblocked { off, .. } => drop(row.blocked_by.remove(&off.into())),
        Event::TodoDeferred { until, .. } => {
            row.rest(TodoState::Deferred { until: *until });
            row.closed_at = None;
        }
        Event::TodoDropped { .. } => {
            row.rest(TodoState::Dropped);
            row.closed_at = Some(recorded.at);
        }
        Event::TodoReopened { .. } => {
            row.rest(TodoState::Open);
            row.closed_at = None;
        }
        _ => {}
    }
}

impl Todo {
    /// Sets the state; claim and offer end with the old one.
    pub(super) fn rest(&mut self, state: TodoState) {
        self.state = state;
        self.claim = None;
        self.offered = None;
    }
}
