//! `loopx hooks`: in and out of settings files of any shape, to the byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::made::read;
use crate::person::Types;
use crate::world::{Ran, World};

const CONFIRM: [&str; 2] = ["--confirm", "change settings"];
pub(crate) const SETTINGS: &str = "home/.claude/settings.json";
pub(crate) const HOOKS: &str = "home/.codex/hooks.json";
pub(crate) const CONFIG: &str = "home/.codex/config.toml";

/// A machine with both runtimes, of these versions, and the program itself.
pub(crate) fn machine(claude: &str, codex: &str) -> World {
    let mut world = World::new();
    for (program, package, version) in
        [("claude", "@anthropic-ai/claude-code", claude), ("codex", "@openai/codex", codex)]
    {
        let folder = world.path("home/lib").join(package);
        fs::create_dir_all(&folder).expect("folders");
        fs::create_dir_all(world.path("home/bin")).expect("folders");
        let manifest = format!("{{\"name\":\"{package}\",\"version\":\"{version}\"}}");
        fs::write(folder.join("package.json"), manifest).expect("a file");
        fs::write(folder.join("cli.js"), "").expect("a file");
        symlink(folder.join("cli.js"), world.path("home/bin").join(program)).expect("a link");
    }
    let program = world.path("home/own place/loopx");
    fs::create_dir_all(program.parent().expect("a folder")).expect("folders");
    fs::write(&program, "").expect("a file");
    world.env.exe = Some(program);
    for folder in ["home/.claude", "home/.codex"] {
        fs::create_dir(world.path(folder)).expect("a folder");
    }
    let path = world.path("home/bin");
    world.with("PATH", path)
}

pub(crate) fn newest() -> World {
    machine("2.1.332", "0.171.0")
}

pub(crate) fn bytes(world: &World, name: &str) -> Option<Vec<u8>> {
    world.path(name).symlink_metadata().is_ok().then(|| read(&world.path(name)))
}

pub(crate) fn text(world: &World, name: &str) -> String {
    String::from_utf8(bytes(world, name).expect("a file")).expect("text")
}

pub(crate) fn run(world: &World, args: &[&str]) -> Ran {
    world.run(&[&["hooks"], args, &CONFIRM].concat())
}

pub(crate) fn state(world: &World, file: &str) -> String {
    let shown = world.json(&["hooks", "status"]);
    let files = shown["runtimes"].as_array().expect("a list").iter();
    let mut files = files.flat_map(|one| one["files"].as_array().expect("a list"));
    let found = files.find(|one| one["file"] == file).expect("the file");
    found["state"].as_str().expect("a word").to_owned()
}

/// As Codex notes that its user trusts hooks: those that stand first in their events but for so many.
fn trust(world: &World, group: usize) {
    let hooks = world.path(HOOKS);
    let events = [
        "session_start",
        "user_prompt_submit",
        "pre_tool_use",
        "permission_request",
        "post_tool_use",
        "pre_compact",
        "post_compact",
        "subagent_stop",
        "interrupt",
        "stop",
        "session_end",
    ];
    let state = events.map(|event| {
        format!("[hooks.state.\"{}:{event}:{group}:0\"]\ntrusted_hash = \"sha256:00\"\n", hooks.display())
    });
    fs::write(world.path(CONFIG), format!("[hooks.state]\n{}", state.concat())).expect("a file");
}

