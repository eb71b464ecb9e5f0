//! `loopx follow`: a line for each first screen that is another one, and nothing missed by who was away.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::process::Stdio;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use loopx_core::ProofFloor;
use rustix::process::Signal;
use serde_json::Value;

use crate::made::Turn;
use crate::stage::{GOAL, gate, goal, lane, todo, two_lanes};
use crate::started::{LONG, Started};
use crate::world::World;

/// The lines of a run that ends by itself.
fn once(world: &World, args: &[&str]) -> Vec<Value> {
    let ran = world.run(&[&["follow", "--jsonl", "--once"], args].concat()).ok();
    ran.out.lines().map(|line| serde_json::from_str(line).expect("a document")).collect()
}

fn revision(line: &Value) -> &str {
    line["revision"].as_str().expect("a revision")
}

/// The lanes of lines, with whom each waits on.
fn waits(lines: &[Value]) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let wait =
        |line: &Value| (word(&line["agent_id"]), word(&line["projection"]["first_screen"]["waiting_on"]));
    lines.iter().map(wait).collect()
}

/// What a reader knows: the last line of each lane.
type Known = BTreeMap<(String, String), (Value, Value)>;

fn read(known: &mut Known, line: &Value) {
    let key = (line["goal_id"].to_string(), line["agent_id"].to_string());
    if line["listing"] == "dropped" {
        known.remove(&key);
    } else {
        known.insert(key, (line["projection"].clone(), line["unbound_prompts"].clone()));
    }
}

/// The same out of `status`.
fn shown(world: &World) -> Known {
    let mut known = Known::new();
    let status = world.json(&["status"]);
    for goal in status["goals"].as_array().expect("goals") {
        for lane in goal["lanes"].as_array().expect("lanes") {
            let projection = &lane["projection"];
            let key = (projection["goal_id"].to_string(), projection["agent_id"].to_string());
            known.insert(key, (projection.clone(), goal["unbound_prompts"].clone()));
        }
    }
    known
}

#[test]
fn a_line_is_what_project_prints() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    let lines = once(&world, &[]);
    assert_eq!(lines.len(), 2);
    for line in lines {
        let agent = line["agent_id"].as_str().expect("an agent");
        assert_eq!(line["projection"], world.json(&["project", "--agent", agent]));
        let why = world.json(&["why", "--agent", agent]);
        assert_eq!((&line["row"], &line["exit"]), (&why["row"], &why["exit"]));
        assert_eq!(
            (&line["schema_version"], &line["listing"]),
            (&"loopx_follow_v0".into(), &"listed".into())
        );
    }
}

#[test]
fn who_was_away_misses_no_wait_and_reads_nothing_twice() {
    let world = two_lanes(ProofFloor::None);
    let first = once(&world, &[]);
    let [one, two] = first.as_slice() else { panic!("{first:?}") };
    // Between its two lines the second was not read yet.
    assert_eq!(waits(&once(&world, &["--after", revision(one)])), waits(&first[1..]));
    let read = revision(two).to_owned();
    assert!(once(&world, &["--after", &read]).is_empty());
    gate(&world, &["may it be published?", "--covers", "bob"]);
    let asked = once(&world, &["--after", &read]);
    assert_eq!(waits(&asked), [("bob".to_owned(), "user".to_owned())]);
    let read = revision(&asked[0]).to_owned();
    assert!(once(&world, &["--after", &read]).is_empty());
}

#[test]
fn what_came_and_went_while_nobody_read_is_not_said() {
    let world = two_lanes(ProofFloor::None);
    let read = revision(once(&world, &[]).last().expect("a line")).to_owned();
    let asked = gate(&world, &["may it be published?", "--covers", "bob"]);
    world.run(&["gate", "withdraw", &asked]).ok();
    assert!(once(&world, &["--after", &read]).is_empty());
}

