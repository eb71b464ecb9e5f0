//! Folds events of gates.

use loopx_contract::GateId;

use crate::event::{Event, Recorded};
use crate::gate::{Gate, GateDecision, Uses};
use crate::state::State;
use crate::todo::{Audience, Succession, TodoState};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
    pub(super) fn fold_gate(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::GateAsked { gate, question, actor, covers, expires_at, linked_todo, by } => {
                if self.gates.contains(gate) {
                    return;
                }
                let row = Gate {
                    id: gate.clone(),
                    question: question.text.clone(),
                    actor: *actor,
                    covers: covers.clone(),
                    state: GateDecision::Requested,
                    expires_at: *expires_at,
                    linked_todo: linked_todo.clone(),
                    asked_by: by.clone(),
                    proof: None,
                    created_at: recorded.at,
                    decided_at: None,
                };
                self.gates.insert(gate.clone(), row);
            }
            Event::GateApproved { gate, until, single_use } => {
                let uses = if *single_use { Uses::Single } else { Uses::Any };
                self.decided(gate, GateDecision::Approved { until: *until, uses }, recorded);
            }
            Event::GateRejected { gate, reason } => {
                let reason = reason.as_ref().map(|reason| reason.text.clone());
                self.decided(gate, GateDecision::Rejected { reason }, recorded);
            }
            Event::GateDeferred { gate, until, condition } => {
                let condition = condition.as_ref().map(|condition| condition.text.clone());
                let state = GateDecision::Deferred { until: *until, condition, met: false };
                self.decided(gate, state, recorded);
            }
            Event::GateConditionMet { gate } => {
                if let Some(gate) = self.gates.get_mut(gate)
                    && let GateDecision::Deferred { met, .. } = &mut gate.state
                {
                    *met = true;
                }
            }
            Event::GateRevoked { gate } => self.decided(gate, GateDecision::Requested, recorded),
            Event::GateWithdrawn { gate } => self.decided(gate, GateDecision::Withdrawn, recorded),
            Event::GateCovered { gate, covers } => {
                let Some(gate) = self.gates.get_mut(gate) else { return };
                gate.covers.clone_from(covers);
                if let Some(todo) = gate.linked_todo.as_ref().and_then(|todo| self.todos.get_mut(todo))
                    && let Audience::User { covers: shown, .. } = &mut todo.audience
                {
                    shown.clone_from(covers);
                }
            }
            _ => {}
        }
    }

    /// Sets what was decided, and with it how the gate's own todo rests.
    fn decided(&mut self, id: &GateId, state: GateDecision, recorded: &Recorded) {
        let Some(gate) = self.gates.get_mut(id) else { return };
        let rest = rest(&state);
        let asked_again = state == GateDecision::Requested;
        gate.state = state;
        gate.proof = (!asked_again).then_some(recorded.actor.proof);
        gate.decided_at = (!asked_again).then_some(recorded.at);
        if let Some(todo) = gate.linked_todo.clone()
            && self.todos.get(&todo).is_some_and(|todo| todo.state != rest)
            && let Some(todo) = self.todos.get_mut(&todo)
        {
            todo.rest(rest);
            todo.closed_at = todo.is_closed().then_some(recorded.at);
        }
    }
}

/// How a gate's own todo rests. It is closed where only another event can ask again; else whether it is open follows
/// from the gate and the instant.
fn rest(state: &GateDecision) -> TodoState {
    match state {
        GateDecision::Approved { until: None, uses: Uses::Any } | GateDecision::Rejected { .. } => {
            TodoState::Done { succession: Succession::NoneNeeded }
        }
        GateDecision::Requested | GateDecision::Deferred { .. } | GateDecision::Approved { .. } => {
            TodoState::Open
        }
        GateDecision::Withdrawn => TodoState::Dropped,
    }
}
