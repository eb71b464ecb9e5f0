//! What is always true of a first screen, over random histories of commands and random sessions.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::check::{Lane, Options, check};
use loopx_contract::{
    EvidenceTier, GateState, Limit, LimitWindow, LineCounts, Liveness, MissingFact, QuotaState, Ref,
    RuntimeId, SessionFacts, SessionFactsVersion, SessionState, Turn, WaitingOn,
};
use loopx_core::agent::AgentKind;
use loopx_core::command::{
    AuthorityCommand, Decision as Verdict, GateAsk, LaneCommand, SpendDraft, TodoFinish,
};
use loopx_core::first_screen::{is_current, why, without};
use loopx_core::gate::{GateActor, GateStanding};
use loopx_core::quota::{Amount, Observed, Quota, Spending};
use loopx_core::testing::{LANES, Seeded, World, agent, goal, person, text};
use loopx_core::todo::{Covers, Succession};
use loopx_core::{Caller, Command, Decision, Inputs, Known, Row, Sight, State, first_screen};
use loopx_safety::{HandleKind, InstallKey, TierKind};

const HISTORIES: u64 = 200;
const COMMANDS: usize = 40;

/// A lane's sessions and the caller.
#[derive(Clone, Default)]
struct Seen {
    sessions: Vec<SessionFacts>,
    caller: Option<Caller>,
    observed: Observed,
}

fn session(random: &mut Seeded, now: Timestamp, name: u64) -> SessionFacts {
    let states = [
        SessionState::Running,
        SessionState::WaitingPermission,
        SessionState::WaitingAnswer,
        SessionState::Idle,
        SessionState::Background,
        SessionState::Interrupted,
        SessionState::Errored,
        SessionState::RateLimited,
        SessionState::Ended,
        SessionState::Unknown,
    ];
    let state = random.pick(&states).expect("a state");
    let liveness = random.pick(&[Liveness::Alive, Liveness::Dead, Liveness::Unproved]).expect("one");
    let turn = random.pick(&[Turn::Open, Turn::Closed, Turn::Unknown]).expect("one");
    let ages = [1, 10, 16, 120, 1_500];
    let age = |random: &mut Seeded| SignedDuration::from_mins(random.pick(&ages).expect("an age"));
    let at = now - age(random);
    let mut limits = vec![];
    if random.chance(30) {
        let resets_at = random.chance(60).then(|| now + age(random) - SignedDuration::from_mins(60));
        limits.push(Limit {
            window: LimitWindow::Primary,
            used_basis_points: Some(if random.chance(60) { 10_000 } else { 2_500 }),
            window_minutes: Some(300),
            resets_at,
            reached: random.chance(20),
            seen_at: Some(at),
        });
    }
    SessionFacts {
        schema_version: SessionFactsVersion::V0,
        runtime_id: RuntimeId::parse("codex_exec").expect("a runtime"),
        session_id: InstallKey::from_bytes([3; 32], "test").handle(
            HandleKind::Session,
            "codex",
            &name.to_string(),
        ),
        state,
        tier: EvidenceTier::Transcript,
        rule: loopx_contract::Rule::Works,
        liveness,
        turn,
        since: random.chance(80).then_some(at),
        last_activity: random.chance(95).then_some(at),
        started_at: None,
        missing: if state == SessionState::Unknown { vec![MissingFact::Liveness] } else { vec![] },
        hints: vec![],
        limits,
        checks: vec![],
        usage: None,
        children: 0,
        event_id: None,
        outcome_id: None,
        lines: LineCounts::default(),
    }
}

fn seen(random: &mut Seeded, now: Timestamp) -> Seen {
    let count = random.pick(&[0, 0, 1, 1, 2, 3]).expect("a count");
    let sessions: Vec<SessionFacts> = (0..count).map(|name| session(random, now, name)).collect();
    let caller = random.chance(15).then(|| Caller {
        runtime: RuntimeId::parse("codex_exec").expect("a runtime"),
        session: sessions.first().map(|session| Ref::from(session.session_id)),
    });
    let mut observed = Observed::default();
    if random.chance(20) {
        let lane = random.pick(&[Some(LANES[0]), Some(LANES[1]), None]).expect("a lane").map(agent);
        let amount = Amount { turns: random.below(3), minutes: 0, tokens: random.below(9000) };
        observed.add(lane, now, amount);
    }
    Seen { sessions, caller, observed }
}

fn decide(state: &State, lane: &str, seen: &Seen, now: Timestamp) -> Decision {
    let (goal, agent) = (goal(), agent(lane));
    first_screen(&inputs(state, &goal, &agent, seen, now))
}

