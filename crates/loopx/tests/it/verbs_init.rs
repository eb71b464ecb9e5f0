//! `loopx init`, `bind` and `unbind`.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;

use serde_json::{Value, json};

use crate::made::Turn;
use crate::person::Types;
use crate::world::World;

fn in_project(name: &str) -> World {
    let world = World::new().with_processes();
    let project = world.project(name);
    world.in_folder(&project)
}

fn lanes(document: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let agents = document["agents"].as_array().cloned().unwrap_or_default();
    agents.iter().map(|agent| (text(&agent["agent_id"]), text(&agent["runtime_id"]))).collect()
}

#[test]
fn a_new_goal_needs_no_proof_and_leaves_the_folder_alone() {
    let world = in_project("atlas");
    let document = world.json(&["init", "atlas"]);
    assert_eq!(document["goal_id"], "atlas");
    assert_eq!(document["added"], true);
    let both = [("claude", "claude_code"), ("codex", "codex_cli_tui")];
    assert_eq!(lanes(&document), both.map(|(agent, runtime)| (agent.to_owned(), runtime.to_owned())));
    let folder = world.env.cwd.clone().expect("a folder");
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 0);
    // Its decisions do need one.
    world.run(&["goal", "pause", "atlas"]).fails(7, "there is no terminal");
}

#[test]
fn again_is_harmless_and_says_what_is_there() {
    let world = in_project("atlas");
    world.run(&["init", "another-name"]).ok();
    for args in [&["init"][..], &["init", "another-name"]] {
        let document = world.json(args);
        assert_eq!(document["goal_id"], "another-name");
        assert_eq!((&document["added"], &document["revision"]), (&json!(false), &json!(4)));
    }
    let ran = world.run(&["init"]).ok();
    assert!(ran.out.starts_with("this folder belongs to goal another-name at revision 4\n"), "{ran:?}");
}

#[test]
fn lanes_go_by_the_runtimes_that_are_there() {
    let world = in_project("atlas");
    fs::create_dir_all(world.path("home/.claude")).expect("a folder");
    assert_eq!(lanes(&world.json(&["init"])), [("claude".to_owned(), "claude_code".to_owned())]);
}

#[test]
fn lanes_and_runtimes_go_in_pairs() {
    let world = in_project("atlas");
    let args = ["init", "--agent", "one", "--runtime", "codex_exec", "-a", "two", "-a", "claude"];
    let want = [("claude", "claude_code"), ("one", "codex_exec"), ("two", "none")];
    assert_eq!(lanes(&world.json(&args)), want.map(|(a, r)| (a.to_owned(), r.to_owned())));
    let other = in_project("other");
    other.run(&["init", "--runtime", "codex_exec", "--agent", "one"]).fails(2, "--runtime");
    other.run(&["init", "--agent", "one", "--agent", "One"]).fails(4, "agent one exists");
    other.run(&["init", "--agent", "../one"]).fails(2, "hint: ");
    assert_eq!(other.json(&["goal", "list"])["goals"], json!([]));
}

#[test]
fn a_goal_without_a_name_is_not_named_after_its_folder() {
    let world = in_project("one/secret-name");
    let ran = world.run(&["init"]).ok();
    assert!(ran.out.starts_with("added goal goal-1 at revision 4\n"), "{ran:?}");
    assert!(!format!("{ran:?}").contains("secret"), "{ran:?}");
    // A number is taken once, and stays with its folder.
    let other = world.in_folder(&world.project("two/secret-name"));
    assert_eq!(other.json(&["init"])["goal_id"], "goal-2");
    assert_eq!(world.json(&["init"])["goal_id"], "goal-1");
    // By name it is meant, and needs the goal's proof.
    let third = world.in_folder(&world.project("three"));
    third.run(&["init", "goal-1"]).fails(7, "there is no terminal");
}

