//! What was reported and what was observed, counted together.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::AgentId;
use loopx_core::quota::{Amount, Burn, Frees, Observed, Pace, Quota, Slot, Spending};
use proptest::prelude::*;

/// Who spent, how many minutes ago, and how many turns.
type Told = (usize, i64, u64);

const WINDOW: i64 = 60;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn lane(number: usize) -> Option<AgentId> {
    ["codex", "claude"].get(number).map(|name| AgentId::parse(name).unwrap())
}

fn quota(turns: u64) -> Quota {
    Quota { window_minutes: 60, turns: Some(turns), minutes: None, tokens: None }
}

fn turns(turns: u64) -> Amount {
    Amount { turns, ..Amount::default() }
}

fn ago(minutes: i64) -> Timestamp {
    now() - SignedDuration::from_mins(minutes)
}

fn reported(told: &[Told]) -> BTreeMap<Slot, Amount> {
    let mut ledger: BTreeMap<Slot, Amount> = BTreeMap::new();
    for (who, minutes, count) in told {
        let sum = ledger.entry(Slot::at(lane(*who), ago(*minutes))).or_default();
        *sum = sum.plus(turns(*count));
    }
    ledger
}

fn observed(told: &[Told]) -> Observed {
    let mut observed = Observed::default();
    for (who, minutes, count) in told {
        observed.add(lane(*who), ago(*minutes), turns(*count));
    }
    observed
}

/// What the goal, or one lane of it, has used.
fn used(reports: &[Told], seen: &[Told], agent: Option<&AgentId>) -> u64 {
    Spending::of(&reported(reports), &observed(seen), agent).used_in(&quota(1), now()).turns
}

#[test]
fn a_turn_that_is_told_twice_counts_once_and_one_that_is_told_once_counts() {
    let (codex, claude) = (lane(0), lane(1));
    let reports = [(0, 10, 2), (1, 10, 1)];
    let seen = [(0, 11, 1), (1, 11, 4), (2, 5, 3)];
    assert_eq!(used(&reports, &seen, codex.as_ref()), 2);
    assert_eq!(used(&reports, &seen, claude.as_ref()), 4);
    // Of the goal: both, and the sessions that are in no lane.
    assert_eq!(used(&reports, &seen, None), 2 + 4 + 3);
    // What was reported for the goal as a whole may be any session's.
    assert_eq!(used(&[(2, 10, 5)], &[(0, 11, 4), (1, 11, 1)], None), 5);
    assert_eq!(used(&[(2, 10, 6)], &[(0, 11, 4), (1, 11, 1)], None), 6);
}

#[test]
fn the_limit_frees_when_the_larger_count_has_left_the_window() {
    let frees = |reports: &[Told], seen: &[Told]| {
        Spending::of(&reported(reports), &observed(seen), None).used_up(&quota(2), now())
    };
    let at = |minutes: i64| Some(Frees::At(now() + SignedDuration::from_mins(minutes)));
    assert_eq!(frees(&[(0, 50, 2)], &[]), at(10));
    // The report leaves first; what was observed later still counts.
    assert_eq!(frees(&[(0, 50, 2)], &[(0, 40, 2)]), at(20));
    assert_eq!(frees(&[(0, 50, 1)], &[(0, 40, 1)]), None);
    assert_eq!(frees(&[(0, 70, 9)], &[(0, 70, 9)]), None);
}

fn any_told() -> impl Strategy<Value = Vec<Told>> {
    prop::collection::vec((0_usize..3, -5_i64..90, 0_u64..4), 0..8)
}

