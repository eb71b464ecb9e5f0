//! Handoffs: whose a todo is while it is offered, and after.

use loopx_core::command::{HandoffOffer, LaneCommand};
use loopx_core::handoff::HandoffState;
use loopx_core::testing::{agent, text};
use loopx_core::{Event, Refusal, RefusalCode};

use super::*;

fn accept(world: &mut World, slug: &str, handoff: &HandoffId) -> Outcome {
    let (handoff, agent) = (handoff.clone(), agent(slug));
    as_lane(world, slug, LaneCommand::HandoffAccept { handoff, agent, lease_minutes: 30 })
}

fn holder(world: &World, todo: &TodoId) -> Option<String> {
    let claim = world.state.todos.get(todo).unwrap().live_claim(world.now);
    claim.map(|claim| claim.agent.to_string())
}

#[test]
fn accepting_moves_the_claim_under_a_new_token() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    let handoff = offer(&mut world, "ash", Some("birch"), &todo);
    let held = Refusal::HeldBy { todo: todo.clone(), by: handoff.to_string() };
    assert_eq!(claim(&mut world, "ash", &todo), Err(held), "it is the receiver's while it is offered");
    assert_eq!(code(accept(&mut world, "cedar", &handoff)), Some(RefusalCode::Conflict));
    accept(&mut world, "birch", &handoff).unwrap();
    assert_eq!(holder(&world, &todo), Some("birch".to_owned()));
    assert_eq!(world.state.todos.get(&todo).unwrap().epoch, 2);
    let summary = text("pruned half");
    let follow = LaneCommand::HandoffFollowUp { handoff: handoff.clone(), agent: agent("birch"), summary };
    as_lane(&mut world, "birch", follow.clone()).unwrap();
    assert_eq!(world.state.handoffs.get(&handoff).unwrap().state, HandoffState::FollowedUp);
    assert_eq!(code(as_lane(&mut world, "birch", follow)), Some(RefusalCode::Conflict), "once is enough");
}

#[test]
fn claiming_what_is_offered_to_oneself_accepts_it() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let handoff = offer(&mut world, "ash", None, &todo);
    let taken = claim(&mut world, "birch", &todo).unwrap();
    assert!(matches!(taken.events[..], [Event::HandoffMoved { .. }, Event::TodoClaimed { .. }]), "{taken:?}");
    assert_eq!(world.state.handoffs.get(&handoff).unwrap().accepted_by, Some(agent("birch")));
}

#[test]
fn an_offer_that_comes_to_nothing_leaves_the_todo_unclaimed() {
    let decline = |handoff| LaneCommand::HandoffDecline { handoff, agent: agent("birch") };
    let withdraw = |handoff| LaneCommand::HandoffWithdraw { handoff, agent: agent("ash") };
    for end in ["declined", "withdrawn", "expired"] {
        let mut world = world();
        let todo = add(&mut world, "prune");
        claim(&mut world, "ash", &todo).unwrap();
        let handoff = offer(&mut world, "ash", Some("birch"), &todo);
        match end {
            "declined" => drop(as_lane(&mut world, "birch", decline(handoff.clone())).unwrap()),
            "withdrawn" => drop(as_lane(&mut world, "ash", withdraw(handoff.clone())).unwrap()),
            _ => pass(&mut world, 60),
        }
        assert_eq!(holder(&world, &todo), None, "{end}");
        assert_eq!(code(accept(&mut world, "birch", &handoff)), Some(RefusalCode::Conflict), "{end}");
        assert!(claim(&mut world, "cedar", &todo).is_ok(), "{end}: anybody may take it");
        let state = world.state.handoffs.get(&handoff).unwrap().state;
        assert_eq!(format!("{state:?}").to_lowercase(), end, "it is over for good");
    }
}

#[test]
fn one_offer_stands_over_a_todo() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    let offered = |from: &str, to: &str| {
        LaneCommand::HandoffOffer(HandoffOffer {
            todo: todo.clone(),
            from: agent(from),
            to: Some(agent(to)),
            next_action: text("go on"),
            stop_condition: None,
            evidence: [].into(),
            expires_at: None,
        })
    };
    let by_other = as_lane(&mut world, "birch", offered("birch", "cedar"));
    assert_eq!(code(by_other), Some(RefusalCode::Conflict), "another holds it");
    let to_self = as_lane(&mut world, "ash", offered("ash", "ash"));
    assert_eq!(code(to_self), Some(RefusalCode::Invalid));
    as_lane(&mut world, "ash", offered("ash", "birch")).unwrap();
    let again = as_lane(&mut world, "ash", offered("ash", "cedar"));
    assert_eq!(code(again), Some(RefusalCode::Conflict), "one stands already");
}
