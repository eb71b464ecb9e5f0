//! What holds after every command of every random history.

use std::collections::BTreeMap;

use loopx_core::command::{AuthorityCommand, Command, LaneCommand, Request};
use loopx_core::decide::{Decided, decide, needs_person};
use loopx_core::gate::{GateDecision, GateStanding, Uses};
use loopx_core::handoff::HandoffState;
use loopx_core::quota::Amount;
use loopx_core::testing::{LANES, World, agent, goal, lane};
use loopx_core::todo::TodoState;
use loopx_core::{Event, Names, Recorded, State, Who};
use proptest::prelude::*;

use crate::support::{remembered, working_set};

fn submit(world: &World, request: &Request) -> Result<(World, Decided), loopx_core::Refusal> {
    let mut then = world.clone();
    let decided = then.submit(request)?;
    Ok((then, decided))
}

fn undo_of(request: &Request) -> Request {
    let command = match request.actor.who {
        Who::Person => Command::Authority(AuthorityCommand::Undo),
        Who::Lane(_) | Who::System => Command::Lane(LaneCommand::Undo),
    };
    Request { command, ..request.clone() }
}

fn is_undo(request: &Request) -> bool {
    matches!(request.command, Command::Lane(LaneCommand::Undo) | Command::Authority(AuthorityCommand::Undo))
}

/// A lane's events, one by one against the state before each.
fn lane_keeps_to_its_own(before: &World, request: &Request, decided: &Decided) {
    let Who::Lane(lane) = &request.actor.who else { return };
    let mut world = before.clone();
    for event in &decided.events {
        assert!(!needs_person(&world.state, event), "{lane} caused {event:?}");
        if let Event::GateWithdrawn { gate } = event {
            let gate = world.state.gates.get(gate).expect("the gate is there");
            assert_eq!(gate.asked_by.as_ref(), Some(lane), "{lane} withdrew another's question");
        }
        world.record(&request.actor, vec![event.clone()]);
    }
}

fn claims_exclude_each_other(world: &World) {
    for todo in world.state.todos.values() {
        let Some(claim) = todo.live_claim(world.now) else { continue };
        assert_eq!(claim.epoch, todo.epoch, "{}: the live claim is not the newest", todo.id);
        assert!(!todo.is_closed(), "{}: closed but claimed", todo.id);
        for other in LANES {
            if claim.agent == agent(other) {
                continue;
            }
            let (todo, agent) = (todo.id.clone(), agent(other));
            let command = Command::Lane(LaneCommand::TodoClaim { todo, agent, lease_minutes: 30 });
            let request = Request { goal: goal(), actor: lane(other), key: None, command };
            let outcome = decide(&world.state, &request, world.now, &mut world.random.clone());
            assert!(outcome.is_err(), "two lanes claimed one todo: {claim:?} and {other}");
        }
    }
}

fn gates_and_their_todos_agree(world: &World) {
    for gate in world.state.gates.values() {
        if let Some(todo) = &gate.linked_todo {
            let todo = world.state.todos.get(todo).expect("the gate's own todo is there");
            let requested = gate.standing(world.now) == GateStanding::Requested;
            assert_eq!(world.state.is_open(todo, world.now), requested, "{} and its todo disagree", gate.id);
            let over = gate.state == GateDecision::Withdrawn;
            assert!(!over || todo.is_closed(), "{}: its todo outlives it", gate.id);
        }
        if let GateDecision::Approved { uses: Uses::Taken(by), .. } = &gate.state {
            let todo = world.state.todos.get(by).expect("who took it is there");
            assert!(!todo.is_closed(), "{} stays taken by a closed todo", gate.id);
        }
    }
}

fn what_was_finished_last_is_finished(state: &State) {
    if let Some(last) = &state.goal.as_ref().expect("there is a goal").last_finished {
        let todo = state.todos.get(&last.todo).expect("the todo is there");
        assert!(matches!(todo.state, TodoState::Done { .. }), "{} was finished last, but is not", todo.id);
    }
}

fn offers_are_over_with_their_todo(world: &World) {
    for handoff in world.state.handoffs.values().filter(|handoff| handoff.state == HandoffState::Offered) {
        let todo = world.state.todos.get(&handoff.todo).expect("the offered todo is there");
        assert_eq!(todo.offered.as_ref(), Some(&handoff.id), "{} stays offered over nothing", handoff.id);
        assert_eq!(todo.claim, None, "{}: offered but claimed", todo.id);
    }
}

fn titles_are_unique(state: &State) {
    let mut seen = std::collections::BTreeSet::new();
    for todo in state.todos.values().filter(|todo| !todo.is_closed() && todo.linked_gate().is_none()) {
        let new = seen.insert((todo.is_agents(), todo.title.as_str().trim()));
        assert!(new, "two open todos are called {}", todo.title);
    }
}

fn ledger_is_the_sum_of_spends(state: &State) {
    let spent = |sum: Amount, amount: &Amount| sum.plus(*amount);
    let kept = state.spends.values().filter(|spend| !spend.voided).map(|spend| &spend.amount);
    let slots = state.ledger.iter().map(|(_, amount)| amount);
    assert_eq!(
        slots.fold(Amount::default(), spent),
        kept.fold(Amount::default(), spent),
        "the ledger is off"
    );
}

