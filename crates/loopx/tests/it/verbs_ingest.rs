//! `loopx ingest`: what a worker of the user's own says of its session.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use loopx_core::ProofFloor;
use serde_json::{Value, json};

use crate::made::read;
use crate::stage::{GOAL, goal, lane, two_lanes};
use crate::started::Started;
use crate::world::World;

/// A line of a worker's.
fn line(session: &str, state: &str, more: &Value) -> String {
    let mut line = json!({"runtime_id": "custom_worker", "session_id": session, "state": state});
    if let (Some(line), Some(more)) = (line.as_object_mut(), more.as_object()) {
        line.extend(more.clone());
    }
    format!("{line}\n")
}

impl World {
    /// Has lines taken in out of a file.
    fn ingests(&self, text: &str, args: &[&str]) -> crate::world::Ran {
        fs::write(self.path("work/lines.jsonl"), text).expect("a file");
        let file = self.path("work/lines.jsonl");
        self.run(&[&["ingest", file.to_str().expect("text")], args].concat())
    }

    /// The only session, as the built program sees it once it is so.
    #[track_caller]
    fn comes_to(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let ran = self
                .built(&["sessions", "list", "--json"])
                .stdout(Stdio::piped())
                .output()
                .expect("the program");
            let document: Value = serde_json::from_slice(&ran.stdout).expect("a document");
            if is_so(&document["sessions"][0]) {
                return document["sessions"][0].clone();
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "{document}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn comes_to_be(&self, state: &str) -> Value {
        self.comes_to(|session| session["session"]["state"] == state)
    }
}

/// A worker, or what follows one.
struct Running(Started);

impl Running {
    fn spawn(command: &mut Command) -> Self {
        Self(Started::of(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null())))
    }

    fn say(&mut self, text: &str) {
        self.0.say(text);
    }

    /// Nothing more comes in.
    fn end(mut self) -> Option<i32> {
        self.0.said();
        self.0.end().code()
    }
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

/// The world of the page's worker: its script, and a `make` that works until it is told how to end.
fn worker_of_the_page() -> (World, Command) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runtimes/custom-worker.md");
    let page = String::from_utf8(read(&page)).expect("text");
    let (_, rest) = page.split_once("```sh\n").expect("a script");
    let (script, _) = rest.split_once("```").expect("its end");
    assert_eq!(script.lines().count(), 3);
    let world = World::new();
    goal(&world, "handbook", ProofFloor::None);
    lane(&world, "handbook", "builder", None);
    executable(&world.path("work/worker.sh"), script);
    executable(
        &world.path("home/make"),
        // It ends with the world at the latest.
        "#!/bin/sh\nwhile [ -d \"$HOME\" ] && [ ! -s goes ]; do sleep 0.02; done\ntouch ended\nexit $(cat goes)\n",
    );
    symlink(assert_cmd::cargo::cargo_bin!("loopx"), world.path("home/loopx")).expect("a link");
    let mut command = Command::new(world.path("work/worker.sh"));
    let path = format!("{}:/usr/bin:/bin", world.path("home").display());
    command.env_clear().envs(&world.env.vars).env("PATH", path).current_dir(world.path("work"));
    (world, command)
}

#[test]
fn the_worker_of_the_page_works_until_it_says_how_it_ended() {
    for (code, state) in [("0", "idle"), ("2", "errored")] {
        let (world, mut command) = worker_of_the_page();
        let worker = Running::spawn(&mut command);
        let session = world.comes_to_be("running");
        assert_eq!((&session["goal_id"], &session["agent_id"]), (&json!("handbook"), &json!("builder")));
        let facts = &session["session"];
        assert_eq!((&facts["tier"], &facts["liveness"]), (&json!("hook"), &json!("alive")));
        let next = world.built(&["next", "--goal", "handbook", "--agent", "builder"]).output();
        assert_eq!(next.expect("an answer").status.code(), Some(16));
        fs::write(world.path("work/goes"), code).expect("a file");
        world.comes_to_be(state);
        assert_eq!(worker.end(), Some(0));
    }
}

