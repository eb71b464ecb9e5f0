//! Folds events of handoffs.

use crate::event::{Event, Recorded};
use crate::handoff::{Handoff, HandoffState};
use crate::state::State;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the exhaustive match over events is in `apply`")]
    pub(super) fn fold_handoff(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::HandoffOffered { handoff, .. } if self.handoffs.contains(handoff) => {}
            Event::HandoffOffered {
                handoff,
                todo,
                from,
                to,
                next_action,
                stop_condition,
                evidence,
                expires_at,
            } => {
                let row = Handoff {
                    id: handoff.clone(),
                    from: from.clone(),
                    to: to.clone(),
                    todo: todo.clone(),
                    next_action: next_action.text.clone(),
                    stop_condition: stop_condition.as_ref().map(|stop| stop.text.clone()),
                    evidence: evidence.clone(),
                    state: HandoffState::Offered,
                    expires_at: *expires_at,
                    accepted_by: None,
                    created_at: recorded.at,
                };
                self.handoffs.insert(handoff.clone(), row);
                // The giver's claim ends here, so that an offer that comes to nothing leaves the todo unclaimed.
                if let Some(todo) = self.todos.get_mut(todo) {
                    todo.claim = None;
                    todo.offered = Some(handoff.clone());
                }
            }
            Event::HandoffMoved { handoff: id, state, agent } => {
                let Some(handoff) = self.handoffs.get_mut(id) else { return };
                handoff.state = *state;
                match state {
                    HandoffState::Accepted => handoff.accepted_by.clone_from(agent),
                    HandoffState::Offered => handoff.accepted_by = None,
                    HandoffState::FollowedUp
                    | HandoffState::Declined
                    | HandoffState::Withdrawn
                    | HandoffState::Expired => {}
                }
                let offered = *state == HandoffState::Offered;
                let Some(todo) = self.todos.get(&handoff.todo) else { return };
                if (offered || todo.offered.as_ref() == Some(id))
                    && let Some(todo) = self.todos.get_mut(&handoff.todo)
                {
                    todo.offered = offered.then(|| id.clone());
                }
            }
            _ => {}
        }
    }
}
