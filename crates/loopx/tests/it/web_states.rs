//! The command line, the page's API and the board of `top` say the same of any state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use loopx::app::board::Board;
use loopx::app::documents::StatusDocument;
use loopx::app::overview::{Held, World as Shown};
use loopx::app::placing::{Bindings, Clues};
use loopx::app::plane::{Seen, Sweep};
use loopx_contract::{
    EvidenceTier, LineCounts, Liveness, MissingFact, Rule, RuntimeId, SessionFacts, SessionFactsVersion,
    SessionState, Turn,
};
use loopx_core::State;
use loopx_core::testing::{LANES, Seeded, World as History, agent, goal};
use loopx_safety::{HandleKind, InstallKey};

use crate::serving::Served;
use crate::world::{World, still};

/// How many states are compared.
const STATES: u64 = 1_000;

fn key() -> InstallKey {
    InstallKey::from_bytes([3; 32], "test")
}

fn session(random: &mut Seeded, now: Timestamp, name: u64) -> (SessionFacts, Clues) {
    let states = [
        SessionState::Running,
        SessionState::WaitingPermission,
        SessionState::WaitingAnswer,
        SessionState::Idle,
        SessionState::Interrupted,
        SessionState::Errored,
        SessionState::RateLimited,
        SessionState::Ended,
        SessionState::Unknown,
    ];
    let state = random.pick(&states).expect("a state");
    let at = now - SignedDuration::from_mins(random.pick(&[1, 10, 16, 120, 1_500]).expect("an age"));
    let facts = SessionFacts {
        schema_version: SessionFactsVersion::V0,
        runtime_id: RuntimeId::parse("codex_exec").expect("a runtime"),
        session_id: key().handle(HandleKind::Session, "codex", &name.to_string()),
        state,
        tier: random
            .pick(&[EvidenceTier::Transcript, EvidenceTier::Hook, EvidenceTier::Lock])
            .expect("a tier"),
        rule: Rule::Works,
        liveness: random.pick(&[Liveness::Alive, Liveness::Dead, Liveness::Unproved]).expect("one"),
        turn: random.pick(&[Turn::Open, Turn::Closed, Turn::Unknown]).expect("one"),
        since: random.chance(80).then_some(at),
        last_activity: random.chance(95).then_some(at),
        started_at: None,
        missing: if random.chance(30) { vec![MissingFact::Liveness] } else { vec![] },
        hints: vec![],
        limits: vec![],
        checks: vec![],
        usage: None,
        children: 0,
        event_id: None,
        outcome_id: None,
        lines: LineCounts::default(),
    };
    let lane = random.pick(&[Some(Some(LANES[0])), Some(Some(LANES[1])), Some(None), None]).expect("a place");
    let lane = lane.map(|lane| (goal(), lane.map(agent)));
    (facts, Clues { cwd: None, lane })
}

/// A state of the log, sessions, and what became of their files.
struct Made {
    state: State,
    now: Timestamp,
    sessions: Vec<(SessionFacts, Clues)>,
    sweep: Sweep,
}

impl Made {
    fn of(seed: u64) -> Self {
        let mut history = History::new(seed);
        for _ in 0..history.random.below(40) {
            let request = history.request();
            let _ = history.submit(&request);
            history.wait();
        }
        let now = history.now;
        let count = history.random.below(6);
        let sessions = (0..count).map(|name| session(&mut history.random, now, name)).collect();
        let swept_at = history.random.chance(50).then_some(now);
        let sweep = Sweep { skipped: vec![], older: history.random.below(3), swept_at };
        Self { state: history.state, now, sessions, sweep }
    }

    fn world(&self) -> Shown {
        let mut goals = BTreeMap::from([(goal(), Held::State(Arc::new(self.state.clone())))]);
        if self.now.as_millisecond() % 3 == 0 {
            let broken = loopx_contract::GoalId::parse("broken").expect("an id");
            goals.insert(broken, Held::Damaged("chain_broken".to_owned()));
        }
        let sessions = Some(self.sessions.clone());
        Shown::new(self.now, goals, &Bindings::default(), sessions, None, None, &key())
    }

