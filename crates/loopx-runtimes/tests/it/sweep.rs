//! What a sweep reads, and what it only counts.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::Liveness;
use loopx_runtimes::{Runtime, SkipKind, Skipped, session_handle};

use crate::scene::{Scene, after, entry, key, look, recording, written};

const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";
const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";

#[test]
fn old_files_are_counted_unless_they_live_or_are_asked_for() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    let path = scene.rollout(THREAD, &text);
    written(&path, now - SignedDuration::from_hours(24 * 15));
    let sweep = scene.sweep(now);
    assert_eq!((sweep.sessions.len(), sweep.older), (0, 1));
    let also = BTreeSet::from([session_handle(&key(), Runtime::Codex, THREAD)]);
    assert_eq!(look(&scene.sources(), now, &also).sessions.len(), 1);
    scene.hold(&scene.lock(THREAD));
    assert_eq!(scene.sweep(now).sessions.len(), 1);
    std::fs::rename(&path, path.with_extension("jsonl.zst")).unwrap();
    let sweep = scene.sweep(now);
    assert_eq!((sweep.sessions.len(), sweep.older, sweep.skipped.len()), (0, 0, 1), "not really packed");
}

#[test]
fn a_real_lock_is_seen_and_not_taken() {
    if !Path::new("/proc/locks").exists() {
        return;
    }
    let text = recording("codex/0.171.0_pending_exec_approval.jsonl");
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    let lock = File::open(scene.lock(THREAD)).unwrap();
    lock.lock().unwrap();
    let mut sources = scene.sources();
    sources.proc_root = "/proc".into();
    let sweep = look(&sources, after(&text), &BTreeSet::new());
    let liveness = sweep.sessions[0].facts.liveness;
    // Some file systems list another device than they show: then it can't be told, and never is it dead.
    assert!(matches!(liveness, Liveness::Alive | Liveness::Unproved), "{liveness:?}");
    lock.unlock().unwrap();
    assert!(lock.try_lock().is_ok());
}

#[test]
fn inside_a_container_a_free_lock_proves_nothing() {
    let text = recording("codex/0.171.0_pending_exec_approval.jsonl");
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    scene.lock(THREAD);
    assert_eq!(scene.facts(after(&text)).liveness, Liveness::Dead);
    scene.namespace("pid:[4026532999]");
    assert_eq!(scene.facts(after(&text)).liveness, Liveness::Unproved);
}

#[test]
fn children_and_helpers_are_no_sessions() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let now = after(&text);
    let scene = Scene::new();
    scene.rollout(THREAD, &text);
    let child = "01a229a5-0000-7440-b3e2-411a8a756bc4";
    let spawn = format!(
        "\"source\":{{\"subagent\":{{\"thread_spawn\":{{\"parent_thread_id\":\"{THREAD}\",\"depth\":1}}}}}}"
    );
    scene.rollout(
        child,
        &text
            .replace("\"source\":\"cli\"", &spawn)
            .replace("\"thread_source\":\"user\"", "\"thread_source\":\"subagent\""),
    );
    let helper = "01a229a5-1111-7440-b3e2-411a8a756bc4";
    scene.rollout(helper, &text.replace("\"thread_source\":\"user\"", "\"thread_source\":\"title\""));
    assert_eq!(scene.facts(now).children, 1);
}

#[test]
fn a_process_at_a_start_up_dialog_is_a_session() {
    let now: Timestamp = "2026-11-29T23:40:00Z".parse().unwrap();
    let scene = Scene::new();
    scene.entry(&entry(SESSION, "waiting", Some("dialog open"), now - SignedDuration::from_hours(1)));
    assert_eq!(scene.sweep(now).sessions.len(), 0, "its process is gone");
    scene.alive();
    let seen = scene.only(now);
    assert_eq!(seen.facts.state.word(), "waiting_answer");
    assert_eq!((seen.private.expose().file.as_ref(), seen.private.expose().pid), (None, Some(2336)));
    scene.entry(&entry(SESSION, "waiting", Some("dialog open"), now).replace(SESSION, ""));
    assert_eq!(scene.only(now).facts.state.word(), "waiting_answer", "no session id yet");
}

#[test]
fn keys_are_never_opened_and_odd_names_are_no_entries() {
    let now: Timestamp = "2026-11-29T23:40:00Z".parse().unwrap();
    let scene = Scene::new();
    scene.alive();
    let text = entry(SESSION, "busy", None, now);
    scene.write("claude/sessions/2336.abcdef.key", &text);
    scene.write("claude/sessions/2336.key.json", &text);
    scene.write("claude/sessions/.json", &text);
    let sweep = scene.sweep(now);
    assert_eq!((sweep.sessions.len(), sweep.skipped), (0, Vec::<Skipped>::new()));
}

#[test]
fn ten_thousand_old_files_are_not_read() {
    let now: Timestamp = "2026-11-29T23:40:00Z".parse().unwrap();
    let scene = Scene::new();
    for number in 0..10_000 {
        let path = scene.rollout(&format!("01a229a5-924c-7440-b3e2-41{number:010x}"), "");
        written(&path, now - SignedDuration::from_hours(24 * 30));
    }
    let begun = std::time::Instant::now();
    let sweep = scene.sweep(now);
    assert_eq!((sweep.older, sweep.sessions.len()), (10_000, 0));
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}

#[test]
fn a_file_that_is_no_session_is_counted() {
    let now: Timestamp = "2026-11-29T23:40:00Z".parse().unwrap();
    let scene = Scene::new();
    scene.rollout(THREAD, "{\"type\":\"thread.started\"}\n");
    scene.transcript(SESSION, "");
    assert_eq!(scene.sweep(now).skipped, [Skipped { kind: SkipKind::NotASession, count: 2 }]);
}
