use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
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
        tool: None,
        subagent: None,
        around: Around::default(),
    }
}

fn path(spool: &Spool) -> &PathBuf {
    &spool.events.path
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
    let (prompted, begins, asks) = ((What::Prompted, 6), (What::CallBegins, 5), (What::AsksPermission, 4));
    for (what, ago) in [asks, begins, prompted, asks, prompted] {
        spool.append(&event("one", what, ago)).unwrap();
    }
    assert_eq!(whats(&spool, "one"), [What::Prompted, What::CallBegins, What::AsksPermission]);
}

#[test]
fn what_is_over_and_what_is_forgotten_count_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    spool.append(&event("old", What::Prompted, 8 * 24 * 3600)).unwrap();
    for (what, ago) in [(What::AsksPermission, 900), (What::TurnEnded, 600), (What::CallBegins, 5)] {
        spool.append(&event("one", what, ago)).unwrap();
    }
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

fn windows(session: &str, used: u32, seconds_ago: i64) -> Windows {
    let told_at = now() - SignedDuration::from_secs(seconds_ago);
    let limit = loopx_contract::Limit {
        window: loopx_contract::LimitWindow::Primary,
        used_basis_points: Some(used),
        window_minutes: Some(300),
        resets_at: Some(now() + SignedDuration::from_mins(40)),
        reached: false,
        seen_at: Some(told_at),
    };
    Windows { limits: vec![limit], told_at, runtime: Runtime::ClaudeCode, session: session.to_owned() }
}

fn used(spool: &Spool, session: &str, at: Timestamp) -> Option<(Timestamp, Vec<Option<u32>>)> {
    let told = spool.windows(at).of(Runtime::ClaudeCode, session, at)?;
    Some((told.told_at, told.limits.iter().map(|limit| limit.used_basis_points).collect()))
}

#[test]
fn a_status_line_notes_what_is_new_alone() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    for tick in 0..300 {
        spool.note(&windows("one", 2500, 900 - tick)).unwrap();
        spool.note(&windows("two", 4000, 900 - tick)).unwrap();
    }
    spool.note(&windows("one", 2600, 30)).unwrap();
    let lines = io::BufRead::lines(io::BufReader::new(fs::File::open(&spool.windows.path).unwrap()));
    assert_eq!(lines.count(), 3);
    assert_eq!(used(&spool, "one", now()), Some((now() - SignedDuration::from_secs(30), vec![Some(2600)])));
    assert_eq!(used(&spool, "two", now()), Some((now() - SignedDuration::from_secs(900), vec![Some(4000)])));
    assert_eq!(used(&spool, "three", now()), None);
    // A window whose reset has passed counts no more.
    let later = now() + SignedDuration::from_mins(41);
    assert_eq!(used(&spool, "one", later).unwrap().1, []);
    // And none of it is an event.
    assert!(spool.read(now()).is_empty());
}

#[test]
fn of_many_notes_the_newest_of_each_session_stays() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    for at in 0..2000 {
        spool.note(&windows("one", at % 90, 9000 - i64::from(at))).unwrap();
    }
    spool.note(&windows("two", 4000, 5)).unwrap();
    assert!(fs::metadata(&spool.windows.path).unwrap().len() >= LONG);
    for _ in 0..2 {
        assert_eq!(used(&spool, "one", now()).unwrap().1, [Some(1999 % 90)]);
        assert_eq!(used(&spool, "two", now()).unwrap().1, [Some(4000)]);
    }
    assert!(fs::metadata(&spool.windows.path).unwrap().len() < 1000);
}

#[test]
fn limits_are_noted_in_no_pipe_and_through_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    let path = &spool.windows.path;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(spool.note(&windows("one", 2500, 5)).is_err());
    fs::remove_file(path).unwrap();
    let foreign = folder.path().join("foreign");
    fs::write(&foreign, "theirs").unwrap();
    std::os::unix::fs::symlink(&foreign, path).unwrap();
    assert!(spool.note(&windows("one", 2500, 5)).is_err());
    assert_eq!(fs::metadata(&foreign).unwrap().len(), 6);
}