fn inputs<'a>(
    state: &'a State,
    goal: &'a loopx_contract::GoalId,
    agent: &'a loopx_contract::AgentId,
    seen: &'a Seen,
    now: Timestamp,
) -> Inputs<'a> {
    Inputs {
        goal,
        agent,
        known: Known::State(state),
        sessions: &seen.sessions,
        sight: Sight::Observed,
        observed: &seen.observed,
        caller: seen.caller.as_ref(),
        record: None,
        now,
    }
}

fn bytes(decision: &Decision) -> String {
    serde_json::to_string(&decision.projection).expect("JSON")
}

/// Whether the lane has an executable todo, sessions and limits left aside.
fn has_executable(state: &State, lane: &str, now: Timestamp) -> bool {
    let mut state = state.clone();
    if let Some(goal) = &mut state.goal {
        goal.quota = Quota::default();
        goal.state = loopx_core::goal::GoalState::Active;
    }
    if let Some(agent) = state.agents.get_mut(&agent(lane)) {
        agent.quota = Quota::default();
        agent.state = loopx_core::agent::AgentState::Active;
    }
    decide(&state, lane, &Seen::default(), now).row == Row::Ready
}

fn is_human(lane: &str) -> bool {
    lane == LANES[2]
}

fn limit_is_used_up(state: &State, lane: &str, seen: &Seen, now: Timestamp) -> bool {
    let own = agent(lane);
    let used_up = |quota: &Quota, agent| {
        Spending::of(&state.ledger, &seen.observed, agent).used_up(quota, now).is_some()
    };
    let of_goal = state.goal.as_ref().is_some_and(|goal| used_up(&goal.quota, None));
    let of_lane = state.agents.get(&own).is_some_and(|agent| used_up(&agent.quota, Some(&own)));
    of_goal || of_lane
}

/// What `waiting_on`, `quota_state` and exit may be in a row.
fn fits_the_table(row: Row, waiting_on: WaitingOn, quota: QuotaState, exit: u8) -> bool {
    use QuotaState as Q;
    use WaitingOn as W;
    match row {
        Row::Integrity | Row::Paused | Row::Rejected | Row::Unfit | Row::Stuck => {
            (waiting_on, quota, exit) == (W::Controller, Q::Blocked, 11)
        }
        Row::UnknownLane => (waiting_on, quota, exit) == (W::Controller, Q::Blocked, 3),
        Row::Closed => (waiting_on, quota, exit) == (W::None, Q::Blocked, 15),
        Row::Prompt => (waiting_on, quota, exit) == (W::User, Q::OperatorGate, 10),
        Row::Held => {
            quota == Q::OperatorGate && matches!((waiting_on, exit), (W::User, 10) | (W::Controller, 11))
        }
        Row::Working => {
            waiting_on == W::Agent
                && matches!((quota, exit), (Q::Throttled, 14) | (Q::Eligible | Q::MonitorQuietSkip, 16))
        }
        Row::Unsure | Row::Failed => (waiting_on, quota, exit) == (W::Runtime, Q::Blocked, 12),
        Row::Deferred => (waiting_on, quota, exit) == (W::ExternalEvidence, Q::OperatorGate, 13),
        Row::Limited => (waiting_on, quota, exit) == (W::Runtime, Q::Throttled, 14),
        Row::Throttled => {
            matches!(waiting_on, W::None | W::Controller) && (quota, exit) == (Q::Throttled, 14)
        }
        Row::Ready => (waiting_on, quota, exit) == (W::Agent, Q::Eligible, 0),
        Row::Peers => (waiting_on, quota, exit) == (W::Agent, Q::MonitorQuietSkip, 15),
        Row::Evidence => (waiting_on, quota, exit) == (W::ExternalEvidence, Q::MonitorQuietSkip, 13),
        Row::Succession => {
            waiting_on == W::Agent && matches!((quota, exit), (Q::MonitorQuietSkip, 15) | (Q::Throttled, 14))
        }
        Row::Asked => (waiting_on, quota, exit) == (W::User, Q::MonitorQuietSkip, 10),
        Row::Quiet => (waiting_on, quota, exit) == (W::None, Q::MonitorQuietSkip, 15),
    }
}

