//! Goals, lanes and who may decide.

use loopx_contract::Ref;
use loopx_core::agent::{AgentKind, AgentState};
use loopx_core::binding::BindingTarget;
use loopx_core::command::{AgentAdd, AuthorityCommand, Command, GoalAdd, LaneCommand};
use loopx_core::goal::GoalState;
use loopx_core::testing::{World, agent, goal, lane, person, text};
use loopx_core::{
    Actor, AuthorityKey, Event, Proof, ProofFloor, Recorded, Refusal, RefusalCode, Who, needs_signature,
};

use super::*;

#[test]
fn a_goal_moves_only_between_states_that_make_sense() {
    use AuthorityCommand::{GoalArchive, GoalDone, GoalPause, GoalResume};
    use GoalState::{Active, Archived, Done, Paused};
    for (path, taken, ends) in [
        (vec![GoalPause], true, Paused),
        (vec![GoalPause, GoalPause], false, Paused),
        (vec![GoalResume], false, Active),
        (vec![GoalPause, GoalDone], true, Done),
        (vec![GoalDone, GoalPause], false, Done),
        (vec![GoalDone, GoalArchive], true, Archived),
        (vec![GoalArchive, GoalArchive], false, Archived),
        (vec![GoalArchive, GoalDone], false, Archived),
        (vec![GoalArchive, GoalResume], true, Active),
    ] {
        let mut world = world();
        let name = format!("{path:?}");
        let last = path.into_iter().map(|command| as_person(&mut world, command)).last().unwrap();
        assert_eq!(last.is_ok(), taken, "{name}: {last:?}");
        assert_eq!(world.state.goal.as_ref().unwrap().state, ends, "{name}");
    }
}

#[test]
fn a_command_before_the_goal_finds_none() {
    let mut world = World::empty(1);
    let outcome = world.by(lane("ash"), Command::Lane(LaneCommand::Undo));
    assert_eq!(outcome, Err(Refusal::NoGoal(goal())));
}

#[test]
fn lanes_do_not_differ_by_case_alone() {
    let mut world = world();
    let add =
        AgentAdd { agent: agent("ASH"), kind: AgentKind::Automation, runtime: None, capabilities: [].into() };
    let outcome = as_person(&mut world, AuthorityCommand::AgentAdd(add));
    assert_eq!(outcome, Err(Refusal::AgentExists(agent("ash"))));
}

#[test]
fn authority_needs_a_person_with_the_proof_of_the_goal() {
    let with = |proof| Actor { proof, ..person() };
    for (actor, refused) in [
        (person(), None),
        (with(Proof::Browser), None),
        (with(Proof::None), Some(RefusalCode::NeedsProof)),
        (with(Proof::Imported), Some(RefusalCode::NeedsProof)),
        (lane("ash"), Some(RefusalCode::NeedsPerson)),
        (Actor { who: Who::System, ..person() }, Some(RefusalCode::NeedsPerson)),
        (Actor { proof: Proof::Terminal, ..lane("ash") }, Some(RefusalCode::NeedsPerson)),
    ] {
        let mut world = world();
        let outcome = world.by(actor.clone(), Command::Authority(AuthorityCommand::GoalPause));
        assert_eq!(code(outcome), refused, "{actor:?}");
        let attempts = world.log.iter().filter(|recorded| recorded.event.name() == "refused").count();
        assert_eq!(attempts, usize::from(refused.is_some()), "an attempt is on record: {actor:?}");
    }
}

#[test]
fn a_lane_acts_as_itself_and_a_person_as_any_lane() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let as_ash = LaneCommand::TodoClaim { todo, agent: agent("ash"), lease_minutes: 5 };
    let outcome = as_lane(&mut world, "birch", as_ash.clone());
    assert_eq!(outcome, Err(Refusal::OtherLane { lane: agent("birch"), named: agent("ash") }));
    let unproved = Actor { proof: Proof::None, ..person() };
    assert!(world.by(unproved, Command::Lane(as_ash)).is_ok());
    let outcome = as_lane(&mut world, "elm", LaneCommand::TodoAdd(titled("graft")));
    assert_eq!(outcome, Err(Refusal::NoAgent(agent("elm"))));
}

#[test]
fn neither_a_paused_lane_nor_a_paused_goal_takes_work() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let state = |state| AuthorityCommand::AgentEdit {
        agent: agent("ash"),
        runtime: None,
        capabilities: None,
        state: Some(state),
    };
    as_person(&mut world, state(AgentState::Paused)).unwrap();
    assert_eq!(code(claim(&mut world, "ash", &todo)), Some(RefusalCode::Conflict));
    as_person(&mut world, state(AgentState::Active)).unwrap();
    as_person(&mut world, AuthorityCommand::GoalPause).unwrap();
    assert_eq!(code(claim(&mut world, "ash", &todo)), Some(RefusalCode::Conflict));
    as_person(&mut world, AuthorityCommand::GoalResume).unwrap();
    assert!(claim(&mut world, "ash", &todo).is_ok());
}

