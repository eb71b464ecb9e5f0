use loopx_contract::TodoId;
use loopx_safety::{HandleKind, InstallKey};
use proptest::prelude::*;

use super::*;
use crate::app::waits::Reason;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_764_500_000 + seconds).expect("an instant")
}

fn goal(name: &str) -> GoalId {
    GoalId::parse(name).expect("a goal")
}

/// A prompt in a session of the goal `pilot`, up since then.
fn prompt(session: u8, since: Option<i64>) -> Wait {
    let key = InstallKey::from_bytes([7; 32], "made up");
    Wait {
        what: Waiting::Session {
            session_id: key.handle(HandleKind::Session, "codex", &format!("{session:02x}")),
        },
        reason: Reason::PermissionPrompt,
        goal: Some(goal("pilot")),
        agent: None,
        runtime: None,
        since: since.map(at),
        next_action: None,
    }
}

/// A lane that a todo holds.
fn held(agent: &str, todo: &str) -> Wait {
    let todo = TodoId::parse(todo).expect("a todo");
    let agent = AgentId::parse(agent).expect("an agent");
    let what = Waiting::Lane { goal_id: goal("pilot"), agent_id: agent.clone(), todo_id: Some(todo) };
    Wait { what, reason: Reason::Decision, agent: Some(agent), since: Some(at(0)), ..prompt(0, None) }
}

const TODO: &str = "todo_06h2n9raq57va9dd";
const OTHER: &str = "todo_06h2n9raq57va9de";

/// A watcher, with the memory that it keeps.
#[derive(Default)]
struct Watcher {
    memory: Memory,
    watched: BTreeSet<Waiting>,
    only: Only,
    next: Option<Timestamp>,
    /// Whether all that it tries to tell fails.
    is_mute: bool,
}

impl Watcher {
    fn look(&mut self, seconds: i64, waits: &[Wait]) -> Vec<Edge> {
        self.look_in(Hours::Loud, seconds, waits)
    }

    fn look_in(&mut self, hours: Hours, seconds: i64, waits: &[Wait]) -> Vec<Edge> {
        let edges = edges(&self.memory, &self.watched, waits, &self.only, at(seconds), hours);
        self.memory = edges.memory;
        self.next = edges.next;
        self.watched = waits.iter().map(|wait| wait.what.clone()).collect();
        let went = if self.is_mute { Went::Failed } else { Went::Told };
        for wait in edges.tell.iter().flat_map(|edge| &edge.waits) {
            self.memory.get_mut(&wait.what).expect("it is known").ended(went, at(seconds));
        }
        edges.tell
    }

    /// It starts anew: what is kept stays.
    fn restarts(&mut self) {
        self.watched.clear();
    }
}

#[test]
fn what_begins_to_wait_is_told_once() {
    let mut watcher = Watcher::default();
    let wait = [prompt(1, Some(0))];
    assert!(watcher.look(0, &wait).is_empty(), "it has not settled");
    let told = watcher.look(1, &wait);
    assert_eq!((told.len(), told[0].since), (1, at(0)));
    for later in [2, 60, 86_400] {
        assert!(watcher.look(later, &wait).is_empty());
    }
    watcher.restarts();
    assert!(watcher.look(90_000, &wait).is_empty(), "a start is no edge");
}

#[test]
fn a_prompt_that_is_answered_at_once_needs_nobody_else() {
    let mut watcher = Watcher::default();
    assert!(watcher.look(0, &[prompt(1, Some(0))]).is_empty());
    assert!(watcher.look(0, &[]).is_empty());
    assert!(watcher.look(5, &[]).is_empty());
}

#[test]
fn what_leaves_and_comes_back_is_told_again() {
    let mut watcher = Watcher::default();
    let wait = [held("ann", TODO)];
    watcher.look(0, &wait);
    assert_eq!(watcher.look(1, &wait).len(), 1);
    watcher.look(100, &[]);
    watcher.look(200, &wait);
    assert_eq!(watcher.look(201, &wait).len(), 1);
}

#[test]
fn a_lane_that_comes_to_wait_for_what_another_one_waits_for_is_no_news() {
    let mut watcher = Watcher::default();
    let first = [held("ann", TODO)];
    watcher.look(0, &first);
    assert_eq!(watcher.look(1, &first).len(), 1);
    let both = [held("ann", TODO), held("bob", TODO)];
    watcher.look(10, &both);
    assert!(watcher.look(11, &both).is_empty(), "the same decision");
    let other = [held("ann", TODO), held("bob", OTHER)];
    watcher.look(20, &other);
    assert_eq!(watcher.look(21, &other).len(), 1, "another one");
}

