//! `loopx hooks` where somebody else has a hand in it: entries that were changed, a LoopX with another folder.

use std::fs;

use crate::verbs_hooks::{CONFIG, HOOKS, SETTINGS, bytes, machine, newest, run, state, text};
use crate::world::World;

const THEIRS: &str =
    "{\n  \"model\": \"opus\",\n  \"statusLine\": { \"type\": \"command\", \"command\": \"mine\" }\n}\n";

/// Where a word stands in a text: line and column of the literal around it.
fn place(text: &str, word: &str) -> String {
    let at = text.find(word).unwrap_or_default();
    let start = text[..at].rfind("\"command\": ").unwrap_or_default() + "\"command\": ".len();
    let line = text[..start].rsplit('\n').next().unwrap_or_default();
    format!("settings.json:{}:{}", text[..start].matches('\n').count() + 1, line.chars().count() + 1)
}

#[test]
fn every_entry_that_was_changed_is_named_where_it_stands_and_taking_them_out_helps() {
    let world = newest();
    fs::write(world.path(SETTINGS), THEIRS).expect("a file");
    run(&world, &["install", "claude"]).ok();
    let mut changed = text(&world, SETTINGS);
    for (event, was, is) in [
        ("PreToolUse", "--prompts >/dev/null", "--prompts --first >/dev/null"),
        ("Stop", "--prompts >/dev/null", "--prompts --second >/dev/null"),
        ("SessionEnd", "--prompts >/dev/null", "--prompts --third >/dev/null"),
    ] {
        let (before, rest) = changed.split_once(&format!("\"{event}\": [")).expect("the event");
        changed = format!("{before}\"{event}\": [{}", rest.replacen(was, is, 1));
    }
    fs::write(world.path(SETTINGS), &changed).expect("a file");
    let places = ["--first", "--second", "--third"].map(|word| place(&changed, word)).join(", ");
    run(&world, &["install", "claude"]).fails(4, &places).fails(4, "nothing was changed");
    assert_eq!(text(&world, SETTINGS), changed);
    assert!(world.run(&["doctor"]).out.contains(&places), "{places}");
    // What is not changed goes, and the rest is named where it stands then.
    let shown = run(&world, &["uninstall", "claude"]);
    let left = text(&world, SETTINGS);
    let places = ["--first", "--second", "--third"].map(|word| place(&left, word)).join(", ");
    assert!(shown.err.contains(&places), "{places} in {shown:?}");
    run(&world, &["install", "claude"]).fails(4, &places).fails(4, "take each of them out");
    // The way out, as it is said: each group is taken out by hand.
    let mut value: serde_json::Value = serde_json::from_str(&left).expect("JSON");
    for (_, groups) in value["hooks"].as_object_mut().expect("hooks") {
        groups
            .as_array_mut()
            .expect("a list")
            .retain(|group| !group.to_string().contains(" hook claude_code"));
    }
    fs::write(world.path(SETTINGS), serde_json::to_string_pretty(&value).expect("text")).expect("a file");
    let mended = text(&world, SETTINGS);
    run(&world, &["install", "claude"]).ok();
    assert_eq!(state(&world, "claude_settings"), "installed");
    run(&world, &["uninstall", "claude"]).ok();
    assert_eq!(text(&world, SETTINGS), mended);
}

/// The same machine with LoopX's things in another folder.
fn elsewhere(world: &World) -> World {
    world.with("LOOPX_HOME", world.path("another loopx"))
}

#[test]
fn of_two_folders_the_first_is_told_to_wait_for_the_second_and_both_come_out_to_the_byte() {
    for was in [Some(THEIRS), Some("{}"), None] {
        let first = newest();
        let second = elsewhere(&first);
        if let Some(was) = was {
            fs::write(first.path(SETTINGS), was).expect("a file");
        }
        run(&first, &["install", "claude", "--statusline", "add"]).ok();
        run(&second, &["install", "claude", "--statusline", "add"]).ok();
        let both = text(&first, SETTINGS);
        run(&first, &["uninstall", "claude"])
            .fails(4, "hooks of a LoopX with another folder stand on what this one wrote: settings.json:")
            .fails(4, "with LOOPX_HOME or XDG_DATA_HOME set as it is written there");
        assert_eq!(text(&first, SETTINGS), both);
        // The way out, as it is said.
        run(&second, &["uninstall", "claude"]).ok();
        run(&first, &["uninstall", "claude"]).ok();
        assert_eq!(
            bytes(&first, SETTINGS).map(|bytes| String::from_utf8(bytes).expect("text")).as_deref(),
            was
        );
    }
}

#[test]
fn of_two_folders_in_empty_hooks_sixteen_empty_lists_were_left() {
    for was in ["{\"model\":\"x\",\"hooks\":{}}", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"] {
        let first = newest();
        let second = elsewhere(&first);
        fs::write(first.path(SETTINGS), was).expect("a file");
        run(&first, &["install", "claude"]).ok();
        run(&second, &["install", "claude"]).ok();
        run(&first, &["uninstall", "claude"])
            .fails(4, "hooks of a LoopX with another folder stand on what this one wrote: settings.json:");
        run(&second, &["uninstall", "claude"]).ok();
        run(&first, &["uninstall", "claude"]).ok();
        let is = text(&first, SETTINGS);
        assert!(is == was || is.replace("[\n    ]", "[]") == was, "{is}");
    }
}

