//! Every row of the table by the facts that reach it, and the row one fact away.

use loopx_contract::{GateState, Limit, LimitWindow, Liveness, QuotaState, SessionState, Turn, WaitingOn};
use loopx_core::agent::AgentState;
use loopx_core::first_screen::{Fact, why};
use loopx_core::gate::{GateActor, GateDecision};
use loopx_core::goal::{GoalState, LastFinished};
use loopx_core::quota::{Amount, Quota, Slot};
use loopx_core::todo::{Blocker, Blocking, Succession, TodoClass, TodoState};
use loopx_core::{Known, Row, first_screen};

use super::world::{World, agent_id, gate_id, goal_id, minutes, text, todo_id};

/// What a row must look like: `waiting_on`, `quota_state`, exit, whether a todo is shown as executable, `gate_state`.
type Shape = (Row, WaitingOn, QuotaState, u8, bool, GateState);

fn shape(world: &World) -> Shape {
    let decision = world.decide();
    let screen = &decision.projection.first_screen;
    (
        decision.row,
        screen.waiting_on,
        screen.quota_state,
        decision.exit,
        screen.first_executable_agent_todo.is_some(),
        screen.gate_state,
    )
}

fn action(world: &World) -> String {
    world.decide().projection.first_screen.next_action.to_string()
}

/// One case: the facts of a row, what it must look like, its text, and the change that makes it another row.
struct Case {
    facts: fn(&mut World),
    shape: Shape,
    action: &'static str,
    change: fn(&mut World),
    then: Row,
}

fn limit(world: &mut World, turns: u64) {
    world.goal().quota = Quota { window_minutes: 60, turns: Some(turns), minutes: None, tokens: None };
}

fn spend(world: &mut World, turns: u64) {
    let slot = Slot::at(None, world.now - minutes(10));
    world.state.ledger.insert(slot, Amount { turns, ..Amount::default() });
}

fn observe(world: &mut World, agent: Option<&str>, turns: u64) {
    let at = world.now - minutes(20);
    world.observed.add(agent.map(agent_id), at, Amount { turns, ..Amount::default() });
}

fn exhausted(world: &mut World) {
    let resets_at = Some(world.now + minutes(30));
    let seen_at = Some(world.now - minutes(5));
    world.session("s", SessionState::RateLimited).limits.push(Limit {
        window: LimitWindow::Primary,
        used_basis_points: Some(10_000),
        window_minutes: Some(300),
        resets_at,
        reached: true,
        seen_at,
    });
}

fn windows(world: &mut World, five_hours: u32, seven_days: u32) {
    let (now, day) = (world.now, 24 * 60);
    let limit = |window, used, length, left| Limit {
        window,
        used_basis_points: Some(used),
        window_minutes: Some(length),
        resets_at: Some(now + minutes(left)),
        reached: false,
        seen_at: Some(now - minutes(40)),
    };
    world.sessions.clear();
    world.session("s", SessionState::Idle).limits = vec![
        limit(LimitWindow::Primary, five_hours, 300, 60),
        limit(LimitWindow::Secondary, seven_days, 10_080, 2 * day),
    ];
}

fn ready(world: &mut World) {
    world.todo("a");
}

