//! `loopx export`, `import`, `backup`, `restore` and `purge`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::made::read;
use crate::person::Types;
use crate::world::World;

/// A goal whose decisions need a terminal, with a todo.
fn world() -> World {
    let world = World::new();
    world.run(&["goal", "add", "atlas", "--objective", "find the way"]).ok();
    world.run(&["todo", "add", "draw the coast", "--goal", "atlas"]).ok();
    world
}

fn refusals(world: &World) -> usize {
    world.run(&["log", "--goal", "atlas"]).ok().out.matches("refused").count()
}

#[test]
fn an_export_is_taken_in_elsewhere() {
    let world = world();
    world.run(&["export", "--out", "all.jsonl"]).ok();
    let exported = world.run(&["export", "atlas"]).ok();
    assert_eq!(read(&world.path("work/all.jsonl")), exported.out.as_bytes());
    let mode = fs::metadata(world.path("work/all.jsonl")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    world.run(&["export", "--out", "all.jsonl"]).fails(4, "all.jsonl is there already\nhint: ");
    world.run(&["export", "nothing"]).fails(3, "no goal nothing");
    let other = World::new();
    fs::write(other.path("work/in.jsonl"), &exported.out).expect("a file");
    let document = other.json(&["import", "in.jsonl"]);
    assert_eq!((&document["goals"][0], &document["events"]), (&"atlas".into(), &2.into()));
    assert!(other.run(&["todo", "list", "--goal", "atlas"]).ok().out.contains("draw the coast"));
}

#[test]
fn nothing_to_export_makes_no_store() {
    let world = World::new();
    let ran = world.run(&["export"]).ok();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "nothing to export yet\n"));
    world.run(&["backup", "b.db"]).fails(3, "nothing to back up yet");
    assert!(!world.own_files().iter().any(|name| name.starts_with("loopx.")), "{:?}", world.own_files());
    assert!(!world.path("work/b.db").exists());
}

#[test]
fn an_agent_may_not_import_an_edited_export_of_its_own_goal() {
    let world = world();
    let exported = world.run(&["export", "atlas"]).ok().out;
    world.run(&["todo", "add", "sail", "--goal", "atlas"]).ok();
    let edited = exported.replace("draw the coast", "draw the river");
    fs::write(world.path("work/edited.jsonl"), edited).expect("a file");
    let before = refusals(&world);
    let agent = world.inside("an-agent");
    agent.run(&["import", "edited.jsonl"]).fails(7, "this runs inside an agent's session\nhint: ");
    assert_eq!(refusals(&world), before + 1);
    // Outside, without a terminal: no either.
    world.run(&["import", "edited.jsonl"]).fails(7, "there is no terminal\nhint: ");
    assert_eq!(refusals(&world), before + 2);
    assert!(!world.run(&["todo", "list", "--goal", "atlas"]).ok().out.contains("river"));
    // And it may not bring in a new goal that way.
    let other = World::new().inside("an-agent");
    fs::write(other.path("work/in.jsonl"), exported).expect("a file");
    other.run(&["import", "in.jsonl"]).fails(7, "this runs inside an agent's session");
    assert_eq!(other.json(&["goal", "list"])["goals"], serde_json::json!([]));
}

#[test]
fn what_is_no_export_changes_nothing() {
    let world = world();
    for text in ["", "no export", "{}\n", "{\"schema_version\":\"loopx_export_v9\",\"store\":\"x\"}\n"] {
        fs::write(world.path("work/in.jsonl"), text).expect("a file");
        world.run(&["import", "in.jsonl"]).fails(2, "nothing was imported\nhint: ");
    }
    // What has no end is given up in time.
    fs::write(world.path("work/in.jsonl"), vec![b'{'; 5 << 20]).expect("a file");
    world.run(&["import", "in.jsonl"]).fails(2, "line 1: too long for an event; nothing was imported");
    world.run(&["import", "nowhere"]).fails(3, "no file nowhere");
    world.run(&["import", "."]).fails(1, "hint: ");
}

#[test]
fn a_backup_is_verified_and_put_back_by_a_person_only() {
    let world = world();
    let document = world.json(&["backup", "b.db"]);
    assert_eq!((&document["verified"], &document["goals"]), (&true.into(), &1.into()));
    world.run(&["backup", "b.db"]).fails(4, "b.db is there already\nhint: ");
    world.run(&["backup", "no/where/b.db"]).fails(1, "hint: ");
    world.run(&["restore", "b.db"]).fails(7, "there is no terminal\nhint: ");
    world.inside("an-agent").run(&["restore", "b.db"]).fails(7, "inside an agent's session");
    world.run(&["restore", "nowhere"]).fails(3, "no file nowhere");
}