#[test]
fn a_worker_is_not_in_its_own_way() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["todo", "add", "draw the coast"]).ok();
    let mut ingest = Running::spawn(&mut world.built(&["ingest"]));
    ingest.say(&line("one", "running", &json!({})));
    world.comes_to_be("running");
    let next = || world.built(&["next"]);
    assert_eq!(next().output().expect("an answer").status.code(), Some(16));
    let told = world.ingests(&line("one", "idle", &json!({})), &["--check"]).ok();
    let handle = told.out.lines().nth(1).expect("a handle");
    let next = next().env("LOOPX_SESSION", handle).output().expect("an answer");
    assert_eq!(next.status.code(), Some(0), "{}", String::from_utf8_lossy(&next.stdout));
}

#[test]
fn a_worker_that_was_killed_works_no_more() {
    let (world, mut command) = worker_of_the_page();
    let worker = Running::spawn(&mut command);
    world.comes_to_be("running");
    drop(worker);
    let facts = &world.comes_to_be("unknown")["session"];
    assert_eq!((&facts["liveness"], &facts["rule"]), (&json!("dead"), &json!("no_process")));
    // What it had started ends too.
    fs::write(world.path("work/goes"), "0").expect("a file");
    world.comes_to_be("idle");
    assert!(world.path("work/ended").exists());
}

#[test]
fn a_line_counts_while_the_worker_goes_on() {
    let world = World::new();
    let mut ingest = Running::spawn(&mut world.built(&["ingest"]));
    for state in ["running", "waiting_answer", "idle", "running"] {
        ingest.say(&line("one", state, &json!({})));
        assert_eq!(world.comes_to_be(state)["session"]["liveness"], "alive");
    }
    // It was vouched for as long as somebody read from it.
    ingest.say("{\"half a line");
    assert_eq!(ingest.end(), Some(7));
    assert_eq!(world.comes_to_be("unknown")["session"]["missing"], json!(["liveness"]));
}

