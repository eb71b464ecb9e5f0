use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn spared(agent: &str, exit: u8, minutes: i64) -> Spared {
    let start: Timestamp = "2026-11-30T12:00:00Z".parse().expect("an instant");
    Spared {
        at: start + SignedDuration::from_mins(minutes),
        goal: GoalId::parse("atlas").expect("a goal"),
        agent: AgentId::parse(agent).expect("a lane"),
        exit,
        turns: 1,
    }
}

fn turns(data: &Path) -> u64 {
    read(data).iter().map(|spared| spared.turns).sum()
}

#[test]
fn a_loop_that_asks_every_minute_counts_once_in_ten() {
    let folder = tempfile::tempdir().expect("a folder");
    for minute in 0..60 {
        count(folder.path(), &spared("codex", 15, minute)).expect("counted");
        count(folder.path(), &spared("claude", 15, minute)).expect("counted");
    }
    assert_eq!(turns(folder.path()), 12);
    // Another answer is another turn; a clock that went back counts anew.
    count(folder.path(), &spared("codex", 14, 59)).expect("counted");
    count(folder.path(), &spared("codex", 15, -30)).expect("counted");
    assert_eq!(turns(folder.path()), 14);
    let mode = folder.path().join(FILE).metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn many_at_once_lose_nothing_and_count_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| drop(count(folder.path(), &spared("codex", 15, 0)))));
        }
    });
    assert_eq!(turns(folder.path()), 1);
}

#[test]
fn days_that_are_over_are_summed_up_and_nothing_is_lost() {
    const EACH: u64 = 3000;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(FILE);
    let day = 24 * 60;
    let mut text = Vec::new();
    // Of what is forgotten, what is over, and what is counted one by one.
    for minutes in [-500 * day, -60 * day, -day] {
        for _ in 0..EACH {
            serde_json::to_writer(&mut text, &spared("codex", 15, minutes)).expect("a line");
            text.push(b'\n');
        }
    }
    // Up to just before it is long enough.
    text.resize(usize::try_from(STEP).expect("a length") - 10, b'\n');
    std::fs::write(&path, &text).expect("a file");
    assert_eq!(turns(folder.path()), 3 * EACH);
    count(folder.path(), &spared("codex", 15, 0)).expect("counted");
    assert_eq!(turns(folder.path()), 2 * EACH + 1);
    let sums: Vec<u64> = read(folder.path()).iter().map(|one| one.turns).filter(|turns| *turns > 1).collect();
    assert_eq!(sums, [EACH]);
    assert!(path.metadata().expect("a file").len() < STEP / 2);
}

#[test]
fn noise_a_link_or_a_pipe_in_its_place_harms_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(FILE);
    std::fs::write(&path, b"\xff{}\n{\"at\":1}\n[]\n{\"at\":\"now\"").expect("a file");
    count(folder.path(), &spared("codex", 15, 0)).expect("counted");
    count(folder.path(), &spared("codex", 15, 20)).expect("counted");
    assert!(turns(folder.path()) >= 1);
    std::fs::remove_file(&path).expect("a file");
    let foreign = folder.path().join("foreign");
    std::fs::write(&foreign, "theirs").expect("a file");
    std::os::unix::fs::symlink(&foreign, &path).expect("a link");
    assert!(count(folder.path(), &spared("codex", 15, 0)).is_err());
    assert_eq!(turns(folder.path()), 0);
    assert_eq!(foreign.metadata().expect("a file").len(), 6);
    std::fs::remove_file(&path).expect("a link");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    assert!(count(folder.path(), &spared("codex", 15, 0)).is_err());
    assert_eq!(turns(folder.path()), 0);
}