fn epochs_only_grow(before: &State, after: &State) {
    for (id, todo) in &before.todos {
        let now = after.todos.get(id).expect("a todo never goes away");
        assert!(now.epoch >= todo.epoch, "{id}: its epoch went back");
    }
}

/// A store that holds only what is open and what is named decides and folds the same.
fn working_set_is_enough(before: &World, after: &World, request: &Request, decided: &Decided) {
    let mut part = before.clone();
    part.state = working_set(&before.state, &Names::of_command(&request.command));
    let there = part.submit(request);
    assert_eq!(there.as_ref(), Ok(decided), "the working set decides otherwise");
    macro_rules! same {
        ($($table:ident),*) => {$(
            for (id, row) in &part.state.$table {
                assert_eq!(Some(row), after.state.$table.get(id), "the working set folds otherwise");
            }
        )*};
    }
    same!(todos, gates, runs, rewards, handoffs, spends, ledger, agents, bindings, last_commands);
    assert_eq!(part.state.goal, after.state.goal);
}

fn undo_restores(before: &World, after: &World, request: &Request) {
    if is_undo(request) {
        return;
    }
    if let Ok((undone, _)) = submit(after, &undo_of(request)) {
        let (now, then) = (
            remembered(&undone.state, &before.state, after.now),
            remembered(&before.state, &before.state, after.now),
        );
        for (key, row) in &then {
            assert_eq!(now.get(key), Some(row), "{key}: undoing {:?} does not restore it", request.command);
        }
    }
}

fn check_history(seed: u64, steps: usize) {
    let mut world = World::new(seed);
    for _ in 0..steps {
        let before = world.clone();
        let request = world.request();
        let mut from = before.clone();
        from.random = world.random.clone();
        let outcome = world.submit(&request);
        if let Ok(decided) = &outcome {
            lane_keeps_to_its_own(&from, &request, decided);
            working_set_is_enough(&from, &world, &request, decided);
            if !decided.events.is_empty() {
                undo_restores(&from, &world, &request);
            }
        }
        epochs_only_grow(&before.state, &world.state);
        claims_exclude_each_other(&world);
        gates_and_their_todos_agree(&world);
        offers_are_over_with_their_todo(&world);
        what_was_finished_last_is_finished(&world.state);
        titles_are_unique(&world.state);
        ledger_is_the_sum_of_spends(&world.state);
        world.wait();
    }
    assert_eq!(world.refolded(), world.state, "folding step by step and at once differ");
    let mut read_back = State::default();
    for recorded in &world.log {
        let value = serde_json::to_value(&recorded.event).expect("an event is written");
        assert_eq!(value["type"], recorded.event.name(), "an event goes by two names");
        let json = serde_json::to_string(recorded).expect("an event is written");
        let recorded: Recorded = serde_json::from_str(&json).expect("an event is read back");
        read_back.apply(&recorded);
    }
    assert_eq!(read_back, world.state, "the log read back gives another state");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_invariants(seed: u64, steps in 1usize..120) {
        check_history(seed, steps);
    }

    #[test]
    fn events_of_another_history_do_not_break_the_fold(one: u64, other: u64) {
        let (mut world, mut strange) = (World::new(one), World::new(other));
        for _ in 0..40 {
            let request = strange.request();
            let _refused = strange.submit(&request);
            strange.wait();
            let request = world.request();
            let _refused = world.submit(&request);
        }
        for recorded in strange.log.iter().rev().chain(&strange.log) {
            world.state.apply(recorded);
        }
        let request = world.request();
        let _refused = world.submit(&request);
    }
}

/// The generator is of use only if each command is taken at times.
#[test]
fn random_histories_reach_every_command() {
    let mut taken: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..300 {
        let mut world = World::new(seed);
        for _ in 0..120 {
            let request = world.request();
            let taken = taken.entry(request.command.name()).or_default();
            *taken += u32::from(world.submit(&request).is_ok());
            world.wait();
        }
    }
    let never: Vec<_> = taken.iter().filter(|(_, taken)| **taken == 0).collect();
    assert!(never.is_empty() && taken.len() > 40, "never taken: {never:?} of {taken:?}");
}

/// The fold hands each event to the file of its entity; none may fall through there.
#[test]
fn every_event_changes_the_state() {
    let mut changes: BTreeMap<&str, bool> = BTreeMap::new();
    for seed in 0..150 {
        let mut world = World::new(seed);
        for _ in 0..120 {
            let request = world.request();
            let _refused = world.submit(&request);
            world.wait();
        }
        let mut state = State::default();
        for recorded in &world.log {
            let mut before = state.clone();
            state.apply(recorded);
            before.revision = state.revision;
            before.last_commands = state.last_commands.clone();
            *changes.entry(recorded.event.name()).or_default() |= before != state;
        }
    }
    let still: Vec<_> = changes.iter().filter(|(_, changed)| !**changed).map(|(name, _)| *name).collect();
    assert_eq!(still, ["refused", "undone"], "of {} events", changes.len());
    // All but the purge, which is the store's own, and the lock, after which a terminal decides nothing more.
    assert_eq!(changes.len(), 39, "an event never came: {changes:?}");
}
