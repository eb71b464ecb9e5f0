//! `loopx next` and `loopx project --record`, through their doors: what a loop and its retries rely on.

use loopx_core::ProofFloor;
use serde_json::{Value, json};

use crate::stage::{GOAL, goal, todo, two_lanes};
use crate::world::World;

fn next(world: &World, args: &[&str]) -> Value {
    world.run(&[&["next", "--json"], args].concat()).json()
}

#[test]
fn a_goal_without_lanes_is_not_taken_for_a_wrong_command_line() {
    let world = World::new().with("LOOPX_GOAL", GOAL);
    goal(&world, GOAL, ProofFloor::None);
    let ran = world.run(&["next"]);
    assert_eq!((ran.code, ran.out.contains("loopx agent add")), (3, true), "{ran:?}");
}

#[test]
fn a_mistyped_goal_or_agent_was_to_be_registered() {
    let world = two_lanes(ProofFloor::None).with("LOOPX_AGENT", "");
    goal(&world, "handbook", ProofFloor::None);
    crate::stage::lane(&world, "handbook", "claude", None);
    for verb in ["next", "why"] {
        let ran = world.run(&[verb, "--goal", "handbok", "--agent", "claude"]);
        assert_eq!((ran.code, ran.err.contains("did you mean handbook?")), (3, true), "{ran:?}");
        let ran = world.run(&[verb, "--goal", "handbook", "--agent", "cluade"]);
        let said = "no agent cluade on goal handbook: did you mean claude?\n";
        assert_eq!((ran.out.contains("loopx agent add cluade"), ran.err.as_str()), (true, said), "{ran:?}");
    }
    for verb in [&["status"][..], &["follow", "--once"], &["todo", "list"]] {
        let ran = world.run(&[verb, &["--goal", "handbok"]].concat());
        assert!(ran.err.contains("hint: did you mean handbook? see `loopx goal list`"), "{ran:?}");
    }
    for verb in [&["status"][..], &["follow", "--once"]] {
        world.run(&[verb, &["--agent", "cluade"]].concat()).fails(3, "hint: did you mean claude? see");
        world.run(&[verb, &["--agent", "someone"]].concat()).fails(3, "hint: see `loopx status`");
    }
    world.run(&["why", "--goal", "nope"]).fails(3, "no goal nope").fails(3, "hint: see `loopx goal list`");
}

#[test]
fn several_lanes_and_none_named_is_a_wrong_command_line() {
    let world = two_lanes(ProofFloor::None).with("LOOPX_AGENT", "");
    world.run(&["next"]).fails(2, "--agent");
}

#[test]
fn a_retried_claim_is_the_first_one_even_after_its_todo_is_finished() {
    let world = two_lanes(ProofFloor::None);
    let id = todo(&world, &["build it"]);
    let first = next(&world, &["--claim", "--key", "turn-1"]);
    assert_eq!((&first["claimed"], &first["token"]), (&json!(id), &json!(1)));
    let again = next(&world, &["--claim", "--key", "turn-1"]);
    assert_eq!((&again["claimed"], &again["token"]), (&json!(id), &json!(1)));
    world.run(&["todo", "done", &id, "--no-successor"]).ok();
    todo(&world, &["test it"]);
    let late = next(&world, &["--claim", "--key", "turn-1"]);
    assert_eq!((&late["claimed"], &late["token"]), (&json!(id), &json!(1)), "never ready without a claim");
}

#[test]
fn a_claim_under_a_key_of_another_command_never_exits_as_ready() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it", "--key", "k"]);
    world.run(&["next", "--claim", "--key", "k"]).fails(4, "key");
}

#[test]
fn a_lease_is_written_as_for_every_other_claim() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    assert_eq!(next(&world, &["--claim", "--lease", "2h"])["token"], 1);
}

#[test]
fn a_retried_record_names_the_run_that_was_recorded_first() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    let first = world.json(&["project", "--record", "--key", "k"]);
    world.run(&["run", "record", "--kind", "progress", "--summary", "began"]).ok();
    let again = world.json(&["project", "--record", "--key", "k"]);
    assert_eq!(first["loopx_refs"]["run_id"], again["loopx_refs"]["run_id"]);
    assert_eq!(world.json(&["run", "list"])["total"], 2);
}

#[test]
fn a_retry_that_says_in_two_hours_again_is_the_same_command() {
    let world = two_lanes(ProofFloor::None);
    let id = todo(&world, &["build it"]);
    let first = world.run(&["todo", "defer", &id, "--until", "2h", "--key", "k"]).ok();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let again = world.run(&["todo", "defer", &id, "--until", "2h", "--key", "k"]).ok();
    assert!(again.out.contains("already recorded") && !first.out.contains("already"), "{again:?}");
    world.run(&["todo", "defer", &id, "--key", "k"]).fails(4, "key");
}

#[test]
fn a_throttled_lane_is_told_when_it_may_go_on_or_that_it_never_may() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    world.run(&["quota", "set", "--turns", "0"]).ok();
    let ran = world.run(&["next"]);
    assert_eq!((ran.code, ran.out.lines().last()), (14, Some("never")), "{ran:?}");
    world.run(&["quota", "set", "--turns", "1", "--window", "1h"]).ok();
    world.run(&["quota", "spend", "--turn-key", "t"]).ok();
    let document = next(&world, &[]);
    let frees = document["frees_at"].as_str().expect("an instant");
    assert!(document["projection"]["first_screen"]["next_action"].as_str().expect("words").ends_with(frees));
}

#[test]
fn a_todo_that_fits_another_lane_alone_is_left_to_it_by_name() {
    let world = two_lanes(ProofFloor::None);
    let id = todo(&world, &["build it", "--needs", "gpu"]);
    world.run(&["agent", "edit", "bob", "--grant", "gpu"]).ok();
    let ran = world.run(&["next"]);
    assert_eq!((ran.code, ran.out), (15, format!("leave {id} to bob, needs gpu\n")));
}

#[test]
fn a_store_whose_file_is_gone_blocks_its_goals_and_hides_no_session() {
    let world = two_lanes(ProofFloor::None).with("LOOPX_AGENT", "");
    for name in ["loopx.db", "loopx.db-wal", "loopx.db-shm"] {
        let _ = std::fs::remove_file(world.path("loopx").join(name));
    }
    let ran = world.run(&["next"]);
    assert_eq!((ran.code, ran.out.contains("loopx doctor")), (11, true), "{ran:?}");
    let status = world.json(&["status"]);
    let goal = &status["goals"][0];
    assert_eq!((&goal["waiting_on"], &goal["lanes"][0]["row"]), (&json!("controller"), &json!("integrity")));
    assert!(status["sessions"].is_array());
}
