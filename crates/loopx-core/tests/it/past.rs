//! What each lane waited on, against the decision at single instants.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, WaitingOn};
use loopx_core::past::{Past, Seen, Span, Stand, Told, joined, with_sessions};
use loopx_core::quota::Observed;
use loopx_core::testing::{Seeded, World, goal};
use loopx_core::{Inputs, Known, Recorded, Row, Sight, State, first_screen};

const HISTORIES: u64 = 60;
const COMMANDS: usize = 60;
const LOOKS: u64 = 60;

fn history(seed: u64) -> World {
    let mut world = World::new(seed);
    for _ in 0..COMMANDS {
        let request = world.request();
        let _ = world.submit(&request);
        world.wait();
        // A clock that goes back, or far ahead for a while.
        if world.random.chance(4) {
            let hours = i64::try_from(world.random.below(9)).expect("few") - 4;
            world.now = world.now.saturating_add(SignedDuration::from_hours(hours)).expect("within time");
        }
    }
    world
}

/// A goal as a store gives it for an instant.
fn state_at(log: &[Recorded], at: Timestamp) -> State {
    let last = log.iter().rposition(|recorded| recorded.at <= at).map_or(0, |last| last + 1);
    let mut state = State::default();
    for recorded in log.iter().take(last) {
        state.apply(recorded);
    }
    state
}

fn decided(state: &State, agent: &AgentId, now: Timestamp) -> Stand {
    let goal = goal();
    let decision = first_screen(&Inputs {
        goal: &goal,
        agent,
        known: Known::State(state),
        sessions: &[],
        sight: Sight::Unrecorded,
        observed: Observed::NOTHING,
        caller: None,
        record: None,
        now,
    });
    Stand { row: decision.row, waiting_on: decision.projection.first_screen.waiting_on }
}

fn past(log: &[Recorded], from: Timestamp, to: Timestamp) -> loopx_core::past::Done {
    let mut past = Past::new(goal(), from, to);
    for recorded in log {
        past.apply(recorded);
    }
    past.finish()
}

fn at(spans: &[Span], at: Timestamp) -> Option<&Span> {
    spans.iter().find(|span| span.from <= at && at < span.to)
}

/// An instant in a window, each second as likely.
fn somewhere(random: &mut Seeded, from: Timestamp, to: Timestamp) -> Timestamp {
    let length = u64::try_from(to.as_second() - from.as_second()).expect("a window");
    let gone = i64::try_from(random.below(length.max(1))).expect("a length");
    from + SignedDuration::from_secs(gone)
}

fn tile(spans: &[Span], to: Timestamp) {
    for pair in spans.windows(2) {
        let [one, other] = pair else { continue };
        assert_eq!(one.to, other.from, "a gap or an overlap");
        assert_ne!((one.stand, one.told), (other.stand, other.told), "two spans that are one");
    }
    assert!(spans.iter().all(|span| span.from < span.to), "an empty span");
    assert_eq!(spans.last().map(|span| span.to), Some(to), "it ends before the window does");
}

#[test]
fn a_span_says_what_the_goal_as_it_was_then_says() {
    let mut rows = std::collections::BTreeSet::new();
    for seed in 0..HISTORIES {
        let mut world = history(seed);
        let (first, last) = (world.log[0].at, world.now + SignedDuration::from_hours(9));
        let from = if seed % 3 == 0 { first } else { somewhere(&mut world.random, first, last) };
        let done = past(&world.log, from, last);
        assert_eq!(done.grain, None);
        for spans in done.lanes.values() {
            tile(spans, last);
        }
        for _ in 0..LOOKS {
            let then = somewhere(&mut world.random, from, last);
            let state = state_at(&world.log, then);
            for agent in state.agents.values() {
                let spans = &done.lanes[&agent.id];
                let span = at(spans, then).unwrap_or_else(|| panic!("seed {seed}: nothing at {then}"));
                assert_eq!(span.stand, decided(&state, &agent.id, then), "seed {seed} at {then}");
                rows.insert(span.stand.row);
            }
            for (agent, spans) in &done.lanes {
                assert_eq!(at(spans, then).is_some(), state.agents.contains(agent), "seed {seed} at {then}");
            }
        }
    }
    assert!(rows.len() >= 9, "hardly any row was met: {rows:?}");
}

#[test]
fn spans_that_are_gone_on_with_are_those_of_one_walk() {
    for seed in 0..HISTORIES {
        let mut world = history(seed);
        let newest = world.log.iter().map(|recorded| recorded.at).max().expect("events");
        let (first, last) = (world.log[0].at, newest + SignedDuration::from_hours(30));
        let stop = somewhere(&mut world.random, newest, last);
        let half = past(&world.log, first, stop);
        let on = Past::resumed(goal(), half.lanes, world.refolded(), stop, last).finish();
        assert_eq!(on.lanes, past(&world.log, first, last).lanes, "seed {seed}");
    }
}

