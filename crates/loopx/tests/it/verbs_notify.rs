//! `--notify`: what begins to wait on a person is told once, whoever watches, and nothing that tells can stop the watch.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use loopx::clock::Clock;
use loopx_core::ProofFloor;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::made::{Turn, read};
use crate::stage::{GOAL, gate, two_lanes};
use crate::world::World;

/// How long something may take at most before it counts as never.
const LONG: Duration = Duration::from_secs(30);

/// How long it is waited for what must not come: longer than it takes to settle, and to be told.
const AWHILE: Duration = Duration::from_secs(3);

/// A script that keeps what it is told, each a line, and then does as it is said.
fn keeps(world: &World, then: &str) -> PathBuf {
    let (script, told) = (world.path("teller"), world.path("told"));
    let text = format!(
        "#!/bin/sh\n{{ read -r document; printf '%s\\t%s\\n' \"$document\" \"$LOOPX_NOTIFY_TEXT\"; }} >> '{}'\n{then}\n",
        told.display()
    );
    fs::write(&script, text).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("a script");
    script
}

/// A world with two lanes and a command that tells.
fn telling(then: &str, more: &str) -> World {
    let world = two_lanes(ProofFloor::None).with("TZ", "UTC").with("PATH", "/usr/bin:/bin");
    let script = keeps(&world, then);
    let text = format!("[notify]\ncommand = [{:?}]\n{more}", script.to_str().expect("text"));
    fs::write(world.path("loopx/config.toml"), text).expect("a file");
    world
}

/// What was told: the documents, and the sentences.
fn told(world: &World) -> Vec<(Value, String)> {
    let file = world.path("told");
    if !file.exists() {
        return Vec::new();
    }
    let text = String::from_utf8(read(&file)).expect("text");
    let line = |line: &str| {
        let (document, sentence) = line.split_once('\t').expect("two");
        (serde_json::from_str(document).expect("a document"), sentence.to_owned())
    };
    text.lines().map(line).collect()
}

