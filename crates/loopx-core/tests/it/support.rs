//! What the tests of histories compare.

use std::collections::BTreeMap;
use std::fmt::Debug;

use jiff::Timestamp;
use loopx_core::gate::{GateDecision, Uses};
use loopx_core::handoff::HandoffState;
use loopx_core::table::Table;
use loopx_core::todo::TodoState;
use loopx_core::{Names, State};

fn keep<K: Ord + Clone, V: Clone>(table: &Table<K, V>, keep: impl Fn(&K, &V) -> bool) -> Table<K, V> {
    let mut part = Table::default();
    for (key, row) in table {
        if keep(key, row) {
            part.load(key.clone(), row.clone());
        }
    }
    part
}

/// What a store holds: what is open, what is named, and what that names.
pub fn working_set(full: &State, names: &Names) -> State {
    let load = |names: &Names| State {
        revision: full.revision,
        goal: full.goal.clone(),
        agents: full.agents.clone(),
        todos: keep(&full.todos, |id, todo| !todo.is_closed() || names.todos.contains(id)),
        gates: keep(&full.gates, |id, gate| {
            let free = matches!(
                gate.state,
                GateDecision::Withdrawn | GateDecision::Approved { until: None, uses: Uses::Any }
            );
            !free || names.gates.contains(id)
        }),
        runs: keep(&full.runs, |id, _| names.runs.contains(id)),
        rewards: keep(&full.rewards, |id, _| names.rewards.contains(id)),
        handoffs: keep(&full.handoffs, |id, handoff| {
            handoff.state == HandoffState::Offered || names.handoffs.contains(id)
        }),
        spends: keep(&full.spends, |key, _| names.spends.contains(key)),
        ledger: full.ledger.clone(),
        bindings: full.bindings.clone(),
        last_commands: full.last_commands.clone(),
    };
    let mut names = names.clone();
    let second = load(&names).names();
    names.todos.extend(second.todos);
    names.gates.extend(second.gates);
    names.runs.extend(second.runs);
    names.rewards.extend(second.rewards);
    names.handoffs.extend(second.handoffs);
    names.spends.extend(second.spends);
    load(&names)
}

/// What an undo must restore, of the things that were there in `of`: all but counters, instants of the deed, lapsed
/// claims and expired offers. Things made since must be gone: dropped, withdrawn.
pub fn remembered(state: &State, of: &State, now: Timestamp) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut put = |key: &dyn Debug, row: &dyn Debug| drop(all.insert(format!("{key:?}"), format!("{row:?}")));
    put(&"goal", &state.goal);
    for (id, agent) in &state.agents {
        put(id, agent);
    }
    for (target, binding) in &state.bindings {
        put(target, &binding.agent);
    }
    for (id, todo) in &state.todos {
        if !of.todos.contains(id) {
            assert!(todo.state == TodoState::Dropped, "{id} was made by what was undone, and stays");
            continue;
        }
        let mut todo = todo.clone();
        let offer = todo.offered.as_ref().and_then(|id| state.handoffs.get(id));
        let stands = offer.is_some_and(|offer| offer.is_offered(now));
        todo.offered = todo.offered.filter(|_| stands);
        todo.claim = todo.live_claim(now).cloned();
        if let Some(claim) = &mut todo.claim {
            claim.epoch = 0;
        }
        todo.epoch = 0;
        todo.closed_at = None;
        put(id, &todo);
    }
    for (id, gate) in &state.gates {
        if !of.gates.contains(id) {
            assert!(gate.state == GateDecision::Withdrawn, "{id} was asked by what was undone, and stays");
            continue;
        }
        put(id, &(&gate.state, &gate.covers, &gate.question));
    }
    for (id, handoff) in &state.handoffs {
        if !of.handoffs.contains(id) {
            assert!(
                handoff.state == HandoffState::Withdrawn,
                "{id} was offered by what was undone, and stays"
            );
            continue;
        }
        put(id, handoff);
    }
    all
}
