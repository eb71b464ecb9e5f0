//! `loopx reward`, `loopx undo` and `loopx log`.

use serde_json::json;

use crate::person::Types;
use crate::verbs_goal::with_goal;
use crate::world::World;

/// A world with a goal, a lane and one run.
fn with_run() -> (World, String) {
    let world = with_goal();
    world.run(&["agent", "add", "writer"]).ok();
    let run = world.run(&["run", "record", "--kind", "progress", "--summary", "Drafted", "--json"]).ok().id();
    (world, run)
}

#[test]
fn a_run_is_judged_and_its_lesson_becomes_a_todo() {
    let (world, run) = with_run();
    let given = world.run(&[
        "reward",
        "give",
        &run,
        "mixed",
        "--reason",
        "half of it works",
        "--lesson",
        "test the rest",
        "--json",
    ]);
    let reward = given.ok().id();
    assert!(reward.starts_with("rew_"), "{reward}");
    let list = world.json(&["reward", "list"]);
    let row = &list["rewards"][0];
    assert_eq!((&row["reward_id"], &row["run_id"]), (&json!(reward), &json!(run)));
    assert_eq!((&row["judgement"], &row["reason"]), (&json!("mixed"), &json!("half of it works")));
    let todo = row["lesson"].as_str().expect("a todo").to_owned();
    assert!(world.run(&["todo", "list", "--json"]).ok().out.contains(&todo));
    assert!(world.run(&["reward", "list"]).ok().out.contains("half of it works"));
}

#[test]
fn a_judgement_is_one_of_three_and_of_a_run_that_is_there() {
    let (world, run) = with_run();
    world.run(&["reward", "give", &run, "great"]).fails(2, "[possible values: good, mixed, bad]");
    world.run(&["reward", "give", "run_zzz", "good"]).fails(3, "no run run_zzz").fails(3, "hint: ");
    world.run(&["reward", "give", "todo_zzz", "good"]).fails(2, "malformed run id");
    world.run(&["reward", "give", &run, "good", "--reason", "see /home/canary"]).fails(7, "reason refused");
    assert_eq!(world.json(&["reward", "list"])["rewards"], json!([]));
    world.run(&["reward", "list"]).ok();
}

#[test]
fn a_judgement_needs_a_person() {
    let world = World::new();
    world.run(&["goal", "add", "g", "--objective", "x y"]).ok();
    let world = world.with("LOOPX_GOAL", "g");
    world.at_terminal(Types::TheCode, &["agent", "add", "writer"]).0.ok();
    let run = world.run(&["run", "record", "--kind", "progress", "--json"]).ok().id();
    world.run(&["reward", "give", &run, "good"]).fails(7, "there is no terminal");
    let (ran, shown) =
        world.at_terminal(Types::TheCode, &["reward", "give", &run, "good", "--lesson", "Go on so"]);
    ran.ok();
    assert_eq!(shown, format!("judge {run} good, and add the todo: Go on so"));
    assert_eq!(world.json(&["reward", "list"])["rewards"][0]["proof"], "terminal");
}

#[test]
fn the_last_command_is_undone() {
    let world = with_goal();
    world.run(&["goal", "scope", "--write", "docs/**"]).ok();
    let undone = world.run(&["undo", "--json"]).ok().json();
    assert_eq!(undone["events"][0], "undone");
    assert_eq!(undone["id"], json!(null));
    assert_eq!(world.json(&["goal", "show"])["boundary"]["write"], json!([]));
    world.run(&["undo"]).fails(4, "nothing to undo: the last command was undone already").fails(4, "hint: ");
}

#[test]
fn what_a_lane_may_do_it_may_undo_without_a_terminal() {
    let world = World::new();
    world.run(&["goal", "add", "g", "--objective", "x y"]).ok();
    let world = world.with("LOOPX_GOAL", "g");
    world.run(&["undo"]).fails(4, "nothing to undo: a goal is put away with `loopx goal archive`");
    world.run(&["todo", "add", "Write it"]).ok();
    let undone = world.run(&["undo"]).ok();
    assert_eq!(undone.out, "undid revision 2 by todo_dropped at revision 4\n");
    assert_eq!(world.json(&["goal", "show"])["open_todos"], 0);
    world.run(&["undo", "--goal", "nowhere"]).fails(3, "no goal nowhere");
}

