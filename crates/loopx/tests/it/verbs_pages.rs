//! `loopx --help`, `loopx schema`, `loopx completions`, `loopx man` and the reference.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use clap::Command;

use crate::verbs_goal::with_goal;
use crate::world::World;

/// Candidates for the last of these words.
fn completed(world: &World, words: &[&str]) -> Vec<String> {
    let mut command = loopx::cli::completions::command(&world.env);
    let args: Vec<OsString> =
        std::iter::once("loopx").chain(words.iter().copied()).map(OsString::from).collect();
    let last = args.len() - 1;
    let found = clap_complete::engine::complete(&mut command, args, last, None).expect("candidates");
    found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_verb_is_in_one_group_of_the_help() {
    let help = World::new().run(&["--help"]).ok().out;
    for verb in loopx::cli::command().get_subcommands().map(Command::get_name) {
        let lines = help.lines().filter(|line| line.starts_with(&format!("  {verb:<12} "))).count();
        assert_eq!(lines, 1, "{verb}: {help}");
    }
    let long: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn a_verb_without_its_own_verb_shows_its_help() {
    let ran = World::new().run(&["goal"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("Usage: loopx goal"), "{ran:?}");
}

#[test]
fn the_command_line_is_well_formed() {
    loopx::cli::command().debug_assert();
}

#[test]
fn the_schemas_are_those_of_the_contract() {
    let world = World::new();
    let projection = world.run(&["schema"]).ok().json();
    assert_eq!(projection, loopx_contract::schema::projection());
    assert_eq!(world.run(&["schema", "projection"]).ok().json(), projection);
    let facts = world.run(&["schema", "session-facts"]).ok().json();
    assert_eq!(facts, loopx_contract::schema::session_facts());
    let worker = world.run(&["schema", "worker-facts"]).ok().json();
    assert_eq!(worker, loopx_contract::schema::worker_facts());
    world.run(&["schema", "other"]).fails(2, "[possible values: projection, session-facts, worker-facts]");
}

#[test]
fn every_shell_has_a_script() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let asking = world.run(&["completions", shell]).ok().out;
        assert!(asking.contains("LOOPX_COMPLETE"), "{shell}: {asking}");
        let fixed = world.run(&["completions", shell, "--fixed"]).ok().out;
        assert!(fixed.contains("authority") && !fixed.contains("LOOPX_COMPLETE"), "{shell}");
    }
    world.run(&["completions", "sh"]).fails(2, "invalid value");
}

#[test]
fn ids_of_goals_lanes_todos_and_gates_are_completed() {
    let world = with_goal();
    world.run(&["goal", "add", "other", "--objective", "Another"]).ok();
    world.run(&["agent", "add", "writer"]).ok();
    let todo = world.run(&["todo", "add", "Write it", "--json"]).ok().id();
    assert_eq!(completed(&world, &["goal", "show", "hand"]), ["handbook"]);
    assert_eq!(completed(&world, &["goal", "pause", ""])[..2], ["handbook", "other"]);
    assert_eq!(completed(&world, &["--goal", "o"]), ["other"]);
    assert_eq!(completed(&world, &["agent", "pause", "w"]), ["writer"]);
    assert_eq!(completed(&world, &["todo", "done", "todo_"]), [todo]);
    assert_eq!(completed(&world, &["goal", "aut"]), ["authority"]);
}

#[test]
fn completing_makes_nothing() {
    let world = World::new();
    assert!(completed(&world, &["todo", "done", "todo_"]).is_empty());
    assert!(!world.path("loopx").exists());
}

#[test]
fn a_shell_that_asks_is_answered_and_nothing_else_runs() {
    let world = with_goal().with("LOOPX_COMPLETE", "fish");
    let ran = world.run(&["--", "loopx", "goal", "archive", "hand"]).ok();
    assert!(ran.out.starts_with("handbook"), "{ran:?}");
    assert_eq!(with_goal().with("LOOPX_COMPLETE", "nonsense").run(&["goal", "show"]).ok().err, "");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a page that was just written")]
fn the_manual_has_a_page_for_every_verb() {
    let world = World::new();
    let page = world.run(&["man"]).ok().out;
    assert!(page.contains(".TH loopx 1"), "{page}");
    world.run(&["man", "--dir", "pages"]).ok();
    for name in ["loopx.1", "loopx-goal.1", "loopx-goal-add.1", "loopx-goal-authority-list.1", "loopx-undo.1"]
    {
        assert!(world.path("work/pages").join(name).is_file(), "{name}");
    }
    let page = fs::read_to_string(world.path("work/pages/loopx-goal-add.1")).expect("a page");
    assert!(page.contains("\\-\\-objective"), "{page}");
    fs::write(world.path("work/file"), "").expect("a file");
    world.run(&["man", "--dir", "file"]).fails(1, "failed to write the folder").fails(1, "hint: ");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a page of our own")]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
    let there = fs::read_to_string(path).expect("docs/reference/cli.md");
    let made = loopx::cli::reference::reference();
    assert!(there == made, "run `cargo run -p loopx -- man --markdown > docs/reference/cli.md`");
    assert_eq!(World::new().run(&["man", "--markdown"]).ok().out, made);
}

/// Every Rust source and Markdown page under a folder.
fn texts(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
        let foreign = name.starts_with('.') || matches!(name.as_str(), "target" | "tests" | "fixtures");
        if entry.is_dir() && !foreign {
            texts(&entry, found);
        } else if entry.extension().is_some_and(|ending| ending == "rs" || ending == "md") {
            found.push(entry);
        }
    }
}

/// What is wrong with a command that some text names, such as `goal add ID --objective …`.
fn fault(root: &Command, words: &str) -> Option<String> {
    let mut command = root;
    let mut open = true;
    for word in words.split_whitespace() {
        if let Some(name) = word.strip_prefix("--") {
            let name = name.split('=').next().unwrap_or_default();
            let known = |arg: &clap::Arg| arg.get_long() == Some(name);
            if !name.is_empty() && name != "help" && name != "version" && !command.get_arguments().any(known)
            {
                return Some(format!("{} has no --{name}", command.get_bin_name().unwrap_or_default()));
            }
            continue;
        }
        match command.find_subcommand(word) {
            Some(verb) if open => command = verb,
            _ => {
                let a_word = word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                if open && a_word && !word.starts_with('-') && command.has_subcommands() {
                    return Some(format!("{} has no {word}", command.get_bin_name().unwrap_or("loopx")));
                }
                open = false;
            }
        }
    }
    None
}

#[test]
#[expect(clippy::disallowed_methods, reason = "pages of our own")]
fn every_command_that_a_hint_or_page_names_is_there() {
    let mut root = loopx::cli::command();
    root.build();
    assert_eq!(fault(&root, "goal add ID --objective …"), None);
    assert_eq!(fault(&root, "goal ad"), Some("loopx goal has no ad".to_owned()));
    assert_eq!(fault(&root, "goal add --objectiv"), Some("loopx goal add has no --objectiv".to_owned()));

    let mut found = Vec::new();
    texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut found);
    assert!(found.len() > 50, "the texts were not found");
    let mut faults = Vec::new();
    for path in found {
        let text = fs::read_to_string(&path).expect("a text");
        // A string that goes on in the next line.
        let text = text.split("\\\n").map(str::trim_start).collect::<String>();
        for named in text.split("`loopx ").skip(1).filter_map(|rest| rest.split(['`', '\n']).next()) {
            let named = named.split('{').next().unwrap_or_default();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            faults.extend(fault(&root, named).map(|fault| format!("{file}: `loopx {named}`: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