const CASES: &[Case] = &[
    Case {
        facts: |world| world.goal().state = GoalState::Done,
        shape: (Row::Closed, WaitingOn::None, QuotaState::Blocked, 15, false, GateState::Clear),
        action: "reopen the goal to go on",
        change: |world| world.goal().state = GoalState::Active,
        then: Row::Quiet,
    },
    Case {
        facts: |world| {
            ready(world);
            world.goal().state = GoalState::Paused;
        },
        shape: (Row::Paused, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Clear),
        action: "resume the goal",
        change: |world| world.goal().state = GoalState::Active,
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.agent("codex").state = AgentState::Paused;
        },
        shape: (Row::Paused, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Clear),
        action: "resume agent codex",
        change: |world| world.agent("codex").state = AgentState::Active,
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::WaitingPermission);
        },
        shape: (Row::Prompt, WaitingOn::User, QuotaState::OperatorGate, 10, false, GateState::Clear),
        action: "answer the permission prompt in session {s}, open since 2026-11-30T11:59:00Z",
        change: |world| world.sessions[0].state = SessionState::Running,
        then: Row::Working,
    },
    Case {
        facts: |world| {
            ready(world);
            world.gate("g", GateActor::User, GateDecision::Requested);
        },
        shape: (Row::Held, WaitingOn::User, QuotaState::OperatorGate, 10, false, GateState::OperatorGate),
        action: "decide gate_g: print g?",
        change: |world| {
            world.gate("g", GateActor::User, GateDecision::Withdrawn);
        },
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.gate("g", GateActor::Controller, GateDecision::Requested);
            world.session("s", SessionState::Running);
        },
        shape: (
            Row::Held,
            WaitingOn::Controller,
            QuotaState::OperatorGate,
            11,
            false,
            GateState::OperatorGate,
        ),
        action: "decide gate_g: print g?; session {s} still runs",
        change: |world| {
            world.gate("g", GateActor::Controller, GateDecision::Withdrawn);
        },
        then: Row::Working,
    },
    Case {
        facts: |world| {
            ready(world);
            world.user_todo("u", Blocking::Blocking);
            world.user_todo("v", Blocking::Blocking);
        },
        shape: (Row::Held, WaitingOn::User, QuotaState::OperatorGate, 10, false, GateState::UserTodo),
        action: "do todo_u: draw u; 1 more",
        change: |world| {
            world.user_todo("u", Blocking::NonBlocking);
            world.user_todo("v", Blocking::NonBlocking);
        },
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::Running);
        },
        shape: (Row::Working, WaitingOn::Agent, QuotaState::Eligible, 16, true, GateState::Clear),
        action: "go on with draw a in session {s}",
        change: |world| world.sessions[0].state = SessionState::Idle,
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::Background);
            limit(world, 2);
            spend(world, 2);
        },
        shape: (Row::Working, WaitingOn::Agent, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "go on with draw a in session {s}; no new turn before 2026-11-30T12:50:00Z",
        change: |world| world.sessions[0].state = SessionState::Interrupted,
        then: Row::Throttled,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::Unknown).missing =
                vec![loopx_contract::MissingFact::PermissionState];
        },
        shape: (Row::Unsure, WaitingOn::Runtime, QuotaState::Blocked, 12, false, GateState::Clear),
        action: "look at session {s}: running or waiting is unknown, missing permission_state",
        change: |world| world.sessions[0].liveness = Liveness::Dead,
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.gate("g", GateActor::User, GateDecision::Rejected { reason: None });
        },
        shape: (Row::Rejected, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Blocked),
        action: "revise or drop todo_a: gate_g was rejected",
        change: |world| {
            let covers =
                &mut world.gate("g", GateActor::User, GateDecision::Rejected { reason: None }).covers;
            covers.goal = false;
            covers.agents.insert(agent_id("claude"));
        },
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            let until = Some(world.now + minutes(5));
            world.gate("g", GateActor::User, GateDecision::Deferred { until, condition: None, met: false });
        },
        shape: (
            Row::Deferred,
            WaitingOn::ExternalEvidence,
            QuotaState::OperatorGate,
            13,
            false,
            GateState::Deferred,
        ),
        action: "wait until 2026-11-30T12:05:00Z for gate_g",
        change: |world| world.now += minutes(5),
        then: Row::Held,
    },
    Case {
        facts: |world| {
            ready(world);
            world.todo("a").needs.insert(text("gpu"));
        },
        shape: (Row::Unfit, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Clear),
        action: "grant capability gpu or change todo_a",
        change: |world| {
            world.agent("claude").capabilities.insert(text("gpu"));
        },
        then: Row::Peers,
    },
    Case {
        facts: |world| {
            ready(world);
            let glob = loopx_core::scope::Glob::parse(text("docs/a.md")).expect("a glob");
            world.todo("a").globs.push(glob);
        },
        shape: (Row::Unfit, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Clear),
        action: "grant write scope docs/a.md or change todo_a",
        change: |world| world.write_scope("docs/**"),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::Errored);
        },
        shape: (Row::Failed, WaitingOn::Runtime, QuotaState::Blocked, 12, false, GateState::Clear),
        action: "resume or replace session {s}: errored at 2026-11-30T11:59:00Z; or record a run to dismiss",
        change: |world| {
            let now = world.now;
            world.run("lint", loopx_core::run::ValidationOutcome::Passed, now);
        },
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.claim("a", "codex");
            let session = world.session("s", SessionState::Unknown);
            (session.liveness, session.turn) = (Liveness::Dead, Turn::Open);
        },
        shape: (Row::Failed, WaitingOn::Runtime, QuotaState::Blocked, 12, false, GateState::Clear),
        action: "resume or replace session {s}: died at 2026-11-30T11:59:00Z; or record a run to dismiss",
        change: |world| world.todo("a").claim = None,
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            exhausted(world);
        },
        shape: (Row::Limited, WaitingOn::Runtime, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "no automatic turn before 2026-11-30T12:30:00Z",
        change: |world| world.now += minutes(30),
        then: Row::Ready,
    },
    Case {
        // A window that is told to reset later than it is long tells nothing of its reset.
        facts: |world| {
            ready(world);
            exhausted(world);
            let limit = &mut world.sessions[0].limits[0];
            limit.resets_at = limit.seen_at.map(|seen| seen + minutes(10 * 365 * 24 * 60));
        },
        shape: (Row::Limited, WaitingOn::Runtime, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "limit seen at 2026-11-30T11:59:00Z, reset unknown",
        change: |world| world.now += minutes(15),
        then: Row::Ready,
    },
    Case {
        // Claude Code's windows: the session is at rest, and none of it is flagged.
        facts: |world| {
            ready(world);
            windows(world, 10_000, 4000);
        },
        shape: (Row::Limited, WaitingOn::Runtime, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "no automatic turn before 2026-11-30T13:00:00Z",
        change: |world| windows(world, 9999, 4000),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            windows(world, 10_000, 10_050);
        },
        shape: (Row::Limited, WaitingOn::Runtime, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "no automatic turn before 2026-12-02T12:00:00Z",
        change: |world| world.now += minutes(2 * 24 * 60),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::RateLimited);
        },
        shape: (Row::Limited, WaitingOn::Runtime, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "limit seen at 2026-11-30T11:59:00Z, reset unknown",
        change: |world| world.now += minutes(16),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            limit(world, 2);
            spend(world, 2);
        },
        shape: (Row::Throttled, WaitingOn::None, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "no automatic turn before 2026-11-30T12:50:00Z",
        change: |world| limit(world, 3),
        then: Row::Ready,
    },
    Case {
        // No agent reports anything: the session that was seen uses the limit up.
        facts: |world| {
            ready(world);
            limit(world, 2);
            observe(world, Some("codex"), 2);
        },
        shape: (Row::Throttled, WaitingOn::None, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "no automatic turn before 2026-11-30T12:40:00Z",
        change: |world| limit(world, 3),
        then: Row::Ready,
    },
    Case {
        // Two of another lane and one of no lane: all of them are the goal's.
        facts: |world| {
            ready(world);
            limit(world, 3);
            observe(world, Some("claude"), 2);
            observe(world, None, 1);
        },
        shape: (Row::Throttled, WaitingOn::None, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "no automatic turn before 2026-11-30T12:40:00Z",
        change: |world| world.now += minutes(40),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            limit(world, 0);
        },
        shape: (Row::Throttled, WaitingOn::Controller, QuotaState::Throttled, 14, false, GateState::Clear),
        action: "raise the limit: it is 0",
        change: |world| limit(world, 1),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            ready(world);
            world.session("s", SessionState::Idle);
        },
        shape: (Row::Ready, WaitingOn::Agent, QuotaState::Eligible, 0, true, GateState::Clear),
        action: "advance draw a; session {s} idle: start a turn",
        change: |world| world.todo("a").state = TodoState::Dropped,
        then: Row::Quiet,
    },
    Case {
        facts: |world| {
            ready(world);
            world.claim("a", "claude");
        },
        shape: (Row::Peers, WaitingOn::Agent, QuotaState::MonitorQuietSkip, 15, false, GateState::Clear),
        action: "leave todo_a to claude, lease ends 2026-11-30T13:00:00Z",
        change: |world| world.now += minutes(60),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            let next_due_at = world.now + minutes(7);
            world.todo("a").class = TodoClass::Monitor { next_due_at };
        },
        shape: (
            Row::Evidence,
            WaitingOn::ExternalEvidence,
            QuotaState::MonitorQuietSkip,
            13,
            false,
            GateState::Clear,
        ),
        action: "recheck todo_a at 2026-11-30T12:07:00Z",
        change: |world| world.now += minutes(7),
        then: Row::Ready,
    },
    Case {
        facts: |world| world.block("a", Blocker::Evidence(text("the printer's proof"))),
        shape: (
            Row::Evidence,
            WaitingOn::ExternalEvidence,
            QuotaState::MonitorQuietSkip,
            13,
            false,
            GateState::Clear,
        ),
        action: "wait for the printer's proof",
        change: |world| world.todo("a").blocked_by.clear(),
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            world.block("a", Blocker::Todo(todo_id("b")));
            world.block("b", Blocker::Todo(todo_id("a")));
        },
        shape: (Row::Stuck, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Clear),
        action: "untangle todo_a: blocked by todo_b",
        change: |world| world.todo("b").state = TodoState::Dropped,
        then: Row::Ready,
    },
    Case {
        facts: |world| world.block("a", Blocker::Gate(gate_id("nowhere"))),
        shape: (Row::Stuck, WaitingOn::Controller, QuotaState::Blocked, 11, false, GateState::Clear),
        action: "untangle todo_a: blocked by gate_nowhere",
        change: |world| {
            let uses = loopx_core::gate::Uses::Any;
            world.gate("nowhere", GateActor::User, GateDecision::Approved { until: None, uses });
        },
        then: Row::Ready,
    },
    Case {
        facts: |world| {
            world.goal().last_finished = Some(LastFinished {
                todo: todo_id("a"),
                agent: agent_id("codex"),
                succession: Succession::Unsaid,
            });
        },
        shape: (Row::Succession, WaitingOn::Agent, QuotaState::MonitorQuietSkip, 15, false, GateState::Clear),
        action: "name a successor of todo_a, or say that none is needed",
        change: |world| {
            if let Some(last) = &mut world.goal().last_finished {
                last.succession = Succession::NoneNeeded;
            }
        },
        then: Row::Quiet,
    },
    Case {
        facts: |world| {
            world.user_todo("u", Blocking::NonBlocking);
        },
        shape: (Row::Asked, WaitingOn::User, QuotaState::MonitorQuietSkip, 10, false, GateState::Clear),
        action: "draw u, when you can",
        change: |world| world.todo("u").state = TodoState::Dropped,
        then: Row::Quiet,
    },
    Case {
        facts: |world| world.todo("a").state = TodoState::Deferred { until: None },
        shape: (Row::Quiet, WaitingOn::None, QuotaState::MonitorQuietSkip, 15, false, GateState::Clear),
        action: "add a todo or close the goal; 1 deferred",
        change: |world| world.todo("a").state = TodoState::Open,
        then: Row::Ready,
    },
];