#[test]
fn the_log_shows_who_did_what_through_which_door_and_proved_how() {
    let world = with_goal();
    world.run(&["agent", "add", "writer"]).ok();
    let log = world.json(&["log"]);
    assert_eq!((&log["schema_version"], &log["goal_id"]), (&json!("loopx_log_v0"), &json!("handbook")));
    let event = &log["events"][0];
    assert_eq!((&event["revision"], &event["goal"]), (&json!(1), &json!("handbook")));
    assert_eq!(event["actor"], json!({ "who": "person", "channel": "cli", "proof": "none" }));
    assert_eq!(event["event"]["type"], "goal_added");
    let out = world.run(&["log"]).ok().out;
    let line = out.lines().nth(1).expect("a line");
    assert!(line.contains("  person  cli   none   goal_added "), "{out}");
    assert!(line.contains("objective=“The handbook is published”"), "{out}");
}

#[test]
fn the_log_goes_on_from_a_place() {
    let world = with_goal();
    for lane in ["a", "b", "c"] {
        world.run(&["agent", "add", lane]).ok();
    }
    let revisions = |args: &[&str]| {
        let log = world.json(&[&["log"], args].concat());
        let all = log["events"].as_array().expect("events");
        let revisions: Vec<u64> = all.iter().map(|event| event["revision"].as_u64().expect("one")).collect();
        (revisions, log["next_after"].as_u64().expect("a place"))
    };
    assert_eq!(revisions(&["--limit", "2"]), (vec![3, 4], 4));
    assert_eq!(revisions(&["--after", "0", "--limit", "2"]), (vec![1, 2], 2));
    assert_eq!(revisions(&["--after", "2"]), (vec![3, 4], 4));
    assert_eq!(revisions(&["--after", "4"]), (vec![], 4));
    assert_eq!(revisions(&["--limit", "0"]), (vec![], 0));
    world.run(&["log", "--after", "4"]).ok();
}

#[test]
fn the_log_of_all_goals_has_one_order() {
    let world = with_goal();
    world.run(&["goal", "add", "other", "--objective", "Another"]).ok();
    world.run(&["agent", "add", "writer"]).ok();
    let log = world.json(&["log", "--all"]);
    let goals: Vec<_> =
        log["events"].as_array().expect("events").iter().map(|event| &event["goal"]).collect();
    assert_eq!(goals, ["handbook", "other", "handbook"]);
    let newest = world.json(&["log", "--all", "--limit", "1"]);
    assert_eq!(newest["events"][0]["goal"], "handbook");
    assert_eq!(newest["events"][0]["event"]["type"], "agent_added");
    world.run(&["log", "--goal", "nowhere"]).fails(3, "no goal nowhere");
}

#[test]
fn jsonl_is_one_document_a_line() {
    let world = with_goal();
    world.run(&["agent", "add", "writer"]).ok();
    let out = world.run(&["log", "--jsonl"]).ok().out;
    let lines: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("a document")).collect();
    assert_eq!(lines.len(), 2);
    assert!(out.lines().all(|line| line.starts_with("{\"schema_version\":\"loopx_event_v0\"")), "{out}");
    world.run(&["log", "--jsonl", "--json"]).fails(2, "cannot be used with");
}

#[test]
fn a_retry_with_the_same_key_is_the_first_receipt() {
    let world = with_goal();
    let pause = ["goal", "pause", "--key", "k1", "--json"];
    let first = world.run(&pause).ok().json();
    let again = world.run(&pause).ok().json();
    assert_eq!((&again["revision"], &again["events"]), (&first["revision"], &first["events"]));
    assert_eq!((&first["replayed"], &again["replayed"]), (&json!(false), &json!(true)));
    world.run(&["goal", "resume", "--key", "k1"]).fails(4, "this key was used for another command");
}

#[test]
fn a_lane_undoes_its_own_and_nothing_of_a_person() {
    let world = with_goal();
    world.run(&["agent", "add", "writer"]).ok();
    let inside = world.with("LOOPX_SESSION", "ses_0123456789abcdefghjkmnpqrs").with("LOOPX_AGENT", "writer");
    inside.run(&["undo"]).fails(4, "nothing to undo: no command of this actor is known");
    inside.run(&["todo", "add", "Write it"]).ok();
    world.run(&["goal", "scope", "--write", "**"]).ok();
    inside.run(&["undo"]).ok();
    let shown = world.json(&["goal", "show"]);
    assert_eq!((&shown["open_todos"], &shown["boundary"]["write"]), (&json!(0), &json!(["**"])));
}

#[test]
fn an_instant_before_every_event_shows_nothing_of_them() {
    let world = World::new();
    world.run(&["goal", "add", "atlas", "--objective", "find the way", "--proof", "none"]).ok();
    for at in ["2001-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "0001-01-01T00:00:00Z"] {
        let document = world.json(&["status", "--at", at]);
        assert!(!document.to_string().contains("atlas"), "{at}: {document}");
    }
    let document = world.json(&["status", "--at", "2600-01-01T00:00:00Z"]);
    assert!(document.to_string().contains("atlas"), "{document}");
}
