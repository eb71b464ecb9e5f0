use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::thread;

use super::*;
use crate::hooks::{Around, What};
use crate::spool::LONG;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn event(session: &str, what: What, seconds_ago: i64) -> HookEvent {
    HookEvent {
        at: now() - SignedDuration::from_secs(seconds_ago),
        runtime: Runtime::Codex,
        session: session.to_owned(),
        what,
        call: None,
        turn: None,
        subagent: None,
        around: Around::default(),
    }
}

fn path(spool: &Spool) -> &PathBuf {
    &spool.0.path
}

fn whats(spool: &Spool, session: &str) -> Vec<What> {
    let events = spool.read(now());
    events.get(&(Runtime::Codex, session.to_owned())).into_iter().flatten().map(|event| event.what).collect()
}

#[test]
fn what_is_told_is_there_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    assert!(spool.read(now()).is_empty());
    spool.append(&event("one", What::Prompted, 30)).unwrap();
    spool.append(&event("one", What::AsksPermission, 20)).unwrap();
    spool.append(&event("two", What::TurnEnded, 10)).unwrap();
    assert_eq!(whats(&spool, "one"), [What::Prompted, What::AsksPermission]);
    assert_eq!(whats(&spool, "two"), [What::TurnEnded]);
    let mode = fs::metadata(path(&spool)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn neither_order_nor_repetition_tells() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    let (prompted, begins, asks) = ((What::Prompted, 30), (What::CallBegins, 20), (What::AsksPermission, 10));
    for (what, ago) in [asks, begins, prompted, asks, prompted] {
        spool.append(&event("one", what, ago)).unwrap();
    }
    assert_eq!(whats(&spool, "one"), [What::Prompted, What::CallBegins, What::AsksPermission]);
}

#[test]
fn what_is_over_and_what_is_forgotten_count_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    for (what, ago) in [(What::AsksPermission, 900), (What::TurnEnded, 600), (What::CallBegins, 5)] {
        spool.append(&event("one", what, ago)).unwrap();
    }
    spool.append(&event("old", What::Prompted, 8 * 24 * 3600)).unwrap();
    assert_eq!(whats(&spool, "one"), [What::TurnEnded, What::CallBegins]);
    assert_eq!(whats(&spool, "old"), []);
}

#[test]
fn half_a_line_and_noise_harm_no_other_line() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    fs::write(path(&spool), b"\xff\xfe{}\n{\"at\":1}\n\n").unwrap();
    spool.append(&event("one", What::Prompted, 5)).unwrap();
    let mut file = OpenOptions::new().append(true).open(path(&spool)).unwrap();
    file.write_all(b"{\"at\":\"2026-11-30T").unwrap();
    assert_eq!(whats(&spool, "one"), [What::Prompted]);
}

#[test]
fn a_long_spool_is_written_anew_while_others_append() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 1000;
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let spool = &spool;
            scope.spawn(move || {
                for at in 0..EACH {
                    let mut event = event(&format!("session-{writer}"), What::CallBegins, 0);
                    event.call = Some(format!("call-{at}"));
                    spool.append(&event).unwrap();
                }
            });
        }
        for _ in 0..50 {
            let _looks = spool.read(now());
        }
    });
    // None was lost, whoever put another file in its place meanwhile.
    let events = spool.read(now());
    let counts: Vec<usize> = events.values().map(BTreeSet::len).collect();
    assert_eq!(counts, vec![usize::try_from(EACH).unwrap(); usize::try_from(WRITERS).unwrap()]);
}

#[test]
fn a_long_spool_is_short_again() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    for at in 0..4000 {
        let mut event = event("one", What::CallBegins, 9000 - at);
        event.turn = Some("a-turn".to_owned());
        spool.append(&event).unwrap();
    }
    spool.append(&event("one", What::TurnEnded, 600)).unwrap();
    assert!(fs::metadata(path(&spool)).unwrap().len() >= LONG);
    assert_eq!(whats(&spool, "one"), [What::TurnEnded]);
    assert!(fs::metadata(path(&spool)).unwrap().len() < 1000);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_link_or_a_pipe_in_its_place_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    let foreign = folder.path().join("foreign");
    fs::write(&foreign, "theirs").unwrap();
    std::os::unix::fs::symlink(&foreign, path(&spool)).unwrap();
    assert!(spool.append(&event("one", What::Prompted, 5)).is_err());
    assert_eq!(fs::metadata(&foreign).unwrap().len(), 6);
    fs::remove_file(path(&spool)).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, path(&spool), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(spool.append(&event("one", What::Prompted, 5)).is_err());
    assert!(spool.read(now()).is_empty());
}

#[test]
fn a_line_that_was_cut_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    spool.append(&event("one", What::Prompted, 30)).unwrap();
    let whole = fs::metadata(path(&spool)).unwrap().len();
    spool.append(&event("one", What::CallBegins, 20)).unwrap();
    OpenOptions::new().write(true).open(path(&spool)).unwrap().set_len(whole + 40).unwrap();
    assert_eq!(whats(&spool, "one"), [What::Prompted]);
    spool.append(&event("one", What::TurnEnded, 10)).unwrap();
    assert_eq!(whats(&spool, "one"), [What::Prompted, What::TurnEnded]);
}
