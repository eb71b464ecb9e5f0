//! `loopx doctor` and `loopx demo`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;

use serde_json::Value;

use crate::made::{Turn, read};
use crate::person::Terminal;
use crate::serving::Served;
use crate::started::Started;
use crate::world::World;

fn world() -> World {
    let world = World::new();
    world.run(&["goal", "add", "atlas", "--objective", "find the way", "--proof", "none"]).ok();
    world
}

#[test]
fn an_empty_home_is_sound_and_stays_empty() {
    let world = World::new();
    let ran = world.run(&["doctor"]).ok();
    assert!(ran.out.ends_with("✓ all sound\n"), "{ran:?}");
    assert_eq!(world.own_files(), Vec::<String>::new());
}

#[test]
fn it_says_what_it_looked_at_without_a_path() {
    let world = world();
    world.codex(1, &world.project("atlas"), Turn::Asks, 1);
    fs::write(world.path("home/.codex/sessions/2026/11/29/rollout-no.jsonl"), "no session\n")
        .expect("a file");
    let ran = world.run(&["doctor"]).ok();
    for line in [
        "1 in data/loopx.db, every event verified",
        "1 of 1 there",
        "1 seen: 1 waiting_answer",
        "1 not_a_session",
    ] {
        assert!(ran.out.contains(line), "no {line} in {}", ran.out);
    }
    assert!(!ran.out.contains('/') || ran.out.matches('/').count() == 1, "{ran:?}");
    let document = world.json(&["doctor"]);
    assert_eq!((&document["schema_version"], &document["sound"]), (&"loopx_doctor_v0".into(), &true.into()));
}

#[test]
fn every_finding_has_one_way_out() {
    let world = world();
    let found = |code: &str| {
        let ran = world.run(&["doctor", "--json"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let findings = ran.json()["findings"].as_array().cloned().unwrap_or_default();
        assert!(findings.iter().all(|one| one["way_out"].as_str().is_some_and(|text| !text.is_empty())));
        assert!(findings.iter().any(|one| one["code"] == code), "no {code} in {findings:?}");
    };
    let key = world.path("loopx/install.json");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("a mode");
    found("permissions");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("a mode");
    let kept = read(&key);
    fs::write(&key, "no key").expect("a file");
    found("install_key");
    fs::write(&key, kept).expect("a file");
    fs::write(world.path("loopx/config.toml"), "no = [settings").expect("a file");
    found("settings");
    fs::remove_file(world.path("loopx/config.toml")).expect("a file");
    world.run(&["doctor"]).ok();
    fs::remove_file(world.path("loopx/loopx.db")).expect("a file");
    found("missing_file");
}

#[test]
fn a_changed_store_is_damaged() {
    let world = world();
    for name in ["loopx.db", "loopx.db-wal"] {
        fs::write(world.path("loopx").join(name), "no database at all, but long enough").expect("a file");
    }
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("way out: "), "{ran:?}");
}

#[test]
fn without_a_home_it_says_so() {
    let world = World::new().without("HOME").without("LOOPX_HOME");
    let ran = world.run(&["doctor"]);
    assert!(ran.code == 1 && ran.out.contains("way out: set LOOPX_HOME"), "{ran:?}");
    world.run(&["demo"]).fails(1, "set LOOPX_HOME");
}

#[test]
fn it_says_where_it_runs() {
    let ran = world().inside("an-agent").run(&["doctor"]).ok();
    assert!(ran.out.contains("inside a session of codex_cli_tui"), "{ran:?}");
}

#[test]
fn the_demo_shows_rows_and_marks_every_line() {
    let world = World::new();
    let ran = world.run(&["demo"]).ok();
    assert!(ran.out.lines().all(|line| line.starts_with("sample │")), "{ran:?}");
    let document = world.json(&["demo"]);
    assert_eq!((&document["sample"], &document["schema_version"]), (&true.into(), &"loopx_demo_v0".into()));
    let goals = document["status"]["goals"].as_array().cloned().unwrap_or_default();
    let rows: BTreeSet<u64> =
        goals.iter().filter_map(|goal| goal["lanes"][0]["row_number"].as_u64()).collect();
    assert_eq!(rows, BTreeSet::from([5, 6, 7, 8, 12, 13, 14, 15, 17, 21]));
    let bytes = document.to_string();
    assert!(!bytes.contains(world.path("").to_str().expect("text")), "{bytes}");
}

#[test]
fn the_page_could_not_be_seen_over_the_sample() {
    let world = World::new();
    let served = Served::by(&mut world.built(&["demo", "serve"]));
    let page = served.ask("GET", "/", &[("cookie", &served.cookie())]).body;
    assert!(page.contains("sample-billing") && page.contains("may invoices go out"), "{page}");
    let mut terminal = Terminal::of(24, 80);
    let mut top = world.built(&["demo", "top"]);
    let mut top = Started::of(
        top.process_group(0).stdin(terminal.device()).stdout(terminal.device()).env("TERM", "xterm"),
    );
    terminal.stands("sample-billing / codex");
    terminal.types("q");
    assert!(top.end().success());
    world.run(&["demo", "top"]).fails(2, "needs a terminal");
    world.run(&["demo", "serve", "--json"]).fails(2, "`loopx demo --json`");
}

#[test]
fn the_demo_touches_nothing_real() {
    let world = world();
    world.codex(1, &world.project("atlas"), Turn::Asks, 1);
    let state = |world: &World| -> Value {
        let mut document = world.json(&["status"]);
        document["now"] = Value::Null;
        document
    };
    let before = state(&world);
    let log = world.run(&["export"]).ok().out;
    world.run(&["demo"]).ok();
    assert_eq!(state(&world), before);
    assert_eq!(world.run(&["export"]).ok().out, log);
}

#[test]
fn a_demo_in_a_folder_whose_path_is_no_text_is_refused() {
    let world = World::new();
    let path = std::ffi::OsString::from_vec(b"not\xfftext".to_vec());
    assert_eq!(world.run_os(vec!["demo".into(), "--dir".into(), path]), 2);
    assert_eq!(fs::read_dir(world.path("work")).expect("a folder").count(), 0);
}

#[test]
fn the_demo_builds_in_no_folder_of_anybodys() {
    let world = World::new();
    fs::write(world.path("work/mine"), "mine").expect("a file");
    world.run(&["demo", "--dir", "."]).fails(4, "hint: name an empty or a new folder");
    world.run(&["demo", "--dir", "new"]).ok();
    fs::write(world.path("work/new/mine"), "mine").expect("a file");
    world.run(&["demo", "--dir", "new"]).ok();
    assert!(world.path("work/new/mine").exists() && world.path("work/mine").exists());
    assert_eq!(world.own_files(), Vec::<String>::new());
    assert_eq!(world.run_closed(&["demo"]), 0);
}

#[test]
fn uninstall_takes_the_demo_along() {
    let world = world();
    world.run(&["demo"]).ok();
    world.run(&["uninstall", "--purge", "--confirm", "delete everything"]).ok();
    assert!(!world.path("loopx").exists());
    world.run(&["demo"]).ok();
    fs::write(world.path("loopx/demo/mine"), "mine").expect("a file");
    let ran = world.run(&["uninstall", "--purge", "--confirm", "delete everything"]);
    assert!(ran.code != 0 && world.path("loopx/demo/mine").exists(), "{ran:?}");
}