#[test]
fn whatever_line_was_read_last_the_rest_brings_it_up_to_date() {
    let world = two_lanes(ProofFloor::None);
    goal(&world, "second", ProofFloor::None);
    lane(&world, "second", "cid", None);
    let (mut known, mut cuts, mut said) = (Known::new(), Vec::new(), String::from("r0_"));
    let asks = world.clone();
    let steps: [Box<dyn Fn()>; 6] = [
        Box::new(|| ()),
        Box::new(|| drop(todo(&world, &["build it"]))),
        Box::new(move || drop(gate(&asks, &["may it be published?"]))),
        Box::new(|| drop(world.run(&["goal", "pause", "second"]).ok())),
        Box::new(|| lane(&world, "second", "dan", None)),
        Box::new(|| {
            world.run(&["goal", "done", "second"]).ok();
            world.run(&["goal", "archive", "second"]).ok();
        }),
    ];
    for step in steps {
        step();
        for line in once(&world, &["--after", &said]) {
            revision(&line).clone_into(&mut said);
            read(&mut known, &line);
            cuts.push((said.clone(), known.clone()));
        }
        assert_eq!(known, shown(&world));
    }
    assert!(cuts.len() > 8, "{}", cuts.len());
    for (at, mut known) in cuts {
        let lines = once(&world, &["--after", &at]);
        for line in &lines {
            read(&mut known, line);
        }
        assert_eq!(known, shown(&world), "after {at}");
        // The same screens have the same revision, whichever way they were come to.
        assert!(lines.last().is_none_or(|line| revision(line) == said));
    }
}

#[test]
fn a_goal_that_is_put_away_is_said_so_once() {
    let world = two_lanes(ProofFloor::None);
    let read = revision(once(&world, &[]).last().expect("a line")).to_owned();
    world.run(&["goal", "done", GOAL]).ok();
    world.run(&["goal", "archive", GOAL]).ok();
    let lines = once(&world, &["--after", &read]);
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line["listing"] == "dropped" && line["row"] == "closed"), "{lines:?}");
    assert!(once(&world, &["--after", revision(&lines[1])]).is_empty());
    // Who never read of it reads nothing of it.
    assert!(once(&world, &[]).is_empty());
}

#[test]
fn what_is_not_asked_for_stays_as_it_was_read() {
    let world = two_lanes(ProofFloor::None);
    goal(&world, "second", ProofFloor::None);
    lane(&world, "second", "cid", None);
    let all = revision(once(&world, &[]).last().expect("a line")).to_owned();
    gate(&world, &["may it be published?"]);
    world.run(&["goal", "pause", "second"]).ok();
    let second = once(&world, &["--after", &all, "--goal", "second"]);
    assert_eq!(waits(&second), [("cid".to_owned(), "controller".to_owned())]);
    let rest = once(&world, &["--after", revision(&second[0])]);
    assert_eq!(waits(&rest).iter().map(|(lane, _)| lane.as_str()).collect::<Vec<_>>(), ["ann", "bob"]);
    assert_eq!(waits(&once(&world, &["--agent", "bob"])).len(), 1);
    assert_eq!(waits(&once(&world, &["--agent", "cid", "--goal", "second"])).len(), 1);
    world.run(&["follow", "--once", "--goal", "third"]).fails(3, "no goal third");
}

#[test]
fn a_prompt_of_no_lane_is_another_line_of_its_goal() {
    let world = two_lanes(ProofFloor::None);
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", GOAL]).ok();
    let read = revision(once(&world, &[]).last().expect("a line")).to_owned();
    world.codex(1, &project, Turn::Asks, 0);
    let lines = once(&world, &["--after", &read]);
    assert!(!lines.is_empty() && lines.iter().all(|line| line["unbound_prompts"] == 1), "{lines:?}");
}

#[test]
fn what_is_no_revision_is_refused() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["follow", "--once", "--after", "41"]).fails(2, "not a revision");
    world.run(&["follow", "--json"]).fails(2, "--jsonl");
}

#[test]
fn in_words_it_is_a_line_as_well() {
    let world = two_lanes(ProofFloor::None);
    gate(&world, &["may it be published?", "--covers", "bob"]);
    let ran = world.run(&["follow", "--once"]).ok();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("● you") && lines[0].contains("pilot / bob"), "{ran:?}");
}

/// The built program, with its lines as they come.
struct Follower {
    program: Started,
    lines: Receiver<String>,
}

impl Follower {
    fn of(world: &World, args: &[&str]) -> Self {
        let mut program = follows(world, args);
        let lines = program.lines();
        Self { program, lines }
    }

    fn line(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(LONG).expect("a line")).expect("a document")
    }
}

fn follows(world: &World, args: &[&str]) -> Started {
    Started::of(world.built(&[&["follow"], args].concat()).stdout(Stdio::piped()))
}

