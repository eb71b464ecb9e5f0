//! Runtimes' own windows: from Claude Code's status line to what is shown and decided.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use jiff::{SignedDuration, Timestamp};
use loopx::clock::Clock;
use serde_json::{Value, json};

use crate::made::{Turn, read};
use crate::verbs_goal::with_goal;
use crate::world::World;

/// Runs the built program as Claude Code's status line does, and gives what it wrote.
fn statusline(world: &World, input: &[u8]) -> Vec<u8> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_loopx"));
    program.args(["hook", "claude_code", "--statusline"]).env_clear();
    program.envs(&world.env.vars).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program");
    child.stdin.take().expect("its input").write_all(input).expect("it reads");
    let ran = child.wait_with_output().expect("it ends");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
    ran.stdout
}

/// What 2.1.332 tells its status line, in so many minutes from now.
fn told(session: &str, five_hours: (f64, i64), seven_days: (f64, i64)) -> Vec<u8> {
    let resets = |minutes| (Clock.now() + SignedDuration::from_mins(minutes)).as_second();
    let window = |(used, minutes)| json!({ "used_percentage": used, "resets_at": resets(minutes) });
    json!({
        "session_id": session,
        "cwd": "made up",
        "rate_limits": { "five_hour": window(five_hours), "seven_day": window(seven_days) },
    })
    .to_string()
    .into_bytes()
}

/// A goal with a lane and something to do, and a session of Claude Code at rest in its folder.
fn with_session() -> (World, String) {
    let world = with_goal();
    world.run(&["agent", "add", "writer", "--runtime", "claude_code"]).ok();
    world.run(&["todo", "add", "draw the map", "--agent", "writer"]).ok();
    let project = world.project("atlas");
    world.run(&["bind", project.to_str().expect("text"), "--agent", "writer"]).ok();
    let made = world.claude(1, &project, Turn::Done, 2);
    (world, made.native_id)
}

/// How many notes there are.
fn notes(world: &World) -> usize {
    String::from_utf8(read(&world.path("loopx/limits.jsonl"))).expect("text").lines().count()
}

#[test]
fn the_status_line_goes_out_as_it_came_in_and_is_noted_once() {
    let (world, session) = with_session();
    let input = told(&session, (25.0, 90), (40.0, 4000));
    for _ in 0..3 {
        assert_eq!(statusline(&world, &input), input);
    }
    assert_eq!(notes(&world), 1);
    for odd in [&b"\xff\x00 no json\n"[..], b"", b"{\"session_id\":7}", b"[1,"] {
        assert_eq!(statusline(&world, odd), odd);
    }
    assert_eq!(notes(&world), 1);
    // Where nothing can be kept it goes out all the same.
    std::fs::remove_file(world.path("loopx/limits.jsonl")).expect("a file");
    std::fs::create_dir(world.path("loopx/limits.jsonl")).expect("a folder");
    assert_eq!(statusline(&world, &input), input);
}

#[test]
fn windows_are_shown_with_their_resets() {
    let (world, session) = with_session();
    let world = world.with("TZ", "Europe/Berlin");
    statusline(&world, &told(&session, (85.5, 90), (40.0, 4 * 24 * 60)));
    let sessions = world.json(&["sessions"]);
    let id = sessions["sessions"][0]["session"]["session_id"].as_str().expect("a handle").to_owned();
    let limits = sessions["sessions"][0]["session"]["limits"].clone();
    assert_eq!(limits[0]["used_basis_points"], 8550);
    assert_eq!((&limits[1]["window"], &limits[1]["window_minutes"]), (&json!("secondary"), &json!(10_080)));
    let shown = world.run(&["sessions", "show", &id]).ok().out;
    assert!(shown.contains("5 h window: 85.50 % used, resets 20"), "{shown}");
    assert!(shown.contains("(in 1 h 29 min), told "), "{shown}");
    assert!(shown.contains("7 d window: 40 % used, resets 20"), "{shown}");
    // Beside the session only what is nearly used.
    let status = world.run(&["status"]).ok().out;
    assert!(status.contains("5 h window 85.50 % used, resets in 1 h 29 min"), "{status}");
    assert!(!status.contains("7 d window"), "{status}");
    let quota = world.json(&["quota", "show"]);
    let windows: Vec<(&Value, &Value)> = quota["runtime_windows"]
        .as_array()
        .expect("windows")
        .iter()
        .map(|window| (&window["runtime_id"], &window["used_basis_points"]))
        .collect();
    assert_eq!(windows, [(&json!("claude_code"), &json!(8550)), (&json!("claude_code"), &json!(4000))]);
    assert_eq!(quota["runtime_windows"][0]["session_id"], json!(id));
    let quota = world.run(&["quota", "show"]).ok().out;
    assert!(quota.contains("claude_code  7 d window  40 % used     resets 20"), "{quota}");
}

