//! `loopx run` and `loopx handoff`, through their doors.

use loopx_core::ProofFloor;
use serde_json::json;

use crate::stage::{todo, two_lanes};
use crate::world::World;

fn start() -> World {
    two_lanes(ProofFloor::None)
}

fn record(world: &World, args: &[&str]) -> String {
    world.run(&[&["run", "record"], args, &["--json"]].concat()).ok().id()
}

#[test]
fn runs_are_listed_newest_first() {
    let world = start();
    let id = todo(&world, &["build it"]);
    let first = record(&world, &["--kind", "progress", "--summary", "began", "--todo", &id]);
    let second = record(
        &world,
        &["--kind", "validation", "--check", "cargo test", "--exit-code", "101", "--event", "evt_1"],
    );
    let list = world.json(&["run", "list"]);
    assert_eq!((&list["schema_version"], &list["total"]), (&json!("loopx_runs_v0"), &json!(2)));
    assert_eq!((&list["runs"][0]["id"], &list["runs"][1]["id"]), (&json!(second), &json!(first)));
    assert_eq!(list["runs"][0]["validation"]["outcome"], "failed");
    assert_eq!(list["runs"][0]["event_id"], "evt_1");
    let text = world.run(&["run", "list", "--limit", "1"]).ok();
    assert!(text.out.contains("cargo test failed, exit 101") && !text.out.contains("began"), "{text:?}");
    assert!(text.err.contains("1 older"), "{text:?}");
    let shown = world.run(&["run", "show", &first]).ok().out;
    assert!(shown.contains("began") && shown.contains(&id), "{shown}");
    assert_eq!(world.json(&["run", "list", "--agent", "bob"])["runs"], json!([]));
}

#[test]
fn a_blocker_stands_in_the_way_until_it_is_resolved() {
    let world = start();
    let id = todo(&world, &["build it"]);
    let run = record(&world, &["--kind", "blocker", "--summary", "the mirror is down", "--todo", &id]);
    world.run(&["todo", "claim", &id]).fails(4, &format!("is held by {run}"));
    world.run(&["run", "resolve", &run]).ok();
    world.run(&["todo", "claim", &id]).ok();
    world.run(&["run", "resolve", &run]).fails(4, "is resolved");
}

#[test]
fn runs_that_say_nothing_are_refused() {
    let world = start();
    world.run(&["run", "record", "--kind", "validation"]).fails(2, "say what was checked");
    world.run(&["run", "record", "--kind", "blocker", "--summary", "x"]).fails(2, "says what it blocks");
    world.run(&["run", "record", "--kind", "guess"]).fails(2, "possible values");
    world.run(&["run", "record", "--kind", "progress", "--exit-code", "1"]).fails(2, "--check");
    world.run(&["run", "resolve", &record(&world, &["--kind", "no-progress"])]).fails(4, "no blocker");
    world.run(&["run", "show", "run_zzz"]).fails(3, "no run run_zzz");
    let secret = format!("token ghp_{}", "0123456789abcdefghijABCDEFGHIJ012345");
    world.run(&["run", "record", "--kind", "progress", "--summary", &secret]).fails(7, "summary refused");
}

#[test]
fn a_run_from_inside_a_session_names_it() {
    let world = start().with("LOOPX_SESSION", "");
    let inside = world.with("CODEX_THREAD_ID", "0199f7a2-0000-7000-8000-000000000001");
    record(&inside, &["--kind", "progress", "--summary", "began"]);
    let session = world.json(&["run", "list"])["runs"][0]["session"].clone();
    let session = session.as_str().expect("a session");
    assert!(!session.contains("0199f7a2"), "{session}");
}

#[test]
fn a_handoff_moves_the_claim() {
    let world = start();
    let bob = world.with("LOOPX_AGENT", "bob");
    let id = todo(&world, &["build it"]);
    world.run(&["todo", "claim", &id]).ok();
    let run = record(&world, &["--kind", "progress", "--summary", "half done", "--todo", &id]);
    let args = [
        "handoff",
        "offer",
        &id,
        "--to",
        "bob",
        "--next-action",
        "finish the second half",
        "--evidence",
        &run,
        "--expires",
        "1d",
        "--json",
    ];
    let offer = world.run(&args).ok().id();
    world.run(&["todo", "claim", &id]).fails(4, &offer);
    assert!(bob.run(&["todo", "list", "--mine"]).ok().out.contains("offered to bob"));
    let list = world.run(&["handoff", "list"]).ok().out;
    assert!(list.contains("offered  ann → bob") && list.contains("finish the second half"), "{list}");
    world.run(&["handoff", "decline", &offer]).fails(4, "offered to another lane");
    let claim = bob.run(&["handoff", "accept", &offer, "--lease", "30m", "--json"]).ok().json();
    assert_eq!((&claim["id"], &claim["agent"], &claim["token"]), (&json!(id), &json!("bob"), &json!(2)));
    world.run(&["handoff", "follow-up", &offer, "--summary", "x"]).fails(4, "accepted by another lane");
    bob.run(&["handoff", "follow-up", &offer, "--summary", "went well"]).ok();
    let shown = world.json(&["handoff", "show", &offer]);
    assert_eq!(shown["handoff"]["standing"], "followed_up");
    assert_eq!(shown["handoff"]["evidence"], json!([run]));
    bob.run(&["handoff", "accept", &offer]).fails(4, "is followed up");
}

#[test]
fn offers_are_declined_or_taken_back() {
    let world = start();
    let bob = world.with("LOOPX_AGENT", "bob");
    let id = todo(&world, &["build it"]);
    let offer = |to: &[&str]| {
        let args = [&["handoff", "offer", &id, "--next-action", "go on"], to, &["--json"]].concat();
        world.run(&args).ok().id()
    };
    let first = offer(&["--to", "bob"]);
    bob.run(&["handoff", "withdraw", &first]).fails(4, "offered by another lane");
    bob.run(&["handoff", "decline", &first]).ok();
    let second = offer(&[]);
    bob.run(&["handoff", "decline", &second]).fails(4, "offered to all");
    world.run(&["handoff", "withdraw", &second]).ok();
    world.run(&["handoff", "show", &second]).ok();
    world.run(&["handoff", "offer", &id, "--to", "ann", "--next-action", "x"]).fails(2, "itself");
    world.run(&["handoff", "offer", &id, "--to", "carl", "--next-action", "x"]).fails(3, "no agent carl");
    world.run(&["handoff", "show", "hof_zzz"]).fails(3, "no handoff hof_zzz");
}
