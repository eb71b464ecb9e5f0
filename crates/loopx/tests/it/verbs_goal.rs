//! `loopx goal`.

use serde_json::json;

use crate::person::Types;
use crate::world::World;

/// A world with a goal that takes decisions from anywhere.
pub fn with_goal() -> World {
    let world = World::new();
    world
        .run(&["goal", "add", "handbook", "--objective", "The handbook is published", "--proof", "none"])
        .ok();
    world.with("LOOPX_GOAL", "handbook")
}

/// A world with a goal that asks for a terminal.
pub(crate) fn with_guarded_goal() -> World {
    let world = World::new();
    world.run(&["goal", "add", "handbook", "--objective", "The handbook is published"]).ok();
    world.with("LOOPX_GOAL", "handbook")
}

#[test]
fn a_goal_is_added_with_all_that_is_said_of_it() {
    let world = World::new();
    let receipt = world
        .run(&[
            "goal",
            "add",
            "handbook",
            "--objective",
            "The handbook is published",
            "--proof",
            "none",
            "--read",
            "**",
            "--write",
            "docs/**",
            "--write",
            "*.md",
            "--private-data-rule",
            "no names of customers",
            "--stop-condition",
            "stop when the page is live",
            "--json",
        ])
        .ok()
        .json();
    assert_eq!(receipt["schema_version"], "loopx_receipt_v0");
    assert_eq!((&receipt["id"], &receipt["revision"]), (&json!("handbook"), &json!(1)));
    let shown = world.json(&["goal", "show", "handbook"]);
    assert_eq!(shown["schema_version"], "loopx_goal_v0");
    assert_eq!(shown["state"], "active");
    assert_eq!(shown["proof"], "none");
    assert_eq!(
        shown["boundary"],
        json!({
            "read": ["**"],
            "write": ["docs/**", "*.md"],
            "private_data_rule": "no names of customers",
            "stop_condition": "stop when the page is live",
        })
    );
}

#[test]
fn json_puts_the_schema_version_first() {
    let world = with_goal();
    for args in [
        &["goal", "list"][..],
        &["goal", "show"],
        &["goal", "authority", "list"],
        &["agent", "list"],
        &["quota", "show"],
        &["reward", "list"],
        &["log"],
        &["config", "list"],
        &["config", "get", "display.time"],
        &["config", "path"],
        &["uninstall"],
    ] {
        let ran = world.run(&[args, &["--json"]].concat()).ok();
        assert!(ran.out.starts_with("{\"schema_version\":\"loopx_"), "{args:?}: {}", ran.out);
    }
}

#[test]
fn json_is_one_line_and_laid_out_on_a_terminal() {
    let world = World::new();
    let line = world.run(&["config", "path", "--json"]).ok().out;
    let laid_out = world.run_shown(&["config", "path", "--json"]).ok().out;
    assert_eq!((line.lines().count(), laid_out.lines().next()), (1, Some("{")), "{line} {laid_out}");
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    assert_eq!(read(&line), read(&laid_out));
}

#[test]
fn a_new_goal_asks_for_a_terminal_unless_said_otherwise() {
    let world = with_guarded_goal();
    assert_eq!(world.json(&["goal", "show"])["proof"], "terminal");
    world.run(&["goal", "pause"]).fails(7, "there is no terminal").fails(7, "hint: run it yourself");
}

#[test]
fn an_id_that_differs_by_case_alone_is_refused() {
    let world = with_goal();
    world.run(&["goal", "add", "Handbook", "--objective", "Another"]).fails(4, "goal handbook exists");
    world.run(&["goal", "add", "handbook", "--objective", "Another"]).fails(4, "hint: see `loopx goal list`");
}

#[test]
fn an_id_or_text_that_may_not_be_said_is_refused() {
    let world = World::new();
    world.run(&["goal", "add", "..", "--objective", "x"]).fails(2, "malformed goal id");
    world.run(&["goal", "add", "a", "--objective", "see /home/canary/x"]).fails(7, "objective refused: path");
    let globs = ["goal", "add", "a", "--objective", "x", "--write", "../x"];
    world.run(&globs).fails(2, "a scope stays inside the project");
    assert_eq!(world.json(&["goal", "list"])["goals"], json!([]));
}

