//! The fields of the projection beside the row.

use loopx_contract::{Check, CheckLabel, CheckOutcome, GateState, RuntimeId, SessionState};
use loopx_core::first_screen::{goal_line, owed};
use loopx_core::gate::{Gate, GateActor, GateDecision, Uses};
use loopx_core::run::ValidationOutcome;
use loopx_core::todo::{Blocker, Blocking, Covers, Priority};
use loopx_core::{Caller, Row};

use super::world::{World, gate_id, minutes, text, todo_id};

fn validation(world: &World) -> String {
    world.decide().projection.first_screen.latest_validation.to_string()
}

#[test]
fn the_contracts_own_example_comes_out_of_a_call_from_inside_the_session() {
    let mut world = World::new();
    world.todo("123").title = text("the first executable agent todo");
    let now = world.now;
    world.run("install smoke", ValidationOutcome::Passed, now);
    let session = world.session("s", SessionState::Unknown).session_id;
    world.caller = Some(Caller {
        runtime: RuntimeId::parse("codex_cli_tui").expect("a runtime"),
        session: Some(session.into()),
    });
    let projection = world.decide().projection;
    let screen = serde_json::to_value(&projection.first_screen).expect("JSON");
    let contract = serde_json::json!({
        "waiting_on": "agent",
        "next_action": "advance the first executable agent todo",
        "open_user_todo": null,
        "first_executable_agent_todo": "todo_123",
        "latest_validation": "last run validated install smoke",
        "gate_state": "clear",
        "quota_state": "eligible",
        "boundary": {
            "mode": "read_only_projection",
            "raw_transcripts_copied": false,
            "credentials_copied": false,
            "private_paths_copied": false,
            "stop_condition": "stop for user gate, missing authority, or unsafe write"
        }
    });
    assert_eq!(screen, contract);
    assert_eq!(projection.runtime.runtime_id.as_str(), "codex_cli_tui");
}

#[test]
fn an_unattached_lane_names_the_missing_session() {
    let mut world = World::new();
    world.todo("a");
    assert_eq!(validation(&world), "no validation recorded; missing: session");
    assert_eq!(
        world.decide().projection.first_screen.next_action.as_str(),
        "advance draw a; no session attached"
    );
}

#[test]
fn a_pass_of_another_label_never_hides_a_failure() {
    let mut world = World::new();
    world.session("s", SessionState::Idle);
    let now = world.now;
    world.run("test", ValidationOutcome::Failed, now - minutes(30));
    world.run("lint", ValidationOutcome::Passed, now - minutes(1));
    assert_eq!(validation(&world), "last run failed test");
}

/// A session that ran its tests so, some minutes ago.
fn checked(world: &mut World, name: &str, outcome: CheckOutcome, ago: i64) {
    let at = Some(world.now - minutes(ago));
    let check = Check { label: CheckLabel::Test, outcome, exit_code: None, at, compound: false };
    world.session(name, SessionState::Idle).checks.push(check);
}

#[test]
fn a_failure_that_a_newer_pass_of_its_label_cleared_is_not_shown_whoever_saw_it() {
    let mut world = World::new();
    checked(&mut world, "s", CheckOutcome::Failed, 30);
    assert_eq!(validation(&world), "last run failed test");
    let mut by_run = world.clone();
    let now = world.now;
    by_run.run("test", ValidationOutcome::Passed, now - minutes(5));
    assert_eq!(validation(&by_run), "last run validated test");
    checked(&mut world, "t", CheckOutcome::Passed, 10);
    assert_eq!(validation(&world), "last run validated test");
}

#[test]
fn what_is_unknown_never_clears_a_failure_of_its_label_whoever_saw_it() {
    let mut world = World::new();
    let now = world.now;
    world.run("test", ValidationOutcome::Failed, now - minutes(30));
    checked(&mut world, "s", CheckOutcome::Cancelled, 10);
    assert_eq!(validation(&world), "last run failed test");
}

#[test]
fn an_old_validation_says_its_age() {
    let mut world = World::new();
    world.session("s", SessionState::Idle);
    let now = world.now;
    world.run("test", ValidationOutcome::Passed, now - minutes(50 * 60));
    assert_eq!(validation(&world), "last run validated test, 2 d ago");
}

#[test]
fn a_prompt_goes_before_everything_and_names_what_is_owed_next() {
    let mut world = World::new();
    world.todo("a");
    world.gate("g", GateActor::User, GateDecision::Requested);
    world.session("s", SessionState::WaitingAnswer);
    world.session("t", SessionState::Running);
    let decision = world.decide();
    assert_eq!(decision.row, Row::Prompt);
    assert!(
        decision.projection.first_screen.next_action.as_str().ends_with("; then decide gate_g: print g?")
    );
    assert_eq!(decision.projection.first_screen.open_user_todo, Some(todo_id("for_g")));
}