#[test]
fn every_row_is_reached_and_its_neighbour_is_one_fact_away() {
    for case in CASES {
        let mut world = World::new();
        (case.facts)(&mut world);
        let name = case.shape.0.name();
        assert_eq!(shape(&world), case.shape, "{name}: {}", action(&world));
        let session =
            world.sessions.first().map(|session| session.session_id.to_string()).unwrap_or_default();
        assert_eq!(action(&world), case.action.replace("{s}", &session), "{name}");
        (case.change)(&mut world);
        assert_eq!(world.decide().row, case.then, "beside {name}: {}", action(&world));
    }
}

#[test]
fn every_row_but_those_without_a_lane_has_a_case() {
    for row in Row::ALL {
        let bare = matches!(row, Row::Integrity | Row::UnknownLane);
        assert!(bare || CASES.iter().any(|case| case.shape.0 == row), "{}", row.name());
    }
}

#[test]
fn a_goal_that_cannot_be_read_waits_on_the_controller() {
    let world = World::new();
    let (goal, agent) = (goal_id(), agent_id("codex"));
    let inputs = world.inputs(&goal, &agent);
    for (known, row, exit, action) in [
        (Known::Damaged { code: "bad_hash" }, Row::Integrity, 11, "run `loopx doctor`: bad_hash"),
        (Known::Missing, Row::UnknownLane, 3, "run `loopx goal add atlas --objective TEXT`"),
    ] {
        let decision = first_screen(&loopx_core::Inputs { known, ..inputs });
        let screen = &decision.projection.first_screen;
        assert_eq!((decision.row, decision.exit), (row, exit));
        assert_eq!(screen.next_action.as_str(), action);
        assert_eq!(
            (screen.waiting_on, screen.gate_state, screen.quota_state),
            (WaitingOn::Controller, GateState::Blocked, QuotaState::Blocked)
        );
    }
    let decision = world.decide_for("nobody");
    assert_eq!(decision.row, Row::UnknownLane);
    assert_eq!(
        decision.projection.first_screen.next_action.as_str(),
        "run `loopx agent add nobody --goal atlas`"
    );
}

