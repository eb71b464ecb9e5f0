//! Every recording, from the file alone and with the live signal that stood beside it.

use jiff::SignedDuration;
use loopx_contract::{Liveness, SessionState};
use loopx_runtimes::{Runtime, Verdict, inspect};

use crate::scene::{Scene, after, entry, key, recording, recordings};

const CODEX: &[(&str, &str)] = &[
    ("0.125.0_exec_exit3_rollout-2026-11-29T23-37-24-01a229ab-a3d5-7f42-b5cb-3ccb1abad0a8.jsonl", "idle"),
    ("0.145.0_exec_exit3_rollout-2026-11-29T23-37-27-01a229ab-b167-72e1-9537-2dc783ade52b.jsonl", "idle"),
    ("0.171.0_exec_json_stdout_stream.jsonl", "not_a_session"),
    ("0.171.0_fork_then_compact_then_kill9.jsonl", "idle"),
    ("0.171.0_interrupted.jsonl", "interrupted"),
    ("0.171.0_late_item_after_end.jsonl", "rate_limited"),
    ("0.171.0_pending_exec_approval.jsonl", "unknown"),
    ("0.171.0_rollout-2026-11-29T23-29-49-01a229a4-b4a4-7691-82af-c624e0220285.jsonl", "idle"),
    ("0.171.0_rollout-2026-11-29T23-30-46-01a229a5-924c-7440-b3e2-411a8a756bc4.jsonl", "rate_limited"),
    ("0.171.0_rollout-2026-11-29T23-33-06-01a229a7-b5a0-7773-8786-c04609a44213.jsonl", "idle"),
    ("0.171.0_usage_limit.jsonl", "rate_limited"),
    ("0.80.0_exec_exit3_rollout-2026-11-29T23-37-16-01a229ab-8789-74a2-9d79-fce06f13fd9d.jsonl", "idle"),
    ("0.98.0_exec_exit3_rollout-2026-11-29T23-37-21-01a229ab-99e8-7bf0-bd92-7a934996fd22.jsonl", "idle"),
];

/// Name, state from the file alone, state with its process alive.
const CLAUDE: &[(&str, &str, &str)] = &[
    ("2.0.76_agent-a8a515a", "not_a_session", "not_a_session"),
    ("2.0.76_agent-ab2b017", "not_a_session", "not_a_session"),
    ("2.0.76_e734d50b-f338-419c-8cbc-ebabb5b7986c", "not_a_session", "not_a_session"),
    ("2.1.332_compacted", "idle", "idle"),
    ("2.1.332_fork_session_replayed", "idle", "idle"),
    ("2.1.332_interrupted", "interrupted", "interrupted"),
    ("2.1.332_p_stream_2.1.332", "not_a_session", "not_a_session"),
    ("2.1.332_pending_ask", "waiting_answer", "waiting_answer"),
    ("2.1.332_pending_permission", "unknown", "waiting_permission"),
    ("2.1.332_ratelimited", "rate_limited", "rate_limited"),
    ("2.1.332_running_tool", "unknown", "running"),
    ("2.1.332_subagents_agent-a1786138845e8eb29", "child", "child"),
    ("done_v1", "idle", "idle"),
    ("pending_permission_v1", "unknown", "unknown"),
];

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";
const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";

#[test]
fn codex_files_alone() {
    for (name, want) in CODEX {
        let path = recordings().join("codex").join(name);
        let now = after(&recording(&format!("codex/{name}")));
        let seen = inspect(&path, Runtime::Codex, &key(), now, None).unwrap();
        assert_eq!(seen.verdict.word(), *want, "{name}: {seen:?}");
        assert_eq!(seen.evidence.is_empty(), *want == "not_a_session", "{name}");
        if let Verdict::Session(facts) = &seen.verdict {
            let exec = name.contains("exec_exit3") || name.contains("23-29-49");
            assert_eq!(facts.runtime_id.as_str(), if exec { "codex_exec" } else { "codex_cli_tui" });
            assert_eq!((facts.lines.malformed, facts.lines.unknown_type), (0, 0), "{name}");
        }
    }
}

#[test]
fn codex_with_the_lock_held_and_left_behind() {
    for (name, want) in CODEX.iter().filter(|(_, want)| *want != "not_a_session") {
        let text = recording(&format!("codex/{name}"));
        let scene = Scene::new();
        scene.rollout(THREAD, &text);
        let lock = scene.lock(THREAD);
        let left = scene.facts(after(&text));
        assert_eq!((left.state.word(), left.liveness), (*want, Liveness::Dead), "{name}");
        scene.hold(&lock);
        let held = scene.only(after(&text));
        assert_eq!((held.facts.state.word(), held.facts.liveness), (*want, Liveness::Alive), "{name}");
        assert_eq!(held.private.expose().pid, Some(4711));
    }
}

#[test]
fn claude_files_alone() {
    for (name, want, _) in CLAUDE {
        let path = recordings().join("claude-code").join(format!("{name}.jsonl"));
        let now = after(&recording(&format!("claude-code/{name}.jsonl")));
        let seen = inspect(&path, Runtime::ClaudeCode, &key(), now, None).unwrap();
        assert_eq!(seen.verdict.word(), *want, "{name}: {seen:?}");
        if let Verdict::Session(facts) = &seen.verdict {
            assert_eq!((facts.lines.malformed, facts.lines.unknown_type), (0, 0), "{name}");
            assert!(!seen.evidence.is_empty());
        }
    }
}