#[test]
fn what_is_not_named_in_an_edit_stays() {
    let world = with_goal();
    world.run(&["goal", "edit", "--private-data-rule", "no names"]).ok();
    world.run(&["goal", "edit", "handbook", "--objective", "It is printed"]).ok();
    let shown = world.json(&["goal", "show"]);
    assert_eq!(shown["objective"], "It is printed");
    assert_eq!(shown["boundary"]["private_data_rule"], "no names");
    world.run(&["goal", "edit", "--clear-private-data-rule"]).ok();
    assert_eq!(world.json(&["goal", "show"])["boundary"]["private_data_rule"], json!(null));
    world.run(&["goal", "edit"]).fails(2, "nothing to change");
}

#[test]
fn scopes_are_set_and_cleared_each_by_itself() {
    let world = with_goal();
    world.run(&["goal", "scope", "--read", "**", "--write", "src/**"]).ok();
    world.run(&["goal", "scope", "--clear-read"]).ok();
    let boundary = &world.json(&["goal", "show"])["boundary"];
    assert_eq!((&boundary["read"], &boundary["write"]), (&json!([]), &json!(["src/**"])));
    world.run(&["goal", "scope"]).fails(2, "nothing to change");
    world.run(&["goal", "scope", "--read", "a", "--clear-read"]).fails(2, "cannot be used with");
}

#[test]
fn a_goal_is_paused_resumed_closed_and_put_away() {
    let world = with_goal();
    let state = |world: &World| world.json(&["goal", "show", "handbook"])["state"].clone();
    world.run(&["goal", "pause"]).ok();
    assert_eq!(state(&world), "paused");
    world.run(&["goal", "pause"]).fails(4, "handbook is paused").fails(4, "hint: ");
    world.run(&["goal", "resume"]).ok();
    world.run(&["goal", "done"]).ok();
    assert_eq!(state(&world), "done");
    world.run(&["goal", "archive", "handbook"]).ok();
    assert_eq!(world.json(&["goal", "list"])["goals"], json!([]));
    let all = world.json(&["goal", "list", "--all"]);
    assert_eq!(all["goals"][0]["state"], "archived");
    world.run(&["goal", "resume"]).ok();
    assert_eq!(state(&world), "active");
}

#[test]
fn a_goal_that_is_not_there_is_not_found() {
    let world = World::new();
    for verb in ["show", "pause", "resume", "done", "archive"] {
        world
            .run(&["goal", verb, "nowhere"])
            .fails(3, "no goal nowhere")
            .fails(3, "hint: see `loopx goal list`");
    }
    world.run(&["goal", "show"]).fails(2, "no goal is named");
}

#[test]
fn a_goal_goes_by_a_unique_start_of_its_id() {
    let world = with_goal();
    world.run(&["goal", "add", "handlebars", "--objective", "x y"]).ok();
    assert_eq!(world.json(&["goal", "show", "handb"])["goal_id"], "handbook");
    world.run(&["goal", "show", "hand"]).fails(2, "goal hand is ambiguous: handbook, handlebars");
}

#[test]
fn an_authority_source_keeps_its_pointer_private() {
    let world = with_goal();
    let pointer = "https://canary.example.org/guide";
    world
        .run(&[
            "goal",
            "authority",
            "add",
            "design",
            "style guide",
            "--freshness",
            "fresh",
            "--pointer",
            pointer,
        ])
        .ok();
    let list = world.json(&["goal", "authority", "list"]);
    assert_eq!(
        list["authority_sources"],
        json!([{ "role": "design", "label": "style guide", "freshness": "fresh", "pointer_kept": true }])
    );
    for args in [
        &["goal", "authority", "list"][..],
        &["goal", "show"],
        &["goal", "show", "--json"],
        &["log", "--json"],
        &["status", "--json"],
    ] {
        assert!(!world.run(args).ok().out.contains("canary"), "{args:?}");
    }
    assert!(world.run(&["goal", "authority", "list", "--pointers"]).ok().out.contains(pointer));
    world.run(&["goal", "authority", "list", "--pointers", "--json"]).fails(2, "cannot be used with");

    world.run(&["goal", "authority", "remove", "policy", "style guide"]).fails(3, "no such authority source");
    world.run(&["goal", "authority", "remove", "design", "style guide"]).ok();
    world.run(&["goal", "authority", "add", "design", "style guide"]).ok();
    let list = world.json(&["goal", "authority", "list"]);
    assert_eq!(list["authority_sources"][0]["pointer_kept"], false);
    assert_eq!(list["authority_sources"][0]["freshness"], "unread");
}