#[test]
fn why_lists_no_fact_whose_absence_changes_nothing() {
    for case in CASES {
        let mut world = World::new();
        (case.facts)(&mut world);
        let (goal, agent) = (goal_id(), agent_id("codex"));
        let why = why(&world.inputs(&goal, &agent));
        assert_eq!(why.decision.row, case.shape.0);
        assert_eq!(why.passed.len(), usize::from(case.shape.0.number()) - 1);
        let bare = why.decision.row == Row::Quiet && !case.action.contains("deferred");
        assert!(bare || !why.facts.is_empty(), "{} names no fact", case.shape.0.name());
    }
    let mut world = World::new();
    world.todo("a");
    world.user_todo("u", Blocking::NonBlocking);
    let (goal, agent) = (goal_id(), agent_id("codex"));
    assert_eq!(why(&world.inputs(&goal, &agent)).facts, [Fact::Todo(todo_id("a"))]);
}

#[test]
fn a_clock_that_ran_ahead_neither_frees_a_limit_nor_dismisses_a_failure() {
    let mut world = World::new();
    ready(&mut world);
    limit(&mut world, 2);
    world
        .state
        .ledger
        .insert(Slot::at(None, world.now + minutes(600)), Amount { turns: 2, ..Amount::default() });
    assert_eq!(world.decide().row, Row::Throttled, "{}", action(&world));

    let mut world = World::new();
    ready(&mut world);
    world.session("s", SessionState::Errored);
    let ahead = world.now + minutes(600);
    world.run("lint", loopx_core::run::ValidationOutcome::Passed, ahead);
    assert_eq!(world.decide().row, Row::Failed, "{}", action(&world));
    world.now = ahead;
    assert_eq!(world.decide().row, Row::Ready, "{}", action(&world));
}

/// A clock that went back leaves a failure ahead of every run, where no run can be the later one.
#[test]
fn a_failure_ahead_of_the_clock_can_be_dismissed() {
    let mut world = World::new();
    world.todo("a");
    let ahead = world.now + minutes(5);
    let session = world.session("s", SessionState::Errored);
    session.last_activity = Some(ahead);
    let handle = session.session_id;
    let now = world.now;
    world.run("lint", loopx_core::run::ValidationOutcome::Passed, now);
    assert_eq!(world.decide().row, Row::Failed, "another run says nothing of it");
    let run = world.agent("codex").latest_run.as_mut().expect("a run");
    (run.kind, run.session) = (loopx_core::run::RunKind::NoProgress, Some(handle.into()));
    assert_eq!(world.decide().row, Row::Ready);
}
