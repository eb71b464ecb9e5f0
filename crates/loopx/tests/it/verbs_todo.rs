//! `loopx todo`, through its door.

use loopx_core::ProofFloor;
use serde_json::json;

use crate::stage::{events, gate, todo, two_lanes};
use crate::world::World;

fn start() -> World {
    two_lanes(ProofFloor::None)
}

#[test]
fn added_todos_are_listed_first_things_first() {
    let world = start();
    let late = todo(&world, &["some day", "--priority", "3"]);
    let first = todo(&world, &["at once", "--priority", "P0", "--blocked-by", &late, "--evidence", "a key"]);
    let ask = todo(&world, &["sign the paper", "--audience", "user", "--covers", "bob", "--blocking"]);
    let list = world.json(&["todo", "list"]);
    assert_eq!(list["schema_version"], "loopx_todos_v0");
    let ids: Vec<&str> =
        list["todos"].as_array().expect("todos").iter().map(|t| t["id"].as_str().expect("id")).collect();
    assert_eq!(ids, [&first, &ask, &late]);
    assert_eq!(list["todos"][0]["blocked_by"], json!([{"todo": late}, {"evidence": "a key"}]));
    assert_eq!(list["todos"][0]["added_by"], json!(null));
    assert_eq!(list["todos"][1]["audience"]["user"]["blocking"], "blocking");
    assert_eq!(list["todos"][1]["audience"]["user"]["covers"]["agents"], json!(["bob"]));
    let text = world.run(&["todo", "list"]).ok().out;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(&first) && lines[0].contains("P0  agent  open  at once"), "{text}");
    assert!(lines[0].contains(&format!("waits for {late}")), "{text}");
    assert!(lines[1].contains("user!"), "{text}");
    let users = world.json(&["todo", "list", "--audience", "user"]);
    assert_eq!(users["todos"].as_array().expect("todos").len(), 1);
}

#[test]
fn the_first_field_is_the_schema_version() {
    let world = start();
    todo(&world, &["look"]);
    let out = world.run(&["todo", "list", "--json"]).ok().out;
    assert!(out.starts_with("{\"schema_version\":\"loopx_todos_v0\""), "{out}");
}

#[test]
fn the_same_open_title_is_the_same_todo() {
    let world = start();
    let first = todo(&world, &["tidy up"]);
    let again = world.run(&["todo", "add", "tidy up"]).ok();
    assert!(again.out.contains(&first) && again.out.contains("already so"), "{again:?}");
}

#[test]
fn a_retry_with_the_same_key_gives_the_first_receipt() {
    let world = start();
    let first = world.run(&["todo", "add", "tidy up", "--key", "k1", "--json"]).ok().json();
    let again = world.run(&["todo", "add", "tidy up", "--key", "k1", "--json"]).ok().json();
    assert_eq!((first["replayed"].clone(), again["replayed"].clone()), (json!(false), json!(true)));
    assert_eq!(first["id"], again["id"]);
    world.run(&["todo", "add", "else", "--key", "k1"]).fails(4, "this key was used for another command");
}

#[test]
fn unsafe_texts_are_refused_without_being_repeated() {
    let world = start();
    let secret = format!("use AKIA{}", "IOSFODNN7EXAMPLE");
    let ran = world.run(&["todo", "add", &secret]).fails(7, "title refused");
    assert!(!ran.err.contains("IOSFODNN7") && ran.err.contains("hint:"), "{ran:?}");
    assert!(!ran.out.contains("IOSFODNN7"), "{ran:?}");
}

#[test]
fn usage_errors_say_the_way_out() {
    let world = start();
    world.run(&["todo", "add", "x", "--blocking"]).fails(2, "hint: add `--audience user`");
    world.run(&["todo", "add", "x", "--priority", "9"]).fails(2, "priorities are P0 (first) to P3");
    world.run(&["todo", "add", "x", "--monitor-at", "soon"]).fails(2, "2026-11-29T23:31:00Z");
    world.run(&["todo", "add", "x", "--glob", "../x"]).fails(2, "stays inside the project");
    world.run(&["todo", "add", "x", "--blocked-by", "the weather"]).fails(2, "--evidence LABEL");
    world.run(&["todo", "show", "todo_zzz"]).fails(3, "no todo todo_zzz on goal");
    world.run(&["todo", "show", "todo_zzz"]).fails(3, "hint: see `loopx todo list`");
    world.run(&["todo", "add"]).fails(2, "hint: see `--help`");
    world.run(&["todo", "edit", &todo(&world, &["x"])]).fails(2, "nothing to edit");
}

