//! The working set of a state that is folded whole: what a decision looks at, kept up to date by what changed.

use jiff::{SignedDuration, Timestamp};

use super::changes::quotas;
use crate::gate::GateDecision;
use crate::handoff::HandoffState;
use crate::quota::Quota;
use crate::state::State;
use crate::todo::{Blocker, Todo};

/// How many things may be in it beyond twice those that were open when it was made.
const SLACK: usize = 256;

/// What is open, and what that names.
#[derive(Debug, Default)]
pub(super) struct Working {
    state: State,
    /// How many things it had when it was made; none: it is to be made anew.
    made: Option<usize>,
}

impl Working {
    /// That of a whole state.
    pub(super) fn whole(all: &State, now: Timestamp) -> Self {
        let mut state = State { revision: all.revision, goal: all.goal.clone(), ..State::default() };
        for (id, agent) in &all.agents {
            state.agents.load(id.clone(), agent.clone());
        }
        for (id, gate) in &all.gates {
            if gate.state != GateDecision::Withdrawn {
                state.gates.load(id.clone(), gate.clone());
            }
        }
        for (id, handoff) in &all.handoffs {
            if handoff.state == HandoffState::Offered {
                state.handoffs.load(id.clone(), handoff.clone());
            }
        }
        let longest = quotas(all).filter(Quota::is_limited).map(|quota| quota.window_minutes).max();
        if let Some(longest) = longest {
            let first = now.checked_sub(SignedDuration::from_mins(i64::from(longest) + 1));
            let first = first.map_or(i64::MIN, |first| first.as_second().div_euclid(60));
            for (slot, amount) in all.ledger.iter().filter(|(slot, _)| slot.minute >= first) {
                state.ledger.load(slot.clone(), *amount);
            }
        }
        for todo in all.todos.values().filter(|todo| !todo.is_closed()) {
            add(&mut state, todo, all);
        }
        let made = Some(size(&state));
        Self { state, made }
    }

    /// What a decision looks at.
    pub(super) const fn state(&self) -> &State {
        &self.state
    }

    /// How many things it has.
    pub(super) fn size(&self) -> usize {
        size(&self.state)
    }

    /// It is made anew before it is looked at again.
    pub(super) const fn forget(&mut self) {
        self.made = None;
    }

    /// Takes in what changed since it was looked at.
    pub(super) fn catch_up(&mut self, all: &mut State, now: Timestamp) {
        let agents = all.agents.take_changed();
        let (todos, gates) = (all.todos.take_changed(), all.gates.take_changed());
        let (runs, handoffs) = (all.runs.take_changed(), all.handoffs.take_changed());
        let ledger = all.ledger.take_changed();
        let _ = (all.rewards.take_changed(), all.spends.take_changed());
        let _ = (all.bindings.take_changed(), all.last_commands.take_changed());
        // A limit that was set counts what was spent before.
        let limited = quotas(all).map(|quota| quota.is_limited().then_some(quota.window_minutes)).max();
        let before =
            quotas(&self.state).map(|quota| quota.is_limited().then_some(quota.window_minutes)).max();
        let full = self.made.is_none_or(|made| self.size() > 2 * made + SLACK);
        if full || limited != before {
            *self = Self::whole(all, now);
            return;
        }
        let state = &mut self.state;
        state.goal.clone_from(&all.goal);
        for id in agents {
            put(&mut state.agents, &all.agents, id);
        }
        for id in gates {
            put(&mut state.gates, &all.gates, id);
        }
        for id in handoffs {
            put(&mut state.handoffs, &all.handoffs, id);
        }
        for id in runs.into_iter().filter(|id| state.runs.contains(id)).collect::<Vec<_>>() {
            put(&mut state.runs, &all.runs, id);
        }
        if limited.flatten().is_some() {
            for slot in ledger {
                put(&mut state.ledger, &all.ledger, slot);
            }
        }
        for id in todos {
            match all.todos.get(&id) {
                Some(todo) => add(state, todo, all),
                None => drop(state.todos.remove(&id)),
            }
        }
    }
}

fn size(state: &State) -> usize {
    state.todos.len() + state.gates.len() + state.handoffs.len() + state.ledger.len() + 16
}

fn put<K: Ord + Clone, V: Clone>(
    to: &mut crate::table::Table<K, V>,
    from: &crate::table::Table<K, V>,
    key: K,
) {
    match from.get(&key) {
        Some(row) => to.load(key, row.clone()),
        None => drop(to.remove(&key)),
    }
}

/// Adds a todo, and what it names.
fn add(state: &mut State, todo: &Todo, all: &State) {
    for blocker in &todo.blocked_by {
        match blocker {
            Blocker::Todo(id) => {
                if let (Some(named), false) = (all.todos.get(id), state.todos.contains(id)) {
                    state.todos.load(id.clone(), named.clone());
                    if let Some(gate) = named.linked_gate() {
                        put(&mut state.gates, &all.gates, gate.clone());
                    }
                }
            }
            Blocker::Gate(id) => put(&mut state.gates, &all.gates, id.clone()),
            Blocker::Run(id) => put(&mut state.runs, &all.runs, id.clone()),
            Blocker::Evidence(_) => {}
        }
    }
    if let Some(gate) = todo.linked_gate() {
        put(&mut state.gates, &all.gates, gate.clone());
    }
    if let Some(offer) = &todo.offered {
        put(&mut state.handoffs, &all.handoffs, offer.clone());
    }
    state.todos.load(todo.id.clone(), todo.clone());
}