/// Waits until so many were told, and a while longer.
fn await_told(world: &World, count: usize) -> Vec<(Value, String)> {
    let until = Instant::now() + LONG;
    while told(world).len() < count {
        assert!(Instant::now() < until, "told {:?}", told(world));
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(AWHILE / 2);
    told(world)
}

/// The built program, which goes on until it is dropped.
struct Watcher(Child);

impl Watcher {
    fn of(world: &World, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopx"));
        command.args(args).env_clear().envs(&world.env.vars).current_dir(world.path("work"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().expect("the program"))
    }

    fn follows(world: &World) -> Self {
        Self::of(world, &["follow", "--jsonl", "--notify"])
    }

    /// Ends it with a signal; what it said beside its data.
    fn ends(mut self) -> String {
        kill_process(Pid::from_child(&self.0), Signal::TERM).expect("a signal");
        let began = Instant::now();
        let status = self.0.wait().expect("its end");
        assert_eq!(status.code(), Some(0));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        std::io::read_to_string(self.0.stderr.take().expect("its words")).expect("text")
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// All that is told of a world in which prompts are up, and kept of that.
pub fn all_told(world: &World) -> Vec<(&'static str, Vec<u8>)> {
    let script = keeps(world, "");
    let text = format!("[notify]\ntext = \"full\"\ncommand = [{:?}]\n", script.to_str().expect("text"));
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    fs::write(world.path("loopx/config.toml"), text).expect("a file");
    let looks = || world.run(&["follow", "--once", "--notify"]).ok().out.into_bytes();
    let first = looks();
    std::thread::sleep(Duration::from_millis(1100));
    looks();
    assert!(!told(world).is_empty(), "nothing was told");
    vec![
        ("`follow --notify`", first),
        ("what a command is told", read(&world.path("told"))),
        ("what was told", read(&world.path("loopx/told.json"))),
    ]
}

#[test]
fn what_begins_to_wait_is_told_once_by_all_who_watch() {
    let world = telling("", "");
    let watchers = [Watcher::follows(&world), Watcher::follows(&world), Watcher::follows(&world)];
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    let all = await_told(&world, 1);
    let [(document, sentence)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(document["schema_version"], "loopx_edge_v0");
    assert_eq!((&document["reason"], &document["goal_id"]), (&json!("decision"), &json!(GOAL)));
    assert_eq!((&document["agent_ids"], &document["next_action"]), (&json!(["bob"]), &json!(null)));
    // A locked screen shows no question.
    assert!(sentence.starts_with("pilot / bob: a decision is owed, since "), "{sentence}");
    // A start is no edge, and neither is one look more.
    drop(watchers);
    let again = Watcher::follows(&world);
    std::thread::sleep(AWHILE);
    assert_eq!(again.ends(), "");
    assert_eq!(told(&world).len(), 1);
}

#[test]
fn a_prompt_in_a_session_is_told_whether_or_not_it_belongs_to_a_lane() {
    let world = telling("", "text = \"full\"\n");
    let (bound, elsewhere) = (world.project("bound"), world.project("elsewhere"));
    world.run(&["bind", bound.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    let watcher = Watcher::follows(&world);
    world.codex(1, &bound, Turn::Asks, 0);
    world.claude(2, &elsewhere, Turn::Asks, 0);
    // One whose call is open may wait or not: that is not known, and not told.
    world.codex(3, &elsewhere, Turn::Unsure, 0);
    let all = await_told(&world, 2);
    assert_eq!(all.len(), 2, "{all:?}");
    let of = |goal: Value| all.iter().find(|(told, _)| told["goal_id"] == goal).expect("it");
    let (lane, sentence) = of(json!(GOAL));
    assert_eq!((&lane["reason"], &lane["runtime_id"]), (&json!("question"), &json!("codex_cli_tui")));
    assert!(sentence.contains(": answer the question in session ses_"), "{sentence}");
    let (nowhere, sentence) = of(json!(null));
    assert_eq!((&nowhere["agent_ids"], &nowhere["runtime_id"]), (&json!([]), &json!("claude_code")));
    assert!(sentence.starts_with("claude_code, no goal: a question is up, since "), "{sentence}");
    drop(watcher);
}

#[test]
fn each_prompt_of_a_lane_is_told() {
    let world = telling("", "");
    let bound = world.project("bound");
    world.run(&["bind", bound.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    world.codex(1, &bound, Turn::Asks, 0);
    let _watcher = Watcher::follows(&world);
    await_told(&world, 1);
    // The lane waits on a person already.
    world.codex(2, &bound, Turn::Asks, 0);
    let all = await_told(&world, 2);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_ne!(all[0].0["session_id"], all[1].0["session_id"]);
}

/// A made-up `notify-send` that keeps its arguments.
fn with_desktop(world: &World) -> World {
    let folder = world.path("bin");
    fs::create_dir(&folder).expect("a folder");
    let (script, told) = (folder.join("notify-send"), world.path("told"));
    let text = format!("#!/bin/sh\nprintf '{{}}\\t%s|%s|%s|%s\\n' \"$@\" >> '{}'\n", told.display());
    fs::write(&script, text).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("a script");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    world.with("PATH", path).with("DISPLAY", ":0").with("TZ", "UTC")
}

#[test]
fn the_desktop_shows_no_question_and_nothing_over_ssh() {
    let world = with_desktop(&two_lanes(ProofFloor::None));
    let remote = world.with("SSH_CONNECTION", "made up");
    remote.run(&["follow", "--once", "--notify"]).fails(2, "nothing here can tell");
    let _watcher = Watcher::follows(&world);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    let all = await_told(&world, 1);
    let shown = &all[0].1;
    let start = "--app-name=loopx|--|loopx: waiting on you|pilot / bob: a decision is owed, since ";
    assert!(all.len() == 1 && shown.starts_with(start), "{all:?}");
}

#[test]
fn many_at_once_are_one_notification() {
    let world = with_desktop(&two_lanes(ProofFloor::None));
    for number in 0..5 {
        world.codex(number, &world.project(&format!("made-up-{number}")), Turn::Asks, 0);
    }
    let _watcher = Watcher::follows(&world);
    let all = await_told(&world, 1);
    assert!(all.len() == 1 && all[0].1.ends_with("|5 things wait on you: see `loopx status`"), "{all:?}");
}

#[test]
fn a_command_that_hangs_holds_up_nothing_and_ends_with_the_watch() {
    let world = telling("exec sleep 600", "");
    let watcher = Watcher::follows(&world);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_told(&world, 1);
    // While it hangs, lines go on.
    let mut watcher = watcher;
    let out = watcher.0.stdout.take().expect("its data");
    let lines = std::thread::spawn(move || {
        let lines = std::io::BufRead::lines(std::io::BufReader::new(out)).map_while(Result::ok);
        lines.filter(|line| line.contains("\"row\":\"paused\"")).count()
    });
    world.run(&["goal", "pause", GOAL]).ok();
    std::thread::sleep(AWHILE / 2);
    watcher.ends();
    assert_eq!(lines.join().expect("lines"), 2);
}

#[test]
fn a_command_that_fails_is_said_once() {
    let world = telling("exit 3", "");
    let watcher = Watcher::follows(&world);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_told(&world, 1);
    gate(&world, &["may the pears be sold?", "--covers", "ann"]);
    await_told(&world, 2);
    world.run(&["goal", "pause", GOAL]).ok();
    std::thread::sleep(AWHILE / 2);
    assert_eq!(watcher.ends(), "the command of notify.command ended with exit code 3\n");
}

#[test]
fn what_begins_in_quiet_hours_is_told_after_them() {
    let hour = |ahead: i64| {
        let at = Clock.now() + jiff::SignedDuration::from_hours(ahead);
        at.strftime("%H:%M").to_string()
    };
    let quiet = format!("quiet = [\"{}-{}\"]\n", hour(-2), hour(2));
    let world = telling("", &quiet);
    let watcher = Watcher::follows(&world);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    std::thread::sleep(AWHILE);
    assert!(told(&world).is_empty());
    watcher.ends();
    // As if they were over.
    let script = keeps(&world, "");
    let text = format!("[notify]\nwhen = \"always\"\ncommand = [{:?}]\n", script.to_str().expect("text"));
    fs::write(world.path("loopx/config.toml"), text).expect("a file");
    let _watcher = Watcher::of(&world, &["follow", "--jsonl"]);
    assert_eq!(await_told(&world, 1).len(), 1);
}

#[test]
fn nothing_is_told_unasked() {
    let world = telling("", "");
    let _watcher = Watcher::of(&world, &["follow", "--jsonl"]);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    std::thread::sleep(AWHILE);
    assert!(told(&world).is_empty());
}

#[test]
fn a_project_can_have_no_command_run_and_none_is_shown() {
    let world = telling("", "");
    let shown = world.run(&["config", "list"]).ok().out;
    assert!(shown.contains("notify.command  (set)") && !shown.contains("teller"), "{shown}");
    fs::write(world.path("work/.loopx.toml"), "[notify]\ncommand = [\"/bin/true\"]\n").expect("a file");
    world.run(&["status"]).fails(2, "may not set notify.command");
    for (bad, why) in [
        ("command = \"say it\"", "a program and its arguments"),
        ("command = []", "must begin with a program"),
        ("quiet = [\"22-7\"]", "22:00-07:00"),
        ("when = \"never\"", "must be one of asked, always"),
    ] {
        fs::write(world.path("loopx/config.toml"), format!("[notify]\n{bad}\n")).expect("a file");
        fs::remove_file(world.path("work/.loopx.toml")).ok();
        world.run(&["status"]).fails(2, why);
    }
}

#[test]
fn where_nothing_can_tell_that_is_said_at_once() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["follow", "--once", "--notify"]).fails(2, "nothing here can tell");
    world.run(&["status", "--notify"]).fails(2, "--watch");
}