#[test]
fn a_change_on_disk_is_a_line_at_once() {
    let world = two_lanes(ProofFloor::None);
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    let follower = Follower::of(&world, &["--jsonl", "--agent", "ann"]);
    assert_eq!(follower.line()["row"], "quiet");
    todo(&world, &["build it"]);
    assert_eq!(follower.line()["row"], "ready");
    // A runtime's folder appears with the first session in it.
    world.codex(1, &project, Turn::Asks, 0);
    let asks = follower.line();
    assert_eq!((&asks["row"], &asks["exit"]), (&"prompt".into(), &10.into()));
    // A second session, in a folder that is watched and was listed already.
    let made = world.codex(2, &project, Turn::Unsure, 0);
    world.codex(1, &project, Turn::Done, 0);
    assert_eq!(follower.line()["row"], "unsure");
    std::fs::remove_file(made.file).expect("gone");
    assert_eq!(follower.line()["row"], "ready");
}

#[test]
fn what_a_hook_tells_is_a_line_at_once() {
    let world = two_lanes(ProofFloor::None);
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    let made = world.claude(1, &project, Turn::Unsure, 0);
    let follower = Follower::of(&world, &["--jsonl", "--agent", "ann"]);
    assert_eq!(follower.line()["row"], "unsure");
    let event = format!(
        r#"{{"session_id":"{}","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_use_id":"toolu_1"}}"#,
        made.native_id
    );
    let mut hook = Started::of(world.built(&["hook", "claude_code", "--prompts"]).stdin(Stdio::piped()));
    hook.say(&event);
    hook.said();
    assert!(hook.end().success());
    let line = follower.line();
    assert_eq!((&line["row"], &line["exit"]), (&"prompt".into(), &10.into()), "{line}");
}

#[test]
fn an_old_session_that_goes_on_was_noticed_a_minute_later() {
    let world = two_lanes(ProofFloor::None);
    let project = world.project("made-up");
    world.run(&["bind", project.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    let made = world.codex(1, &project, Turn::Done, 90 * 24 * 60);
    let age = |file: &std::path::Path| {
        let old = std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        std::fs::File::options().write(true).open(file).expect("a file").set_modified(old).expect("its age");
    };
    age(&made.file);
    let follower = Follower::of(&world, &["--jsonl", "--agent", "ann"]);
    assert_eq!(follower.line()["row"], "quiet");
    world.codex(1, &project, Turn::Asks, 0);
    assert_eq!(follower.line()["row"], "prompt");
}

#[test]
fn a_signal_ends_it_cleanly() {
    let world = two_lanes(ProofFloor::None);
    for signal in [Signal::TERM, Signal::INT] {
        let mut follower = Follower::of(&world, &["--jsonl"]);
        follower.line();
        follower.program.signal(signal);
        assert_eq!(follower.program.end().code(), Some(0));
    }
}

#[test]
fn a_reader_that_is_gone_ends_it_although_nothing_happens() {
    let world = two_lanes(ProofFloor::None);
    let mut program = follows(&world, &["--jsonl"]);
    let mut out = program.data();
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    drop(out);
    assert_eq!(program.end().code(), Some(0));
}

#[test]
fn an_agent_that_no_goal_has_was_followed_in_silence() {
    let world = World::new();
    for verb in [&["follow", "--once"][..], &["status"]] {
        world.run(&[verb, &["--agent", "nosuch"]].concat()).fails(3, "no agent nosuch on any goal");
    }
    let world = two_lanes(ProofFloor::None);
    for verb in [&["follow", "--once"][..], &["follow", "--jsonl", "--once"], &["status"]] {
        world.run(&[verb, &["--agent", "nosuch"]].concat()).fails(3, "no agent nosuch on any goal");
        world.run(&[verb, &["--agent", "bob"]].concat()).ok();
        world.run(&[verb, &["--goal", "nosuch"]].concat()).fails(3, "no goal nosuch");
    }
}

#[test]
fn without_a_goal_it_waited_in_silence() {
    let world = World::new();
    let ran = world.run(&["follow", "--once"]).ok();
    assert_eq!((ran.out.as_str(), ran.err.matches("no goals yet").count()), ("", 1), "{ran:?}");
    assert!(ran.err.contains("loopx init"), "{ran:?}");
    let ran = two_lanes(ProofFloor::None).run(&["follow", "--once"]).ok();
    assert_eq!(ran.err, "");
}
