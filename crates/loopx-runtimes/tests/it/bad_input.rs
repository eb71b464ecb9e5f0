//! Files that are torn, huge, odd or no files at all.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::symlink;

use jiff::Timestamp;
use loopx_runtimes::{Runtime, SkipKind, Verdict, inspect};

use crate::scene::{Scene, after, key, recording};

const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";
const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";

fn word(path: &std::path::Path, runtime: Runtime, now: Timestamp) -> &'static str {
    inspect(path, runtime, &key(), now, None).unwrap().verdict.word()
}

#[test]
fn a_newest_line_that_is_lost_leaves_no_prompt_standing() {
    let text = recording("claude-code/2.1.332_pending_ask.jsonl");
    let scene = Scene::new();
    let state = |more: &str| {
        let path = scene.write("ask.jsonl", &format!("{}\n{more}", text.trim_end()));
        word(&path, Runtime::ClaudeCode, after(&text))
    };
    assert_eq!(state(""), "waiting_answer");
    // It may have held the answer.
    assert_eq!(state("{\"type\":\"user\",\"sess\n"), "unknown");
    assert_eq!(state("\0\0\0\0\n"), "unknown");
    assert_eq!(state(&format!("{{\"type\":\"user\",\"x\":[{}0]}}\n", "7,".repeat(5 << 20))), "unknown");
}

#[test]
fn garbage_between_the_lines_changes_no_state() {
    let name = "codex/0.171.0_interrupted.jsonl";
    let text = recording(name);
    let scene = Scene::new();
    let garbage = "\u{feff}".to_owned()
        + &text.trim_end().replace(
            '\n',
            "\r\n\r\n{\"type\":[1],\"payload\":7}\n\"x\"\n[1]\n{\"type\":\"new_thing\"}\nnull\n\0\n",
        );
    let path = scene.write("garbage.jsonl", &garbage);
    let seen = inspect(&path, Runtime::Codex, &key(), after(&text), None).unwrap();
    let Verdict::Session(facts) = seen.verdict else { panic!("{seen:?}") };
    assert_eq!(facts.state.word(), "interrupted");
    assert_eq!(usize::try_from(facts.lines.read), Ok(text.lines().count()));
    let between = text.lines().count() - 1;
    assert_eq!(usize::try_from(facts.lines.unknown_type), Ok(between));
    assert_eq!(usize::try_from(facts.lines.malformed), Ok(between * 5));
}

#[test]
fn bytes_that_are_no_text_are_read_all_the_same() {
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let scene = Scene::new();
    let path = scene.path("lossy.jsonl");
    let mut bytes = text.clone().into_bytes();
    let at = text.find("originator").unwrap();
    bytes[at] = 0xff;
    fs::write(&path, bytes).unwrap();
    assert_eq!(word(&path, Runtime::Codex, after(&text)), "interrupted");
}

