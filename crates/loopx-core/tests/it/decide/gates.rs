//! Gates: asking, deciding, single use, and the todo that goes with a question.

use loopx_core::command::{AuthorityCommand, Decision, GateWithdraw, LaneCommand};
use loopx_core::gate::{GateDecision, GateStanding, Uses};
use loopx_core::testing::{agent, text};
use loopx_core::todo::{Blocker, Covers};
use loopx_core::{Refusal, RefusalCode};

use super::*;

fn reject(world: &mut World, gate: &GateId) -> Outcome {
    let decision = Decision::Reject { reason: None };
    as_person(world, AuthorityCommand::GateDecide { gate: gate.clone(), decision })
}

#[test]
fn the_same_question_while_it_is_asked_is_the_same_gate() {
    let mut world = world();
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    assert_eq!(ask(&mut world, "birch", " deploy?", Covers::default()), gate, "nothing covered is the goal");
    approve(&mut world, &gate, false).unwrap();
    assert_ne!(
        ask(&mut world, "ash", "deploy?", Covers::goal()),
        gate,
        "a decided question may be asked anew"
    );
}

#[test]
fn a_questions_own_todo_is_answered_by_deciding_it() {
    let mut world = world();
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    let todo = world.state.gates.get(&gate).unwrap().linked_todo.clone().unwrap();
    let answers = || Err(Refusal::AnswersGate { todo: todo.clone(), gate: gate.clone() });
    let done = finishing(&todo, None, None);
    assert_eq!(as_lane(&mut world, "ash", LaneCommand::TodoFinish(done.clone())), answers());
    assert_eq!(as_person(&mut world, AuthorityCommand::TodoFinish(done)), answers());
    let is_open = |world: &World| world.state.is_open(world.state.todos.get(&todo).unwrap(), world.now);
    assert!(is_open(&world));
    approve(&mut world, &gate, false).unwrap();
    assert!(!is_open(&world));
    as_person(&mut world, AuthorityCommand::GateRevoke { gate: gate.clone() }).unwrap();
    assert!(is_open(&world), "a revoked approval asks again");
}

#[test]
fn a_todo_that_waits_for_a_questions_todo_waits_for_the_gate() {
    let mut world = world();
    let elsewhere = Covers { agents: [agent("cedar")].into(), ..Covers::default() };
    let gate = ask(&mut world, "ash", "deploy?", elsewhere);
    let linked = world.state.gates.get(&gate).unwrap().linked_todo.clone().unwrap();
    let todo = add(&mut world, "prune");
    as_lane(&mut world, "ash", LaneCommand::TodoBlock { todo: todo.clone(), on: Blocker::Todo(linked) })
        .unwrap();
    assert_eq!(world.state.todos.get(&todo).unwrap().blocked_by, [Blocker::Gate(gate.clone())].into());
    assert_eq!(code(claim(&mut world, "ash", &todo)), Some(RefusalCode::Conflict));
    approve(&mut world, &gate, false).unwrap();
    assert!(claim(&mut world, "ash", &todo).is_ok());
}

#[test]
fn a_gate_on_one_lane_never_stops_another() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let on_ash = Covers { agents: [agent("ash")].into(), ..Covers::default() };
    let gate = ask(&mut world, "ash", "deploy?", on_ash);
    let held = Refusal::HeldBy { todo: todo.clone(), by: gate.to_string() };
    assert_eq!(claim(&mut world, "ash", &todo), Err(held));
    assert!(claim(&mut world, "birch", &todo).is_ok());
}

#[test]
fn a_single_use_approval_frees_one_todo_until_it_is_finished() {
    let mut world = world();
    let (one, other) = (add(&mut world, "one"), add(&mut world, "other"));
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    approve(&mut world, &gate, true).unwrap();
    claim(&mut world, "ash", &one).unwrap();
    let uses = |world: &World| {
        let state = world.state.gates.get(&gate).unwrap().state.clone();
        let GateDecision::Approved { uses, .. } = state else { panic!("{state:?}") };
        uses
    };
    assert_eq!(uses(&world), Uses::Taken(one.clone()));
    assert_eq!(code(claim(&mut world, "birch", &other)), Some(RefusalCode::Conflict));
    let release = LaneCommand::TodoRelease { todo: one.clone(), agent: agent("ash"), token: None };
    as_lane(&mut world, "ash", release).unwrap();
    assert_eq!(uses(&world), Uses::Taken(one.clone()), "it stays with the todo");
    claim(&mut world, "birch", &one).unwrap();
    finish(&mut world, "birch", &one).unwrap();
    assert_eq!(uses(&world), Uses::Used);
    assert_eq!(world.state.gates.get(&gate).unwrap().standing(world.now), GateStanding::Requested);
}

#[test]
fn a_lane_takes_back_only_what_it_asked_and_nobody_decided() {
    let mut world = world();
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    let withdraw =
        |slug| LaneCommand::GateWithdraw(GateWithdraw { gate: gate.clone(), agent: Some(agent(slug)) });
    assert_eq!(code(as_lane(&mut world, "birch", withdraw("birch"))), Some(RefusalCode::NeedsPerson));
    reject(&mut world, &gate).unwrap();
    assert_eq!(code(as_lane(&mut world, "ash", withdraw("ash"))), Some(RefusalCode::NeedsPerson));
    as_person(&mut world, AuthorityCommand::GateRevoke { gate: gate.clone() }).unwrap_err();
    let other = ask(&mut world, "ash", "prune?", Covers::goal());
    let own = GateWithdraw { gate: other.clone(), agent: None };
    as_lane(&mut world, "ash", LaneCommand::GateWithdraw(own)).unwrap();
    assert_eq!(code(approve(&mut world, &other, false)), Some(RefusalCode::Conflict), "it fell away");
}

#[test]
fn a_decision_must_say_what_it_means() {
    let mut world = world();
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    let past = Some(world.now);
    for decision in [
        Decision::Defer { until: None, condition: None },
        Decision::Defer { until: past, condition: None },
        Decision::Approve { until: past, single_use: false },
    ] {
        let command = AuthorityCommand::GateDecide { gate: gate.clone(), decision };
        let name = format!("{command:?}");
        assert_eq!(code(as_person(&mut world, command)), Some(RefusalCode::Invalid), "{name}");
    }
}

#[test]
fn a_person_may_change_their_mind() {
    let mut world = world();
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    let standing = |world: &World| world.state.gates.get(&gate).unwrap().standing(world.now);
    reject(&mut world, &gate).unwrap();
    assert_eq!(standing(&world), GateStanding::Rejected);
    approve(&mut world, &gate, false).unwrap();
    assert_eq!(standing(&world), GateStanding::Approved);
    let decision = Decision::Defer { until: None, condition: Some(text("the weather")) };
    as_person(&mut world, AuthorityCommand::GateDecide { gate: gate.clone(), decision }).unwrap();
    assert_eq!(standing(&world), GateStanding::Deferred);
    as_person(&mut world, AuthorityCommand::GateConditionMet { gate: gate.clone() }).unwrap();
    assert_eq!(standing(&world), GateStanding::Requested);
}
