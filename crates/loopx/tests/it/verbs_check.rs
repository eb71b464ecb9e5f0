//! `loopx check`.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;

use serde_json::{Value, json};

use crate::world::World;

/// The contract's own example, with ids of our shapes.
fn projection() -> Value {
    json!({
        "schema_version": "session_runtime_loopx_projection_v0",
        "goal_id": "loopx-meta",
        "agent_id": "codex-side-bypass",
        "runtime": {
            "runtime_id": "codex_cli_tui", "session_id": "public-safe-session-handle",
            "source_ids_redacted": false
        },
        "loopx_refs": { "run_id": "run_123", "todo_id": "todo_123", "event_id": "evt_123", "outcome_id": null },
        "first_screen": {
            "waiting_on": "agent",
            "next_action": "advance the first executable agent todo",
            "open_user_todo": null,
            "first_executable_agent_todo": "todo_123",
            "latest_validation": "last run validated install smoke",
            "gate_state": "clear",
            "quota_state": "eligible",
            "boundary": {
                "mode": "read_only_projection",
                "raw_transcripts_copied": false, "credentials_copied": false, "private_paths_copied": false,
                "stop_condition": "stop for user gate, missing authority, or unsafe write"
            }
        }
    })
}

fn broken() -> Value {
    let mut broken = projection();
    broken["first_screen"]["waiting_on"] = json!("somebody");
    broken
}

#[test]
fn a_sound_projection_passes_in_both_tiers() {
    let world = World::new();
    fs::write(world.path("work/a.json"), projection().to_string()).expect("a file");
    let ran = world.run(&["check", "a.json"]).ok();
    assert_eq!(ran.out, "");
    assert_eq!(ran.err, "1 projection in 1 file: 0 errors, 0 warnings\n");
    world.run(&["check", "--tier", "showcase", "a.json"]).ok();
    let document = world.json(&["check", "a.json"]);
    assert_eq!(document["accepted"], true);
    assert_eq!(document["documents"][0]["path"], "a.json");
}

#[test]
fn a_finding_says_where_in_what_was_typed() {
    let world = World::new();
    fs::write(world.path("work/a.json"), broken().to_string()).expect("a file");
    let ran = world.run(&["check", "./a.json"]).fails(7, "1 error");
    let first = ran.out.lines().next().unwrap_or_default();
    assert!(first.starts_with("./a.json:/first_screen/waiting_on: error unknown_value: "), "{first}");
    assert!(!ran.out.contains("somebody"), "{ran:?}");
}

#[test]
fn arrays_and_lines_say_which_one() {
    let world = World::new();
    fs::write(world.path("work/a.json"), json!([projection(), broken()]).to_string()).expect("a file");
    fs::write(world.path("work/a.jsonl"), format!("{}\n{}\n", projection(), broken())).expect("a file");
    let ran = world.run(&["check", "a.json", "a.jsonl"]).fails(7, "4 projections in 2 files");
    assert!(ran.out.contains("a.json:/1/first_screen/waiting_on: error"), "{ran:?}");
    assert!(ran.out.contains("a.jsonl:2:/first_screen/waiting_on: error"), "{ran:?}");
}

#[test]
fn nothing_in_a_folder_is_passed_over() {
    let world = World::new();
    let at = |name: &str| world.path("work/all").join(name);
    fs::create_dir_all(at("deep/empty")).expect("folders");
    fs::write(at("a.json"), projection().to_string()).expect("a file");
    fs::write(at(".hidden"), "no projection").expect("a file");
    fs::write(at("deep/note.md"), "# a note\n").expect("a file");
    std::os::unix::fs::symlink("nowhere", at("broken")).expect("a link");
    std::os::unix::fs::symlink(".", at("deep/loop")).expect("a link");
    let ran = world.run(&["check", "all"]).fails(7, "errors");
    for found in [
        "all/.hidden: error malformed_json: ",
        "all/deep/note.md: error malformed_json: ",
        "all/broken: error unreadable: ",
        "all/deep/loop: error not_a_file: ",
        "all/deep/empty: error empty_folder: ",
    ] {
        assert!(ran.out.contains(found), "no {found} in {ran:?}");
    }
    assert!(!ran.out.contains("all/a.json"), "{ran:?}");
}

#[test]
fn warnings_alone_are_no_refusal() {
    let world = World::new();
    let mut value = projection();
    value["extra"] = json!(1);
    fs::write(world.path("work/a.json"), value.to_string()).expect("a file");
    let ran = world.run(&["check", "a.json"]);
    let document = world.run(&["check", "a.json", "--json"]).json();
    assert_eq!(ran.code, if document["errors"] == 0 { 0 } else { 7 });
}

#[test]
fn writeback_needs_its_acceptance() {
    let world = World::new();
    let mut value = projection();
    value["first_screen"]["boundary"]["mode"] = json!("controlled_writeback");
    fs::write(world.path("work/a.json"), value.to_string()).expect("a file");
    fs::write(world.path("work/yes.json"), r#"{"goal_id": "loopx-meta"}"#).expect("a file");
    fs::write(world.path("work/other.json"), r#"{"goal_id": "another"}"#).expect("a file");
    fs::write(world.path("work/no.json"), "[]").expect("a file");
    world.run(&["check", "a.json"]).fails(7, "1 error");
    world.run(&["check", "a.json", "--writeback", "yes.json"]).ok();
    world.run(&["check", "a.json", "--writeback", "other.json"]).fails(7, "1 error");
    world.run(&["check", "a.json", "--writeback", "no.json"]).fails(2, "hint: ");
}

#[test]
fn a_typing_error_is_not_found_and_needs_no_home() {
    let world = World::new().without("HOME").without("LOOPX_HOME");
    world.run(&["check", "nowhere.json"]).fails(3, "no file or folder nowhere.json\nhint: ");
    world.run(&["check"]).fails(2, "PATH");
    fs::write(world.path("work/a.json"), projection().to_string()).expect("a file");
    world.run(&["check", "a.json"]).ok();
    assert_eq!(world.own_files(), Vec::<String>::new());
}

#[test]
fn a_name_that_is_no_text_and_a_closed_pipe() {
    let world = World::new();
    let name = std::ffi::OsString::from_vec(b"work/\xff.json".to_vec());
    fs::write(world.path("").join(&name), broken().to_string()).expect("a file");
    let typed = std::ffi::OsString::from_vec(b"\xff.json".to_vec());
    assert_eq!(world.run_os(vec!["check".into(), typed]), 7);
    fs::write(world.path("work/a.json"), projection().to_string()).expect("a file");
    assert_eq!(world.run_closed(&["check", "a.json", "--json"]), 0);
}