#[test]
fn a_claim_has_a_token_and_one_winner() {
    let world = start();
    let id = todo(&world, &["build it"]);
    let claim = world.run(&["todo", "claim", &id[..12], "--lease", "2h", "--json"]).ok().json();
    assert_eq!(
        (claim["schema_version"].clone(), claim["token"].clone()),
        (json!("loopx_claim_v0"), json!(1))
    );
    let bob = world.with("LOOPX_AGENT", "bob");
    bob.run(&["todo", "claim", &id]).fails(4, "is held by ann until");
    bob.run(&["todo", "done", &id, "--no-successor"]).fails(4, "hint: take other work, or ask ann");
    world.run(&["todo", "renew", &id, "--token", "7"]).fails(4, "the claim was lost: token 7, current 1");
    let renewed = world.run(&["todo", "renew", &id, "--token", "1"]).ok();
    assert!(renewed.out.contains("(in 2 h)"), "renewing shortened the claim: {renewed:?}");
    world.run(&["todo", "renew", &id, "--token", "1", "--lease", "30m"]).ok();
    assert!(world.run(&["todo", "list", "--mine"]).ok().out.contains("claimed by ann, lease ends in 30 min"));
    assert_eq!(bob.json(&["todo", "list", "--mine"])["todos"], json!([]));
    world.run(&["todo", "release", &id, "--token", "1"]).ok();
    let claim = bob.run(&["todo", "claim", &id]).ok();
    assert!(claim.out.contains("for bob, token 2, lease ends"), "{claim:?}");
}

#[test]
fn a_lease_is_between_a_minute_and_thirty_days() {
    let world = start();
    let id = todo(&world, &["build it"]);
    for lease in ["0", "31d"] {
        world.run(&["todo", "claim", &id, "--lease", lease]).fails(2, "1 minute to 30 days");
    }
}

#[test]
fn done_records_its_run_and_counts_its_turn_in_one_step() {
    let world = start();
    let next = todo(&world, &["then this"]);
    let id = todo(&world, &["build it"]);
    world.run(&["todo", "claim", &id]).ok();
    let args = [
        "todo",
        "done",
        &id,
        "--token",
        "1",
        "--successor",
        &next,
        "--summary",
        "built",
        "--check",
        "cargo test",
        "--exit-code",
        "0",
        "--turn-key",
        "t1",
        "--minutes",
        "5",
        "--json",
    ];
    let receipt = world.run(&args).ok().json();
    assert_eq!(receipt["events"], json!(["todo_finished", "run_recorded", "spent"]));
    let shown = world.json(&["todo", "show", &id]);
    assert_eq!(shown["todo"]["state"], json!({"done": {"succession": {"named": [next]}}}));
    let run = &world.json(&["run", "list"])["runs"][0];
    assert_eq!(run["validation"], json!({"label": "cargo test", "outcome": "passed", "exit_code": 0}));
    assert_eq!((run["kind"].clone(), run["todo"].clone()), (json!("validation"), json!(id)));
    world.run(&["todo", "done", &id]).fails(4, "is done");
    assert!(world.run(&["todo", "list", "--all"]).ok().out.contains("done  build it"));
    assert!(!world.run(&["todo", "list"]).ok().out.contains("build it"));
}

#[test]
fn done_without_a_word_on_what_follows_is_told_so() {
    let world = start();
    let id = todo(&world, &["build it"]);
    let ran = world.run(&["todo", "done", &id]).ok();
    assert!(ran.err.contains("--no-successor"), "{ran:?}");
    world.run(&["todo", "done", &id, "--successor", &id, "--no-successor"]).fails(2, "cannot be used with");
}

