//! What can change whom a lane waits on: an event, or time alone.

use jiff::Timestamp;

use crate::event::Event;
use crate::gate::GateDecision;
use crate::handoff::HandoffState;
use crate::quota::{Frees, Observed, Quota, Spending};
use crate::state::State;
use crate::todo::{TodoClass, TodoState};

/// Whether an event can change whom a lane waits on.
pub(super) fn may_change(event: &Event, state: &State) -> bool {
    match event {
        Event::GoalAdded { .. }
        | Event::GoalEdited { .. }
        | Event::GoalStateSet { .. }
        | Event::AgentAdded { .. }
        | Event::AgentEdited { .. }
        | Event::QuotaSet { .. }
        | Event::TodoAdded { .. }
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
        | Event::TodoReopened { .. }
        | Event::GateAsked { .. }
        | Event::GateApproved { .. }
        | Event::GateRejected { .. }
        | Event::GateDeferred { .. }
        | Event::GateConditionMet { .. }
        | Event::GateRevoked { .. }
        | Event::GateWithdrawn { .. }
        | Event::GateCovered { .. }
        | Event::RunResolved { .. }
        | Event::HandoffOffered { .. }
        | Event::HandoffMoved { .. } => true,
        Event::Spent { .. } | Event::SpendVoided { .. } => quotas(state).any(|quota| quota.is_limited()),
        // Checks, judgements, bindings and authority decide no row without a session.
        Event::RunRecorded { .. }
        | Event::RewardGiven { .. }
        | Event::AuthoritySet { .. }
        | Event::AuthorityRemoved { .. }
        | Event::AuthorityLocked { .. }
        | Event::Bound { .. }
        | Event::Unbound { .. }
        | Event::Undone { .. }
        | Event::Refused { .. }
        | Event::Purged { .. } => false,
    }
}

/// The quotas of a goal and its lanes.
pub(super) fn quotas(state: &State) -> impl Iterator<Item = Quota> {
    let goal = state.goal.iter().map(|goal| goal.quota);
    goal.chain(state.agents.values().map(|agent| agent.quota))
}

/// The next instant at which something changes by time alone.
pub(super) fn changes_by_itself(state: &State, now: Timestamp) -> Option<Timestamp> {
    let todos = state.todos.values().filter(|todo| !todo.is_closed()).flat_map(|todo| {
        let due = match todo.class {
            TodoClass::Monitor { next_due_at } => Some(next_due_at),
            TodoClass::Advance => None,
        };
        let opens = match todo.state {
            TodoState::Deferred { until } => until,
            TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => None,
        };
        [todo.claim.as_ref().map(|claim| claim.until), due, opens]
    });
    let gates = state.gates.values().map(|gate| match gate.state {
        GateDecision::Approved { until, .. } | GateDecision::Deferred { until, .. } => until,
        GateDecision::Requested | GateDecision::Rejected { .. } | GateDecision::Withdrawn => None,
    });
    let offers = state.handoffs.values().map(|handoff| match handoff.state {
        HandoffState::Offered => handoff.expires_at,
        HandoffState::Accepted
        | HandoffState::FollowedUp
        | HandoffState::Declined
        | HandoffState::Withdrawn
        | HandoffState::Expired => None,
    });
    let whole = state.goal.iter().map(|goal| (None, goal.quota));
    let quotas = whole.chain(state.agents.iter().map(|(id, agent)| (Some(id), agent.quota)));
    let limits = quotas.filter(|(_, quota)| quota.is_limited()).map(|(agent, quota)| {
        let spending = Spending::of(&state.ledger, Observed::NOTHING, agent);
        match spending.used_up(&quota, now) {
            Some(Frees::At(at)) => Some(at),
            Some(Frees::Never) | None => None,
        }
    });
    todos.chain(gates).chain(offers).chain(limits).flatten().filter(|at| *at > now).min()
}
