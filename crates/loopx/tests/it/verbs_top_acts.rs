//! What is done in `loopx top`: each act is shown first, confirmed, recorded, and told.

use loopx_core::ProofFloor;

use crate::stage::{goal, lane, todo, with_failed_session};
use crate::verbs_top::Top;
use crate::world::World;

/// A goal that asks for no proof, with two lanes.
fn pilot() -> World {
    let world = World::new().with("LOOPX_GOAL", "pilot");
    goal(&world, "pilot", ProofFloor::None);
    lane(&world, "pilot", "ann", None);
    lane(&world, "pilot", "bob", None);
    world
}

/// Its goal's rows that hold these words, the first one selected.
fn at(top: &mut Top, words: &str) {
    top.types("\r", words);
    top.types(&format!("/{words}\r"), "Esc shows all");
}

/// Confirms what is shown; it holds this.
#[track_caller]
fn confirmed(top: &mut Top, keys: &str, event: &str) {
    let shown = top.types(keys, "What is recorded then");
    assert!(shown.contains(event), "{shown}");
    let done = top.types("y", "at revision");
    assert!(done.contains(event), "{done}");
    top.types(" ", "›");
}

#[test]
fn a_run_is_judged() {
    let world = pilot();
    let run = ["run", "record", "--kind", "progress", "--summary", "half of it", "--agent", "ann"];
    world.run(&run).ok();
    let mut top = Top::of(&world);
    at(&mut top, "half of it");
    top.types("a", "judge the run");
    top.types("w", "it was");
    // The next one of the choices, and no reason.
    confirmed(&mut top, "l\r\r", "reward_given");
    let rewards = world.run(&["reward", "list"]).ok().out;
    assert!(rewards.contains("mixed"), "{rewards}");
    top.stands("judged mixed");
    top.left();
}

#[test]
fn a_limit_that_was_set_was_lost_by_setting_another() {
    let world = pilot();
    world.run(&["quota", "set", "--agent", "ann", "--turns", "7", "--window", "2h"]).ok();
    let mut top = Top::of(&world);
    at(&mut top, "7 turns");
    top.types("a", "limit ann");
    let form = top.types("l", "in so many hours");
    assert!(form.contains('7') && form.contains('2'), "{form}");
    // What is no digit is not taken.
    confirmed(&mut top, "\r9x0\r\r\r", "quota_set");
    let shown = world.json(&["quota", "show", "--agent", "ann"]).to_string();
    assert!(shown.contains("\"limit\":7") && shown.contains("\"limit\":90"), "{shown}");
    assert!(shown.contains("\"window_minutes\":120"), "{shown}");
    top.left();
}

#[test]
fn a_lane_and_the_goal_are_paused_and_go_on() {
    let world = pilot();
    let standing = || world.run(&["status"]).fails(0, "").out;
    let mut top = Top::of(&world);
    top.types("a", "pause ann");
    confirmed(&mut top, "p", "agent_edited");
    top.stands("resume agent ann");
    assert!(standing().contains("resume agent ann"), "{}", standing());
    top.types("a", "let ann go on");
    confirmed(&mut top, "p", "agent_edited");
    top.types("a", "pause goal pilot");
    confirmed(&mut top, "P", "goal_state_set");
    top.stands("resume the goal");
    top.types("a", "let goal pilot go on");
    confirmed(&mut top, "P", "goal_state_set");
    assert!(!standing().contains("resume"), "{}", standing());
    top.left();
}

#[test]
fn a_handoff_is_taken_for_a_lane() {
    let world = pilot();
    let piece = todo(&world, &["draw the map"]);
    world.run(&["todo", "claim", &piece, "--agent", "ann"]).ok();
    let offer = ["handoff", "offer", &piece, "--next-action", "draw the coast", "--agent", "ann"];
    world.run(&offer).ok();
    let mut top = Top::of(&world);
    at(&mut top, "draw the coast");
    top.types("a", "take the handoff for a lane");
    // The lane that offers it can't take it.
    let form = top.types("h", "bob");
    assert!(!form.contains("‹ ann"), "{form}");
    confirmed(&mut top, "\r", "handoff_moved");
    let claimed = world.json(&["todo", "list"]).to_string();
    assert!(claimed.contains("\"bob\""), "{claimed}");
    top.left();
}

#[test]
fn a_session_that_failed_could_not_be_dismissed_there() {
    let world = with_failed_session();
    let row = || world.json(&["status", "pilot"])["goals"][0]["lanes"][0]["row"].clone();
    assert_eq!(row(), "failed");
    let mut top = Top::of(&world);
    top.types("a", "dismiss the session that failed");
    confirmed(&mut top, "x", "run_recorded");
    assert_eq!(row(), "ready");
    top.left();
}