#[test]
fn a_window_that_is_used_up_stops_the_lane_until_its_reset() {
    let (world, session) = with_session();
    world.run(&["next", "--agent", "writer"]).ok();
    statusline(&world, &told(&session, (100.0, 90), (100.0, 300)));
    let ran = world.run(&["next", "--agent", "writer", "--json"]);
    assert_eq!(ran.code, 14, "{ran:?}");
    let next = ran.json();
    assert_eq!(next["row"], "limited");
    let frees: Timestamp = next["frees_at"].as_str().expect("an instant").parse().expect("an instant");
    let left = frees.duration_since(Clock.now()).as_mins();
    assert!((298..=300).contains(&left), "{left}");
    // It has reset: told again, with what is left.
    statusline(&world, &told(&session, (3.0, 300), (5.0, 9000)));
    world.run(&["next", "--agent", "writer"]).ok();
}

/// A goal with a lane of Codex and something to do, bound to a folder.
fn with_lane() -> (World, PathBuf) {
    let world = with_goal();
    world.run(&["agent", "add", "writer", "--runtime", "codex_cli_tui"]).ok();
    world.run(&["todo", "add", "draw the map", "--agent", "writer"]).ok();
    let project = world.project("atlas");
    world.run(&["bind", project.to_str().expect("text"), "--agent", "writer"]).ok();
    (world, project)
}

/// What of the goal's turns is used, reported and observed.
fn turns(world: &World) -> [u64; 3] {
    let shown = world.json(&["quota", "show"]);
    let turns = &shown["limits"][0]["turns"];
    ["used", "reported", "observed"].map(|name| turns[name].as_u64().expect("a count"))
}

#[test]
fn a_limit_holds_where_an_agent_never_reports() {
    let (world, project) = with_lane();
    world.codex(1, &project, Turn::Done, 40);
    world.codex(2, &project, Turn::Done, 10);
    // Out of the window, and out of the goal.
    world.codex(3, &project, Turn::Done, 70);
    world.codex(4, &world.project("elsewhere"), Turn::Done, 5);
    world.run(&["next", "--agent", "writer"]).ok();
    world.run(&["quota", "set", "--turns", "3", "--window", "1h"]).ok();
    assert_eq!(turns(&world), [2, 0, 2]);
    world.run(&["next", "--agent", "writer"]).ok();
    world.run(&["quota", "set", "--turns", "2"]).ok();
    let ran = world.run(&["next", "--agent", "writer", "--claim", "--json"]);
    assert_eq!((ran.code, ran.json()["row"].as_str()), (14, Some("throttled")), "{ran:?}");
    let frees: Timestamp = ran.json()["frees_at"].as_str().expect("an instant").parse().expect("an instant");
    assert!((19..=21).contains(&frees.duration_since(Clock.now()).as_mins()), "{ran:?}");
    // The agent reports the turns that were seen already.
    for key in ["one", "two"] {
        world.run(&["quota", "spend", "--turn-key", key, "--agent", "writer"]).ok();
    }
    assert_eq!(turns(&world), [2, 2, 2]);
    let shown = world.run(&["quota", "show"]).ok().out;
    assert!(shown.contains("2 of 2") && shown.contains("used up until"), "{shown}");
}

#[test]
fn sessions_of_the_goal_without_a_lane_count_for_the_goal() {
    let (world, project) = with_lane();
    world.run(&["agent", "add", "reader", "--runtime", "codex_cli_tui"]).ok();
    let between = world.project("between");
    world.run(&["bind", between.to_str().expect("text")]).ok();
    world.codex(1, &project, Turn::Done, 4);
    world.codex(2, &between, Turn::Done, 3);
    world.run(&["quota", "set", "--turns", "2"]).ok();
    world.run(&["quota", "set", "--turns", "2", "--agent", "writer"]).ok();
    let limits = world.json(&["quota", "show"])["limits"].clone();
    let used = |at: usize| (limits[at]["agent_id"].clone(), limits[at]["turns"]["used"].clone());
    assert_eq!(used(0), (json!(null), json!(2)), "{limits}");
    assert_eq!((used(1), used(2)), ((json!("reader"), json!(0)), (json!("writer"), json!(1))));
    assert_eq!(world.run(&["next", "--agent", "writer"]).code, 14);
}