#[test]
fn a_new_goal_brings_its_lanes_and_bindings() {
    let lane = |slug: &str| AgentAdd {
        agent: agent(slug),
        kind: AgentKind::Automation,
        runtime: None,
        capabilities: [].into(),
    };
    let folder = BindingTarget::Folder(Ref::parse("fol_made_up").unwrap());
    let add = |agents: &[&str], bind: Option<&str>| GoalAdd {
        lock: None,
        objective: text("grow apples"),
        proof: ProofFloor::Terminal,
        read: vec![],
        write: vec![],
        private_data_rule: None,
        stop_condition: None,
        agents: agents.iter().map(|slug| lane(slug)).collect(),
        bind: vec![(folder.clone(), bind.map(agent))],
    };
    let nobody = Actor { proof: Proof::None, ..person() };
    for (command, refused) in [
        (add(&["ash", "Ash"], None), Some(Refusal::AgentExists(agent("ash")))),
        (add(&["ash"], Some("elm")), Some(Refusal::NoAgent(agent("elm")))),
        (add(&["ash", "elm"], Some("elm")), None),
    ] {
        let mut world = World::empty(1);
        let outcome = world.by(nobody.clone(), Command::Authority(AuthorityCommand::GoalAdd(command)));
        assert_eq!(outcome.err(), refused);
        assert_eq!(world.state.goal.is_some(), refused.is_none());
        if refused.is_none() {
            assert_eq!(world.log.len(), 4);
            assert!(world.state.agents.contains(&agent("ash")));
            assert_eq!(world.state.bindings.get(&folder).unwrap().agent, Some(agent("elm")));
        }
    }
}

#[test]
fn a_locked_goal_takes_decisions_by_its_key_alone() {
    use AuthorityCommand::{AuthorityLock, GoalPause};
    let keys = [1, 2].map(|byte| AuthorityKey::new([byte; 32]));
    let mut world = world();
    let lock = |public_key| AuthorityLock { public_key };
    as_person(&mut world, lock(keys[0])).unwrap();
    let head = world.state.goal.clone().unwrap();
    assert_eq!((head.proof, head.authority_key), (ProofFloor::Passphrase, Some(keys[0])));
    let weak = as_person(&mut world, GoalPause);
    assert_eq!(weak, Err(Refusal::NeedsProof { floor: ProofFloor::Passphrase, given: Proof::Terminal }));
    let signing = Actor { proof: Proof::Passphrase, ..person() };
    let mut by_key = |command| world.by(signing.clone(), Command::Authority(command));
    assert!(by_key(lock(keys[0])).unwrap().events.is_empty());
    assert_eq!(by_key(AuthorityCommand::Undo).unwrap_err().code(), RefusalCode::Conflict);
    by_key(GoalPause).unwrap();
    by_key(lock(keys[1])).unwrap();
    assert_eq!(world.state.goal.as_ref().unwrap().authority_key, Some(keys[1]));
    assert_eq!(world.refolded(), world.state);
}

#[test]
fn what_needs_a_person_is_signed_once_a_goal_is_locked() {
    let mut world = world();
    let paused = Event::GoalStateSet { from: GoalState::Active, to: GoalState::Paused };
    let locked = Event::AuthorityLocked { public_key: AuthorityKey::new([1; 32]) };
    let recorded = |command, event: &Event| Recorded {
        goal: goal(),
        revision: 9,
        command,
        at: "2026-11-30T08:00:00Z".parse().unwrap(),
        actor: person(),
        event: event.clone(),
    };
    assert!(!needs_signature(&world.state, &recorded(9, &paused)));
    // The first key signs itself, unless the goal is made with it.
    assert!(needs_signature(&world.state, &recorded(9, &locked)));
    assert!(!needs_signature(&world.state, &recorded(1, &locked)));
    world.record(&person(), vec![locked.clone()]);
    for (event, signed) in [(&paused, true), (&locked, true), (&Event::Undone { command: 3 }, false)] {
        assert_eq!(needs_signature(&world.state, &recorded(1, event)), signed, "{event:?}");
    }
}

#[test]
fn a_goal_that_asks_for_a_passphrase_needs_a_key_first() {
    let mut world = world();
    world.state.goal.as_mut().unwrap().proof = ProofFloor::Passphrase;
    let signing = Actor { proof: Proof::Passphrase, ..person() };
    let paused = world.by(signing.clone(), Command::Authority(AuthorityCommand::GoalPause));
    assert_eq!(paused, Err(Refusal::NotLocked { what: "goal pause" }));
    let lock = AuthorityCommand::AuthorityLock { public_key: AuthorityKey::new([1; 32]) };
    world.by(signing, Command::Authority(lock)).unwrap();
}
