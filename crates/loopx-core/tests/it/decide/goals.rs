//! Goals, lanes and who may decide.

use loopx_core::agent::{AgentKind, AgentState};
use loopx_core::command::{AgentAdd, AuthorityCommand, Command, LaneCommand};
use loopx_core::goal::GoalState;
use loopx_core::testing::{World, agent, goal, lane, person};
use loopx_core::{Actor, Proof, Refusal, RefusalCode, Who};

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
