//! The contract's own example comes out of commands.

use loopx_core::ProofFloor;
use serde_json::json;

use crate::stage::{goal, lane, todo};
use crate::world::World;

#[test]
fn the_contracts_example_comes_out_of_commands() {
    let world = World::new().with("LOOPX_GOAL", "loopx-meta").with("LOOPX_AGENT", "codex-side-bypass");
    goal(&world, "loopx-meta", ProofFloor::Terminal);
    lane(&world, "loopx-meta", "codex-side-bypass", Some("codex_cli_tui"));
    let session = world.with("CODEX_THREAD_ID", "0199f7a2-0000-7000-8000-000000000001");
    let id = todo(&session, &["the first executable agent todo"]);
    let args = [
        "run",
        "record",
        "--kind",
        "validation",
        "--check",
        "install smoke",
        "--outcome",
        "passed",
        "--event",
        "evt_123",
        "--json",
    ];
    let run = session.run(&args).ok().id();
    let projection = session.run(&["project"]).ok().json();
    assert_eq!(
        projection["first_screen"],
        json!({
            "waiting_on": "agent",
            "next_action": "advance the first executable agent todo",
            "open_user_todo": null,
            "first_executable_agent_todo": id,
            "latest_validation": "last run validated install smoke",
            "gate_state": "clear",
            "quota_state": "eligible",
            "boundary": {
                "mode": "read_only_projection",
                "raw_transcripts_copied": false,
                "credentials_copied": false,
                "private_paths_copied": false,
                "stop_condition": "stop for user gate, missing authority, or unsafe write"
            }
        })
    );
    assert_eq!(projection["schema_version"], "session_runtime_loopx_projection_v0");
    assert_eq!(projection["runtime"]["runtime_id"], "codex_cli_tui");
    assert_eq!(projection["runtime"]["source_ids_redacted"], false);
    assert!(projection["runtime"]["session_id"].is_string());
    assert_eq!(
        projection["loopx_refs"],
        json!({ "run_id": run, "todo_id": id, "event_id": "evt_123", "outcome_id": null })
    );
    let file = world.path("projection.json");
    std::fs::write(&file, session.run(&["project"]).ok().out).expect("a file");
    let checked = world.run(&["check", file.to_str().expect("text"), "--json"]).ok().json();
    assert_eq!((&checked["accepted"], &checked["projections"]), (&json!(true), &json!(1)), "{checked}");
    assert_eq!(session.run(&["next"]).code, 0);
}
