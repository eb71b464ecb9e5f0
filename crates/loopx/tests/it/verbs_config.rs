//! `loopx config` and the files it reads.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::World;

/// A world where LoopX's folder is there.
fn at_home() -> World {
    let world = World::new();
    fs::create_dir(world.path("loopx")).expect("a folder");
    world
}

fn with_user_file(text: &str) -> World {
    let world = at_home();
    fs::write(world.path("loopx/config.toml"), text).expect("a file");
    world
}

fn with_project_file(text: &str) -> World {
    let world = World::new();
    fs::write(world.path("work/.loopx.toml"), text).expect("a file");
    world
}

/// A setting's value and where it comes from.
fn setting(world: &World, key: &str) -> (Value, String) {
    let found = world.json(&["config", "list"]);
    let all = found["settings"].as_array().expect("settings");
    let one = all.iter().find(|setting| setting["key"] == key).expect("the setting");
    (one["value"].clone(), one["origin"].as_str().expect("an origin").to_owned())
}

#[test]
fn a_later_layer_wins() {
    let world = at_home();
    assert_eq!(setting(&world, "display.time"), (json!("local"), "default".into()));
    fs::write(world.path("loopx/config.toml"), "[display]\ntime = \"utc\"\ncolor = \"never\"\n")
        .expect("a file");
    assert_eq!(setting(&world, "display.time"), (json!("utc"), "config.toml".into()));
    fs::write(world.path("work/.loopx.toml"), "display.time = \"local\"\n").expect("a file");
    assert_eq!(setting(&world, "display.time"), (json!("local"), ".loopx.toml".into()));
    assert_eq!(setting(&world, "display.color"), (json!("never"), "config.toml".into()));
    let world = world.with("LOOPX_TIME", "utc").with("LOOPX_COLOR", "auto");
    assert_eq!(setting(&world, "display.time"), (json!("utc"), "LOOPX_TIME".into()));
    let list = world.json(&["config", "list", "--color", "always"]);
    assert_eq!(
        list["settings"][0],
        json!({ "key": "display.color", "value": "always", "layer": "flag", "origin": "--color" })
    );
}

#[test]
fn the_project_file_may_lie_above_the_working_folder() {
    let mut world = with_project_file("[binding]\ngoal = \"handbook\"\nagent = \"writer\"\n");
    fs::create_dir_all(world.path("work/src/deep")).expect("folders");
    world.env.cwd = Some(world.path("work/src/deep"));
    assert_eq!(setting(&world, "binding.goal"), (json!("handbook"), ".loopx.toml".into()));
    assert_eq!(setting(&world, "binding.agent"), (json!("writer"), ".loopx.toml".into()));
    world.run(&["goal", "add", "handbook", "--objective", "x y", "--proof", "none"]).ok();
    world.run(&["agent", "add", "writer"]).ok();
    assert_eq!(world.json(&["goal", "show"])["goal_id"], "handbook");
}

#[test]
fn a_new_goal_takes_its_scopes_and_proof_from_the_config() {
    let world =
        with_user_file("[proof]\ndefault = \"none\"\n[scope]\nread = [\"**\"]\nwrite = [\"docs/**\"]\n");
    fs::write(world.path("work/.loopx.toml"), "scope.write = [\"src/**\", \"*.md\"]").expect("a file");
    world.run(&["goal", "add", "a", "--objective", "x y"]).ok();
    let shown = world.json(&["goal", "show", "a"]);
    assert_eq!(shown["proof"], "none");
    assert_eq!(shown["boundary"]["read"], json!(["**"]));
    assert_eq!(shown["boundary"]["write"], json!(["src/**", "*.md"]));
    world.run(&["goal", "add", "b", "--objective", "x y", "--write", "b/**", "--proof", "terminal"]).ok();
    let shown = world.json(&["goal", "show", "b"]);
    assert_eq!((&shown["proof"], &shown["boundary"]["write"]), (&json!("terminal"), &json!(["b/**"])));
}

#[test]
fn a_project_may_not_lower_the_proof() {
    let world = with_project_file("[display]\ntime = \"utc\"\n\n[proof]\ndefault = \"none\"\n");
    let ran = world.run(&["status"]).fails(2, ".loopx.toml may not set proof.default, at line 5, column 1");
    assert!(ran.err.contains("hint: a project's file may set display.*, scope.* and binding.*"), "{ran:?}");
}