/// Settings of many shapes.
const SHAPES: &[(&str, &str)] = &[
    ("an empty file", ""),
    ("a line end", "\n"),
    ("an empty object", "{}"),
    ("an empty object over lines", "{\n}\n"),
    ("minified", r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}]}}"#),
    (
        "tabs",
        "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls)\"\n\t\t]\n\t}\n}\n",
    ),
    ("carriage returns", "{\r\n    \"model\": \"opus\"\r\n}\r\n"),
    ("comments", "// mine\n{\n  \"model\": \"opus\" // why\n  /* \"hooks\": {} */\n  // end\n}\n// bye"),
    ("no line end", "{\n  \"model\": \"opus\"\n}"),
    (
        "hooks of the same event",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }]\n      }\n    ]\n  }\n}\n",
    ),
    (
        "hooks of all kinds",
        "{\"hooks\": {\"PreToolUse\": [ { \"matcher\": \"Bash\", \"hooks\": [] } ],\n \"PreCompact\": [],\n \"Stop\": []}, \"x\": 1}",
    ),
    ("a mark of the byte order", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
    ("deeply nested", "{\"a\":{\"b\":[{\"c\":[[[[[{\"d\":{}}]]]]]}]},\n\"e\":[[],[[]]]}"),
    ("other alphabets", "{\n   \"überall\": \"日本語 \\u00e9 🦀\",\n   \"hooks\" : { }\n}\n"),
    (
        "a status line",
        "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"printf '%s' \\\"caf\\u00e9\\\" \\/ # x\",\n    \"padding\": 0\n  }\n}\n",
    ),
    ("names that look like ours", "{\"Hooks\":{},\"x\":{\"hooks\":{\"Stop\":1},\"statusLine\":2}}"),
    ("strings like brackets", "{\"a\":\"}],{[\\\"\\\\\",\"hooks\":{\"Stop\":[\"] }\"]}}"),
];

#[test]
fn hooks_come_out_to_the_byte_of_settings_of_any_shape() {
    for (shape, was) in SHAPES {
        for (claude, codex) in [("2.1.332", "0.171.0"), ("1.0.128", "0.125.0")] {
            let world = machine(claude, codex);
            for name in [SETTINGS, HOOKS] {
                fs::write(world.path(name), was).expect("a file");
            }
            for more in [&["--statusline", "add"][..], &[]] {
                run(&world, &[&["install"], more].concat()).ok();
                for name in [SETTINGS, HOOKS] {
                    assert!(
                        text(&world, name).contains("own place/loopx' hook "),
                        "{shape}: {}",
                        text(&world, name)
                    );
                }
                assert_eq!(state(&world, "claude_settings"), "installed", "{shape}");
                let codex = if codex == "0.171.0" { "untrusted" } else { "installed" };
                assert_eq!(state(&world, "codex_hooks"), codex, "{shape}");
                let once = [bytes(&world, SETTINGS), bytes(&world, HOOKS)];
                run(&world, &[&["install"], more].concat()).ok();
                assert_eq!([bytes(&world, SETTINGS), bytes(&world, HOOKS)], once, "{shape}: a second time");
                run(&world, &["uninstall"]).ok();
                for name in [SETTINGS, HOOKS] {
                    assert_eq!(text(&world, name), *was, "{shape}, {name}");
                }
            }
            assert!(bytes(&world, "loopx/hooks-installed.json").is_none());
        }
    }
}