#[test]
fn a_clock_that_was_put_back_makes_no_answered_prompt_ripe() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    let told = [
        (What::Prompted, -3605),
        (What::AsksPermission, -3600),
        (What::CallEnded, 20),
        (What::TurnEnded, 10),
    ];
    for (what, ago) in told {
        spool.append(&event("one", what, ago)).unwrap();
    }
    let ended = |now: Timestamp| {
        let events = spool.read(now).remove(&(Runtime::Codex, "one".to_owned())).unwrap();
        events.last().map(|event| event.what)
    };
    assert_eq!(ended(now()), Some(What::TurnEnded));
    // When the clock has come as far again.
    assert_eq!(ended(now() + SignedDuration::from_secs(3700)), Some(What::TurnEnded));
    // And after the spool was written anew.
    for at in 0..2000 {
        spool.append(&event("two", What::CallBegins, 9 - at % 9)).unwrap();
    }
    assert_eq!(ended(now()), Some(What::TurnEnded));
    assert_eq!(ended(now()), Some(What::TurnEnded));
}

#[test]
fn neither_a_late_end_nor_a_clock_ahead_takes_an_open_ask_away() {
    let of = |what, ago, turn: &str| HookEvent { turn: Some(turn.to_owned()), ..event("one", what, ago) };
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    for event in [
        of(What::Prompted, 900, "t1"),
        of(What::Prompted, 300, "t2"),
        of(What::AsksPermission, 299, "t2"),
        of(What::TurnEnded, 5, "t1"),
    ] {
        spool.append(&event).unwrap();
    }
    let asks = |spool: &Spool| whats(spool, "one").contains(&What::AsksPermission);
    assert!(asks(&spool), "an end of an older turn");
    spool.append(&event("one", What::CallEnded, -3600)).unwrap();
    assert!(asks(&spool), "what is dated an hour ahead");
    spool.append(&of(What::TurnEnded, 1, "t2")).unwrap();
    assert!(!asks(&spool));
}

#[test]
fn a_spool_that_is_full_is_begun_anew_and_says_what_was_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    spool.append(&event("one", What::Prompted, 7200)).unwrap();
    spool.append(&event("one", What::AsksPermission, 7200)).unwrap();
    assert_eq!(spool.dropped(), None);
    let filled = now() - SignedDuration::from_hours(2);
    let file = OpenOptions::new().write(true).open(path(&spool)).unwrap();
    file.set_len(spool::LONGEST).unwrap();
    let seconds = u64::try_from(filled.as_second()).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
    assert!(spool.append(&event("one", What::TurnEnded, 3600)).is_err());
    assert_eq!(spool.dropped(), Some(Dropped { from: filled, until: None }));
    // The answer was dropped: the prompt may not be said to be up.
    assert!(spool.read(now()).is_empty());
    let dropped = Some(Dropped { from: filled, until: Some(now()) });
    assert_eq!(spool.dropped(), dropped);
    spool.append(&event("one", What::TurnEnded, 5)).unwrap();
    assert_eq!(whats(&spool, "one"), [What::TurnEnded]);
    // It is still said when the spool was written anew again, for a while.
    let go_on = |at: Timestamp| {
        for _ in 0..2000 {
            spool.append(&HookEvent { at, ..event("two", What::TurnEnded, 0) }).unwrap();
        }
        let _look = spool.read(at);
    };
    go_on(now());
    assert!(fs::metadata(path(&spool)).unwrap().len() < LONG);
    assert_eq!(spool.dropped(), dropped);
    go_on(now() + SignedDuration::from_hours(24 * 8));
    assert_eq!(spool.dropped(), None);
}

#[test]
fn a_line_that_another_was_writing_was_taken_for_a_torn_one() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::of(folder.path());
    spool.append(&event("one", What::Prompted, 30)).unwrap();
    let mut other = OpenOptions::new().append(true).open(path(&spool)).unwrap();
    other.lock_shared().unwrap();
    let line = serde_json::to_string(&event("two", What::Prompted, 20)).unwrap();
    let (begins, ends) = line.split_at(line.len() / 2);
    other.write_all(begins.as_bytes()).unwrap();
    thread::scope(|threads| {
        let appended = threads.spawn(|| spool.append(&event("one", What::TurnEnded, 10)));
        // So long that the other thread has found the line without its end, and less than it waits.
        thread::sleep(std::time::Duration::from_millis(10));
        other.write_all(format!("{ends}\n").as_bytes()).unwrap();
        other.unlock().unwrap();
        appended.join().unwrap().unwrap();
    });
    let mut text = String::new();
    fs::File::open(path(&spool)).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(whats(&spool, "two"), [What::Prompted]);
}