fn always_true(state: &State, lane: &str, seen: &Seen, now: Timestamp) -> Decision {
    let decision = decide(state, lane, seen, now);
    let screen = &decision.projection.first_screen;
    let (row, action) = (decision.row, screen.next_action.as_str());
    let place = || format!("lane {lane}, row {}: {action}", row.name());
    let sessions: &[SessionFacts] = if is_human(lane) { &[] } else { &seen.sessions };
    let own = seen.caller.as_ref().and_then(|caller| caller.session.as_ref());
    let others =
        || sessions.iter().filter(|session| own.is_none_or(|own| *own != Ref::from(session.session_id)));

    assert!(fits_the_table(row, screen.waiting_on, screen.quota_state, decision.exit), "{}", place());
    assert_eq!(decision.exit == 0, row == Row::Ready, "exit 0 means ready: {}", place());
    if screen.first_executable_agent_todo.is_some() {
        assert_eq!(
            (screen.waiting_on, screen.quota_state),
            (WaitingOn::Agent, QuotaState::Eligible),
            "{}",
            place()
        );
        assert_ne!(
            screen.gate_state,
            GateState::Blocked,
            "a blocked gate shows no executable todo: {}",
            place()
        );
    }
    if screen.quota_state == QuotaState::Eligible {
        assert_eq!(screen.waiting_on, WaitingOn::Agent, "{}", place());
        assert!(
            is_human(lane) || !limit_is_used_up(state, lane, seen, now),
            "eligible past a limit: {}",
            place()
        );
    }
    if screen.waiting_on == WaitingOn::User && row != Row::Prompt {
        let todo = screen.open_user_todo.as_ref().unwrap_or_else(|| panic!("no user todo: {}", place()));
        let linked = state.todos.get(todo).and_then(|todo| todo.linked_gate());
        let title = state.todos.get(todo).map(|todo| todo.title.to_string()).unwrap_or_default();
        let named = action.contains(todo.as_str())
            || linked.is_some_and(|gate| action.contains(gate.as_str()))
            || (row == Row::Asked && action.starts_with(&title));
        assert!(named, "the action names another thing than {todo}: {}", place());
    }
    let prompts = |session: &&SessionFacts| {
        matches!(session.state, SessionState::WaitingPermission | SessionState::WaitingAnswer)
            && is_current(session, now)
    };
    if row >= Row::Prompt {
        if others().any(|session| prompts(&session)) {
            assert_eq!(screen.waiting_on, WaitingOn::User, "a prompt is up: {}", place());
        }
        let asked = state.gates.values().any(|gate| {
            gate.actor == GateActor::User
                && gate.standing(now) == GateStanding::Requested
                && (gate.covers.goal || gate.covers.agents.contains(&agent(lane)))
        });
        if asked && !has_executable(state, lane, now) {
            assert_eq!(screen.waiting_on, WaitingOn::User, "a user's decision holds all: {}", place());
        }
    }
    if !matches!(row, Row::Failed | Row::Limited) {
        let living = Seen {
            sessions: seen
                .sessions
                .iter()
                .filter(|session| session.liveness != Liveness::Dead)
                .cloned()
                .collect(),
            ..seen.clone()
        };
        let without = decide(state, lane, &living, now);
        // A dead session that is the newest may clear an older one's failure or limit.
        if !matches!(without.row, Row::Failed | Row::Limited) {
            assert_eq!(without.row, row, "a dead session decides: {}", place());
        }
    }
    let kind = if is_human(lane) { Lane::Human } else { Lane::Automation };
    let value = serde_json::to_value(&decision.projection).expect("JSON");
    let report = check(&value, &Options { lane: kind, ..Options::new(TierKind::Local) });
    assert!(report.is_accepted(), "{:?}: {}", report.findings, place());
    decision
}

/// Sets a small limit of the goal or of a lane, and spends as much.
fn use_a_limit_up(world: &mut World, random: &mut Seeded) {
    let agent = random.chance(50).then(|| agent(LANES[0]));
    let turns = Some(random.below(2));
    let quota = Quota { window_minutes: 24 * 60, turns, minutes: None, tokens: None };
    world.authority(AuthorityCommand::QuotaSet { agent: agent.clone(), quota });
    let key = loopx_core::TurnKey::parse(&format!("turn-{}", random.bits())).expect("a key");
    let amount = Amount { turns: 1, ..Amount::default() };
    let spend = LaneCommand::Spend(SpendDraft { agent, key, amount, at: None });
    let _may_be_over_the_limit = world.by(person(), Command::Lane(spend));
}