#[test]
fn an_unknown_key_is_named_with_its_place_in_either_file() {
    for text in ["[display]\ncolour = \"never\"\n", "display.time = \"utc\"\ndisplay.colour = 3\n"] {
        let line = "in config.toml at line 2, column";
        with_user_file(text)
            .run(&["status"])
            .fails(2, "unknown key display.colour")
            .fails(2, line)
            .fails(2, "hint:");
        let line = "in .loopx.toml at line 2, column";
        with_project_file(text).run(&["status"]).fails(2, line).fails(2, "remove it from .loopx.toml");
    }
    with_project_file("hooks = \"x\"").run(&["status"]).fails(2, "unknown key hooks");
    with_project_file("[store.path]\n").run(&["status"]).fails(2, "unknown key store.path");
    with_project_file("[store]\n").run(&["status"]).fails(2, "unknown key store");
}

#[test]
fn bad_toml_names_file_line_and_column_but_no_path() {
    for (world, name) in [
        (with_user_file("[display]\n\ntime = = \"utc\"\n"), "config.toml"),
        (with_project_file("[display]\n\ntime = = \"utc\"\n"), ".loopx.toml"),
    ] {
        let ran = world.run(&["status"]).fails(2, &format!("{name} is no TOML at line 3, column "));
        assert!(!ran.err.contains(world.path("").to_str().expect("text")), "{ran:?}");
        assert_eq!(ran.err.lines().count(), 2, "{ran:?}");
    }
}

#[test]
fn a_bad_value_says_what_is_wanted() {
    for (text, words) in [
        (
            "display.time = \"mars\"",
            "display.time in config.toml at line 1, column 16: must be one of local, utc",
        ),
        ("display.color = 3", "must be text or a list of texts"),
        ("display.color = [\"auto\"]", "must be one word"),
        ("binding.goal = \"..\"", "malformed goal id"),
        ("scope.read = \"src\"", "must be a list of globs"),
        ("scope.read = [\"../x\"]", "a scope stays inside the project"),
        ("scope.read = [3]", "must be text or a list of texts"),
    ] {
        with_user_file(text).run(&["status"]).fails(2, words);
    }
    World::new()
        .with("LOOPX_TIME", "mars")
        .run(&["status"])
        .fails(2, "LOOPX_TIME: must be one of local, utc");
}

#[test]
fn a_folder_or_a_giant_is_no_config_file() {
    let world = at_home();
    fs::create_dir(world.path("loopx/config.toml")).expect("a folder");
    world.run(&["status"]).fails(2, "failed to read config.toml: it is no plain file");
    let world = with_user_file(&"#".repeat(70_000));
    world.run(&["status"]).fails(2, "it is over 65536 bytes long");
}

#[test]
fn a_broken_file_does_not_stop_what_needs_none() {
    let world = with_user_file("= =");
    for args in [&["config", "path"][..], &["completions", "bash"], &["man"], &["schema"], &["uninstall"]] {
        world.run(args).ok();
    }
    world.run(&["config", "list"]).fails(2, "config.toml is no TOML");
}

#[test]
fn one_setting_is_printed_bare() {
    let world = with_user_file("[scope]\nread = [\"a/**\", \"b/**\"]\n");
    assert_eq!(world.run(&["config", "get", "display.time"]).ok().out, "local\n");
    assert_eq!(world.run(&["config", "get", "scope.read"]).ok().out, "a/**,b/**\n");
    world.run(&["config", "get", "binding.goal"]).fails(3, "nothing sets binding.goal");
    world
        .run(&["config", "get", "display.colour"])
        .fails(2, "no setting display.colour")
        .fails(2, "display.color, ");
    let out = world.run(&["config", "list", "--origin"]).ok().out;
    assert!(out.contains("scope.read      a/**,b/**  config.toml"), "{out}");
}