#[test]
fn edits_defers_drops_and_reopens() {
    let world = start();
    let id = todo(&world, &["build it"]);
    world.run(&["todo", "edit", &id, "--title", "build all of it", "-p", "P1", "--glob", "src/**"]).ok();
    let shown = world.run(&["todo", "show", &id]).ok().out;
    assert!(shown.contains("build all of it") && shown.contains("src/**"), "{shown}");
    world.run(&["todo", "edit", &id, "--covers", "goal"]).fails(2, "only a user todo covers");
    let ask = todo(&world, &["sign", "--audience", "user", "--blocking"]);
    world.run(&["todo", "edit", &ask, "--blocking=no", "--covers", "bob"]).ok();
    assert!(world.run(&["todo", "show", &ask]).ok().out.contains("it covers agent bob and holds nothing"));
    world.run(&["todo", "edit", &ask, "--blocking"]).ok();
    assert!(world.run(&["todo", "show", &ask]).ok().out.contains("it holds agent bob"));
    world.run(&["todo", "defer", &id, "--until", "2d"]).ok();
    assert!(world.run(&["todo", "list"]).ok().out.contains("deferred  build all of it  (again in 2 d)"));
    world.run(&["todo", "defer", &id, "--until", "2020-01-01T00:00:00Z"]).fails(2, "has passed");
    world.run(&["todo", "reopen", &id]).ok();
    world.run(&["todo", "reopen", &id]).fails(4, "is open");
    world.run(&["todo", "drop", &id, "--reason", "not needed"]).ok();
    world.run(&["todo", "edit", &id, "--title", "y"]).fails(4, "todo reopen");
    assert_eq!(world.json(&["todo", "show", &id])["todo"]["state"], "dropped");
}

#[test]
fn what_stands_in_the_way_comes_and_goes() {
    let world = start();
    let (id, other) = (todo(&world, &["build it"]), todo(&world, &["plan it"]));
    world.run(&["todo", "block", &id, &other]).ok();
    world.run(&["todo", "block", &id, "--evidence", "a key"]).ok();
    world.run(&["todo", "claim", &id]).fails(4, &format!("is held by {other}"));
    world.run(&["todo", "unblock", &id, &other]).ok();
    world.run(&["todo", "unblock", &id, "--evidence", "a key"]).ok();
    world.run(&["todo", "unblock", &id, "--evidence", "a key"]).fails(3, "no such blocker");
    world.run(&["todo", "block", &id]).fails(2, "required");
    world.run(&["todo", "claim", &id]).ok();
    let ask = todo(&world, &["sign", "--audience", "user"]);
    world.run(&["todo", "block", &ask, &other]).fails(2, "only agent todos wait");
}

#[test]
fn a_gates_own_todo_is_done_by_deciding_the_gate() {
    let world = start();
    let gate = gate(&world, &["ship it?"]);
    let ask =
        world.json(&["gate", "show", &gate])["gate"]["linked_todo"].as_str().expect("a todo").to_owned();
    for verb in ["done", "drop", "defer"] {
        world.run(&["todo", verb, &ask]).fails(7, &format!("loopx gate approve {gate}"));
    }
    assert!(world.run(&["todo", "list"]).ok().out.contains(&format!("decide {gate}")));
    world.run(&["gate", "approve", &gate]).ok();
    assert!(!world.run(&["todo", "list"]).ok().out.contains(&ask));
    assert_eq!(world.json(&["todo", "show", &ask])["todo"]["is_open"], false);
}

#[test]
fn a_finished_user_todo_frees_what_named_it() {
    let world = start();
    let ask = todo(&world, &["sign", "--audience", "user"]);
    let id = todo(&world, &["publish it", "--blocked-by", &ask]);
    world.run(&["todo", "claim", &id]).fails(4, &format!("is held by {ask}"));
    world.run(&["todo", "done", &ask]).ok();
    world.run(&["todo", "claim", &id]).ok();
}

#[test]
fn a_person_may_end_what_another_lane_holds() {
    let world = start();
    let id = todo(&world, &["build it"]);
    world.run(&["todo", "claim", &id]).ok();
    let inside = world.with("LOOPX_AGENT", "bob").with("CLAUDECODE", "1");
    inside.run(&["todo", "drop", &id]).fails(4, "is held by ann");
    world.with("LOOPX_AGENT", "bob").run(&["todo", "drop", &id]).ok();
}

#[test]
fn a_call_from_inside_a_session_comes_from_its_lane() {
    let world = start();
    todo(&world.with("CLAUDECODE", "1"), &["found on the way"]);
    let list = world.json(&["todo", "list"]);
    assert_eq!(list["todos"][0]["added_by"], "ann");
    let newest = events(&world).pop().expect("an event");
    assert_eq!(serde_json::to_value(&newest.actor.who).expect("JSON"), json!({"lane": "ann"}));
}

#[test]
fn a_goal_that_is_not_there_is_not_found() {
    let world = start();
    for args in [["todo", "list"], ["gate", "list"], ["run", "list"], ["handoff", "list"]] {
        world.run(&[args[0], args[1], "--goal", "nowhere"]).fails(3, "no goal nowhere");
    }
}