/// Doing what the screen asks of a user changes the screen.
fn doing_what_is_asked_changes_the_screen(world: &World, lane: &str, seen: &Seen, decision: &Decision) {
    let asked = matches!(decision.row, Row::Held | Row::Asked)
        && decision.projection.first_screen.waiting_on == WaitingOn::User;
    let Some(todo) = decision.projection.first_screen.open_user_todo.as_ref().filter(|_| asked) else {
        return;
    };
    let mut world = world.clone();
    let gate = world.state.todos.get(todo).and_then(|todo| todo.linked_gate()).cloned();
    let command = match gate {
        Some(gate) => AuthorityCommand::GateDecide {
            gate,
            decision: Verdict::Approve { until: None, single_use: false },
        },
        None => AuthorityCommand::TodoFinish(TodoFinish {
            todo: todo.clone(),
            agent: None,
            token: None,
            succession: Succession::NoneNeeded,
            run: None,
            spend: None,
        }),
    };
    world.by(person(), Command::Authority(command)).expect("a person may do what is asked");
    assert_ne!(bytes(&decide(&world.state, lane, seen, world.now)), bytes(decision), "done, and still asked");
}

/// A gate over lane B alone, asked now, and B's own runs change nothing for A.
fn another_lanes_gate_changes_nothing(world: &World, seen: &Seen, decision: &Decision) {
    let mut world = world.clone();
    let ask = GateAsk {
        question: text("is it right only for birch?"),
        actor: GateActor::User,
        covers: Covers { agents: BTreeSet::from([agent(LANES[1])]), ..Covers::default() },
        expires_at: None,
        agent: None,
    };
    if world.by(person(), Command::Lane(LaneCommand::GateAsk(ask))).is_ok() {
        let after = decide(&world.state, LANES[0], seen, world.now);
        assert_eq!(bytes(&after), bytes(decision), "another lane's gate changed this screen");
    }
}

#[test]
fn first_screens_of_random_histories_keep_what_is_always_true() {
    let mut rows: BTreeMap<Row, u64> = BTreeMap::new();
    let mut cases = 0u64;
    for seed in 0..HISTORIES {
        let mut world = World::new(seed);
        let mut random = Seeded::new(seed ^ 0xfeed);
        for step in 0..COMMANDS {
            let request = world.request();
            let _refused_is_fine = world.submit(&request);
            if step % 10 == 5 && random.chance(40) {
                use_a_limit_up(&mut world, &mut random);
            }
            world.wait();
            for lane in LANES {
                let seen = seen(&mut random, world.now);
                let decision = always_true(&world.state, lane, &seen, world.now);
                *rows.entry(decision.row).or_default() += 1;
                cases += 1;
                if step % 8 == 0 {
                    doing_what_is_asked_changes_the_screen(&world, lane, &seen, &decision);
                    if lane == LANES[0] {
                        another_lanes_gate_changes_nothing(&world, &seen, &decision);
                    }
                    facts_of_why_matter(&world, lane, &seen);
                }
            }
        }
        let refolded = world.refolded();
        for lane in LANES {
            let seen = seen(&mut random, world.now);
            let (one, other) =
                (decide(&world.state, lane, &seen, world.now), decide(&refolded, lane, &seen, world.now));
            assert_eq!(bytes(&one), bytes(&other), "the same log gave two screens");
        }
    }
    println!("{cases} cases over {HISTORIES} histories of {COMMANDS} commands");
    for row in Row::ALL {
        println!("{:>3} {:<13} {}", row.number(), row.name(), rows.get(&row).copied().unwrap_or_default());
    }
    assert!(cases >= 10_000);
    for row in Row::ALL.into_iter().filter(|row| !matches!(row, Row::Integrity | Row::UnknownLane)) {
        assert!(rows.contains_key(&row), "no random history reaches {}", row.name());
    }
}

/// `why` keeps a row's facts only where their absence changes the row or its text. A row that rests on something
/// present names it, alone or as one of several that stand in for each other.
fn facts_of_why_matter(world: &World, lane: &str, seen: &Seen) {
    let (goal, agent) = (goal(), agent(lane));
    let why = why(&inputs(&world.state, &goal, &agent, seen, world.now));
    let named = why.facts.len() + why.shared.len();
    assert!(named > 0 || why.decision.row == Row::Quiet, "{} names no fact", why.decision.row.name());
    for fact in &why.facts {
        let (state, sessions) = without(&world.state, &seen.sessions, &agent, fact);
        let other = decide(&state, lane, &Seen { sessions, ..seen.clone() }, world.now);
        let action = |decision: &Decision| decision.projection.first_screen.next_action.clone();
        assert!(
            other.row != why.decision.row || action(&other) != action(&why.decision),
            "{fact:?} is listed but changes nothing in {}",
            why.decision.row.name()
        );
    }
}

#[test]
fn every_human_lane_is_a_persons() {
    let world = World::new(1);
    let human = world.state.agents.get(&agent(LANES[2])).expect("a lane");
    assert_eq!(human.kind, AgentKind::Human);
}
