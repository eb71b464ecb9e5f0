//! Limits and spends.

use loopx_core::TurnKey;
use loopx_core::command::{AuthorityCommand, LaneCommand, SpendDraft};
use loopx_core::quota::{Amount, Quota};
use loopx_core::testing::agent;
use loopx_core::{Refusal, RefusalCode};

use super::*;

fn draft(slug: &str, key: &str, turns: u64, tokens: u64) -> SpendDraft {
    let amount = Amount { turns, minutes: 0, tokens };
    SpendDraft { agent: Some(agent(slug)), key: TurnKey::parse(key).expect("a key"), amount, at: None }
}

fn spend(world: &mut World, slug: &str, key: &str, turns: u64, tokens: u64) -> Outcome {
    as_lane(world, slug, LaneCommand::Spend(draft(slug, key, turns, tokens)))
}

fn limit(world: &mut World, slug: Option<&str>, quota: Quota) -> Outcome {
    as_person(world, AuthorityCommand::QuotaSet { agent: slug.map(agent), quota })
}

fn total(world: &World) -> Amount {
    world.state.spent(None).values().fold(Amount::default(), |sum, amount| sum.plus(*amount))
}

#[test]
fn a_retried_spend_counts_once() {
    let mut world = world();
    spend(&mut world, "ash", "turn-1", 1, 500).unwrap();
    let again = spend(&mut world, "ash", "turn-1", 1, 500).unwrap();
    assert_eq!(
        (again.events.len(), again.subject),
        (0, Subject::Spend(TurnKey::parse("turn-1").expect("a key")))
    );
    assert_eq!(total(&world), Amount { turns: 1, minutes: 0, tokens: 500 });
    assert_eq!(spend(&mut world, "birch", "turn-1", 1, 0), Err(Refusal::KeyReused));
    assert_eq!(code(spend(&mut world, "ash", "turn-2", 0, 0)), Some(RefusalCode::Invalid), "nothing spent");
}

#[test]
fn a_voided_spend_counts_no_more() {
    let mut world = world();
    spend(&mut world, "ash", "turn-1", 1, 500).unwrap();
    pass(&mut world, 90);
    let key = TurnKey::parse("turn-1").expect("a key");
    as_person(&mut world, AuthorityCommand::SpendVoid { key: key.clone() }).unwrap();
    assert_eq!(total(&world), Amount::default());
    let again = as_person(&mut world, AuthorityCommand::SpendVoid { key });
    assert_eq!(code(again), Some(RefusalCode::Conflict));
}

#[test]
fn a_spend_dated_ahead_counts_as_now() {
    let mut world = world();
    let ahead = world.now.saturating_add(SignedDuration::from_hours(5)).unwrap();
    let long_ago = world.now.saturating_sub(SignedDuration::from_hours(24 * 32)).unwrap();
    let dated = |at| LaneCommand::Spend(SpendDraft { at: Some(at), ..draft("ash", "turn-1", 1, 0) });
    assert_eq!(code(as_lane(&mut world, "ash", dated(long_ago))), Some(RefusalCode::Invalid));
    as_lane(&mut world, "ash", dated(ahead)).unwrap();
    let at = world.state.spends.values().next().unwrap().at;
    assert_eq!(at, world.now);
}

#[test]
fn turns_stop_at_the_limit_and_measured_spends_once_they_cross_it() {
    let quota = Quota { window_minutes: 60, turns: Some(2), minutes: None, tokens: Some(1000) };
    let over = |unit, limit, used, asked| Err(Refusal::OverAllowance { unit, limit, used, asked });
    for slug in [None, Some("ash")] {
        let mut world = world();
        limit(&mut world, slug, quota).unwrap();
        assert_eq!(spend(&mut world, "ash", "t0", 3, 0), over("turns", 2, 0, 3));
        spend(&mut world, "ash", "t1", 1, 1500).unwrap();
        assert_eq!(spend(&mut world, "ash", "t2", 1, 1), over("tokens", 1000, 1500, 1));
        spend(&mut world, "ash", "t3", 1, 0).unwrap();
        assert_eq!(spend(&mut world, "ash", "t4", 1, 0), over("turns", 2, 2, 1));
        let other = spend(&mut world, "birch", "t5", 1, 0);
        assert_eq!(other.is_ok(), slug.is_some(), "a goal's limit counts every lane: {slug:?}");
        pass(&mut world, 60);
        assert!(spend(&mut world, "ash", "t6", 1, 0).is_ok(), "the window has passed");
    }
}

#[test]
fn a_window_is_a_minute_to_thirty_one_days() {
    for (window_minutes, turns, taken) in [
        (0, Some(1), false),
        (1, Some(0), true),
        (31 * 24 * 60, Some(1), true),
        (31 * 24 * 60 + 1, Some(1), false),
        (0, None, true),
    ] {
        let quota = Quota { window_minutes, turns, minutes: None, tokens: None };
        assert_eq!(limit(&mut world(), None, quota).is_ok(), taken, "{quota:?}");
    }
}
