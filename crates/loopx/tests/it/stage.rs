//! A goal with lanes to begin with, set through the control plane, and what stands in its log.

use jiff::Timestamp;
use loopx::app::ControlPlane;
use loopx::clock::Clock;
use loopx_contract::{AgentId, GoalId, RuntimeId};
use loopx_core::command::{AgentAdd, GoalAdd};
use loopx_core::{
    Actor, AuthorityCommand, Channel, Command, Event, Proof, ProofFloor, Recorded, Request, Who,
};
use loopx_safety::PublicText;
use loopx_store::EventsOf;

use crate::made::Turn;
use crate::world::World;

/// The goal of these tests.
pub const GOAL: &str = "pilot";

fn now() -> Timestamp {
    Clock.now()
}

fn apply(world: &World, goal: &str, command: AuthorityCommand) {
    let actor = Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::Terminal };
    let goal = GoalId::parse(goal).expect("a goal");
    let request = Request { goal, actor, key: None, command: Command::Authority(command) };
    ControlPlane::open(&world.env).expect("a store").apply(&request, now()).expect("a receipt");
}

/// Adds a goal.
pub fn goal(world: &World, goal: &str, proof: ProofFloor) {
    let add = GoalAdd {
        lock: None,
        objective: PublicText::new("ship the pilot").expect("clean"),
        proof,
        read: vec![],
        write: vec![],
        private_data_rule: None,
        stop_condition: None,
        agents: vec![],
        bind: vec![],
    };
    apply(world, goal, AuthorityCommand::GoalAdd(add));
}

/// Registers an automation lane.
pub fn lane(world: &World, goal: &str, agent: &str, runtime: Option<&str>) {
    let add = AgentAdd {
        agent: AgentId::parse(agent).expect("an agent"),
        kind: loopx_core::agent::AgentKind::Automation,
        runtime: runtime.map(|runtime| RuntimeId::parse(runtime).expect("a runtime")),
        capabilities: std::collections::BTreeSet::new(),
    };
    apply(world, goal, AuthorityCommand::AgentAdd(add));
}

/// A world whose one goal is named by `LOOPX_GOAL`, with two lanes; `LOOPX_AGENT` names the first, `ann`.
pub fn two_lanes(proof: ProofFloor) -> World {
    let world = World::new().with("LOOPX_GOAL", GOAL).with("LOOPX_AGENT", "ann");
    goal(&world, GOAL, proof);
    lane(&world, GOAL, "ann", None);
    lane(&world, GOAL, "bob", None);
    world
}

/// A world whose goal `pilot` has one lane, with work to do and a session that failed.
pub fn with_failed_session() -> World {
    let world = World::new().with_processes();
    let project = world.project("atlas");
    let world = world.in_folder(&project);
    world.run(&["init", "pilot", "--agent", "codex", "--proof", "none"]).ok();
    world.run(&["todo", "add", "write the parser"]).ok();
    world.codex(1, &project, Turn::Failed, 2);
    world
}

/// The goal's log.
pub fn events(world: &World) -> Vec<Recorded> {
    let goal = GoalId::parse(GOAL).expect("a goal");
    let mut plane = ControlPlane::open(&world.env).expect("a store");
    let logged = plane.store().events(EventsOf::Goal { goal: &goal, after: 0 }, 1000).expect("a log");
    logged.into_iter().map(|logged| logged.recorded).collect()
}

/// The commands that were refused for want of proof, as they stand in the log.
pub fn refused(world: &World) -> Vec<String> {
    let mut names = Vec::new();
    for recorded in events(world) {
        if let Event::Refused { command, .. } = recorded.event {
            names.push(command.to_string());
        }
    }
    names
}

/// Adds a todo and gives its id.
pub fn todo(world: &World, args: &[&str]) -> String {
    world.run(&[&["todo", "add"], args, &["--json"]].concat()).ok().id()
}

/// Asks for a decision and gives the gate's id.
pub fn gate(world: &World, args: &[&str]) -> String {
    world.run(&[&["gate", "ask"], args, &["--json"]].concat()).ok().id()
}