#[test]
fn a_session_proved_dead_asks_nothing() {
    let mut world = World::new();
    world.todo("a");
    world.session("s", SessionState::WaitingPermission).liveness = loopx_contract::Liveness::Dead;
    assert_eq!(world.decide().row, Row::Ready);
}

#[test]
fn a_safe_path_around_a_gate_keeps_the_gate_in_sight() {
    let mut world = World::new();
    world.todo("a");
    world.todo("b");
    let covers = &mut world.gate("g", GateActor::User, GateDecision::Requested).covers;
    covers.goal = false;
    covers.todos.insert(todo_id("a"));
    let decision = world.decide();
    let screen = &decision.projection.first_screen;
    assert_eq!((decision.row, screen.gate_state), (Row::Ready, GateState::OperatorGate));
    assert_eq!(screen.first_executable_agent_todo, Some(todo_id("b")));
}

#[test]
fn a_single_use_approval_frees_the_todo_that_took_it_alone() {
    let mut world = World::new();
    world.todo("a");
    world.todo("b").priority = Priority::P0;
    let uses = Uses::Taken(todo_id("a"));
    world.gate("g", GateActor::User, GateDecision::Approved { until: None, uses });
    let decision = world.decide();
    assert_eq!(decision.projection.first_screen.first_executable_agent_todo, Some(todo_id("a")));
    assert_eq!(decision.projection.first_screen.gate_state, GateState::Approved);
    world.gate("g", GateActor::User, GateDecision::Approved { until: None, uses: Uses::Used });
    assert_eq!(world.decide().row, Row::Held);
}

#[test]
fn a_todo_behind_an_approval_that_another_took_names_the_gate() {
    let mut world = World::new();
    world.todo("a");
    world.block("b", Blocker::Evidence(text("the printer's proof")));
    world.claim("b", "claude");
    let uses = Uses::Taken(todo_id("b"));
    world.gate("g", GateActor::User, GateDecision::Approved { until: None, uses });
    let decision = world.decide();
    assert_eq!(decision.row, Row::Stuck);
    assert_eq!(decision.projection.first_screen.next_action.as_str(), "untangle todo_a: blocked by gate_g");
}

#[test]
fn a_todo_that_names_a_gates_own_todo_waits_for_the_gate() {
    let mut world = World::new();
    let covers = &mut world.gate("g", GateActor::User, GateDecision::Requested).covers;
    covers.goal = false;
    world.block("a", Blocker::Todo(todo_id("for_g")));
    world.block("a", Blocker::Gate(gate_id("g")));
    assert_eq!(world.decide().row, Row::Held);
    world.gate("g", GateActor::User, GateDecision::Approved { until: None, uses: Uses::Any });
    assert_eq!(world.decide().row, Row::Ready);
}

#[test]
fn a_goals_line_is_the_lane_that_needs_somebody_first() {
    let mut world = World::new();
    world.todo("a");
    world.claim("a", "claude");
    world.user_todo("u", Blocking::NonBlocking);
    let lanes = [world.decide_for("claude"), world.decide_for("codex")];
    let line = goal_line(&lanes, 0).expect("lanes");
    assert_eq!(line.first.projection.agent_id.as_str(), "claude");
    assert_eq!(line.others.values().sum::<usize>(), 1);
    let asked = goal_line(&lanes, 2).expect("lanes");
    assert_eq!(asked.waiting_on(), loopx_contract::WaitingOn::User);
}

#[test]
fn what_is_owed_holds_the_lane_whether_or_not_a_prompt_is_up() {
    let mut world = World::new();
    world.todo("a");
    let covers = |gate: &mut Gate| gate.covers = Covers { todos: [todo_id("a")].into(), ..Covers::default() };
    covers(world.gate("first", GateActor::User, GateDecision::Requested));
    covers(world.gate("second", GateActor::User, GateDecision::Requested));
    covers(world.gate("theirs", GateActor::Controller, GateDecision::Requested));
    let owes = |world: &World| {
        let decision = world.decide();
        (decision.row, owed(&decision, &world.state, world.now))
    };
    let both = vec![todo_id("for_first"), todo_id("for_second")];
    assert_eq!(owes(&world), (Row::Held, both.clone()));
    world.session("s", SessionState::WaitingPermission);
    assert_eq!(owes(&world), (Row::Prompt, both));
    // As long as there is something else to take, the lane waits for none of them.
    world.todo("b");
    assert_eq!(owes(&world), (Row::Prompt, vec![]));
}
