//! `--notify`: what begins to wait on a person is told once, whoever watches, and nothing that tells can stop the watch.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use loopx::clock::Clock;
use loopx_core::ProofFloor;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::made::{Turn, read};
use crate::stage::{GOAL, gate, two_lanes};
use crate::started::{LONG, Started};
use crate::world::World;

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

/// Has the configuration say another thing.
fn set(world: &World, text: &str) {
    fs::create_dir_all(world.path("loopx")).expect("a folder");
    fs::write(world.path("loopx/config.toml"), text).expect("a file");
}

/// What a running watcher says beside its data, until it says this.
fn await_said(lines: &Receiver<String>, wanted: &str) -> String {
    loop {
        let line = lines.recv_timeout(LONG).unwrap_or_else(|_| panic!("{wanted:?} was not said"));
        if line.contains(wanted) {
            return line;
        }
    }
}

/// What is kept of the one thing that waits.
fn kept(world: &World) -> Value {
    let kept: Value = serde_json::from_slice(&read(&world.path("loopx/told.json"))).expect("a document");
    let [entry] = kept["entries"].as_array().expect("entries").as_slice() else { panic!("{kept}") };
    entry.clone()
}

/// The built program, which goes on until it is dropped.
struct Watcher(Started);

impl Watcher {
    fn of(world: &World, args: &[&str]) -> Self {
        Self(Started::of(world.built(args).stdout(Stdio::piped()).stderr(Stdio::piped())))
    }

    fn follows(world: &World) -> Self {
        Self::of(world, &["follow", "--jsonl", "--notify"])
    }

    /// The lines that it says beside its data, as they come.
    fn says(&mut self) -> Receiver<String> {
        self.0.words()
    }

    /// Ends it with a signal; what it said beside its data.
    fn ends(mut self) -> String {
        let words = self.0.words();
        self.0.signal(Signal::TERM);
        let began = Instant::now();
        assert_eq!(self.0.end().code(), Some(0));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        words.iter().collect::<Vec<_>>().join("\n")
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
    let lines = watcher.0.lines();
    world.run(&["goal", "pause", GOAL]).ok();
    std::thread::sleep(AWHILE / 2);
    watcher.ends();
    assert_eq!(lines.iter().filter(|line| line.contains("\"row\":\"paused\"")).count(), 2);
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
    assert_eq!(watcher.ends(), "the command of notify.command ended with exit code 3");
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
        ("bell = \"loud\"", "must be one of auto, always, never"),
    ] {
        fs::write(world.path("loopx/config.toml"), format!("[notify]\n{bad}\n")).expect("a file");
        fs::remove_file(world.path("work/.loopx.toml")).ok();
        world.run(&["status"]).fails(2, why);
    }
}

#[test]
fn one_look_where_nothing_can_tell_would_pass_for_one_that_told() {
    let world = two_lanes(ProofFloor::None);
    world.run(&["follow", "--once", "--notify"]).fails(2, "nothing here can tell");
    world.run(&["status", "--notify"]).fails(2, "--watch");
}

#[test]
fn a_program_that_is_not_there_passed_for_one_that_told() {
    let world = telling("", "");
    set(&world, "[notify]\ncommand = [\"nosuchprog\"]\n");
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    world.run(&["follow", "--once", "--notify"]).ok();
    std::thread::sleep(Duration::from_millis(1100));
    world
        .run(&["follow", "--once", "--notify"])
        .fails(1, "the command of notify.command did not start: there is no such program")
        .fails(1, "hint: mend notify.*: `loopx config edit`");
    // Without being asked to tell it has not failed.
    world.run(&["follow", "--once"]).ok();
}

#[test]
fn a_notification_that_failed_was_kept_as_told() {
    let world = telling("exit 3", "");
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    let looks = || {
        let ran = world.run(&["follow", "--once", "--notify"]);
        std::thread::sleep(Duration::from_millis(1100));
        (ran.code, ran.err)
    };
    assert_eq!(looks(), (0, String::new()), "it has not settled");
    let (code, said) = looks();
    assert!(said.starts_with("error: the command of notify.command ended with exit code 3\n"), "{said}");
    assert_eq!(code, 1, "a script took it for told");
    let entry = kept(&world);
    assert_eq!((&entry["told"], &entry["failed"]), (&json!(null), &json!(1)));
    assert!(entry["again"].is_string(), "{entry}");
    assert_eq!(looks().0, 1);
    assert_eq!(told(&world).len(), 1, "it is not tried again at once");
    // As if the pause were over, and the program mended.
    keeps(&world, "");
    let text = String::from_utf8(read(&world.path("loopx/told.json"))).expect("text");
    let over = text.replace(entry["again"].as_str().expect("an instant"), "2026-01-01T00:00:00Z");
    fs::write(world.path("loopx/told.json"), over).expect("a file");
    assert_eq!(looks(), (0, String::new()));
    assert_eq!(told(&world).len(), 2);
    assert!(kept(&world)["told"].is_string(), "{}", kept(&world));
    looks();
    assert_eq!(told(&world).len(), 2);
}