#[test]
fn an_upgrade_below_a_second_folder_forgot_what_it_had_made() {
    for was in ["{}", "{\"hooks\":{}}"] {
        let mut first = newest();
        let second = elsewhere(&first);
        fs::write(first.path(SETTINGS), was).expect("a file");
        run(&first, &["install", "claude"]).ok();
        run(&second, &["install", "claude"]).ok();
        let moved = first.path("home/moved");
        fs::create_dir(&moved).expect("a folder");
        fs::copy(first.env.exe.take().expect("the program"), moved.join("loopx")).expect("a copy");
        first.env.exe = Some(moved.join("loopx"));
        run(&first, &["install", "claude"]).ok();
        assert!(text(&first, SETTINGS).contains("moved/loopx"));
        run(&first, &["uninstall", "claude"]).fails(4, "stand on what this one wrote");
        run(&second, &["uninstall", "claude"]).ok();
        run(&first, &["uninstall", "claude"]).ok();
        assert_eq!(text(&first, SETTINGS), was);
    }
}

#[test]
fn of_two_folders_that_grow_in_turn_neither_could_go_first() {
    let first = newest();
    let second = elsewhere(&first);
    let was = "{\"hooks\":{}}";
    fs::write(first.path(SETTINGS), was).expect("a file");
    run(&first, &["install", "claude", "--runtime-version", "1.0.85"]).ok();
    run(&second, &["install", "claude"]).ok();
    let both = text(&first, SETTINGS);
    run(&first, &["install", "claude"]).fails(4, "stand on what this one wrote");
    assert_eq!(text(&first, SETTINGS), both);
    run(&second, &["uninstall", "claude"]).ok();
    run(&first, &["install", "claude"]).ok();
    run(&second, &["install", "claude"]).ok();
    run(&second, &["uninstall", "claude"]).ok();
    run(&first, &["uninstall", "claude"]).ok();
    assert_eq!(text(&first, SETTINGS), was);
}

#[test]
fn a_file_that_was_replaced_was_said_to_hold_entries_of_ours() {
    let world = newest();
    fs::write(world.path(SETTINGS), "{}").expect("a file");
    run(&world, &["install", "claude"]).ok();
    let replaced = "{ \"hooks\": {\"Stop\": {}}}";
    fs::write(world.path(SETTINGS), replaced).expect("a file");
    run(&world, &["install", "claude"]).fails(4, "the hooks of an event are no list at 1:21");
    assert_eq!(state(&world, "claude_settings"), "not_installed");
    assert_eq!(text(&world, SETTINGS), replaced);
    run(&world, &["uninstall", "claude"]).ok();
    assert_eq!(text(&world, SETTINGS), replaced);
}

#[test]
fn what_was_changed_and_left_was_called_an_install() {
    let world = newest();
    fs::write(world.path(SETTINGS), THEIRS).expect("a file");
    run(&world, &["install", "claude"]).ok();
    let changed = text(&world, SETTINGS).replacen("--prompts >", "--prompts --mine >", 1);
    fs::write(world.path(SETTINGS), changed).expect("a file");
    run(&world, &["uninstall", "claude"]).fails(4, "changed by hand: settings.json:");
    assert_eq!(state(&world, "claude_settings"), "left");
    let shown = world.run(&["hooks", "status", "claude"]).ok();
    assert!(shown.out.contains("not installed, but an entry like LoopX's that was changed by hand is left"));
    assert!(!shown.out.contains("no record of it"), "{shown:?}");
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains("an entry like LoopX's is left in Claude Code's settings.json"), "{doctor}");
    assert!(doctor.contains("then all of it is out. If you want the hooks back"), "{doctor}");
    // The way out, as it is said.
    let text = text(&world, SETTINGS).replace(" hook claude_code", " mine");
    fs::write(world.path(SETTINGS), text).expect("a file");
    assert_eq!(state(&world, "claude_settings"), "not_installed");
}

#[test]
fn of_two_folders_the_first_comes_out_at_once_where_nothing_stands_on_it() {
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification"];
    let more = ["PreCompact", "SubagentStop", "Stop", "SessionEnd"];
    let lists = events
        .iter()
        .chain(&more)
        .map(|event| format!("\"{event}\": [{{ \"hooks\": [] }}]"))
        .collect::<Vec<_>>();
    let was = format!("{{\n  \"hooks\": {{ {} }},\n  \"a\": 1\n}}\n", lists.join(", "));
    let first = machine("1.0.128", "0.171.0");
    let second = elsewhere(&first);
    fs::write(first.path(SETTINGS), &was).expect("a file");
    run(&first, &["install", "claude"]).ok();
    run(&second, &["install", "claude"]).ok();
    run(&first, &["uninstall", "claude"]).ok();
    assert_eq!(state(&second, "claude_settings"), "installed");
    run(&second, &["uninstall", "claude"]).ok();
    assert_eq!(text(&first, SETTINGS), was);
}

