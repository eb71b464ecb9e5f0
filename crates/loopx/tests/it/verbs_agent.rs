//! `loopx agent`.

use serde_json::json;

use crate::person::Types;
use crate::verbs_goal::with_goal;
use crate::world::World;

fn with_agent() -> World {
    let world = with_goal();
    let args = [
        "agent",
        "add",
        "writer",
        "--runtime",
        "claude_code",
        "--capability",
        "write",
        "--capability",
        "deploy",
    ];
    world.run(&args).ok();
    world
}

fn agents(world: &World) -> serde_json::Value {
    world.json(&["agent", "list"])["agents"].clone()
}

#[test]
fn lanes_of_programs_and_of_people_are_listed() {
    let world = with_agent();
    world.run(&["agent", "add", "ada", "--human"]).ok();
    let list = agents(&world);
    assert_eq!(list[0]["agent_id"], "ada");
    assert_eq!((&list[0]["kind"], &list[0]["runtime_id"]), (&json!("human"), &json!(null)));
    assert_eq!(list[1]["kind"], "automation");
    assert_eq!(list[1]["runtime_id"], "claude_code");
    assert_eq!(list[1]["capabilities"], json!(["deploy", "write"]));
    let out = world.run(&["agent", "list"]).ok().out;
    assert!(out.contains("writer  automation  active  claude_code  deploy, write"), "{out}");
}

#[test]
fn a_lane_is_registered_once_whatever_its_case() {
    let world = with_agent();
    world
        .run(&["agent", "add", "WRITER"])
        .fails(4, "agent writer exists")
        .fails(4, "hint: see `loopx agent list`");
}

#[test]
fn a_bad_lane_or_runtime_is_refused() {
    let world = with_goal();
    world.run(&["agent", "add", "-x"]).fails(2, "unexpected argument");
    world.run(&["agent", "add", "a b"]).fails(2, "malformed agent id");
    world.run(&["agent", "add", "a", "--runtime", "Claude Code"]).fails(2, "malformed runtime id");
    world.run(&["agent", "add", "a", "--human", "--runtime", "codex_exec"]).fails(2, "cannot be used with");
    world.run(&["agent", "add", "a", "--goal", "nowhere"]).fails(3, "no goal nowhere");
}

#[test]
fn a_mistyped_runtime_was_registered_unseen() {
    let world = with_goal();
    for (typed, meant) in
        [("claud", "claude_code"), ("cluade_code", "claude_code"), ("custom_wroker", "custom_worker")]
    {
        let refused = world.run(&["agent", "add", "bob", "--runtime", typed]);
        refused.fails(2, &format!("hint: did you mean {meant}? It knows codex_cli_tui, "));
    }
    assert_eq!(agents(&world), json!([]));
    for own in ["nightly_build", "custom_worker_2", "claude_worker", "codex2"] {
        let ran = world.run(&["agent", "add", own, "--runtime", own]).ok();
        assert!(ran.err.contains(&format!("{own} is no runtime that LoopX knows")), "{ran:?}");
    }
    world.run(&["agent", "edit", "codex2", "--runtime", "claud"]).fails(2, "did you mean claude_code?");
    // The words that are typed back name it.
    let world = crate::verbs_goal::with_guarded_goal();
    let add = ["agent", "add", "bob", "--runtime", "nightly_build"];
    let (ran, shown) = world.at_terminal(Types::TheCode, &add);
    assert!(
        shown.contains("register automation bob on goal handbook, runtime nightly_build"),
        "{ran:?} {shown}"
    );
}

#[test]
fn capabilities_are_granted_revoked_and_set() {
    let world = with_agent();
    let able = |world: &World| agents(world)[0]["capabilities"].clone();
    world.run(&["agent", "edit", "writer", "--grant", "review", "--revoke", "deploy"]).ok();
    assert_eq!(able(&world), json!(["review", "write"]));
    assert_eq!(agents(&world)[0]["runtime_id"], "claude_code");
    world.run(&["agent", "edit", "wr", "--capability", "test", "--clear-runtime"]).ok();
    assert_eq!(able(&world), json!(["test"]));
    assert_eq!(agents(&world)[0]["runtime_id"], json!(null));
    world.run(&["agent", "edit", "writer", "--clear-capabilities", "--runtime", "codex_exec"]).ok();
    assert_eq!(able(&world), json!([]));
    assert_eq!(agents(&world)[0]["runtime_id"], "codex_exec");
    world.run(&["agent", "edit", "writer"]).fails(2, "nothing to change");
    world.run(&["agent", "edit", "nobody", "--grant", "x"]).fails(3, "no agent nobody");
}

#[test]
fn a_lane_is_paused_and_resumed() {
    let world = with_agent();
    world.run(&["agent", "pause", "writer"]).ok();
    assert_eq!(agents(&world)[0]["state"], "paused");
    world.run(&["agent", "resume", "writer"]).ok();
    assert_eq!(agents(&world)[0]["state"], "active");
    world
        .run(&["agent", "pause", "nobody"])
        .fails(3, "no agent nobody")
        .fails(3, "hint: see `loopx agent list`");
}

#[test]
fn an_ambiguous_start_names_both() {
    let world = with_agent();
    world.run(&["agent", "add", "writer2"]).ok();
    world.run(&["agent", "pause", "wri"]).fails(2, "agent wri is ambiguous: writer, writer2");
    world.run(&["agent", "pause", "writer"]).ok();
}