#[test]
fn of_several_watchers_one_tries_what_fails() {
    let world = telling("exit 3", "");
    let _watchers = [Watcher::follows(&world), Watcher::follows(&world), Watcher::follows(&world)];
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_told(&world, 1);
    std::thread::sleep(AWHILE);
    assert_eq!((told(&world).len(), &kept(&world)["failed"]), (1, &json!(1)));
}

#[test]
fn what_a_killed_watcher_was_telling_was_lost() {
    let world = telling("sleep 9", "");
    let first = Watcher::follows(&world);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_told(&world, 1);
    let _second = Watcher::follows(&world);
    std::thread::sleep(AWHILE / 2);
    assert_eq!(told(&world).len(), 1, "the first one tells it");
    first.0.signal(Signal::KILL);
    assert_eq!(await_told(&world, 2).len(), 2);
}

#[test]
fn one_program_that_tells_makes_up_for_one_that_fails() {
    let world = with_desktop(&telling("exit 3", ""));
    let watcher = Watcher::follows(&world);
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_told(&world, 2);
    std::thread::sleep(AWHILE / 2);
    assert!(kept(&world)["told"].is_string(), "{}", kept(&world));
    assert_eq!(watcher.ends(), "the command of notify.command ended with exit code 3");
}

#[test]
fn a_failure_was_said_at_the_next_look_only() {
    let world = telling("exit 3", "");
    let mut watcher = Watcher::follows(&world);
    let lines = watcher.says();
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_told(&world, 1);
    let began = Instant::now();
    await_said(&lines, "ended with exit code 3");
    // Sooner than by looking from time to time.
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

#[test]
fn a_running_watcher_kept_the_configuration_of_its_start() {
    let world = telling("exit 3", "");
    let mut watcher = Watcher::follows(&world);
    let lines = watcher.says();
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    await_said(&lines, "ended with exit code 3");
    set(&world, "[notify");
    // No verb runs with a file like this; a session goes on.
    world.codex(1, &world.project("elsewhere"), Turn::Done, 0);
    let line = await_said(&lines, "config.toml");
    assert!(line.contains("is no TOML") && line.ends_with("notify.* stays as it was"), "{line}");
    // The one that is set now tells at once what failed before.
    let script = keeps(&world, "");
    set(&world, &format!("[notify]\ncommand = [{:?}, \"well\"]\n", script.to_str().expect("text")));
    world.run(&["todo", "add", "pick the pears"]).ok();
    assert_eq!(await_told(&world, 2).len(), 2);
    assert!(watcher.0.goes_on());
}

#[test]
fn a_watcher_did_not_begin_where_nothing_could_tell() {
    let world = two_lanes(ProofFloor::None).with("PATH", "/usr/bin:/bin");
    let mut watcher = Watcher::follows(&world);
    let lines = watcher.says();
    assert!(await_said(&lines, "nothing here can tell").contains("notify.command"));
    gate(&world, &["may the apples be sold?", "--covers", "bob"]);
    let script = keeps(&world, "");
    set(&world, &format!("[notify]\ncommand = [{:?}]\n", script.to_str().expect("text")));
    world.run(&["goal", "pause", GOAL]).ok();
    world.run(&["goal", "resume", GOAL]).ok();
    assert_eq!(await_told(&world, 1).len(), 1);
    assert!(lines.try_recv().is_err());
}

#[test]
fn an_ask_was_hidden_behind_a_prompt_and_behind_another_ask() {
    let world = telling("", "");
    let bound = world.project("bound");
    world.run(&["bind", bound.to_str().expect("text"), "--goal", GOAL, "--agent", "ann"]).ok();
    world.codex(1, &bound, Turn::Asks, 0);
    let _watcher = Watcher::follows(&world);
    await_told(&world, 1);
    for (count, question) in [(2, "may the apples be sold?"), (3, "may the pears be sold?")] {
        gate(&world, &[question, "--covers", "ann"]);
        let all = await_told(&world, count);
        assert_eq!(all.len(), count, "{all:?}");
        assert_eq!(all[count - 1].0["reason"], json!("decision"));
    }
    let line = world.run(&["statusline"]).ok().out;
    assert!(line.contains("3 on you"), "{line}");
}