#[test]
fn tokens_of_subagents_and_of_long_files_are_counted_to_their_beginning() {
    let (world, session) = with_session();
    let file = world.path("home/.claude/projects/-made-up").join(format!("{session}.jsonl"));
    let at = Clock.now() - SignedDuration::from_mins(3);
    let response = |id: &str, tokens: u64, side: bool, filler: usize| {
        let line = json!({
            "parentUuid": null, "isSidechain": side, "type": "assistant", "uuid": format!("u-{id}"),
            "requestId": format!("r-{id}"), "timestamp": at, "sessionId": session, "version": "2.1.332",
            "message": {
                "id": id, "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                "content": [{ "type": "text", "text": "x".repeat(filler) }], "stop_reason": "end_turn",
                "usage": { "input_tokens": 0, "output_tokens": tokens },
            },
        });
        line.to_string() + "\n"
    };
    // Longer than what is read of a file at the first look, with the beginning far from its end.
    let mut text = response("first", 1000, false, 10) + &String::from_utf8(read(&file)).expect("text");
    for at in 0..40 {
        text += &response(&format!("m{at}"), 1, false, 40_000);
    }
    std::fs::write(&file, text).expect("a file");
    let child = world.path("home/.claude/projects/-made-up").join(&session).join("subagents");
    std::fs::create_dir_all(&child).expect("folders");
    std::fs::write(child.join("agent-a1.jsonl"), response("side", 500, true, 10)).expect("a file");
    world.run(&["quota", "set", "--tokens", "9000"]).ok();
    let tokens = || world.json(&["quota", "show"])["limits"][0]["tokens"]["observed"].clone();
    assert_eq!(tokens(), json!(1000 + 2 + 40 + 500));
    // The limit is used up by what the subagent adds.
    world.run(&["quota", "set", "--tokens", "1600"]).ok();
    world.run(&["next", "--agent", "writer"]).ok();
    let more = response("side", 500, true, 10) + &response("side-2", 70, true, 10);
    std::fs::write(child.join("agent-a1.jsonl"), more).expect("a file");
    assert_eq!(world.run(&["next", "--agent", "writer"]).code, 14);
}

#[test]
fn usage_says_how_many_turns_were_not_started() {
    let (world, _) = with_lane();
    let not_started = |args: &[&str]| world.json(&[&["usage"], args].concat())["turns_not_started"].clone();
    assert_eq!(not_started(&[])["turns"], 0);
    // Ready is no; asked again and again is one; what a person asks at a terminal is none.
    world.run(&["next", "--agent", "writer"]).ok();
    world.run(&["quota", "set", "--turns", "0"]).ok();
    for _ in 0..3 {
        assert_eq!(world.run(&["next", "--agent", "writer"]).code, 14);
    }
    world.run(&["goal", "pause"]).ok();
    assert_eq!(world.run_shown(&["next", "--agent", "writer"]).code, 11);
    assert_eq!(not_started(&[])["turns"], 1);
    assert_eq!(world.run(&["next", "--agent", "writer", "--claim", "--json"]).code, 11);
    let told = not_started(&[]);
    assert_eq!(
        told["by_exit"],
        json!([
            { "exit": 11, "answer": "waiting on the controller", "turns": 1 },
            { "exit": 14, "answer": "throttled", "turns": 1 },
        ])
    );
    assert_eq!(told["by_lane"], json!([{ "goal_id": "handbook", "agent_id": "writer", "turns": 2 }]));
    assert_eq!(
        (&told["by_day"][0]["turns"], not_started(&["--agent", "reader"])["turns"].as_u64()),
        (&json!(2), Some(0))
    );
    let shown = world.run(&["usage"]).ok().out;
    let words = "2 turns not started: `loopx next` said no without a model call (";
    assert!(shown.contains(words), "{shown}");
    // Inside a session the turn has begun; and no goal's log knows of any of it.
    let inside = world.inside("01a229a5-924c-7440-b3e2-000000000009");
    let before = world.run(&["log", "--all", "--json"]).ok().out;
    world.run(&["goal", "resume"]).ok();
    let ran = inside.run(&["next", "--agent", "writer"]);
    assert!(ran.code >= 10, "{ran:?}");
    assert_eq!(not_started(&[])["turns"], 2);
    assert!(!before.contains("spared"));
    // Where it can't be kept, the answer is the same.
    std::fs::remove_file(world.path("loopx/spared.jsonl")).expect("a file");
    std::fs::create_dir(world.path("loopx/spared.jsonl")).expect("a folder");
    assert_eq!(world.run(&["next", "--agent", "writer"]).code, 14);
}