#[test]
fn what_flaps_is_told_once() {
    let mut watcher = Watcher::default();
    let wait = [prompt(1, Some(0))];
    watcher.look(0, &wait);
    let mut told = 0;
    for second in 1..100 {
        told += watcher.look(second, if second % 2 == 0 { &[] } else { &wait }).len();
    }
    assert_eq!(told, 1);
}

#[test]
fn the_next_prompt_of_a_session_is_told_although_nobody_saw_it_work() {
    let mut watcher = Watcher::default();
    watcher.look(0, &[prompt(1, Some(0))]);
    assert_eq!(watcher.look(1, &[prompt(1, Some(0))]).len(), 1);
    // A watcher that saw it all the time knows better than an instant that is written anew again and again.
    for second in [10, 20, 30] {
        assert!(watcher.look(second, &[prompt(1, Some(second))]).is_empty());
    }
    watcher.restarts();
    watcher.look(100, &[prompt(1, Some(90))]);
    assert_eq!(watcher.look(101, &[prompt(1, Some(90))])[0].since, at(90));
    // It came and went, and the next is up.
    watcher.look(110, &[]);
    watcher.look(111, &[prompt(1, Some(111))]);
    assert_eq!(watcher.look(112, &[prompt(1, Some(111))]).len(), 1);
}

#[test]
fn two_sources_that_differ_by_a_moment_tell_of_one_prompt() {
    let mut watcher = Watcher::default();
    watcher.look(0, &[prompt(1, Some(0))]);
    assert_eq!(watcher.look(1, &[prompt(1, Some(0))]).len(), 1);
    watcher.restarts();
    assert!(watcher.look(4, &[prompt(1, Some(3))]).is_empty());
    assert!(watcher.look(9, &[prompt(1, None)]).is_empty());
}

#[test]
fn a_session_that_comes_to_a_lane_goes_on_waiting() {
    let mut watcher = Watcher::default();
    watcher.look(0, &[prompt(1, Some(0))]);
    assert_eq!(watcher.look(1, &[prompt(1, Some(0))]).len(), 1);
    let agent = AgentId::parse("ann").ok();
    assert!(watcher.look(2, &[Wait { agent, ..prompt(1, Some(0)) }]).is_empty());
}

#[test]
fn lanes_that_one_ask_holds_are_told_together_and_another_ask_by_itself() {
    let mut watcher = Watcher::default();
    let both = [held("ann", TODO), held("bob", TODO)];
    watcher.look(0, &both);
    let told = watcher.look(1, &both);
    assert_eq!((told.len(), told[0].waits.len()), (1, 2));
    let other = [held("ann", OTHER), held("bob", TODO)];
    watcher.look(2, &other);
    assert_eq!(watcher.look(3, &other).len(), 1);
}

#[test]
fn what_begins_in_quiet_hours_is_told_after_them_if_it_still_waits() {
    let mut watcher = Watcher::default();
    let (stays, goes) = (prompt(1, Some(0)), prompt(2, Some(0)));
    for second in [0, 1, 3600] {
        assert!(watcher.look_in(Hours::Quiet, second, &[stays.clone(), goes.clone()]).is_empty());
    }
    watcher.restarts();
    let told = watcher.look(7200, &[stays]);
    assert_eq!((told.len(), told[0].since), (1, at(0)));
}

#[test]
fn who_looks_at_one_goal_alone_forgets_nothing_of_others() {
    let mut watcher = Watcher::default();
    let wait = [prompt(1, Some(0))];
    watcher.look(0, &wait);
    assert_eq!(watcher.look(1, &wait).len(), 1);
    watcher.only = Only { goal: Some(goal("second")), agent: None };
    for second in [2, 100, 1000] {
        assert!(watcher.look(second, &[]).is_empty());
    }
    watcher.only = Only::default();
    assert!(watcher.look(1001, &wait).is_empty());
}

#[test]
fn a_clock_that_is_set_back_hides_nothing() {
    let mut watcher = Watcher::default();
    watcher.look(3600, &[prompt(1, Some(3600))]);
    assert_eq!(watcher.look(0, &[prompt(1, Some(3600))]).len(), 1);
    watcher.look(1, &[]);
    watcher.look(100, &[prompt(1, Some(90))]);
    assert_eq!(watcher.look(101, &[prompt(1, Some(90))]).len(), 1);
}

#[test]
fn what_failed_to_be_told_is_tried_again_after_growing_pauses_and_not_for_ever() {
    let mut watcher = Watcher { is_mute: true, ..Watcher::default() };
    let wait = [prompt(1, Some(0))];
    let mut tried = Vec::new();
    for second in 0..20_000 {
        if !watcher.look(second, &wait).is_empty() {
            tried.push(second);
        }
    }
    let pauses: Vec<i64> = tried.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1800]);
    assert_eq!((watcher.next, tried.len()), (None, 8));
}

