//! Goals, lanes and who may decide.

use loopx_contract::Ref;
use loopx_core::agent::{AgentKind, AgentState};
use loopx_core::binding::BindingTarget;
use loopx_core::command::{AgentAdd, AuthorityCommand, Command, GoalAdd, LaneCommand};
use loopx_core::goal::GoalState;
use loopx_core::testing::{World, agent, goal, lane, person, text};
use loopx_core::{Actor, Proof, ProofFloor, Refusal, RefusalCode, Who};

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
