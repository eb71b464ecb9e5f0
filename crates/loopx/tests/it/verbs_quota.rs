//! `loopx quota`.

use serde_json::{Value, json};

use crate::verbs_goal::with_goal;
use crate::world::World;

fn with_lane() -> World {
    let world = with_goal();
    world.run(&["agent", "add", "writer"]).ok();
    world
}

/// The limits of the goal and of its lane.
fn limits(world: &World) -> (Value, Value) {
    let shown = world.json(&["quota", "show"]);
    (shown["limits"][0].clone(), shown["limits"][1].clone())
}

#[test]
fn limits_of_the_goal_and_of_a_lane_stand_side_by_side() {
    let world = with_lane();
    world.run(&["quota", "set", "--turns", "8", "--window", "12h"]).ok();
    world.run(&["quota", "set", "--agent", "writer", "--tokens", "90000"]).ok();
    let (goal, lane) = limits(&world);
    assert_eq!((&goal["agent_id"], &goal["window_minutes"]), (&json!(null), &json!(720)));
    assert_eq!(goal["turns"], json!({ "used": 0, "limit": 8, "reported": 0, "observed": 0 }));
    assert_eq!((&lane["agent_id"], &lane["window_minutes"]), (&json!("writer"), &json!(1440)));
    assert_eq!(lane["tokens"], json!({ "used": 0, "limit": 90000, "reported": 0, "observed": 0 }));
    assert_eq!(lane["turns"]["limit"], json!(null));
}

#[test]
fn what_is_not_named_stays_and_none_takes_a_limit_away() {
    let world = with_lane();
    world.run(&["quota", "set", "--turns", "8", "--minutes", "60", "--window", "7d"]).ok();
    world.run(&["quota", "set", "--turns", "none"]).ok();
    let (goal, _) = limits(&world);
    assert_eq!((&goal["turns"]["limit"], &goal["minutes"]["limit"]), (&json!(null), &json!(60)));
    assert_eq!(goal["window_minutes"], 10_080);
    world.run(&["quota", "set"]).fails(2, "no limit is named");
}

#[test]
fn only_whole_numbers_from_0_are_counts() {
    let world = with_lane();
    for (text, words) in [
        ("-1", "turns: -1 is no whole number from 0"),
        ("1.5", "turns: 1.5 is no whole number from 0"),
        ("NaN", "turns: NaN is no whole number from 0"),
        ("", "turns:  is no whole number from 0"),
        ("+3", "turns: +3 is no whole number from 0"),
        ("99999999999999999999", "turns: 99999999999999999999 is too large"),
    ] {
        for args in
            [&["quota", "set", "--turns", text][..], &["quota", "spend", "--turn-key", "k", "--turns", text]]
        {
            let ran = world.run(args).fails(2, words);
            assert_eq!(ran.err.lines().count(), 2, "{ran:?}");
        }
    }
    for window in ["-2h", "1.5h", "soon", "NaN"] {
        world.run(&["quota", "set", "--turns", "1", "--window", window]).fails(2, "is no length");
    }
    world.run(&["quota", "set", "--turns", "1", "--window", "40d"]).fails(2, "window: ");
    assert_eq!(limits(&world).0["turns"]["limit"], json!(null));
}

#[test]
fn a_turn_counts_once_for_the_only_lane_and_its_goal() {
    let world = with_lane();
    world.run(&["quota", "set", "--turns", "2"]).ok();
    world.run(&["quota", "spend", "--turn-key", "t1"]).ok();
    assert!(world.run(&["quota", "spend", "--turn-key", "t1"]).ok().out.contains("already so"));
    let (goal, lane) = limits(&world);
    assert_eq!((&goal["turns"]["used"], &lane["turns"]["used"]), (&json!(1), &json!(1)));
    world.run(&["quota", "spend", "--turn-key", "t2", "--minutes", "3", "--tokens", "500"]).ok();
    let (goal, _) = limits(&world);
    assert_eq!((&goal["turns"]["used"], &goal["minutes"]["used"]), (&json!(1), &json!(3)));
}

#[test]
fn a_used_up_limit_says_when_it_frees() {
    let world = with_lane();
    world.run(&["quota", "set", "--turns", "1"]).ok();
    world.run(&["quota", "spend", "--turn-key", "t1"]).ok();
    let (goal, _) = limits(&world);
    assert_eq!(goal["used_up"], true);
    assert!(goal["frees_at"].is_string(), "{goal}");
    world
        .run(&["quota", "spend", "--turn-key", "t2"])
        .fails(7, "over the allowance of 1 turns")
        .fails(7, "hint: ");
    assert!(world.run(&["quota", "show"]).ok().out.contains("used up until "));
    world.run(&["quota", "set", "--turns", "0"]).ok();
    assert_eq!(limits(&world).0["frees_at"], json!(null));
    assert!(world.run(&["quota", "show"]).ok().out.contains("used up for good"));
}

#[test]
fn a_spend_is_taken_back_once() {
    let world = with_lane();
    world.run(&["quota", "spend", "--turn-key", "t1"]).ok();
    world.run(&["quota", "void", "--turn-key", "t1"]).ok();
    assert_eq!(limits(&world).0["turns"]["used"], 0);
    world.run(&["quota", "void", "--turn-key", "t1"]).fails(4, "taken back already");
    world.run(&["quota", "void", "--turn-key", "t9"]).fails(3, "no such turn key");
}

#[test]
fn a_spend_may_be_dated() {
    let world = with_lane();
    world.run(&["quota", "spend", "--turn-key", "t1", "--at", "2999-01-01T00:00:00Z"]).ok();
    assert_eq!(limits(&world).0["turns"]["used"], 1);
    world
        .run(&["quota", "spend", "--turn-key", "t2", "--at", "2020-01-01T00:00:00Z"])
        .fails(2, "over 31 days ago");
    world.run(&["quota", "spend", "--turn-key", "t3", "--at", "yesterday"]).fails(2, "not an instant");
    world.run(&["quota", "spend", "--turn-key", "a key"]).fails(2, "no white space");
}

#[test]
fn an_unknown_lane_has_no_limits() {
    let world = with_lane();
    world.run(&["quota", "set", "--agent", "nobody", "--turns", "1"]).fails(3, "no agent nobody");
    world.run(&["quota", "spend", "--agent", "nobody", "--turn-key", "t"]).fails(3, "no agent nobody");
    world.run(&["quota", "show", "--goal", "nowhere"]).fails(3, "no goal nowhere");
}