#[test]
fn an_unknown_role_lists_the_known_ones() {
    with_goal()
        .run(&["goal", "authority", "add", "boss", "x"])
        .fails(2, "[possible values: owner, design, policy, validation, source]");
}

#[test]
fn a_terminal_shows_what_is_to_be_decided() {
    let world = with_guarded_goal();
    for (args, words) in [
        (&["agent", "add", "writer"][..], "register automation writer on goal handbook"),
        (
            &["agent", "edit", "writer", "--grant", "deploy"],
            "edit lane writer of goal handbook: able to deploy",
        ),
        (&["agent", "pause", "writer"], "pause lane writer of goal handbook"),
        (&["agent", "resume", "writer"], "resume lane writer of goal handbook"),
        (&["goal", "edit", "--objective", "It is out"], "edit goal handbook: objective: It is out"),
        (&["goal", "scope", "--write", "docs/**"], "let goal handbook write docs/**"),
        (
            &["goal", "authority", "add", "owner", "the board"],
            "let goal handbook lean on the board as owner, unread",
        ),
        (
            &["goal", "authority", "remove", "owner", "the board"],
            "take the board away from goal handbook as owner",
        ),
        (&["quota", "set", "--turns", "8"], "limit goal handbook: 8 turns in 1d"),
        (
            &["quota", "set", "--agent", "writer", "--tokens", "90", "--window", "2h"],
            "limit lane writer of goal handbook: 90 tokens in 2h",
        ),
        (&["goal", "pause"], "pause goal handbook"),
        (&["undo"], "undo revision 12 of goal handbook by goal_state_set"),
        (&["goal", "done"], "close as done goal handbook"),
        (&["goal", "archive"], "archive goal handbook"),
        (&["goal", "resume"], "resume goal handbook"),
    ] {
        let (ran, shown) = world.at_terminal(Types::TheCode, args);
        ran.ok();
        assert_eq!(shown, words, "{args:?}");
    }
    let log = world.json(&["log"]);
    let proofs = log["events"].as_array().expect("events").iter().skip(1);
    assert!(proofs.map(|event| &event["actor"]["proof"]).all(|proof| proof == "terminal"), "{log}");
}

#[test]
fn a_wrong_code_decides_nothing_and_is_recorded() {
    let world = with_guarded_goal();
    let (ran, _) = world.at_terminal(Types::Nonsense, &["goal", "pause"]);
    ran.fails(7, "the code was not typed back");
    assert_eq!(world.json(&["goal", "show"])["state"], "active");
    let log = world.json(&["log"]);
    assert_eq!(log["events"][1]["event"]["type"], "refused");
    assert_eq!(log["events"][1]["event"]["command"], "goal pause");
}

#[test]
fn inside_a_session_no_terminal_is_asked() {
    let world = with_guarded_goal().with("LOOPX_SESSION", "ses_0123456789abcdefghjkmnpqrs");
    world.run(&["goal", "pause"]).fails(7, "this runs inside an agent's session");
}

#[test]
fn lists_are_aligned() {
    let world = with_goal();
    world.run(&["goal", "add", "a", "--objective", "Short"]).ok();
    let out = world.run(&["goal", "list"]).ok().out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3);
    let column = lines[0].find("objective").expect("a heading");
    assert_eq!(lines[1].find("Short"), Some(column));
    assert_eq!(lines[2].find("The handbook"), Some(column));
}

#[test]
fn data_that_can_not_be_written_is_an_error() {
    let world = with_goal();
    assert_eq!(world.run_failing(&["goal", "list"], std::io::ErrorKind::StorageFull), 1);
    assert_eq!(world.run_failing(&["--help"], std::io::ErrorKind::StorageFull), 1);
}
