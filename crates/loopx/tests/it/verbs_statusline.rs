//! `loopx statusline`: a prompt that asks gets one line, whatever is wrong.

use std::fs;

use loopx_core::ProofFloor;

use crate::made::Turn;
use crate::stage::{GOAL, gate, goal, lane, todo, two_lanes};
use crate::world::World;

#[track_caller]
fn line(world: &World, args: &[&str]) -> String {
    let ran = world.run(&[&["statusline"], args].concat()).ok();
    assert_eq!((ran.err.as_str(), ran.out.matches('\n').count()), ("", 1), "{ran:?}");
    ran.out.trim_end().to_owned()
}

#[test]
fn it_says_whom_it_all_waits_on() {
    let world = two_lanes(ProofFloor::None);
    assert_eq!(line(&world, &[]), "loopx: nothing to do");
    todo(&world, &["build it"]);
    assert_eq!(line(&world, &[]), "loopx: 2 ready to start");
    goal(&world, "second", ProofFloor::None);
    lane(&world, "second", "cid", None);
    world.run(&["goal", "pause", "second"]).ok();
    assert_eq!(line(&world, &[]), "loopx: 1 to set right · paused");
    gate(&world, &["may it be published?"]);
    let all = line(&world, &[]);
    assert!(all.starts_with("loopx: 1 on you · a decision, for ") && all.ends_with('s'), "{all}");
    assert_eq!(line(&world, &["--goal", "second"]), "loopx: 1 to set right · paused");
    assert!(line(&world, &["--agent", "bob"]).starts_with("loopx: 1 on you"));
    assert_eq!(line(&world, &["--width", "12"]), "loopx: 1 on…");
    assert!(line(&world, &["--color", "always"]).starts_with("\u{1b}[1;31mloopx: "));
    let document = world.json(&["statusline"]);
    assert_eq!((&document["waiting_on"], &document["count"]), (&"user".into(), &1.into()));
}

#[test]
fn a_prompt_of_a_session_without_a_goal_counts() {
    let world = World::new();
    world.run(&["status"]).ok();
    assert_eq!(line(&world, &[]), "");
    world.codex(1, &world.project("made-up"), Turn::Asks, 0);
    let said = line(&world, &[]);
    assert!(said.starts_with("loopx: 1 on you · a question, for "), "{said}");
}

#[test]
fn where_nothing_is_set_up_it_is_empty_and_nothing_is_made() {
    let world = World::new();
    assert_eq!(line(&world, &[]), "");
    assert!(!world.path("loopx").exists());
    assert_eq!(line(&world.without("LOOPX_HOME").without("HOME"), &[]), "");
}

#[test]
fn whatever_is_wrong_a_prompt_gets_its_line() {
    let world = two_lanes(ProofFloor::None);
    fs::write(world.path("work/.loopx.toml"), "nonsense").expect("a file");
    assert_eq!(line(&world, &[]), "loopx: nothing to do");
    for name in ["loopx.db", "loopx.db-wal", "loopx.db-shm"] {
        let _ = fs::remove_file(world.path("loopx").join(name));
    }
    fs::create_dir(world.path("loopx/loopx.db")).expect("a folder");
    assert_eq!(line(&world, &[]), "");
}

#[test]
fn a_goal_or_agent_that_is_not_there_was_an_empty_line_and_no_word() {
    let world = two_lanes(ProofFloor::None);
    for (args, words) in [
        (&["--goal", "nowhere"][..], "no goal nowhere"),
        (&["--goal", "not a goal"], "malformed goal id"),
        (&["--agent", "nope"], "no agent nope on any goal"),
        (&["--agent", "bbo"], "did you mean bob?"),
        (&["--goal", GOAL, "--agent", "nope"], "no agent nope on this goal"),
    ] {
        let ran = world.run(&[&["statusline"], args].concat());
        assert_eq!((ran.code, ran.out.as_str(), ran.err.contains(words)), (0, "\n", true), "{ran:?}");
    }
}

#[test]
fn it_counted_lanes_where_a_person_counts_asks() {
    let world = two_lanes(ProofFloor::None);
    // One decision that both lanes wait for.
    gate(&world, &["may it be published?"]);
    assert!(line(&world, &[]).starts_with("loopx: 1 on you · a decision, for "));
    goal(&world, "second", ProofFloor::None);
    lane(&world, "second", "cid", None);
    gate(&world, &["and this?", "--goal", "second", "--agent", "cid"]);
    assert!(line(&world, &[]).starts_with("loopx: 2 on you · a decision, for "));
    let document = world.json(&["statusline"]);
    assert_eq!((&document["count"], &document["reason"]), (&2.into(), &"decision".into()));
}

#[test]
fn a_width_that_is_none_was_refused_in_a_parsers_words() {
    let world = two_lanes(ProofFloor::None);
    for width in ["3", "wide", "-1", "99999"] {
        let ran = world.run(&["statusline", &format!("--width={width}")]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
        assert!(ran.err.contains("give a whole number of characters, 8 to 65535"), "{ran:?}");
    }
}