#[test]
fn a_person_imports_and_puts_a_backup_back() {
    let world = world();
    let other = World::new();
    let first = world.run(&["export", "atlas"]).ok().out;
    fs::write(other.path("work/first.jsonl"), first).expect("a file");
    other.run(&["import", "first.jsonl"]).ok();
    world.run(&["todo", "add", "sail", "--goal", "atlas"]).ok();
    let second = world.run(&["export", "atlas"]).ok().out;
    fs::write(other.path("work/second.jsonl"), second).expect("a file");
    other.at_terminal(Types::Nonsense, &["import", "second.jsonl"]).0.fails(7, "not typed back");
    // That refusal is in the log now, so the two have parted.
    let (ran, shown) = other.at_terminal(Types::TheCode, &["import", "second.jsonl"]);
    ran.fails(2, "nothing was imported");
    assert_eq!(shown, "import events of goals that are here: atlas");
    world.run(&["backup", "b.db"]).ok();
    world.run(&["todo", "add", "too late", "--goal", "atlas"]).ok();
    let (ran, shown) = world.at_terminal(Types::TheCode, &["restore", "b.db"]);
    ran.ok();
    assert_eq!(shown, "replace the whole store by a backup");
    let said = world.run(&["todo", "list", "--goal", "atlas"]).ok().out;
    assert!(said.contains("sail") && !said.contains("too late"), "{said}");
    fs::write(world.path("work/no.db"), "no backup").expect("a file");
    world
        .at_terminal(Types::TheCode, &["restore", "no.db"])
        .0
        .fails(2, "no sound backup; nothing was changed");
    world.run(&["doctor"]).ok();
}

#[test]
fn purge_removes_a_text_from_the_log() {
    let world = World::new();
    world.run(&["goal", "add", "atlas", "--objective", "find the way", "--proof", "none"]).ok();
    let id = world.run(&["todo", "add", "never said marmalade", "--goal", "atlas", "--json"]).ok().id();
    world.run(&["purge"]).fails(2, "--id");
    world.run(&["purge", "--id", "todo_zzzz"]).fails(3, "hint: see `loopx log`");
    let document = world.json(&["purge", "--id", &id[..12]]);
    assert_eq!((&document["goal_id"], &document["texts"]), (&"atlas".into(), &1.into()));
    let said = world.run(&["todo", "list", "--goal", "atlas"]).ok().out;
    assert!(!said.contains("marmalade"), "{said}");
    for name in world.own_files() {
        let bytes = read(&world.path("loopx").join(&name));
        assert!(!bytes.windows(9).any(|part| part == b"marmalade"), "{name}");
    }
    world.run(&["purge", "--revision", "1", "--goal", "atlas"]).ok();
}

#[test]
fn purge_needs_the_goals_proof_and_says_so_in_its_log() {
    let world = world();
    world.run(&["purge", "--revision", "1", "--goal", "atlas"]).fails(7, "there is no terminal\nhint: ");
    let agent = world.inside("an-agent");
    agent.run(&["purge", "--revision", "2", "--goal", "atlas"]).fails(7, "inside an agent's session");
    assert_eq!(refusals(&world), 2);
    assert!(world.run(&["todo", "list", "--goal", "atlas"]).ok().out.contains("draw the coast"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    assert_eq!(world().run_closed(&["export"]), 0);
}

#[test]
fn a_dash_is_stdin() {
    let world = world();
    let exported = world.run(&["export", "atlas"]).ok().out;
    let other = World::new();
    let run = |args: &[&str], input: &str| {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("loopx"));
        command.env_clear().envs(&other.env.vars).current_dir(other.path("work")).args(args);
        command.write_stdin(input).assert()
    };
    run(&["check", "-"], "no projection")
        .code(7)
        .stdout("-: error malformed_json: line 1, column 2: no JSON from here on\n");
    // The ancestors are those of the test: where an agent runs it, it is refused.
    let imported = run(&["import", "-"], &exported);
    let code = imported.get_output().status.code();
    assert!(matches!(code, Some(0 | 7)), "{imported}");
}

#[test]
fn what_the_system_refused_was_shown_in_its_own_words() {
    let world = world();
    let folder = world.path("work");
    let folder = folder.to_str().expect("text");
    for (verb, words) in [
        (&["import", folder][..], "it is a folder"),
        (&["backup", "nowhere/file"], "no such file or folder"),
        (&["backup", "/dev/null/file"], "a part of its path is no folder"),
        (&["export", "--out", "nowhere/file"], "no such file or folder"),
        (&["ingest", "nowhere"], "no such file or folder"),
    ] {
        let ran = world.run(verb);
        assert!(ran.code != 0 && ran.err.contains(words), "{verb:?}: {ran:?}");
        assert!(!ran.err.contains("os error") && !ran.err.contains("entity"), "{verb:?}: {ran:?}");
    }
}
