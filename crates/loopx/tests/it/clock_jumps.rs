//! What an earlier run wrote with a clock that was a month ahead.

use jiff::SignedDuration;
use loopx::app::ControlPlane;
use loopx::clock::Clock;
use loopx_contract::{AgentId, GoalId, TodoId};
use loopx_core::TurnKey;
use loopx_core::command::{RunDraft, RunRecord, SpendDraft};
use loopx_core::quota::Amount;
use loopx_core::run::{RunKind, Validation, ValidationOutcome};
use loopx_core::{Actor, Channel, Command, LaneCommand, Proof, ProofFloor, Request, Who};
use loopx_safety::PublicText;

use crate::stage::{GOAL, todo, two_lanes};
use crate::world::World;

fn lane(name: &str) -> AgentId {
    AgentId::parse(name).expect("an agent")
}

fn a_month_ahead(world: &World, command: LaneCommand) {
    let now = Clock.now() + SignedDuration::from_hours(30 * 24);
    let actor = Actor { who: Who::Lane(lane("ann")), channel: Channel::Cli, proof: Proof::Lane };
    let goal = GoalId::parse(GOAL).expect("a goal");
    let request = Request { goal, actor, key: None, command: Command::Lane(command) };
    ControlPlane::open(&world.env).expect("a store").apply(&request, now).expect("a receipt");
}

fn screen(world: &World) -> serde_json::Value {
    world.run(&["why", "--json"]).ok().json()
}

#[test]
fn a_limit_used_up_then_is_used_up_now() {
    let world = two_lanes(ProofFloor::None);
    todo(&world, &["build it"]);
    world.run(&["quota", "set", "--goal", GOAL, "--turns", "1"]).ok();
    let amount = Amount { turns: 1, ..Amount::default() };
    let key = TurnKey::parse("then").expect("a key");
    a_month_ahead(&world, LaneCommand::Spend(SpendDraft { agent: Some(lane("ann")), key, amount, at: None }));
    assert_eq!(screen(&world)["row"], "throttled");
    world.run(&["quota", "spend", "--turn-key", "now"]).fails(7, "over the allowance");
    world.run(&["quota", "void", "--turn-key", "then"]).ok();
    assert_eq!(screen(&world)["row"], "ready");
}

#[test]
fn a_claim_of_then_is_released_now() {
    let world = two_lanes(ProofFloor::None);
    let id = todo(&world, &["build it"]);
    let claimed = TodoId::parse(&id).expect("an id");
    a_month_ahead(&world, LaneCommand::TodoClaim { todo: claimed, agent: lane("ann"), lease_minutes: 60 });
    assert_eq!(screen(&world)["row"], "ready");
    let bob = world.with("LOOPX_AGENT", "bob");
    assert_eq!(screen(&bob)["row"], "peers");
    world.run(&["todo", "release", &id]).ok();
    assert_eq!(screen(&bob)["row"], "ready");
}

#[test]
fn a_check_that_passed_then_hides_no_failure_of_now() {
    let world = two_lanes(ProofFloor::None);
    let label = PublicText::new("cargo test").expect("clean");
    let run = RunDraft {
        kind: RunKind::Validation,
        session: None,
        validation: Some(Validation { label, outcome: ValidationOutcome::Passed, exit_code: Some(0) }),
        summary: None,
        event_id: None,
        outcome_id: None,
        id: None,
    };
    a_month_ahead(&world, LaneCommand::RunRecord(RunRecord { agent: lane("ann"), todo: None, run }));
    world.run(&["run", "record", "--kind", "validation", "--check", "cargo test", "--exit-code", "1"]).ok();
    let said = screen(&world)["projection"]["first_screen"]["latest_validation"].to_string();
    assert!(said.contains("last run failed cargo test, exit 1"), "{said}");
}

#[test]
fn the_log_keeps_its_order_and_stays_sound() {
    let world = two_lanes(ProofFloor::None);
    let add = TodoId::parse(&todo(&world, &["build it"])).expect("an id");
    a_month_ahead(&world, LaneCommand::TodoClaim { todo: add, agent: lane("ann"), lease_minutes: 60 });
    todo(&world, &["sail it"]);
    world.run(&["doctor"]).ok();
    let log = world.run(&["log"]).ok().out;
    let places = ["build it", "claim", "sail it"].map(|words| log.find(words));
    assert!(places.is_sorted() && places[0].is_some(), "{log}");
}