#[test]
fn claude_with_its_process_alive() {
    for (name, file, live) in CLAUDE.iter().filter(|(_, file, _)| !matches!(*file, "not_a_session" | "child"))
    {
        let text = recording(&format!("claude-code/{name}.jsonl"));
        let now = after(&text);
        let scene = Scene::new();
        scene.transcript(SESSION, &text);
        let beside = recordings().join("claude-code").join(format!("{name}.session.json"));
        if beside.exists() {
            scene.entry(&crate::scene::text(&beside));
        } else if *file != "unknown" {
            // The registry says idle once a turn is over, however it ended.
            scene.entry(&entry(SESSION, "idle", None, now - SignedDuration::from_secs(50)));
        }
        scene.alive();
        assert_eq!(scene.facts(now).state.word(), *live, "{name}");

        // The process is gone: what was closed stays, what was open is unknown.
        std::fs::remove_dir_all(scene.path("proc/2336")).unwrap();
        let dead = scene.facts(now);
        let want = if matches!(*file, "waiting_answer") { "unknown" } else { *file };
        assert_eq!(dead.state.word(), want, "{name}");
    }
}

#[test]
fn a_question_without_a_live_process_counts_for_ten_minutes() {
    let text = recording("claude-code/2.1.332_pending_ask.jsonl");
    let scene = Scene::new();
    scene.transcript(SESSION, &text);
    let asked = after(&text) - SignedDuration::from_mins(1);
    for (minutes, want) in [(0, "waiting_answer"), (10, "waiting_answer"), (11, "unknown"), (-6, "unknown")] {
        let facts = scene.facts(asked + SignedDuration::from_mins(minutes));
        assert_eq!(facts.state.word(), want, "{minutes}");
        assert!(facts.missing.contains(&loopx_contract::MissingFact::Liveness));
    }
}

#[test]
fn no_string_of_a_recording_is_in_the_facts() {
    for (folder, runtime) in [("codex", Runtime::Codex), ("claude-code", Runtime::ClaudeCode)] {
        for path in std::fs::read_dir(recordings().join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            let text = crate::scene::text(&path);
            let Ok(seen) = inspect(&path, runtime, &key(), after(&text), None) else { continue };
            let Verdict::Session(facts) = seen.verdict else { continue };
            let json = serde_json::to_string(&facts).unwrap();
            let mut strings = Vec::new();
            for line in text.lines() {
                collect(&serde_json::from_str(line).unwrap(), &mut strings);
            }
            let words: Vec<&str> =
                json.split(|c: char| !(c.is_alphanumeric() || "_-:.".contains(c))).collect();
            for string in strings
                .iter()
                .filter(|string| string.len() >= 6 && string.parse::<jiff::Timestamp>().is_err())
            {
                // Our own words happen to be some of theirs.
                let ours = string.parse::<loopx_contract::RuntimeId>().is_ok();
                assert!(ours || !words.contains(&string.as_str()), "{string}");
                assert!(ours || string.len() < 12 || !json.contains(string.as_str()), "{string}");
            }
        }
    }
}

fn collect(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        serde_json::Value::Object(fields) => fields.values().for_each(|item| collect(item, into)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

/// Spread over more than the first look takes in, a file says the same from its end as from its whole.
#[test]
fn the_tail_says_what_the_whole_says() {
    let filler = "x".repeat(60_000);
    let reasoning = format!(
        "{{\"type\":\"event_msg\",\"payload\":{{\"type\":\"agent_reasoning\",\"text\":\"{filler}\"}}}}"
    );
    let attachment =
        format!("{{\"type\":\"attachment\",\"sessionId\":\"{SESSION}\",\"attachment\":\"{filler}\"}}");
    for (folder, padding) in [("codex", reasoning), ("claude-code", attachment)] {
        for path in std::fs::read_dir(recordings().join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            let text = crate::scene::text(&path);
            let lines: Vec<&str> = text.lines().collect();
            // Every third prefix is a session at another moment.
            for upto in (1..=lines.len()).rev().step_by(3).take(12) {
                let whole = lines[..upto].join("\n") + "\n";
                let padded = lines[..upto].join(&format!("\n{padding}\n")) + "\n";
                let scene = Scene::new();
                let runtime = if folder == "codex" { Runtime::Codex } else { Runtime::ClaudeCode };
                let want = inspect(&scene.write("whole.jsonl", &whole), runtime, &key(), after(&text), None)
                    .unwrap()
                    .verdict;
                if !matches!(want, Verdict::Session(_)) {
                    continue; // The padding alone would make it one.
                }
                if folder == "codex" {
                    scene.rollout(THREAD, &padded);
                } else {
                    scene.transcript(SESSION, &padded);
                }
                let sweep = scene.sweep(after(&text));
                assert_eq!(sweep.sessions.len(), 1);
                assert_eq!(sweep.sessions[0].facts.state.word(), want.word(), "{upto} lines of {path:?}");
            }
        }
    }
}

#[test]
fn limits_are_told() {
    let text = recording("codex/0.171.0_usage_limit.jsonl");
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    let facts = scene.facts(after(&text));
    assert_eq!(facts.state, SessionState::RateLimited);
    let told: Vec<_> = facts
        .limits
        .iter()
        .map(|limit| (limit.used_basis_points, limit.window_minutes, limit.reached))
        .collect();
    assert_eq!(told, [(Some(1250), Some(300), false), (Some(4000), Some(10080), false), (None, None, true)]);
    assert!(facts.outcome_id.is_some() && facts.event_id.is_some() && facts.started_at.is_some());
}