#[test]
fn faults_are_named_by_line_and_field_and_the_other_lines_are_taken() {
    let world = World::new();
    let text = [
        "\u{feff}",
        &line(
            "one",
            "idle",
            &json!({"prompt": "canary", "checks": [{"label": "test", "outcome": "passed", "cmd": 1}]}),
        ),
        "\r\n",
        &line("two", "busy canary", &json!({"pid": "canary"})),
        &line("/home/canary", "idle", &json!({"runtime_id": "claude_code"})),
        "canary\n",
        &line("three", "ended", &json!({})).replace('\n', ""),
    ];
    let ran = world.ingests(&text.concat(), &[]).fails(7, "line 3: state: not one of running, ");
    assert_eq!(ran.err.lines().count(), 6, "{}", ran.err);
    for said in [
        "line 3: pid: not a whole number from 1 to 4294967295\n",
        "line 4: runtime_id: a built-in runtime: use custom_worker or a word of your own\n",
        "line 4: session_id: refused: path at columns 1-12\n",
        "line 5: not JSON from byte 1 on\n",
    ] {
        assert!(ran.err.contains(said), "no {said:?} in {}", ran.err);
    }
    assert!(ran.out.starts_with("taken: 2 lines of 2 sessions; 3 refused; 2 keys dropped\nses_"), "{ran:?}");
    assert!(!format!("{ran:?}").contains("canary"));
    assert!(!String::from_utf8_lossy(&read(&world.path("loopx/workers.jsonl"))).contains("canary"));
    assert_eq!(world.json(&["sessions", "list"])["sessions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn lines_that_are_only_judged_are_not_taken() {
    let world = World::new();
    let text = line("one", "idle", &json!({})) + &line("two", "idle", &json!({"usage": {"turns": -1}}));
    let ran = world.ingests(&text, &["--check", "--json"]);
    assert_eq!(ran.code, 7);
    let document = ran.json();
    assert_eq!(document["schema_version"], "loopx_ingest_v0");
    assert_eq!((&document["checked_only"], &document["taken"]), (&json!(true), &json!(1)));
    let fault = json!({"line": 2, "field": "usage", "item": null, "part": "turns", "problem": "not_a_number", "class": null});
    assert_eq!(document["refusals"], json!([fault]));
    assert!(!world.path("loopx/workers.jsonl").exists());
    world.ingests(&line("one", "idle", &json!({})), &["--check"]).ok();
}

#[test]
fn a_lane_named_on_a_line_never_overrules_a_bind() {
    let world = two_lanes(ProofFloor::None).without("LOOPX_GOAL").without("LOOPX_AGENT");
    let lane_of = || {
        let document = world.json(&["sessions", "list"]);
        (document["sessions"][0]["goal_id"].clone(), document["sessions"][0]["agent_id"].clone())
    };
    let named = |agent: &str| line("one", "idle", &json!({"goal_id": GOAL, "agent_id": agent}));
    world.ingests(&named("ann"), &[]).ok();
    assert_eq!(lane_of(), (json!(GOAL), json!("ann")));
    world.ingests(&named("bob"), &[]).ok();
    assert_eq!(lane_of(), (json!(GOAL), json!("bob")));
    let session = world.json(&["sessions", "list"])["sessions"][0]["session"]["session_id"].clone();
    let session = session.as_str().expect("a handle");
    world.run(&["bind", session, "--goal", GOAL, "--agent", "ann"]).ok();
    world.ingests(&named("bob"), &["--goal", GOAL, "--agent", "bob"]).ok();
    assert_eq!(lane_of(), (json!(GOAL), json!("ann")));
    // Without a lane of its own it is of the one that holds for all; one that nobody registered places nothing.
    for (more, args, lane) in [
        (json!({}), &["--goal", GOAL, "--agent", "bob"][..], (json!(GOAL), json!("bob"))),
        (json!({"goal_id": "nowhere"}), &[], (json!(null), json!(null))),
    ] {
        world.ingests(&line("one more", "waiting_answer", &more), args).ok();
        let waiting = &world.json(&["sessions", "list", "--waiting"])["sessions"][0];
        assert_eq!((waiting["goal_id"].clone(), waiting["agent_id"].clone()), lane);
    }
}

#[test]
fn a_folder_places_a_session_that_names_no_goal() {
    let world = two_lanes(ProofFloor::None).without("LOOPX_GOAL").without("LOOPX_AGENT");
    let (bound, elsewhere) = (world.project("bound"), world.project("elsewhere"));
    let inside = world.in_folder(&bound);
    inside.run(&["bind", ".", "--goal", GOAL, "--agent", "ann"]).ok();
    for (from, cwd, goal) in [
        (&inside, None, json!(GOAL)),
        (&inside, Some(&elsewhere), json!(null)),
        (&world.in_folder(&elsewhere), Some(&bound), json!(GOAL)),
    ] {
        from.ingests(&line("one", "idle", &cwd.map_or(json!({}), |cwd| json!({"cwd": cwd}))), &[]).ok();
        let document = world.json(&["sessions", "list"]);
        assert_eq!(document["sessions"][0]["goal_id"], goal, "{cwd:?}");
        assert!(!document.to_string().contains("elsewhere"));
    }
}

#[test]
fn a_file_is_followed_from_where_it_was_left() {
    let world = World::new();
    let file = world.path("work/worker.jsonl");
    let append = |text: &str| {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(&file).expect("a file");
        file.write_all(text.as_bytes()).expect("room");
    };
    let follow = || Running::spawn(&mut world.built(&["ingest", "--follow", "worker.jsonl"]));
    let children = |count: u32| json!({"children": count});
    let has = |count: u32| world.comes_to(|session| session["session"]["children"] == count);
    // It is not there yet.
    let followed = follow();
    append(&line("one", "idle", &children(1)));
    has(1);
    // A line counts once it has ended.
    let (begins, ends) = line("one", "idle", &children(2)).split_at(20).to_owned_pair();
    append(&begins);
    append(&ends);
    has(2);
    drop(followed);
    // What came meanwhile is read, and nothing again: read anew, the first line would be the newest.
    append(&line("one", "idle", &children(3)));
    let followed = follow();
    has(3);
    let lines = read(&world.path("loopx/workers.jsonl")).split(|byte| *byte == b'\n').count();
    assert_eq!(lines, 4, "three lines, each once");
    // Cut short, and written anew as long as before.
    fs::write(&file, line("one", "idle", &children(4))).expect("a file");
    has(4);
    fs::write(&file, line("one", "idle", &children(5))).expect("a file");
    has(5);
    // Replaced.
    fs::write(world.path("work/new"), line("one", "idle", &children(6))).expect("a file");
    fs::rename(world.path("work/new"), &file).expect("in its place");
    has(6);
    append(&line("one", "idle", &children(7)));
    has(7);
    drop(followed);
    // Replaced while nobody looked.
    fs::remove_file(&file).expect("gone");
    append(&line("one", "idle", &children(8)));
    let _followed = follow();
    has(8);
}

/// Two parts of a text, each its own.
trait ToOwnedPair {
    fn to_owned_pair(self) -> (String, String);
}

impl ToOwnedPair for (&str, &str) {
    fn to_owned_pair(self) -> (String, String) {
        (self.0.to_owned(), self.1.to_owned())
    }
}

#[test]
fn a_named_pipe_is_followed_from_one_writer_to_the_next() {
    let world = World::new();
    let pipe = world.path("work/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let _followed = Running::spawn(&mut world.built(&["ingest", "--follow", "pipe"]));
    for (count, end) in [(1, "\n"), (2, "")] {
        let mut writer = fs::OpenOptions::new().write(true).open(&pipe).expect("a reader");
        let line = line("one", "idle", &json!({"children": count}));
        writer.write_all((line.trim_end().to_owned() + end).as_bytes()).expect("it reads");
        drop(writer);
        world.comes_to(|session| session["session"]["children"] == count);
    }
}

#[test]
fn what_lies_in_the_spools_place_is_not_written_to() {
    let world = World::new();
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    fs::write(world.path("foreign"), "theirs").expect("a file");
    symlink(world.path("foreign"), world.path("loopx/workers.jsonl")).expect("a link");
    let ran = world.ingests(&line("one", "idle", &json!({})), &[]);
    let ran = ran.fails(1, "failed to append to workers.jsonl").fails(1, "hint: ");
    assert!(!ran.out.contains("taken"), "{ran:?}");
    assert_eq!(read(&world.path("foreign")), b"theirs");
}

#[test]
fn what_cant_be_written_waits_and_the_worker_goes_on() {
    let world = World::new();
    fs::create_dir_all(world.path("loopx/workers.jsonl")).expect("a folder");
    let mut ingest = Running::spawn(&mut world.built(&["ingest"]));
    ingest.say(&line("one", "errored", &json!({})));
    let ran =
        world.built(&["sessions", "list", "--json"]).stdout(Stdio::piped()).output().expect("the program");
    let document: Value = serde_json::from_slice(&ran.stdout).expect("a document");
    assert_eq!(document["sessions"], json!([]));
    fs::remove_dir(world.path("loopx/workers.jsonl")).expect("gone");
    ingest.say(&line("one", "idle", &json!({})));
    world.comes_to_be("idle");
    assert_eq!(ingest.end(), Some(0));
}

#[test]
fn it_gives_no_command_and_makes_no_log() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli");
    let within =
        fs::read_dir(source.join("ingest")).expect("a folder").map(|entry| entry.expect("a file").path());
    let files: Vec<_> = within.chain([source.join("ingest.rs")]).collect();
    assert_eq!(files.len(), 4);
    for file in files {
        let text = String::from_utf8(read(&file)).expect("text");
        for word in
            ["AuthorityCommand", "LaneCommand", "plane()", "ControlPlane", "loopx_core", "loopx_store"]
        {
            assert!(!text.contains(word), "{word} in {}", file.display());
        }
    }
    let world = World::new();
    world.ingests(&line("one", "idle", &json!({"goal_id": GOAL})), &[]).ok();
    assert_eq!(world.own_files(), ["install.json", "workers.jsonl"]);
}

#[test]
fn a_file_that_is_not_there_and_a_folder_are_said_to_be() {
    let world = World::new();
    world.run(&["ingest", "nowhere.jsonl"]).fails(3, "hint: ");
    world.run(&["ingest", "."]).fails(1, "failed to read the lines").fails(1, "hint: ");
    world.run(&["ingest", "--follow", "."]).fails(2, "a folder can't be followed");
    world.run(&["ingest", "--follow", "a", "--check"]).fails(2, "cannot be used with");
    world.ingests(&line("one", "idle", &json!({})), &["--goal", "not a goal"]).fails(2, "malformed goal id");
}

#[test]
fn uninstall_knows_its_files() {
    let world = World::new();
    world.ingests(&line("one", "idle", &json!({})), &[]).ok();
    fs::write(world.path("loopx/workers.fil_0123456789abcdefghjkmnpqrs.json"), "{}").expect("a file");
    let ran = world.run(&["uninstall"]).ok();
    assert!(ran.out.contains("workers.fil_0123456789abcdefghjkmnpqrs.json, workers.jsonl"), "{ran:?}");
    world.run(&["uninstall", "--purge", "--confirm", "delete everything"]).ok();
    assert!(!world.path("loopx").exists());
}

#[test]
fn a_lane_that_is_not_there_is_said_once_and_its_lines_are_taken() {
    let world = World::new();
    world.run(&["init", "atlas", "--proof", "none", "--agent", "codex"]).ok();
    let of = |session: &str, goal: &str, agent: Option<&str>| {
        let mut more = json!({ "goal_id": goal });
        if let Some(agent) = agent {
            more["agent_id"] = agent.into();
        }
        line(session, "running", &more)
    };
    let text = [
        of("one", "atlas", Some("codex")),
        of("two", "atlas", None),
        of("three", "atlas", Some("writer")),
        of("four", "nowhere", Some("codex")),
        of("five", "atlas", Some("writer")),
        of("six", "nowhere", Some("codex")),
    ]
    .concat();
    let ran = world.ingests(&text, &[]).ok();
    assert!(ran.out.contains("taken: 6 lines of 6 sessions"), "{ran:?}");
    let said: Vec<&str> = ran.err.lines().filter(|line| line.contains("count for no lane")).collect();
    assert_eq!(
        said,
        [
            "there is no lane writer in atlas: its sessions count for no lane until there is",
            "there is no goal nowhere: its sessions count for no lane until there is"
        ]
    );
    // The ways out, as they are said.
    assert!(ran.err.contains("`loopx agent add writer --goal atlas` adds it"), "{ran:?}");
    assert!(ran.err.contains("`loopx goal add nowhere --objective TEXT` adds it"), "{ran:?}");
    world.run(&["agent", "add", "writer", "--goal", "atlas"]).ok();
    world.run(&["goal", "add", "nowhere", "--objective", "go", "--proof", "none"]).ok();
    world.run(&["agent", "add", "codex", "--goal", "nowhere"]).ok();
    assert!(!world.ingests(&text, &[]).ok().err.contains("count for no lane"));
    // What holds for all lines is a name too.
    let ran = world.ingests(&line("one", "running", &json!({})), &["--goal", "elsewhere", "--check"]).ok();
    assert!(ran.err.contains("there is no goal elsewhere"), "{ran:?}");
}