    fn seen(&self) -> Seen {
        let (sweep, origins) = (self.sweep.clone(), BTreeMap::new());
        Seen { sessions: vec![], asking: vec![], sweep, origins }
    }
}

#[test]
fn the_command_line_the_api_and_the_board_say_the_same_of_any_state() {
    let (mut rows, mut placed, mut bytes) = (BTreeSet::new(), 0, BTreeSet::new());
    for seed in 0..STATES {
        let made = Made::of(seed);
        // As `loopx status --json` goes.
        let overview = made.world().asked(None, None).expect("decided");
        let said =
            loopx::ui::document(&StatusDocument::of(&overview, Some(&made.sweep))).expect("a document");
        // As what stays goes: the page's API, and `top`.
        let board = Board::of(made.world(), &made.seen(), TimeZone::UTC).expect("decided");
        let told = board.json().expect("a document");
        assert!(said.as_bytes() == &*told, "state {seed}:\n{said}\n{}", String::from_utf8_lossy(&told));
        let document: serde_json::Value = serde_json::from_str(&said).expect("a document");
        let goals = document["goals"].as_array().expect("goals");
        let lanes: BTreeSet<String> = goals
            .iter()
            .flat_map(|goal| goal["lanes"].as_array().expect("lanes"))
            .map(|lane| {
                let screen = &lane["projection"]["first_screen"];
                let words = [
                    &lane["row"],
                    &lane["projection"]["goal_id"],
                    &lane["projection"]["agent_id"],
                    &screen["waiting_on"],
                    &screen["next_action"],
                ];
                words.map(|word| word.as_str().expect("a word")).join(" | ")
            })
            .collect();
        let cards = board.cards();
        let shown: BTreeSet<String> = cards
            .iter()
            .map(|card| {
                let next = &card.decision.projection.first_screen.next_action;
                let (row, whom) = (card.decision.row.name(), card.waiting_on().word());
                format!("{row} | {} | {} | {whom} | {next}", card.goal(), card.agent())
            })
            .collect();
        assert_eq!(shown, lanes, "state {seed}");
        assert!(cards.is_sorted_by_key(|card| card.waiting_on().attention()), "state {seed}");
        rows.extend(cards.iter().map(|card| card.decision.row.name()));
        placed += document["sessions"]
            .as_array()
            .map_or(0, |sessions| sessions.iter().filter(|session| session["agent_id"].is_string()).count());
        bytes.insert(said);
    }
    // They are states of all kinds.
    assert!(rows.len() >= 12 && placed > 500 && bytes.len() > 900, "{rows:?} {placed} {}", bytes.len());
}

#[test]
fn a_server_that_runs_says_what_the_command_line_says_after_each_change() {
    let world = World::new();
    world.run(&["goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none"]).ok();
    for agent in ["ann", "bob"] {
        world.run(&["agent", "add", agent, "--goal", "pilot"]).ok();
    }
    let served = Served::of(&world);
    let cookie = served.cookie();
    let mut random = Seeded::new(7);
    for number in 0..30 {
        let agent = random.pick(&["ann", "bob"]).expect("one");
        let title = format!("step {number}");
        let lines: [&[&str]; 6] = [
            &["todo", "add", &title, "--goal", "pilot"],
            &["gate", "ask", &title, "--goal", "pilot"],
            &["agent", "pause", agent, "--goal", "pilot"],
            &["agent", "resume", agent, "--goal", "pilot"],
            &["next", "--claim", "--goal", "pilot", "--agent", agent],
            &[
                "run",
                "record",
                "--kind",
                "progress",
                "--summary",
                &title,
                "--goal",
                "pilot",
                "--agent",
                agent,
            ],
        ];
        world.run(random.pick(&lines).expect("a line"));
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let said = still(&world.run(&["status", "--json"]).ok().out);
            let told = still(&served.ask("GET", "/api/v0/status", &[("cookie", &cookie)]).body);
            if said == told {
                break;
            }
            assert!(Instant::now() < until, "after change {number}:\n{said}\n{told}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