#[test]
fn a_file_that_was_not_there_is_taken_away_again() {
    let world = newest();
    run(&world, &["install", "--statusline", "add", "--notify"]).ok();
    for name in [SETTINGS, HOOKS, CONFIG] {
        let mode = fs::metadata(world.path(name)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert!(text(&world, SETTINGS).contains("--statusline >/dev/null 2>&1 || true"));
    let mode = fs::metadata(world.path("loopx/hooks-installed.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    run(&world, &["uninstall"]).ok();
    for name in [SETTINGS, HOOKS, CONFIG] {
        assert!(bytes(&world, name).is_none(), "{name}");
    }
    assert_eq!(fs::read_dir(world.path("home/.codex")).expect("a folder").count(), 0);
}

#[test]
fn every_event_gets_a_group_of_its_own_and_theirs_stay_as_they_are() {
    let world = newest();
    fs::write(world.path(SETTINGS), SHAPES[9].1).expect("a file");
    run(&world, &["install", "claude_code"]).ok();
    let value: serde_json::Value = serde_json::from_str(&text(&world, SETTINGS)).expect("JSON");
    let events = value["hooks"].as_object().expect("an object");
    assert_eq!(events.len(), 16);
    assert_eq!(value["hooks"]["Stop"].as_array().expect("a list").len(), 2);
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    for groups in events.values() {
        let ours = groups.as_array().expect("a list").last().expect("a group");
        assert_eq!(ours["hooks"][0]["type"], "command");
        let command = ours["hooks"][0]["command"].as_str().expect("a text");
        assert!(command.starts_with("env LOOPX_HOME='"), "{command}");
        assert!(command.ends_with("/own place/loopx' hook claude_code --prompts >/dev/null 2>&1 || true"));
    }
    assert!(bytes(&world, HOOKS).is_none());
}

#[test]
fn only_events_that_the_installed_version_knows_are_written() {
    let world = machine("2.0.76", "0.125.0");
    let shown = world.json(&["hooks", "install", "--dry-run"]);
    assert_eq!(shown["dry_run"], true);
    let files = shown["files"].as_array().expect("a list");
    let of = |file: &str| files.iter().find(|one| one["file"] == file).expect("the file");
    let claude = of("claude_settings");
    assert_eq!((&claude["version"], &claude["found_by"]), (&[2, 0, 76].as_slice().into(), &"package".into()));
    assert_eq!(claude["events"].as_array().expect("a list").len(), 11);
    assert!(!of("codex_hooks")["events"].to_string().contains("Interrupt"));
    assert!(bytes(&world, SETTINGS).is_none() && bytes(&world, HOOKS).is_none());
    // Told to be another version.
    run(&world, &["install", "claude_code", "--runtime-version", "1.0.37"]).ok();
    assert!(!text(&world, SETTINGS).contains("SessionStart"));
    assert!(!text(&world, SETTINGS).contains("--prompts"));
    world.run(&["hooks", "install", "--runtime-version", "1.0.37"]).fails(2, "--runtime-version");
    world.run(&["hooks", "install", "codex", "--runtime-version", "new"]).fails(2, "not a version");
    // Of a version that can't be found out, and was never named, the smallest set.
    run(&world, &["uninstall"]).ok();
    let mut unknown = world.clone();
    unknown.env.vars.remove(std::ffi::OsStr::new("PATH"));
    let shown = unknown.json(&["hooks", "install", "claude_code", "--dry-run"]);
    assert_eq!(
        shown["files"][0]["events"].to_string(),
        r#"["PreToolUse","PostToolUse","Notification","Stop"]"#
    );
    assert_eq!(shown["files"][0]["version"], serde_json::Value::Null);
}

#[test]
fn a_codex_without_hooks_is_told_of_by_notify_and_yours_runs_as_before() {
    let world = machine("2.1.332", "0.106.0");
    let was = "# mine\nmodel = \"x\"\nnotify = [ # why\n  'say', \"it's\",\n]\n[features]\nx = 1\n";
    fs::write(world.path(CONFIG), was).expect("a file");
    run(&world, &["install", "codex"]).ok();
    let is = text(&world, CONFIG);
    assert!(is.contains("hook codex --notify \"$@\"") && is.contains("# why\n  'say', \"it's\",\n]"), "{is}");
    assert!(bytes(&world, HOOKS).is_none());
    assert_eq!(state(&world, "codex_config"), "installed");
    run(&world, &["uninstall", "codex"]).ok();
    assert_eq!(text(&world, CONFIG), was);
    let world = machine("1.0.3", "0.106.0");
    world.run(&["hooks", "install", "claude_code", "--dry-run"]).fails(3, "Claude Code 1.0.3 has no hooks");
}

#[test]
fn what_was_added_around_ours_stays() {
    let world = newest();
    fs::write(world.path(SETTINGS), "{\n  \"model\": \"opus\"\n}\n").expect("a file");
    run(&world, &["install", "claude_code"]).ok();
    let is = text(&world, SETTINGS);
    let theirs = "{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say\" }] }";
    let edited = is
        .replacen("\"SessionStart\": [\n", &format!("\"SessionStart\": [\n      {theirs},\n"), 1)
        .replacen("\"opus\",", "\"sonnet\", // cheaper", 1);
    assert_ne!(edited, is);
    fs::write(world.path(SETTINGS), edited).expect("a file");
    assert_eq!(state(&world, "claude_settings"), "installed");
    run(&world, &["uninstall"]).ok();
    assert_eq!(
        text(&world, SETTINGS),
        format!(
            "{{\n  \"model\": \"sonnet\", // cheaper\n  \"hooks\": {{\n    \"SessionStart\": [\n      {theirs}\n    ]\n  }}\n}}\n"
        )
    );
}

#[test]
fn what_of_ours_was_changed_is_said_and_left() {
    let world = newest();
    fs::write(world.path(SETTINGS), "{}\n").expect("a file");
    run(&world, &["install", "claude_code"]).ok();
    let changed = text(&world, SETTINGS).replacen("\"timeout\": 3", "\"timeout\": 60", 1);
    fs::write(world.path(SETTINGS), &changed).expect("a file");
    assert_eq!(state(&world, "claude_settings"), "changed_by_hand");
    let place = "changed at 4:51";
    let shown_place = "settings.json:4:51";
    let shown = world.run(&["hooks", "status"]).ok();
    assert!(shown.out.contains("changed by hand") && shown.out.contains(place), "{shown:?}");
    run(&world, &["install", "claude_code"])
        .fails(4, &format!("changed by hand: {shown_place}"))
        .fails(4, "take each of them out");
    assert_eq!(text(&world, SETTINGS), changed);
    world.run(&["doctor"]).fails(1, "");
    run(&world, &["uninstall"])
        .fails(4, "was changed by hand: settings.json:")
        .fails(4, "take each of them out");
    let left = text(&world, SETTINGS);
    assert_eq!(left.matches("hook claude_code").count(), 1, "{left}");
    assert!(left.contains("\"timeout\": 60"));
    assert_eq!(state(&world, "claude_settings"), "left");
    fs::write(world.path(SETTINGS), "{}\n").expect("a file");
    assert_eq!(state(&world, "claude_settings"), "not_installed");
}

#[test]
fn an_upgrade_brings_our_own_entries_up_to_date() {
    let mut world = machine("2.0.76", "0.125.0");
    fs::write(world.path(SETTINGS), SHAPES[9].1).expect("a file");
    run(&world, &["install"]).ok();
    let was = text(&world, SETTINGS);
    // The program moves, and Claude Code is brought up to date.
    let moved = world.path("home/it's here/loopx");
    fs::create_dir(moved.parent().expect("a folder")).expect("a folder");
    fs::rename(world.env.exe.take().expect("the program"), &moved).expect("moved");
    world.env.exe = Some(moved);
    assert_eq!(state(&world, "claude_settings"), "binary_gone");
    let shown = world.run(&["doctor"]);
    assert!(shown.out.contains("the program that Claude Code's settings.json runs is gone"), "{shown:?}");
    fs::write(
        world.path("home/lib/@anthropic-ai/claude-code/package.json"),
        r#"{"name":"@anthropic-ai/claude-code","version":"2.1.332"}"#,
    )
    .expect("a file");
    run(&world, &["install"]).ok();
    let is = text(&world, SETTINGS);
    assert!(!is.contains("own place") && is.contains(r"it'\\''s here/loopx' hook"), "{is}");
    assert!(was.matches("hook claude_code").count() == 11 && is.matches("hook claude_code").count() == 16);
    assert_eq!(state(&world, "codex_hooks"), "installed");
    run(&world, &["uninstall"]).ok();
    assert_eq!(text(&world, SETTINGS), SHAPES[9].1);
}

#[test]
fn an_install_whose_record_is_gone_is_taken_over() {
    let world = newest();
    fs::write(world.path(SETTINGS), SHAPES[9].1).expect("a file");
    run(&world, &["install", "claude_code", "--statusline", "leave"]).ok();
    let is = text(&world, SETTINGS);
    fs::remove_file(world.path("loopx/hooks-installed.json")).expect("gone");
    assert_eq!(state(&world, "claude_settings"), "unrecorded");
    run(&world, &["install", "claude_code"]).ok();
    assert_eq!(
        text(&world, SETTINGS).matches("hook claude_code").count(),
        is.matches("hook claude_code").count()
    );
    assert_eq!(state(&world, "claude_settings"), "installed");
    fs::remove_file(world.path("loopx/hooks-installed.json")).expect("gone");
    run(&world, &["uninstall"]).ok();
    assert!(!text(&world, SETTINGS).contains("loopx"));
}

#[test]
fn what_can_not_be_edited_is_refused_with_its_place_and_left_alone() {
    for (was, words) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "settings.json is not edited: no JSON at 2:9"),
        ("{'a': 1}", "no JSON at 1:2"),
        ("{\"a\": 1,}", "no JSON at 1:8"),
        ("{\"a\": [1,\n  2,\n]}", "no JSON at 2:4"),
        ("{\n  \"é\": \"a\0b\"}", "a control character at 2:10"),
        ("{ // a\tcomment\u{1}\n  \"a\": \"\t\"}", "a control character at 2:9"),
        ("{\"a\": \"\\q\"}", "no JSON at 1:"),
        ("{\"a\": 01}", "no JSON at 1:"),
        ("{\"a\":\u{a0}1}", "no JSON at 1:6"),
        ("[]", "no object at 1:1"),
        ("null", "no object at 1:1"),
        ("{\"a\": 1, \"a\": 2}", "the same name a second time at 1:10"),
        ("{\"hooks\": []}", "`hooks` is no object at 1:11"),
        ("{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}", "the same name a second time at 2:1"),
        ("{\"hooks\": {\"Stop\": {}}}", "the hooks of an event are no list at 1:20"),
    ] {
        let world = newest();
        fs::write(world.path(SETTINGS), was).expect("a file");
        run(&world, &["install"]).fails(4, words).fails(4, "nothing was changed");
        assert_eq!(text(&world, SETTINGS), was);
        assert!(bytes(&world, HOOKS).is_none(), "the other file is left alone too");
    }
    let world = newest();
    for (name, was) in [
        (CONFIG, "notify = 1\n"),
        (CONFIG, "a = = 1"),
        (CONFIG, "a = [1"),
        (CONFIG, "a = \"\0\""),
        (CONFIG, "a = 1 b = 2"),
        (CONFIG, "notify = []\nnotify = []"),
    ] {
        fs::write(world.path(name), was).expect("a file");
        run(&world, &["install", "codex", "--notify"]).fails(4, "config.toml is not edited").fails(4, " at ");
        assert_eq!(text(&world, name), was);
    }
}

#[test]
fn links_are_followed_and_read_only_files_are_left_alone() {
    let world = newest();
    let real = world.path("home/dotfiles.json");
    fs::write(&real, "{}").expect("a file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("../dotfiles.json", world.path(SETTINGS)).expect("a link");
    run(&world, &["install", "claude_code"]).ok();
    assert!(world.path(SETTINGS).is_symlink() && read(&real).len() > 100);
    assert_eq!(fs::metadata(&real).expect("a file").permissions().mode() & 0o777, 0o640);
    run(&world, &["uninstall"]).ok();
    assert_eq!(read(&real), b"{}");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).expect("a mode");
    run(&world, &["install", "claude_code"]).fails(4, "read-only").fails(4, "`--dry-run` shows");
    assert_eq!(read(&real), b"{}");
    let ran = world.run(&["hooks", "install", "claude_code", "--dry-run"]);
    assert!(ran.code == 4 || ran.out.contains("SessionStart"), "{ran:?}");
}

#[test]
fn a_person_decides_and_sees_the_difference_first() {
    let world = newest();
    fs::write(world.path(SETTINGS), "{\n  \"model\": \"opus\"\n}\n").expect("a file");
    world
        .run(&["hooks", "install"])
        .fails(7, "nothing was changed: there is no terminal")
        .fails(7, "--confirm");
    run(&world.with("CLAUDECODE", "1"), &["install"]).fails(7, "inside an agent's session");
    world.run(&["hooks", "install", "--confirm", "yes"]).fails(2, "those are not the words");
    let (ran, _) = world.at_terminal(Types::Nonsense, &["hooks", "install"]);
    ran.fails(7, "the code was not typed back");
    assert_eq!(text(&world, SETTINGS), "{\n  \"model\": \"opus\"\n}\n");
    let (ran, shown) = world.at_terminal(Types::TheCode, &["hooks", "install"]);
    assert!(ran.ok().out.contains("+++ Claude Code's settings.json"));
    assert_eq!(shown, "put hooks of LoopX into Codex's hooks.json and Claude Code's settings.json, as shown");
    // Nothing changes, so nobody is asked.
    world.run(&["hooks", "install"]).ok();
    world.run(&["hooks", "uninstall"]).fails(7, "there is no terminal");
}

#[test]
fn the_difference_shows_what_is_ours_and_of_theirs_the_names_alone() {
    let world = newest();
    let secret = "quiet-orchard-77";
    fs::write(
        world.path(SETTINGS),
        format!(
            "{{\n  \"env\": {{ \"{secret}\": \"{secret}\" }}, // {secret}\n  \"statusLine\": {{ \"type\": \"command\", \"command\": \"/srv/{secret}/line\" }}\n}}\n"
        ),
    )
    .expect("a file");
    let shown = world.run(&["hooks", "install", "--dry-run"]).ok();
    assert!(shown.out.contains("  \"…\": { \"…\": \"…\" …"), "{}", shown.out);
    assert!(
        shown
            .out
            .contains("'~/own place/loopx' hook claude_code --statusline 2>/dev/null || cat; } | (\\n…\\n)")
    );
    assert!(shown.out.contains(
        "+      { \"hooks\": [{ \"type\": \"command\", \"command\": \"env LOOPX_HOME='$LOOPX_HOME' "
    ));
    assert!(!shown.out.contains(secret) && !shown.err.contains(secret), "{}", shown.out);
    assert!(!shown.out.contains(world.path("").to_str().expect("text")), "{}", shown.out);
    fs::write(world.path(CONFIG), format!("notify = [\"{secret}\", '''{secret}''']\n")).expect("a file");
    let shown = world.run(&["hooks", "install", "codex", "--notify", "--dry-run"]).ok();
    assert!(!shown.out.contains(secret) && shown.out.contains("notify = "), "{}", shown.out);
}

#[test]
fn hooks_that_never_fire_are_called_silent_until_an_event_comes() {
    let world = newest();
    run(&world, &["install"]).ok();
    assert_eq!(state(&world, "codex_hooks"), "untrusted");
    let shown = world.run(&["hooks", "status"]).ok();
    assert!(shown.out.contains("not trusted yet") && shown.err.contains("trusted them once"), "{shown:?}");
    trust(&world, 0);
    assert_eq!(state(&world, "codex_hooks"), "installed");
    // As if it had been installed an hour ago, and a session had begun since.
    let record = text(&world, "loopx/hooks-installed.json");
    let mut value: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    let now = loopx::clock::Clock.now();
    for file in value["files"].as_array_mut().expect("a list") {
        file["at"] = (now - jiff::SignedDuration::from_hours(1)).to_string().into();
    }
    fs::write(world.path("loopx/hooks-installed.json"), value.to_string()).expect("a file");
    let at = now - jiff::SignedDuration::from_mins(10);
    let thread = "01a2b3c4-d5e6-7f80-9123-456789abcdef";
    let rollout = world.path("home/.codex/sessions/2026/11/30");
    fs::create_dir_all(&rollout).expect("folders");
    let meta = format!(
        "{{\"timestamp\":\"{at}\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{thread}\",\"timestamp\":\"{at}\",\"cwd\":\"/w\",\"cli_version\":\"0.171.0\",\"source\":\"cli\"}}}}\n"
    );
    let started = format!(
        "{{\"timestamp\":\"{at}\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"task_started\",\"turn_id\":\"1\"}}}}\n"
    );
    fs::write(rollout.join(format!("rollout-2026-11-30T00-00-00-{thread}.jsonl")), meta + &started)
        .expect("a file");
    assert_eq!(state(&world, "codex_hooks"), "silent");
    let shown = world.run(&["hooks", "status"]).ok();
    assert!(
        shown.out.contains("installed but silent") && shown.err.contains("trusted them once"),
        "{shown:?}"
    );
    assert_eq!(state(&world, "claude_settings"), "installed");
    world.run(&["doctor"]).ok();
    let event = loopx_runtimes::hooks::HookEvent::read(
        loopx_runtimes::Runtime::Codex,
        format!("{{\"hook_event_name\":\"Stop\",\"session_id\":\"{thread}\"}}").as_bytes(),
        now,
        loopx_runtimes::hooks::Around::default(),
    );
    loopx_runtimes::hooks::Spool::of(&world.path("loopx")).append(&event.expect("an event")).expect("kept");
    assert_eq!(state(&world, "codex_hooks"), "installed");
    assert!(world.run(&["hooks", "status", "codex"]).ok().out.contains("last event"));
}

#[test]
fn everything_of_ours_can_be_taken_away_only_after_the_hooks() {
    let world = newest();
    run(&world, &["install", "codex"]).ok();
    let shown = world.run(&["uninstall"]).ok();
    assert!(shown.out.contains("hooks: in the settings of Codex"), "{shown:?}");
    assert_eq!(world.json(&["uninstall"])["hooks"], serde_json::json!(["codex"]));
    let purge = ["uninstall", "--purge", "--confirm", "delete everything"];
    world
        .run(&purge)
        .fails(7, "hooks of LoopX are in the settings of Codex")
        .fails(7, "`loopx hooks uninstall`");
    // Where it can't be looked at, what is noted counts.
    let noted = bytes(&world, "loopx/hooks-installed.json").expect("a file");
    fs::write(world.path("loopx/hooks-installed.json"), "{").expect("a file");
    world.run(&purge).fails(7, "hooks of LoopX are in the settings of");
    world.run(&["hooks", "status"]).fails(1, "failed to read hooks-installed.json");
    world.run(&["doctor"]).fails(1, "");
    fs::write(world.path("loopx/hooks-installed.json"), noted).expect("a file");
    run(&world, &["uninstall"]).ok();
    world.run(&purge).ok();
    assert!(!world.path("loopx").exists());
}

#[test]
fn without_a_runtime_nothing_is_made() {
    let world = World::new();
    world.run(&["hooks", "install"]).fails(3, "neither Claude Code's folder nor Codex's is there");
    world.run(&["hooks", "install", "codex"]).fails(3, "no folder for Codex's hooks.json");
    let shown = world.run(&["hooks", "status"]).ok();
    assert!(shown.out.contains("not installed"), "{shown:?}");
    assert!(run(&world, &["uninstall"]).ok().out.contains("nothing of LoopX's is there"));
    assert!(bytes(&world, HOOKS).is_none() && !world.path("home/.codex").exists());
}

#[test]
fn of_two_that_change_settings_at_once_one_waits_for_its_turn() {
    let world = newest();
    fs::write(world.path(SETTINGS), "{}\n").expect("a file");
    run(&world, &["install"]).ok();
    let held = fs::File::open(world.path("loopx/hooks-installed.lock")).expect("a lock");
    held.lock().expect("the lock");
    let before = bytes(&world, SETTINGS);
    for verb in ["install", "uninstall"] {
        run(&world, &[verb]).fails(4, "another `loopx hooks` is changing settings");
        assert_eq!(bytes(&world, SETTINGS), before);
    }
    world.run(&["hooks", "uninstall", "--dry-run"]).ok();
    drop(held);
    run(&world, &["uninstall"]).ok();
    assert_eq!(text(&world, SETTINGS), "{}\n");
}