#[test]
fn a_folder_of_another_goal_is_not_taken() {
    let world = in_project("atlas");
    world.run(&["init", "atlas"]).ok();
    let below = world.in_folder(&world.project("atlas/below"));
    for there in [&world, &below] {
        there
            .run(&["init", "mine"])
            .fails(7, "hint: a person can give it up first: `loopx unbind --goal atlas`");
        there.inside("an-agent").run(&["init", "mine"]).fails(7, "this runs inside an agent's session");
    }
    assert_eq!(world.json(&["bind", "--list"])["bindings"].as_array().map(Vec::len), Some(1));
    assert_eq!(world.json(&["goal", "list"])["goals"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_person_takes_a_folder_from_another_goal() {
    let world = in_project("atlas");
    world.run(&["init", "atlas"]).ok();
    let (ran, shown) = world.at_terminal(Types::TheCode, &["init", "mine"]);
    ran.ok();
    assert!(
        shown.starts_with("take folder fol_") && shown.ends_with(" from goal atlas and give it to goal mine")
    );
    let below = world.in_folder(&world.project("atlas/below"));
    below.at_terminal(Types::Nonsense, &["init"]).0.fails(7, "not typed back");
    below.at_terminal(Types::TheCode, &["init"]).0.ok();
    let goals: Vec<Value> =
        world.json(&["bind", "--list"])["bindings"].as_array().cloned().unwrap_or_default();
    let goals: Vec<&str> = goals.iter().filter_map(|one| one["goal_id"].as_str()).collect();
    assert_eq!(goals, ["goal-1", "mine"]);
}

#[test]
fn an_agent_takes_nothing_even_without_proof() {
    let world = in_project("atlas");
    world.run(&["init", "--proof", "none"]).ok();
    let agent = world.inside("an-agent");
    agent.run(&["init", "mine", "--proof", "none"]).fails(7, "inside an agent's session");
    // A person's authority is all that goal asks for.
    world.run(&["init", "mine", "--proof", "none"]).ok();
    let bindings = world.json(&["bind", "--list"]);
    assert_eq!(bindings["bindings"][0]["goal_id"], "mine");
    assert_eq!(bindings["bindings"].as_array().map(Vec::len), Some(1));
    // Elsewhere an agent may start a goal of its own: it can harm nobody.
    let elsewhere = world.in_folder(&world.project("elsewhere")).inside("an-agent");
    elsewhere.run(&["init"]).ok();
}

#[test]
fn a_goal_that_is_opened_again_takes_no_folder_back() {
    let world = in_project("atlas");
    let agent = world.inside("an-agent");
    agent.run(&["init", "Aaa", "--proof", "none"]).ok();
    agent.run(&["goal", "done", "Aaa"]).ok();
    world.run(&["init", "mine"]).ok();
    agent.run(&["goal", "resume", "Aaa"]).ok();
    assert!(world.run(&["goal", "show"]).ok().out.contains("mine"));
    agent.run(&["bind", "--goal", "Aaa", "--agent", "codex"]).fails(7, "belongs to goal mine");
}

#[test]
fn an_undo_that_comes_late_takes_no_folder_back() {
    let world = in_project("atlas");
    world.run(&["init", "Aaa", "--proof", "none"]).ok();
    world.run(&["unbind"]).ok();
    world.run(&["init", "mine"]).ok();
    world.run(&["undo", "--goal", "Aaa"]).fails(4, "is bound to another goal\nhint: ");
    assert_eq!(world.json(&["bind", "--list"])["bindings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_import_takes_no_folder() {
    let world = in_project("atlas");
    world.run(&["init", "mine"]).ok();
    // An export that names this very folder, from a store with the same key.
    let other = World::new();
    fs::create_dir(other.path("loopx")).expect("a folder");
    let own = |world: &World| world.path("loopx/install.json");
    fs::copy(own(&world), own(&other)).expect("a copy");
    let there = other.in_folder(&world.path("home/atlas"));
    there.run(&["init", "Aaa", "--proof", "none"]).ok();
    let exported = other.run(&["export", "Aaa"]).ok().out;
    assert!(exported.contains("\"type\":\"bound\""), "{exported}");
    fs::write(world.path("home/in.jsonl"), exported).expect("a file");
    world.run(&["import", "../in.jsonl"]).ok();
    let bindings = world.json(&["bind", "--list"]);
    assert_eq!(bindings["bindings"].as_array().map(Vec::len), Some(1), "{bindings}");
    assert_eq!(bindings["bindings"][0]["goal_id"], "mine");
    world.run(&["doctor"]).ok();
}

#[test]
fn a_session_of_another_goal_is_not_taken() {
    let world = in_project("atlas");
    world.run(&["init", "atlas", "--proof", "none"]).ok();
    world.codex(1, &world.project("atlas"), Turn::Asks, 1);
    world.run(&["goal", "add", "mine", "--objective", "another", "--proof", "none"]).ok();
    let session = world.json(&["sessions"])["sessions"][0]["session"]["session_id"].clone();
    let session = session.as_str().expect("a handle");
    world.inside("an-agent").run(&["bind", session, "--goal", "mine"]).fails(7, "belongs to goal atlas");
    world.run(&["bind", session, "--goal", "mine"]).ok();
    assert_eq!(world.json(&["sessions"])["sessions"][0]["goal_id"], "mine");
    world.run(&["unbind", &session[..14]]).ok();
    assert_eq!(world.json(&["sessions"])["sessions"][0]["goal_id"], "atlas");
    world.run(&["unbind", session]).fails(3, "is not bound\nhint: see `loopx bind --list`");
}

#[test]
fn bind_and_unbind_a_folder() {
    let world = in_project("atlas");
    world.run(&["goal", "add", "atlas", "--objective", "x marks it", "--proof", "none"]).ok();
    world.run(&["agent", "add", "one", "--goal", "atlas"]).ok();
    world.run(&["bind"]).fails(2, "no goal is named");
    world.run(&["bind", "nowhere", "--goal", "atlas"]).fails(3, "no folder nowhere");
    world.run(&["bind", "--goal", "nothing"]).fails(3, "no goal nothing");
    world.run(&["bind", "--goal", "atlas", "--agent", "two"]).fails(3, "no agent two");
    world.run(&["bind", "--goal", "atlas", "--agent", "one"]).ok();
    let again = world.run(&["bind", "--goal", "atlas", "--agent", "one"]).ok();
    assert!(again.out.contains("(already so)"), "{again:?}");
    let listed = world.json(&["bind", "--list"])["bindings"][0].clone();
    assert_eq!(
        (&listed["agent_id"], &listed["kind"], &listed["here"]),
        (&json!("one"), &json!("folder"), &json!(true))
    );
    let words = world.run(&["bind", "--list"]).ok();
    assert!(words.out.ends_with("atlas / one  (here)\n") && !words.out.contains("home"), "{words:?}");
    let below = world.in_folder(&world.project("atlas/below"));
    let handle = listed["handle"].as_str().expect("a handle");
    below.run(&["unbind"]).fails(3, &format!("hint: take that one away: `loopx unbind {handle}`"));
    below.run(&["unbind", handle, "--goal", "other"]).fails(3, "hint: it is bound to atlas: `--goal atlas`");
    below.run(&["unbind", &handle[..10]]).ok();
    world.run(&["unbind"]).fails(3, "hint: see `loopx bind --list`");
    assert_eq!(world.run(&["bind", "--list"]).ok().out, "nothing is bound\n");
}

#[test]
fn paths_are_for_a_terminal_only() {
    let world = in_project("atlas");
    world.run(&["init"]).ok();
    world.run(&["bind", "--list", "--private"]).fails(7, "at a terminal only");
    let (code, out) = world.run_at_terminal(&["bind", "--list", "--private"]);
    assert!(code == 0 && out.contains("home/atlas"), "{out}");
}

#[test]
fn no_home_no_folder_no_text() {
    let world = in_project("atlas");
    world.without("HOME").without("LOOPX_HOME").run(&["init"]).fails(1, "set LOOPX_HOME");
    let mut gone = world.clone();
    gone.env.cwd = None;
    gone.run(&["init"]).fails(1, "the working directory is gone");
    let odd = std::ffi::OsString::from_vec(b"\xff\xfe".to_vec());
    assert_eq!(world.run_os(vec!["init".into(), odd.clone()]), 2);
    assert_eq!(world.run_os(vec!["bind".into(), odd.clone(), "--goal".into(), "atlas".into()]), 3);
    let strange = world.project("atlas").join(&odd);
    fs::create_dir(&strange).expect("a folder");
    world.in_folder(&strange).run(&["init", "strange"]).ok();
    assert_eq!(world.run_closed(&["bind", "--list"]), 0);
}

#[test]
fn the_projects_settings_name_the_goal() {
    let world = in_project("atlas");
    let folder = world.env.cwd.clone().expect("a folder");
    fs::write(folder.join(".loopx.toml"), "[binding]\ngoal = \"by-setting\"\n").expect("a file");
    assert_eq!(world.json(&["init"])["goal_id"], "by-setting");
}

#[test]
fn a_folder_of_a_finished_goal_still_means_that_goal() {
    let world = in_project("atlas");
    world.run(&["init", "--proof", "none", "--agent", "ann"]).ok();
    world.run(&["goal", "done"]).ok();
    let next = world.run(&["next", "--agent", "ann"]);
    assert_eq!(next.code, 15, "the folder was said to be bound to none: {next:?}");
    assert!(next.out.contains("reopen the goal to go on"), "{next:?}");
    world.run(&["goal", "resume"]).ok();
}

#[test]
fn an_agent_that_tries_to_decide_is_recorded_as_an_agent() {
    let world = in_project("atlas");
    world.run(&["init", "--agent", "ann"]).ok();
    world.run(&["gate", "ask", "print it?"]).ok();
    world.inside("ann").run(&["gate", "approve", "gate_0"]).fails(7, "needs a person");
    let log = world.json(&["log", "--limit", "1"]);
    let actor = &log["events"][0]["actor"];
    assert_eq!(actor["who"]["lane"], "ann", "a person was said to have tried: {log}");
}