#[test]
fn the_path_is_that_of_the_users_file_for_a_shell_and_says_no_folder() {
    let own = World::new();
    let usual = own.without("LOOPX_HOME");
    let xdg = usual.with("XDG_CONFIG_HOME", own.path("settings"));
    let relative = usual.with("XDG_CONFIG_HOME", "settings");
    for (world, named, file) in [
        (&own, "$LOOPX_HOME/config.toml", "loopx/config.toml"),
        (&usual, "~/.config/loopx/config.toml", "home/.config/loopx/config.toml"),
        (&xdg, "$XDG_CONFIG_HOME/loopx/config.toml", "settings/loopx/config.toml"),
        (&relative, "~/.config/loopx/config.toml", "home/.config/loopx/config.toml"),
    ] {
        assert_eq!(world.run(&["config", "path"]).ok().out, format!("{named}\n"));
        let document = world.json(&["config", "path"]);
        assert_eq!((&document["user_file"], &document["user_file_exists"]), (&named.into(), &false.into()));
        let mut shell = Command::new("sh");
        let script = format!("printf %s {named}");
        let meant = shell.env_clear().envs(&world.env.vars).args(["-c", &script]).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&meant.stdout), own.path(file).to_string_lossy());
        fs::create_dir_all(own.path(file).parent().expect("a folder")).expect("folders");
        fs::write(own.path(file), "").expect("a file");
        assert_eq!(world.json(&["config", "path"])["user_file_exists"], true);
        fs::remove_file(own.path(file)).expect("a file");
    }
}

#[test]
fn an_editor_opens_the_file_that_is_asked_for() {
    let world = World::new();
    world.run(&["config", "edit"]).fails(2, "neither VISUAL nor EDITOR names an editor");
    assert!(!world.path("loopx").exists());
    let script = world.path("editor");
    fs::write(&script, "#!/bin/sh\necho \"$1\" >> \"$2\"\n").expect("a script");
    let edits = world.with("EDITOR", format!("sh {} borealis", script.display()));
    edits.run(&["config", "edit", "--terms"]).ok();
    let terms = world.path("loopx/private_terms");
    assert_eq!(crate::made::read(&terms), b"borealis\n");
    assert_eq!(fs::metadata(&terms).expect("a file").permissions().mode() & 0o777, 0o600);
    world.with("EDITOR", "true").run(&["config", "edit"]).ok();
    assert!(world.path("loopx/config.toml").is_file());
    world.with("EDITOR", "false").run(&["config", "edit"]).fails(1, "the editor failed");
    world.with("VISUAL", "/no/such/editor -w").run(&["config", "edit"]).fails(2, "the editor did not start");
}

#[test]
fn what_the_editor_left_broken_was_taken_in_silence() {
    let world = World::new();
    let script = world.path("editor");
    let edits = world.with("EDITOR", format!("sh {}", script.display()));
    let edit = |text: &str| {
        let script = format!("#!/bin/sh\ncat > \"$1\" <<'END'\n{text}END\n");
        fs::write(world.path("editor"), script).expect("a script");
        let ran = edits.run(&["config", "edit"]);
        let kept = crate::made::read(&world.path("loopx/config.toml"));
        assert_eq!(String::from_utf8(kept).expect("text"), text, "it stays as it was written");
        ran
    };
    let ran = edit(
        "[notify]\ncommand = \"failing\"\ncomand = [\"x\"]\nquiet = [\"25:00-07:00\"]\nwhen = \"allways\"\n",
    );
    assert_eq!((ran.code, ran.err.matches("error: ").count()), (2, 4), "{ran:?}");
    for words in [
        "notify.command in config.toml at line 2, column 11: must be a list: a program and its arguments",
        "unknown key notify.comand in config.toml at line 3, column 1\nhint: did you mean notify.command?",
        "notify.quiet in config.toml at line 4, column 9: ",
        "notify.when in config.toml at line 5, column 8: must be one of asked, always",
        "config.toml stays as you wrote it",
    ] {
        assert!(ran.err.contains(words), "{words} in {ran:?}");
    }
    let ran = edit("comand = [\"x\"]\n");
    assert!(ran.code == 2 && ran.err.contains("did you mean notify.command?"), "{ran:?}");
    let ran = edit("[notify]\nwhen = \ntext = \n");
    assert!(ran.code == 2 && ran.err.contains("config.toml is no TOML at line 2, "), "{ran:?}");
    assert!(ran.err.contains("config.toml is no TOML at line 3, "), "{ran:?}");
    let ran = edit("[notify]\nwhen = \"always\"\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
}

#[test]
fn instants_are_shown_as_the_config_says() {
    let world = World::new();
    world.run(&["goal", "add", "a", "--objective", "x y"]).ok();
    let utc = world.with("LOOPX_TIME", "utc").run(&["log"]).ok().out;
    let line = utc.lines().nth(1).expect("a line");
    assert_eq!(line.split_whitespace().nth(3).map(|time| time.ends_with('Z')), Some(true), "{utc}");
    let local = world.with("TZ", "Asia/Tokyo").run(&["log"]).ok().out;
    assert_ne!(local, utc);
}
