//! What an event changes, by name.

use std::collections::BTreeSet;

use crate::event::Event;
use crate::state::State;
use crate::undo::Thing;

/// What an event changes; what a state says of a handoff or a run is needed to know its todo.
pub(super) fn changed_by(state: &State, event: &Event) -> BTreeSet<Thing> {
    let mut things = BTreeSet::new();
    match event {
        Event::GoalAdded { .. }
        | Event::GoalEdited { .. }
        | Event::AuthoritySet { .. }
        | Event::AuthorityRemoved { .. }
        | Event::AuthorityLocked { .. }
        | Event::GoalStateSet { .. }
        | Event::QuotaSet { agent: None, .. } => drop(things.insert(Thing::Goal)),
        Event::AgentAdded { agent, .. }
        | Event::AgentEdited { agent, .. }
        | Event::QuotaSet { agent: Some(agent), .. } => drop(things.insert(Thing::Agent(agent.clone()))),
        Event::TodoAdded { todo, .. }
        | Event::TodoEdited { todo, .. }
        | Event::TodoRenewed { todo, .. }
        | Event::TodoSucceeded { todo, .. }
        | Event::TodoBlocked { todo, .. }
        | Event::TodoUnblocked { todo, .. }
        | Event::TodoDeferred { todo, .. } => drop(things.insert(Thing::Todo(todo.clone()))),
        Event::TodoClaimed { todo, takes: gates, .. }
        | Event::TodoReleased { todo, gives_back: gates }
        | Event::TodoFinished { todo, uses: gates, .. }
        | Event::TodoDropped { todo, uses: gates, .. }
        | Event::TodoReopened { todo, takes: gates, .. } => {
            things.insert(Thing::Todo(todo.clone()));
            things.extend(gates.iter().cloned().map(Thing::Gate));
        }
        Event::GateAsked { gate, .. }
        | Event::GateApproved { gate, .. }
        | Event::GateRejected { gate, .. }
        | Event::GateDeferred { gate, .. }
        | Event::GateConditionMet { gate }
        | Event::GateRevoked { gate }
        | Event::GateWithdrawn { gate }
        | Event::GateCovered { gate, .. } => drop(things.insert(Thing::Gate(gate.clone()))),
        Event::Spent { key, .. } | Event::SpendVoided { key } => {
            things.insert(Thing::Spend(key.clone()));
        }
        Event::RunRecorded { run, .. } => drop(things.insert(Thing::Run(run.clone()))),
        Event::RunResolved { run } => {
            things.insert(Thing::Run(run.clone()));
            things.extend(state.runs.get(run).and_then(|run| run.todo.clone()).map(Thing::Todo));
        }
        Event::HandoffOffered { handoff, todo, .. } => {
            things.insert(Thing::Handoff(handoff.clone()));
            things.insert(Thing::Todo(todo.clone()));
        }
        Event::HandoffMoved { handoff, .. } => {
            things.insert(Thing::Handoff(handoff.clone()));
            things.extend(state.handoffs.get(handoff).map(|handoff| Thing::Todo(handoff.todo.clone())));
        }
        Event::Bound { target, .. } | Event::Unbound { target } => {
            things.insert(Thing::Binding(target.clone()));
        }
        Event::RewardGiven { .. } | Event::Undone { .. } | Event::Refused { .. } | Event::Purged { .. } => {}
    }
    things
}

/// What undoing an event relies on, though the event does not change it: undoing a finish makes the todo that was
/// finished before it the last finished one again.
pub(super) fn relied_on(state: &State, event: &Event) -> Option<Thing> {
    if !matches!(event, Event::TodoFinished { .. }) {
        return None;
    }
    let last = state.goal.as_ref()?.last_finished.as_ref()?;
    Some(Thing::Todo(last.todo.clone()))
}
