//! The fold: one event into the state of its goal. Total: no event makes it fail.

mod gate;
mod goal;
mod handoff;
mod inverse;
mod run;
mod spend;
mod things;
mod todo;
mod undo;

use crate::event::{Event, Recorded};
use crate::scope::Glob;
use crate::state::State;
use crate::text::LogText;

impl State {
    /// Takes in one event. Events come in the order of their revisions; an event of a thing that is not there does
    /// nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.remember(recorded);
        match &recorded.event {
            Event::GoalAdded { .. }
            | Event::GoalEdited { .. }
            | Event::AuthoritySet { .. }
            | Event::AuthorityRemoved { .. }
            | Event::AuthorityLocked { .. }
            | Event::GoalStateSet { .. }
            | Event::AgentAdded { .. }
            | Event::AgentEdited { .. }
            | Event::QuotaSet { .. }
            | Event::Bound { .. }
            | Event::Unbound { .. } => self.fold_goal(recorded),
            Event::TodoAdded { .. }
            | Event::TodoEdited { .. }
            | Event::TodoClaimed { .. }
            | Event::TodoRenewed { .. }
            | Event::TodoReleased { .. }
            | Event::TodoFinished { .. }
            | Event::TodoSucceeded { .. }
            | Event::TodoBlocked { .. }
            | Event::TodoUnblocked { .. }
            | Event::TodoDeferred { .. }
            | Event::TodoDropped { .. }
            | Event::TodoReopened { .. } => self.fold_todo(recorded),
            Event::GateAsked { .. }
            | Event::GateApproved { .. }
            | Event::GateRejected { .. }
            | Event::GateDeferred { .. }
            | Event::GateConditionMet { .. }
            | Event::GateRevoked { .. }
            | Event::GateWithdrawn { .. }
            | Event::GateCovered { .. } => self.fold_gate(recorded),
            Event::Spent { .. } | Event::SpendVoided { .. } => self.fold_spend(&recorded.event),
            Event::RunRecorded { .. } | Event::RunResolved { .. } | Event::RewardGiven { .. } => {
                self.fold_run(recorded);
            }
            Event::HandoffOffered { .. } | Event::HandoffMoved { .. } => self.fold_handoff(recorded),
            // What an undo changes is in the events that follow it; a refusal and a purge change no state.
            Event::Undone { .. } | Event::Refused { .. } | Event::Purged { .. } => {}
        }
        self.revision = recorded.revision;
    }
}

/// Globs out of an event. One that can't be read stays in sight, and lies in no scope.
fn globs(texts: &[LogText]) -> Vec<Glob> {
    let read = |text: &LogText| Glob::parse(text.text.clone()).unwrap_or_else(|_| Glob::unreadable());
    texts.iter().map(read).collect()
}

/// Globs that allow something, out of an event. One that can't be read allows nothing.
fn allowed(texts: &[LogText]) -> Vec<Glob> {
    texts.iter().filter_map(|text| Glob::parse(text.text.clone()).ok()).collect()
}