#[test]
fn what_is_too_much_to_decide_is_right_to_the_grain() {
    for seed in 0..HISTORIES {
        let mut world = history(seed);
        let (first, last) = (world.log[0].at, world.now + SignedDuration::from_hours(9));
        let mut past = Past::new(goal(), first, last).exact_for(0);
        for recorded in &world.log {
            past.apply(recorded);
        }
        let done = past.finish();
        let grain = done.grain.expect("it was too much");
        for spans in done.lanes.values() {
            tile(spans, last);
        }
        for _ in 0..LOOKS {
            let then = somewhere(&mut world.random, first, last);
            for (agent, spans) in &done.lanes {
                let Some(span) = at(spans, then) else { continue };
                let exact = past_stands(&world.log, agent, then - grain - grain, then);
                assert!(exact.contains(&span.stand), "seed {seed} at {then}");
            }
        }
    }
}

/// How a lane stood at any instant of a short while.
fn past_stands(log: &[Recorded], agent: &AgentId, from: Timestamp, to: Timestamp) -> Vec<Stand> {
    let done = past(log, from, to + SignedDuration::from_nanos(1));
    done.lanes.get(agent).into_iter().flatten().map(|span| span.stand).collect()
}

fn instant(hour: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour)
}

const fn stand(row: Row, waiting_on: WaitingOn) -> Stand {
    Stand { row, waiting_on }
}

const READY: Stand = stand(Row::Ready, WaitingOn::Agent);
const HELD: Stand = stand(Row::Held, WaitingOn::User);
const WORKING: Stand = stand(Row::Working, WaitingOn::Agent);
const PROMPT: Stand = stand(Row::Prompt, WaitingOn::User);

fn log(from: i64, to: i64, stand: Stand) -> Span {
    Span { from: instant(from), to: instant(to), stand, told: Told::ByLog }
}

#[test]
fn a_turn_that_ran_is_at_work_but_where_a_decision_was_owed() {
    let spans = [log(0, 10, READY), log(10, 20, HELD)];
    let turn = |from, to| Seen::turn(instant(from), instant(to));
    let prompt = Seen { from: instant(14), to: instant(16), stand: PROMPT };
    let joint = with_sessions(&spans, &[turn(8, 12), turn(2, 4), turn(3, 5), prompt, turn(-3, 1)]);
    let told: Vec<(i64, i64, Stand, Told)> = joint
        .iter()
        .map(|span| (span.from.as_second() / 3600, span.to.as_second() / 3600, span.stand, span.told))
        .collect();
    assert_eq!(
        told,
        [
            (0, 1, WORKING, Told::BySession),
            (1, 2, READY, Told::ByLog),
            (2, 5, WORKING, Told::BySession),
            (5, 8, READY, Told::ByLog),
            (8, 10, WORKING, Told::BySession),
            (10, 14, HELD, Told::ByLog),
            (14, 16, PROMPT, Told::BySession),
            (16, 20, HELD, Told::ByLog),
        ]
    );
}

#[test]
fn what_sessions_show_leaves_no_gap() {
    let mut random = Seeded::new(7);
    for _ in 0..300 {
        let mut hour = 0;
        let mut spans = Vec::new();
        for stand in [READY, HELD, READY, HELD] {
            let to = hour + 1 + i64::try_from(random.below(8)).expect("few");
            spans.push(log(hour, to, stand));
            hour = to;
        }
        let mut seen = Vec::new();
        for _ in 0..random.below(7) {
            let from = i64::try_from(random.below(40)).expect("few") - 4;
            let to = from + i64::try_from(random.below(9)).expect("few");
            let stand = random.pick(&[WORKING, PROMPT]).expect("one");
            seen.push(Seen { from: instant(from), to: instant(to), stand });
        }
        let joint = with_sessions(&spans, &seen);
        tile(&joint, instant(hour));
        assert_eq!(joint.first().map(|span| span.from), Some(instant(0)));
        for hour in 0..hour {
            let then = instant(hour);
            let of_log = at(&spans, then).expect("a span").stand;
            let covers = seen.iter().filter(|seen| seen.from <= then && then < seen.to);
            let first = covers.filter_map(|seen| joined(of_log, seen.stand)).min();
            assert_eq!(at(&joint, then).expect("a span").stand, first.unwrap_or(of_log));
        }
    }
}