#[test]
fn a_failure_is_told_when_it_is_tried_again_and_then_no_more() {
    let mut watcher = Watcher { is_mute: true, ..Watcher::default() };
    let wait = [prompt(1, Some(0))];
    watcher.look(0, &wait);
    assert_eq!(watcher.look(1, &wait).len(), 1);
    assert!(watcher.look(2, &wait).is_empty());
    assert_eq!(watcher.next, Some(at(31)));
    watcher.is_mute = false;
    // A start is no reason to hurry.
    watcher.restarts();
    assert!(watcher.look(30, &wait).is_empty());
    assert_eq!(watcher.look(31, &wait)[0].failed, 1);
    for second in [32, 100, 10_000] {
        assert!(watcher.look(second, &wait).is_empty(), "told twice");
    }
}

#[test]
fn a_failure_of_what_waits_no_more_is_let_go() {
    let mut watcher = Watcher { is_mute: true, ..Watcher::default() };
    watcher.look(0, &[prompt(1, Some(0))]);
    assert_eq!(watcher.look(1, &[prompt(1, Some(0))]).len(), 1);
    watcher.is_mute = false;
    assert!(watcher.look(31, &[]).is_empty());
    assert_eq!(watcher.next, None);
}

#[test]
fn an_ask_that_was_told_of_another_lane_is_not_tried_again() {
    let mut watcher = Watcher { is_mute: true, ..Watcher::default() };
    watcher.look(0, &[held("ann", TODO)]);
    assert_eq!(watcher.look(1, &[held("ann", TODO)]).len(), 1);
    watcher.is_mute = false;
    let both = [held("ann", TODO), held("bob", TODO)];
    watcher.look(2, &both);
    assert_eq!(watcher.look(3, &both).len(), 1, "of the lane that came to wait");
    assert!(watcher.look(31, &both).is_empty(), "the same decision");
}

#[test]
fn a_pause_that_a_clock_made_long_hides_nothing() {
    let mut watcher = Watcher { is_mute: true, ..Watcher::default() };
    watcher.look(90_000, &[prompt(1, Some(0))]);
    assert_eq!(watcher.look(90_001, &[prompt(1, Some(0))]).len(), 1);
    watcher.is_mute = false;
    assert_eq!(watcher.look(10, &[prompt(1, Some(0))]).len(), 1);
}

proptest! {
    /// Of any history: nothing that does not wait is told, nothing twice while it waits on, and all that has settled
    /// and still waits in loud hours has been told.
    #[test]
    fn each_wait_is_told_once(
        looks in prop::collection::vec((0u8..8, 0i64..200, prop::bool::ANY, prop::bool::weighted(0.1)), 1..60)
    ) {
        let mut watcher = Watcher::default();
        let mut now = 0;
        // Since when each waits on without a gap that counts, and how often it was told in that time.
        let mut standing: BTreeMap<Waiting, (i64, usize)> = BTreeMap::new();
        let mut gone: BTreeMap<Waiting, i64> = BTreeMap::new();
        for (which, step, quiet, restarts) in looks {
            now += step;
            if restarts {
                watcher.restarts();
            }
            let waits: Vec<Wait> = (0..3).filter(|bit| which & (1 << bit) != 0).map(|bit| prompt(bit, Some(0))).collect();
            let waiting: BTreeSet<Waiting> = waits.iter().map(|wait| wait.what.clone()).collect();
            for what in standing.keys().filter(|what| !waiting.contains(*what)) {
                gone.entry(what.clone()).or_insert(now);
            }
            for what in &waiting {
                if gone.remove(what).is_some_and(|left| now - left > FLAPS.as_secs()) {
                    standing.remove(what);
                }
                standing.entry(what.clone()).or_insert((now, 0));
            }
            let hours = if quiet { Hours::Quiet } else { Hours::Loud };
            let told = watcher.look_in(hours, now, &waits);
            for wait in told.iter().flat_map(|edge| &edge.waits) {
                prop_assert!(waiting.contains(&wait.what), "it does not wait");
                prop_assert!(hours == Hours::Loud);
                let (_, times) = standing.get_mut(&wait.what).expect("it waits");
                *times += 1;
                prop_assert_eq!(*times, 1);
            }
            if hours == Hours::Loud {
                for what in &waiting {
                    let (since, times) = standing[what];
                    prop_assert!(times == 1 || now - since < SETTLES.as_secs(), "missed");
                }
            }
        }
    }
}