/// The most memory this process has had, in kB.
fn peak() -> u64 {
    let status = crate::scene::text(std::path::Path::new("/proc/self/status"));
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_line_of_fifty_megabytes_is_read_in_little_memory() {
    let text = recording("codex/0.171.0_pending_exec_approval.jsonl");
    let (before, after_it) = text.split_at(text.find("\"ordinal\":12").unwrap_or(0));
    let line = before.rfind('\n').unwrap() + 1;
    let scene = Scene::new();
    let path = scene.rollout(THREAD, &text[..line]);
    let mut file = File::options().append(true).open(&path).unwrap();
    let filler = vec![b'x'; 1 << 20];
    file.write_all(b"{\"type\":\"response_item\",\"payload\":{\"type\":\"reasoning\",\"content\":\"")
        .unwrap();
    for _ in 0..50 {
        file.write_all(&filler).unwrap();
    }
    file.write_all(b"\"}}\n").unwrap();
    file.write_all(&before.as_bytes()[line..]).unwrap();
    file.write_all(after_it.as_bytes()).unwrap();
    drop(file);
    let facts = scene.facts(after(&text));
    assert_eq!((facts.state.word(), facts.turn), ("unknown", loopx_contract::Turn::Open));
    assert_eq!((facts.lines.oversized, facts.lines.malformed), (0, 0));
    assert!(peak() < 200_000, "{} kB", peak());
}

#[test]
fn a_file_of_garbage_under_a_sessions_name_is_a_session_of_which_nothing_is_known() {
    let garbage: Vec<u8> = (0..50_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for bytes in [garbage.as_slice(), b"{\"type\":\"mystery\"}\n", b"torn {"] {
        let scene = Scene::new();
        for path in [scene.rollout(THREAD, ""), scene.transcript(SESSION, "")] {
            std::fs::write(path, bytes).unwrap();
        }
        let sweep = scene.sweep("2026-11-30T00:00:00Z".parse().unwrap());
        assert_eq!(sweep.sessions.len(), 2, "{:?}", sweep.skipped);
        for seen in &sweep.sessions {
            assert_eq!(seen.facts.state, loopx_contract::SessionState::Unknown);
            assert!(seen.facts.missing.contains(&loopx_contract::MissingFact::TurnState));
            assert_eq!(seen.facts.last_activity, None, "nothing dates it");
        }
    }
}

#[test]
fn a_gigabyte_of_garbage_is_not_read_through() {
    let scene = Scene::new();
    for path in [scene.rollout(THREAD, ""), scene.transcript(SESSION, "")] {
        let mut file = File::options().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(1 << 30)).unwrap();
        file.write_all(b"x").unwrap();
    }
    let sweep = scene.sweep("2026-11-30T00:00:00Z".parse().unwrap());
    assert_eq!((sweep.sessions.len(), sweep.skipped.len()), (2, 0));
    assert!(peak() < 200_000, "{} kB", peak());
}

#[test]
fn odd_files_are_counted_and_hang_nothing() {
    let scene = Scene::new();
    let text = recording("codex/0.171.0_interrupted.jsonl");
    let day = scene.rollout(THREAD, &text).parent().unwrap().to_owned();
    symlink("nowhere", day.join("rollout-2026-11-29T23-30-46-01a229a5-0001-7440-b3e2-411a8a756bc4.jsonl"))
        .unwrap();
    symlink("/dev/zero", day.join("rollout-2026-11-29T23-30-46-01a229a5-0002-7440-b3e2-411a8a756bc4.jsonl"))
        .unwrap();
    let fifo = day.join("rollout-2026-11-29T23-30-46-01a229a5-0003-7440-b3e2-411a8a756bc4.jsonl");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    fs::create_dir(day.join("rollout-2026-11-29T23-30-46-01a229a5-0004-7440-b3e2-411a8a756bc4.jsonl"))
        .unwrap();
    symlink(scene.path("codex/sessions"), day.parent().unwrap().join("30")).unwrap();
    symlink("31", day.parent().unwrap().join("31")).unwrap();
    let now = after(&text);
    let sweep = scene.sweep(now);
    let skipped: Vec<_> = sweep.skipped.iter().map(|skipped| (skipped.kind, skipped.count)).collect();
    assert_eq!(sweep.sessions.len(), 1);
    assert_eq!(skipped, [(SkipKind::Vanished, 1), (SkipKind::NotAFile, 3), (SkipKind::Link, 2)]);
    assert_eq!(inspect(&fifo, Runtime::Codex, &key(), now, None).unwrap_err().kind, SkipKind::NotAFile);
    assert_eq!(inspect(&day, Runtime::Codex, &key(), now, None).unwrap_err().kind, SkipKind::NotAFile);
}

#[test]
fn an_unreadable_file_is_counted() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    let path = scene.rollout(THREAD, "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&path).is_ok() {
        return; // The superuser may read anything.
    }
    let sweep = scene.sweep("2026-11-30T00:00:00Z".parse().unwrap());
    assert_eq!(sweep.skipped[0].kind, SkipKind::Unreadable);
}
