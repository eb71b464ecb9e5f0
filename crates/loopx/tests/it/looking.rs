//! A look that follows another one finds what a first look finds.

use std::os::unix::fs::PermissionsExt as _;

use jiff::{SignedDuration, Timestamp};
use loopx::app::ControlPlane;
use loopx::app::board::Board;
use loopx::clock::Clock;
use loopx_core::ProofFloor;

use crate::made::Turn;
use crate::person::Types;
use crate::stage::{GOAL, gate, goal, lane, todo, two_lanes};
use crate::world::{World, without};

/// The document of everything at an instant, as this one finds it.
fn found(plane: &mut ControlPlane, now: Timestamp) -> String {
    let (world, seen) = plane.world(now, None).expect("a look");
    let board = Board::of(world, &seen, jiff::tz::TimeZone::UTC).expect("a board");
    let text = String::from_utf8(board.json().expect("a document").to_vec()).expect("text");
    // When all files were looked for last is each one's own.
    without(&text, "swept_at")
}

fn stays(world: &World) -> ControlPlane {
    let mut plane = ControlPlane::open(&world.env).expect("a store");
    plane.stay();
    plane
}

/// Both find the same, the one that stays twice.
#[track_caller]
fn agrees(world: &World, plane: &mut ControlPlane, after: &str) -> String {
    let now = Clock.now();
    let fresh = found(&mut stays(world), now);
    assert_eq!(found(plane, now), fresh, "after {after}");
    assert_eq!(found(plane, now), fresh, "again after {after}");
    fresh
}

#[test]
fn whatever_is_recorded_is_found_by_one_who_stays() {
    let world = two_lanes(ProofFloor::None);
    let mut plane = stays(&world);
    agrees(&world, &mut plane, "nothing");
    let first = todo(&world, &["build it"]);
    agrees(&world, &mut plane, "a todo");
    let claimed = world.run(&["next", "--claim", "--agent", "ann"]);
    assert!(claimed.out.contains("build it"), "{claimed:?}");
    let held = agrees(&world, &mut plane, "a claim");
    let asked = gate(&world, &["may it go out?"]);
    let asking = agrees(&world, &mut plane, "a gate");
    assert_ne!(held, asking);
    world.run(&["gate", "approve", &asked]).ok();
    agrees(&world, &mut plane, "a decision");
    world.run(&["todo", "edit", &first, "--title", "build it well"]);
    agrees(&world, &mut plane, "an edit");
    goal(&world, "second", ProofFloor::None);
    lane(&world, "second", "cyd", None);
    assert!(agrees(&world, &mut plane, "another goal").contains("cyd"));
    world.run(&["goal", "pause", GOAL]);
    agrees(&world, &mut plane, "a pause");
}

#[test]
fn a_text_that_was_purged_stayed_on_a_screen_that_stays() {
    let world = two_lanes(ProofFloor::None);
    let mut plane = stays(&world);
    let id = todo(&world, &["tell the secret sauce"]);
    assert!(agrees(&world, &mut plane, "a todo").contains("secret sauce"));
    world.run(&["purge", "--id", &id]).ok();
    assert!(!agrees(&world, &mut plane, "a purge").contains("secret sauce"));
}

#[test]
fn a_store_that_was_set_back_is_read_anew() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["backup", "kept.db"]).ok();
    todo(&world, &["one way"]);
    let mut plane = stays(&world);
    assert!(agrees(&world, &mut plane, "a todo").contains("one way"));
    world.at_terminal(Types::TheCode, &["restore", "kept.db"]).0.ok();
    todo(&world, &["another way"]);
    assert!(agrees(&world, &mut plane, "a restore").contains("another way"));
}

#[test]
fn what_a_session_says_is_found_by_one_who_stays() {
    let world = two_lanes(ProofFloor::None);
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    let mut plane = stays(&world);
    agrees(&world, &mut plane, "no session");
    for (number, turn) in [(1, Turn::Asks), (2, Turn::Done), (3, Turn::Unsure)] {
        world.codex(number, &project, turn, 0);
        agrees(&world, &mut plane, "a session");
    }
}

#[test]
fn a_session_that_was_written_to_while_a_look_failed_was_not_looked_at() {
    let world = two_lanes(ProofFloor::None);
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    world.codex(1, &project, Turn::Done, 0);
    let mut plane = stays(&world);
    agrees(&world, &mut plane, "a turn that is over");
    let may = |mode| {
        std::fs::set_permissions(world.path("loopx"), std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    todo(&world, &["build it"]);
    may(0o777);
    world.codex(1, &project, Turn::Asks, 0);
    assert!(plane.world(Clock.now(), None).is_err());
    may(0o700);
    // The log is written to, and the session is not, since the look before: that look did not see it.
    plane.look_at_log_alone();
    let now = Clock.now();
    assert_eq!(found(&mut plane, now), found(&mut stays(&world), now));
}

#[test]
fn what_is_bound_anew_is_found_by_one_who_stays() {
    let world = two_lanes(ProofFloor::None);
    goal(&world, "second", ProofFloor::None);
    lane(&world, "second", "cyd", None);
    let project = world.project("made-up");
    let folder = project.to_str().expect("text");
    world.codex(1, &project, Turn::Asks, 0);
    let mut plane = stays(&world);
    let nowhere = agrees(&world, &mut plane, "no binding");
    world.run(&["bind", folder, "--goal", GOAL, "--agent", "ann"]).ok();
    let first = agrees(&world, &mut plane, "a binding");
    world.run(&["unbind", folder, "--goal", GOAL]).ok();
    agrees(&world, &mut plane, "no binding any more");
    world.run(&["bind", folder, "--goal", "second", "--agent", "cyd"]).ok();
    let second = agrees(&world, &mut plane, "another binding");
    world.run(&["goal", "archive", "second"]);
    let over = agrees(&world, &mut plane, "a goal that is over");
    assert!(nowhere != first && first != second && second != over);
}

#[test]
fn what_time_alone_changes_was_not_found_by_one_who_stays() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    world.run(&["next", "--claim", "--agent", "ann", "--lease", "1m"]);
    let mut plane = stays(&world);
    let now = Clock.now();
    let held = found(&mut plane, now);
    let later = now + SignedDuration::from_mins(5);
    let freed = found(&mut plane, later);
    assert_eq!(freed, found(&mut stays(&world), later));
    assert_ne!(held.replace(&now.to_string(), ""), freed.replace(&later.to_string(), ""));
    // And one that is set back is no reason to keep what was decided later.
    assert_eq!(found(&mut plane, now), held);
}
