//! Undoing the actor's own last command.

use loopx_core::command::{AuthorityCommand, LaneCommand, TodoDrop, TodoEdit, TodoReopen};
use loopx_core::gate::GateStanding;
use loopx_core::testing::{agent, text};
use loopx_core::todo::TodoState;
use loopx_core::{Refusal, RefusalCode};

use super::*;

fn undo(world: &mut World, slug: &str) -> Outcome {
    as_lane(world, slug, LaneCommand::Undo)
}

#[test]
fn a_finish_is_undone_with_its_claim() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    finish(&mut world, "ash", &todo).unwrap();
    undo(&mut world, "ash").unwrap();
    let row = world.state.todos.get(&todo).unwrap();
    assert_eq!(row.state, TodoState::Open);
    assert_eq!(row.claim.as_ref().map(|claim| (claim.agent.clone(), claim.epoch)), Some((agent("ash"), 2)));
    assert_eq!(world.state.goal.as_ref().unwrap().last_finished, None);
    assert_eq!(code(undo(&mut world, "ash")), Some(RefusalCode::Conflict), "once is enough");
}

#[test]
fn what_another_changed_since_is_not_undone() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "birch", &todo).unwrap();
    assert!(matches!(undo(&mut world, "ash"), Err(Refusal::NothingToUndo(_))));
    assert!(undo(&mut world, "birch").is_ok(), "birch came last");
}

#[test]
fn a_refused_command_is_no_last_command() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    as_lane(
        &mut world,
        "ash",
        LaneCommand::TodoRelease { todo: todo.clone(), agent: agent("ash"), token: None },
    )
    .unwrap_err();
    undo(&mut world, "ash").unwrap();
    assert_eq!(world.state.todos.get(&todo).unwrap().state, TodoState::Dropped);
}

#[test]
fn a_lane_undoes_nothing_that_needs_a_person() {
    let mut world = world();
    add_for_user(&mut world, "buy a saw");
    assert_eq!(code(undo(&mut world, "ash")), Some(RefusalCode::NeedsPerson));
}

#[test]
fn a_decision_is_undone_by_a_person_alone() {
    let mut world = world();
    let gate = ask(&mut world, "ash", "deploy?", Covers::goal());
    approve(&mut world, &gate, false).unwrap();
    let unproved = world.by(person(), Command::Lane(LaneCommand::Undo));
    assert_eq!(code(unproved), Some(RefusalCode::NeedsPerson));
    as_person(&mut world, AuthorityCommand::Undo).unwrap();
    assert_eq!(world.state.gates.get(&gate).unwrap().standing(world.now), GateStanding::Requested);
}

#[test]
fn what_is_append_only_says_what_to_do_instead() {
    let mut world = world();
    let amount = loopx_core::quota::Amount { turns: 1, minutes: 0, tokens: 0 };
    let key = loopx_core::TurnKey::parse("turn-1").expect("a key");
    let spend = loopx_core::command::SpendDraft { agent: None, key, amount, at: None };
    as_lane(&mut world, "ash", LaneCommand::Spend(spend)).unwrap();
    let Err(Refusal::NothingToUndo(why)) = undo(&mut world, "ash") else { panic!("a spend was undone") };
    assert!(why.contains("loopx quota void"), "{why}");
}

#[test]
fn an_undone_title_does_not_collide_with_a_newer_todo() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let edit = TodoEdit {
        todo,
        title: Some(text("graft")),
        priority: None,
        class: None,
        globs: None,
        needs: None,
        covers: None,
        blocking: None,
    };
    as_lane(&mut world, "ash", LaneCommand::TodoEdit(edit)).unwrap();
    as_lane(&mut world, "birch", LaneCommand::TodoAdd(titled("prune"))).unwrap();
    assert_eq!(code(undo(&mut world, "ash")), Some(RefusalCode::Conflict));
}

#[test]
fn a_dropped_todo_comes_back_with_the_approval_it_had() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let gate = ask(&mut world, "birch", "deploy?", Covers::goal());
    approve(&mut world, &gate, true).unwrap();
    claim(&mut world, "ash", &todo).unwrap();
    let taken = world.state.gates.get(&gate).unwrap().state.clone();
    as_lane(&mut world, "ash", LaneCommand::TodoDrop(TodoDrop { todo: todo.clone(), reason: None })).unwrap();
    assert_ne!(world.state.gates.get(&gate).unwrap().state, taken, "dropping uses it up");
    undo(&mut world, "ash").unwrap();
    assert_eq!(world.state.gates.get(&gate).unwrap().state, taken);
}

#[test]
fn an_undo_does_not_call_a_reopened_todo_finished() {
    let mut world = world();
    let (done, dropped) = (add(&mut world, "prune"), add(&mut world, "graft"));
    finish(&mut world, "ash", &done).unwrap();
    let drop = TodoDrop { todo: dropped, reason: None };
    as_person(&mut world, AuthorityCommand::TodoDrop(drop)).unwrap();
    as_lane(&mut world, "ash", LaneCommand::TodoReopen(TodoReopen { todo: done })).unwrap();
    as_person(&mut world, AuthorityCommand::Undo).unwrap();
    assert_eq!(world.state.goal.as_ref().unwrap().last_finished, None);
}