proptest! {
    #[test]
    fn never_less_than_either_tells_and_never_more_than_both(reports in any_told(), seen in any_told()) {
        for agent in [None, lane(0), lane(1)] {
            let agent = agent.as_ref();
            let both = used(&reports, &seen, agent);
            let (one, other) = (used(&reports, &[], agent), used(&[], &seen, agent));
            prop_assert!(both >= one.max(other) && both <= one + other);
        }
        // Of a lane it is the larger one exactly; what was told twice is told once.
        let codex = lane(0);
        let one = used(&reports, &[], codex.as_ref()).max(used(&[], &seen, codex.as_ref()));
        prop_assert_eq!(used(&reports, &seen, codex.as_ref()), one);
        prop_assert_eq!(used(&seen, &seen, None), used(&seen, &[], None));
    }

    #[test]
    fn more_that_is_told_never_frees(reports in any_told(), seen in any_told(), more in any_told(), limit in 1_u64..6) {
        let all = [seen.clone(), more].concat();
        let until = |reports: &[Told], seen: &[Told]| {
            match Spending::of(&reported(reports), &observed(seen), None).used_up(&quota(limit), now()) {
                Some(Frees::At(at)) => Some(at),
                Some(Frees::Never) => Some(Timestamp::MAX),
                None => None,
            }
        };
        prop_assert!(until(&reports, &all) >= until(&reports, &seen));
        prop_assert!(until(&all, &reports) >= until(&seen, &reports));
    }

    #[test]
    fn a_limit_holds_until_the_instant_that_is_said_and_no_longer(
        reports in any_told(), seen in any_told(), limit in 1_u64..6,
    ) {
        let (ledger, observed) = (reported(&reports), observed(&seen));
        let spending = Spending::of(&ledger, &observed, None);
        let used_up = |at| spending.used_up(&quota(limit), at).is_some();
        match spending.used_up(&quota(limit), now()) {
            None => prop_assert!(spending.used_in(&quota(limit), now()).turns < limit),
            Some(Frees::Never) => prop_assert!(false, "no instant frees a limit that is not 0"),
            Some(Frees::At(at)) => {
                prop_assert!(at > now() && !used_up(at));
                let mut before = now();
                while before < at {
                    prop_assert!(used_up(before));
                    before += SignedDuration::from_mins(1);
                }
                prop_assert!(at <= now() + SignedDuration::from_mins(WINDOW + 5));
            }
        }
    }
}

/// What one lane's reports come to against a limit.
fn burn(reports: &[Told], limit: u64) -> Burn {
    let reported = reported(reports);
    let spending = Spending::of(&reported, Observed::NOTHING, None);
    let [burn] = spending.burns(&quota(limit), now()).try_into().expect("one limit");
    burn
}

#[test]
fn a_pace_leads_to_the_instant_at_which_the_limit_is_used_up() {
    // 8 turns in 40 minutes are 1 in 5: the other 2 are gone in 10, before anything leaves the window.
    let told = [(0, 40, 2), (0, 30, 2), (0, 10, 4)];
    assert_eq!(burn(&told, 10).pace, Pace::UsedUp(ago(-10)));
    // What leaves the window makes room: 2 in 20 minutes, 2 in 30.
    assert_eq!(burn(&told, 13).pace, Pace::UsedUp(ago(-45)));
    assert_eq!(burn(&told, 40).pace, Pace::Lasts);
    assert_eq!(burn(&told, 8).pace, Pace::Over);
    assert_eq!(burn(&[], 8).pace, Pace::Unknown);
    assert_eq!(burn(&[(0, 3, 2)], 8).pace, Pace::Unknown, "three minutes tell no pace");
    let burn = burn(&told, 10);
    assert_eq!((burn.from, burn.first_leaves, burn.all_left), (ago(59), Some(ago(-20)), Some(ago(-50))));
    assert_eq!(burn.steps, [(ago(40), 2), (ago(30), 4), (ago(10), 8)]);
    assert_eq!(burn.ahead, [(now(), 8), (ago(-10), 10)]);
}

proptest! {
    #[test]
    fn a_burn_ends_at_what_is_used(
        reports in prop::collection::vec((0_usize..3, 0_i64..80, 0_u64..5), 0..20),
        seen in prop::collection::vec((0_usize..3, 0_i64..80, 0_u64..5), 0..20),
        limit in 0_u64..40,
    ) {
        let (reported, observed) = (reported(&reports), observed(&seen));
        let spending = Spending::of(&reported, &observed, None);
        let [burn]: [Burn; 1] = spending.burns(&quota(limit), now()).try_into().expect("one limit");
        prop_assert_eq!(burn.used, spending.used_in(&quota(limit), now()).turns);
        prop_assert_eq!(burn.steps.last().map_or(0, |(_, sum)| *sum), burn.used);
        prop_assert!(burn.steps.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        prop_assert_eq!(burn.pace == Pace::Over, spending.used_up(&quota(limit), now()).is_some());
        prop_assert!(burn.ahead.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        prop_assert!(burn.ahead.iter().all(|(at, sum)| *at >= now() && *sum <= limit));
        if let Pace::UsedUp(at) = burn.pace {
            prop_assert!(at > now() && burn.ahead.last() == Some(&(at, limit)));
        }
        if let Some(Frees::At(at)) = spending.used_up(&quota(limit), now()) {
            prop_assert!(burn.first_leaves <= Some(at) && Some(at) <= burn.all_left);
        }
    }
}
