use std::fs;
use std::path::Path;
use std::time::Instant;

use jiff::tz::TimeZone;
use loopx_contract::{AgentId, GoalId, TodoId};

use super::*;
use crate::app::waits::Reason;
use crate::config::Config;
use crate::env::Env;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_764_500_000 + seconds).expect("an instant")
}

fn held(todo: &str) -> Wait {
    let (goal, agent) = (GoalId::parse("pilot").expect("a goal"), AgentId::parse("ann").expect("an agent"));
    let todo_id = TodoId::parse(todo).ok();
    Wait {
        what: Waiting::Lane { goal_id: goal.clone(), agent_id: agent.clone(), todo_id },
        reason: Reason::Decision,
        goal: Some(goal),
        agent: Some(agent),
        runtime: None,
        since: Some(at(0)),
        next_action: None,
    }
}

const TODO: &str = "todo_06h2n9raq57va9dd";
const OTHER: &str = "todo_06h2n9raq57va9de";

/// One that tells by a shell's command, which adds a line to the file `told`, and then does as it is said.
fn by_shell(data: &Path, then: &str) -> Settings {
    let command = format!("echo it >> '{}'; {then}", data.join("told").display());
    let mut settings = nothing();
    settings.command = ["/bin/sh", "-c", &command].map(Into::into).to_vec();
    settings
}

/// They tell by nothing.
fn nothing() -> Settings {
    let env = Env { vars: BTreeMap::new(), ..Env::of_process() };
    Settings::of(&Config::default(), &env, TimeZone::UTC, false)
}

fn notifier(data: &Path, then: &str) -> Notifier {
    Notifier::new(by_shell(data, then), data.to_owned(), Box::new(|| {}))
}

fn told(data: &Path) -> usize {
    crate::app::file::text(&data.join("told"), 4096).expect("a file").map_or(0, |text| text.lines().count())
}

impl Notifier {
    /// Looks until nothing is on its way any more.
    fn looks(&mut self, seconds: i64, waits: &[Wait]) {
        let until = Instant::now() + Duration::from_secs(30);
        self.looked(waits.to_vec(), &Only::default(), at(seconds));
        while self.flight.is_some() {
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
            self.settle(at(seconds));
        }
    }
}

#[test]
fn what_cannot_be_kept_as_told_is_told_once_all_the_same() {
    let room = tempfile::tempdir().expect("a folder");
    let data = room.path();
    // Nothing can be written there.
    fs::create_dir(data.join(NEW)).expect("a folder");
    let mut notifier = notifier(data, "");
    for second in [0, 1, 2, 60] {
        notifier.looks(second, &[held(TODO)]);
    }
    assert_eq!(told(data), 1);
    for second in [61, 62, 120] {
        notifier.looks(second, &[held(TODO), held(OTHER)]);
    }
    assert_eq!(told(data), 2);
    let said: Vec<&str> = notifier.complaints().collect();
    assert!(matches!(said.as_slice(), [one] if one.starts_with("failed to keep what was told")), "{said:?}");
    // It can again: what was told meanwhile is kept.
    fs::remove_dir(data.join(NEW)).expect("a folder");
    notifier.looks(121, &[held(TODO)]);
    assert_eq!((told(data), notifier.complaints().count()), (2, 0));
    drop(notifier);
    let mut next = self::notifier(data, "");
    next.looks(122, &[held(TODO)]);
    next.looks(124, &[held(TODO)]);
    assert_eq!(told(data), 2);
}

#[test]
fn one_that_tells_and_never_ends_is_not_waited_for_for_ever() {
    let room = tempfile::tempdir().expect("a folder");
    let data = room.path();
    let stopped = Told::lock(data).expect("a lock").expect("a lock").begin().expect("a lock");
    assert!(stopped.is_some());
    let mut notifier = notifier(data, "");
    for second in [0, 1, 2, 300] {
        notifier.looks(second, &[held(TODO)]);
        assert_eq!((told(data), notifier.due()), (0, Some(SETTLES.unsigned_abs())));
    }
    notifier.looks(302, &[held(TODO)]);
    assert_eq!((told(data), notifier.due()), (1, None));
}

#[test]
fn nothing_is_looked_for_every_second_where_nothing_is_to_be_told_soon() {
    let room = tempfile::tempdir().expect("a folder");
    let mut notifier = notifier(room.path(), "exit 3");
    notifier.looks(0, &[held(TODO)]);
    assert_eq!(notifier.due(), Some(Duration::from_secs(1)));
    notifier.looks(1, &[held(TODO)]);
    notifier.looks(1, &[held(TODO)]);
    assert_eq!(notifier.due(), Some(Duration::from_secs(30)));
    // Settings that tell by nothing have nothing to wait for.
    notifier.follow(nothing());
    notifier.looks(2, &[held(TODO)]);
    assert_eq!(notifier.due(), None);
    assert_eq!(notifier.complaints().collect::<Vec<_>>(), [MUTE]);
}

#[test]
fn other_settings_try_again_at_once_and_once_only() {
    let room = tempfile::tempdir().expect("a folder");
    let data = room.path();
    let mut notifier = notifier(data, "exit 3");
    for second in [0, 1, 2] {
        notifier.looks(second, &[held(TODO)]);
    }
    assert_eq!(told(data), 1);
    notifier.follow(by_shell(data, "exit 4"));
    for second in [3, 4, 5, 6] {
        notifier.looks(second, &[held(TODO)]);
    }
    assert_eq!(told(data), 2, "it fails, and has its pause");
    assert!(notifier.complaints().any(|why| why.ends_with("exit code 4")));
}

#[test]
fn a_failure_was_hidden_from_all_but_the_one_that_had_tried() {
    let room = tempfile::tempdir().expect("a folder");
    let data = room.path();
    let (mut first, mut second) = (notifier(data, "exit 3"), notifier(data, ""));
    for second in [0, 1] {
        first.looks(second, &[held(TODO)]);
    }
    second.looks(2, &[held(TODO)]);
    assert_eq!((told(data), second.complaints().collect::<Vec<_>>()), (1, vec![FAILED]));
    second.looks(31, &[held(TODO)]);
    assert_eq!((told(data), second.complaints().count()), (2, 0));
}
