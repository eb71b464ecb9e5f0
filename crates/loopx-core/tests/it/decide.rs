//! Tables of what commands do, entity by entity.

mod gates;
mod goals;
mod handoffs;
mod quotas;
mod runs;
mod todos;
mod undoing;

use jiff::SignedDuration;
use loopx_contract::{GateId, HandoffId, RunId, TodoId};
use loopx_core::command::{
    AudienceDraft, AuthorityCommand, Command, Decision, GateAsk, HandoffOffer, LaneCommand, TodoAdd,
    TodoFinish,
};
use loopx_core::decide::{Decided, Subject};
use loopx_core::gate::GateActor;
use loopx_core::testing::{World, agent, lane, person, text};
use loopx_core::todo::{Blocking, Covers, Succession};
use loopx_core::{Refusal, RefusalCode};

type Outcome = Result<Decided, Refusal>;

/// A world whose goal asks for a terminal's proof.
fn world() -> World {
    (0..100)
        .map(World::new)
        .find(|world| {
            world.state.goal.as_ref().is_some_and(|goal| goal.proof == loopx_core::ProofFloor::Terminal)
        })
        .unwrap()
}

fn as_lane(world: &mut World, slug: &str, command: LaneCommand) -> Outcome {
    world.by(lane(slug), Command::Lane(command))
}

fn as_person(world: &mut World, command: AuthorityCommand) -> Outcome {
    world.by(person(), Command::Authority(command))
}

fn code(outcome: Outcome) -> Option<RefusalCode> {
    outcome.err().map(|refusal| refusal.code())
}

fn titled(title: &str) -> TodoAdd {
    TodoAdd {
        title: text(title),
        audience: AudienceDraft::Agent,
        priority: loopx_core::todo::Priority::P2,
        class: loopx_core::todo::TodoClass::Advance,
        globs: vec![],
        needs: [].into(),
        blocked_by: [].into(),
    }
}

fn for_user(title: &str, covers: Covers, blocking: Blocking) -> TodoAdd {
    TodoAdd { audience: AudienceDraft::User { covers, blocking }, ..titled(title) }
}

fn the_todo(outcome: Outcome) -> TodoId {
    let subject = outcome.unwrap().subject;
    let Subject::Todo(id) = subject else { panic!("a todo was expected, not {subject:?}") };
    id
}

fn add(world: &mut World, title: &str) -> TodoId {
    the_todo(as_lane(world, "ash", LaneCommand::TodoAdd(titled(title))))
}

fn add_for_user(world: &mut World, title: &str) -> TodoId {
    let add = for_user(title, Covers::goal(), Blocking::NonBlocking);
    the_todo(as_lane(world, "ash", LaneCommand::TodoAdd(add)))
}

fn claim(world: &mut World, slug: &str, todo: &TodoId) -> Outcome {
    let (todo, lease_minutes) = (todo.clone(), 30);
    as_lane(world, slug, LaneCommand::TodoClaim { todo, agent: agent(slug), lease_minutes })
}

fn finishing(todo: &TodoId, slug: Option<&str>, token: Option<u64>) -> TodoFinish {
    TodoFinish {
        todo: todo.clone(),
        agent: slug.map(agent),
        token,
        succession: Succession::NoneNeeded,
        run: None,
        spend: None,
    }
}

fn finish(world: &mut World, slug: &str, todo: &TodoId) -> Outcome {
    as_lane(world, slug, LaneCommand::TodoFinish(finishing(todo, Some(slug), None)))
}

fn ask(world: &mut World, slug: &str, question: &str, covers: Covers) -> GateId {
    let (question, agent) = (text(question), Some(agent(slug)));
    let ask = GateAsk { question, actor: GateActor::User, covers, expires_at: None, agent };
    let subject = as_lane(world, slug, LaneCommand::GateAsk(ask)).unwrap().subject;
    let Subject::Gate(id) = subject else { panic!("a gate was expected, not {subject:?}") };
    id
}

fn approve(world: &mut World, gate: &GateId, single_use: bool) -> Outcome {
    let decision = Decision::Approve { until: None, single_use };
    as_person(world, AuthorityCommand::GateDecide { gate: gate.clone(), decision })
}

fn only(todo: &TodoId) -> Covers {
    Covers { todos: [todo.clone()].into(), ..Covers::default() }
}

fn offer(world: &mut World, from: &str, to: Option<&str>, todo: &TodoId) -> HandoffId {
    let expires_at = Some(world.now.saturating_add(SignedDuration::from_mins(60)).unwrap());
    let offer = HandoffOffer {
        todo: todo.clone(),
        from: agent(from),
        to: to.map(agent),
        next_action: text("go on"),
        stop_condition: None,
        evidence: [].into(),
        expires_at,
    };
    let subject = as_lane(world, from, LaneCommand::HandoffOffer(offer)).unwrap().subject;
    let Subject::Handoff(id) = subject else { panic!("a handoff was expected, not {subject:?}") };
    id
}

fn the_run(outcome: Outcome) -> RunId {
    let subject = outcome.unwrap().subject;
    let Subject::Run(id) = subject else { panic!("a run was expected, not {subject:?}") };
    id
}

fn pass(world: &mut World, minutes: i64) {
    world.now = world.now.saturating_add(SignedDuration::from_mins(minutes)).unwrap();
}