#[test]
fn of_two_folders_around_one_status_line_the_inner_one_comes_out_first() {
    let lists = "\"SessionStart\": [], \"UserPromptSubmit\": [], \"PreToolUse\": [], \"PermissionRequest\": [], \
                 \"PermissionDenied\": [], \"PostToolUse\": [], \"PostToolUseFailure\": [], \"Elicitation\": [], \
                 \"ElicitationResult\": [], \"Notification\": [], \"PreCompact\": [], \"PostCompact\": [], \
                 \"SubagentStop\": [], \"Stop\": [], \"StopFailure\": [], \"SessionEnd\": []";
    let was = format!(
        "{{\n  \"hooks\": {{ {lists} }},\n  \"statusLine\": {{ \"type\": \"command\", \"command\": \"mine # x\" }}\n}}\n"
    );
    let first = newest();
    let second = elsewhere(&first);
    fs::write(first.path(SETTINGS), &was).expect("a file");
    run(&first, &["install", "claude"]).ok();
    run(&second, &["install", "claude"]).ok();
    assert_eq!(text(&first, SETTINGS).matches("--statusline").count(), 2);
    run(&first, &["uninstall", "claude"]).ok();
    assert_eq!(text(&first, SETTINGS).matches("--statusline").count(), 1);
    assert_eq!(state(&second, "claude_settings"), "installed");
    run(&second, &["uninstall", "claude"]).ok();
    // Lists that were empty may be left over two lines.
    let is = text(&first, SETTINGS);
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    assert_eq!(value(&is), value(&was));
}

#[test]
fn of_two_folders_in_one_notify_none_is_left_behind() {
    for was in ["", "notify = [\"say\"]\n"] {
        let first = newest();
        let second = elsewhere(&first);
        fs::write(first.path(CONFIG), was).expect("a file");
        run(&first, &["install", "codex", "--notify"]).ok();
        run(&second, &["install", "codex", "--notify"]).ok();
        let both = text(&first, CONFIG);
        assert!(both.matches("--notify").count() == 2, "{both}");
        let ran = run(&first, &["uninstall", "codex"]);
        assert!(ran.err.contains("hooks.json:"), "{ran:?}");
        assert_eq!(text(&first, CONFIG), both);
        run(&second, &["uninstall", "codex"]).ok();
        run(&first, &["uninstall", "codex"]).ok();
        assert_eq!(text(&first, CONFIG), was);
        assert!(bytes(&first, HOOKS).is_none());
    }
    // In a version without hooks there is nothing but the program.
    let first = machine("2.1.332", "0.106.0");
    let second = elsewhere(&first);
    fs::write(first.path(CONFIG), "notify = [\"say\"]\n").expect("a file");
    run(&first, &["install", "codex"]).ok();
    run(&second, &["install", "codex"]).ok();
    run(&first, &["uninstall", "codex"]).ok();
    assert_eq!(state(&second, "codex_config"), "installed");
    run(&second, &["uninstall", "codex"]).ok();
    assert_eq!(text(&first, CONFIG), "notify = [\"say\"]\n");
    // One of an empty file is a line of its own, which the other stands in.
    fs::write(first.path(CONFIG), "").expect("a file");
    run(&first, &["install", "codex"]).ok();
    run(&second, &["install", "codex"]).ok();
    run(&first, &["uninstall", "codex"]).fails(4, "stand on what this one wrote: config.toml:1:");
    run(&second, &["uninstall", "codex"]).ok();
    run(&first, &["uninstall", "codex"]).ok();
    assert_eq!(text(&first, CONFIG), "");
}

#[test]
fn a_notify_of_ours_without_a_record_is_not_called_nothing() {
    let world = machine("2.1.332", "0.106.0");
    run(&world, &["install", "codex"]).ok();
    fs::remove_file(world.path("loopx/hooks-installed.json")).expect("gone");
    assert_eq!(state(&world, "codex_config"), "unrecorded");
    run(&world, &["uninstall", "codex"]).fails(4, "config.toml:1:").fails(4, "take each of them out");
    run(&world, &["install", "codex"]).fails(4, "config.toml:1:");
    fs::write(world.path(CONFIG), "").expect("a file");
    run(&world, &["install", "codex"]).ok();
}

#[test]
fn what_would_be_done_is_said_before_the_difference() {
    let world = newest();
    fs::write(world.path(SETTINGS), THEIRS).expect("a file");
    let shown = world.run(&["hooks", "install", "claude", "--dry-run"]).ok().out;
    let first = shown.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "Claude Code's settings.json: to be changed: 16 events, your status line goes on behind ours"
    );
    assert!(shown.lines().nth(1).is_some_and(|line| line.starts_with("--- ")), "{shown}");
}

#[test]
fn a_runtime_goes_by_its_short_name_too() {
    let world = newest();
    for name in ["claude", "claude_code", "codex", "codex_cli_tui"] {
        world.run(&["hooks", "install", name, "--dry-run"]).ok();
        world.run(&["hooks", "status", name]).ok();
    }
    world.run(&["hooks", "status", "cursor"]).fails(2, "codex, claude_code");
}
