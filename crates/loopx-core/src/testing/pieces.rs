//! The parts of random requests.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GateId, HandoffId, RunId, TodoId};
use loopx_safety::PublicText;

use super::{LANES, World, agent, glob, text};
use crate::agent::Capability;
use crate::command::{AudienceDraft, RunDraft, SpendDraft, TodoAdd, TodoEdit, TodoFinish};
use crate::first_screen::lane::Lane;
use crate::gate::{Gate, GateDecision};
use crate::handoff::Handoff;
use crate::key::TurnKey;
use crate::quota::Amount;
use crate::run::{RunKind, Validation, ValidationOutcome};
use crate::scope::Glob;
use crate::todo::{Blocker, Blocking, Covers, Priority, Succession, Todo, TodoClass};

impl World {
    pub(super) fn one<T: Clone>(&mut self, among: &[T]) -> T {
        self.random.pick(among).expect("something to pick")
    }

    pub(super) fn lane(&mut self) -> AgentId {
        agent(self.one(&LANES))
    }

    pub(super) fn maybe<T>(&mut self, percent: u64, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.random.chance(percent).then(|| make(self))
    }

    pub(super) fn words(&mut self) -> PublicText {
        let deed = self.one(&["prune", "graft", "water", "pick", "mend"]);
        let object = self.one(&["the trees", "a branch", "the roots", "the fruit", "the fence"]);
        text(&format!("{deed} {object}"))
    }

    pub(super) fn can(&mut self) -> BTreeSet<Capability> {
        let can = self.one(&["prune", "graft"]);
        self.maybe(25, |_| text(can)).into_iter().collect()
    }

    pub(super) fn globs(&mut self) -> Vec<Glob> {
        let at = self.one(&["src/**", "src/core/**", "docs/**"]);
        self.maybe(25, |_| glob(at)).into_iter().collect()
    }

    pub(super) fn todo_id(&mut self) -> TodoId {
        let known: Vec<TodoId> = self.state.todos.iter().map(|(id, _)| id.clone()).collect();
        let unknown = TodoId::parse("todo_nowhere").expect("an id");
        if self.random.chance(3) { unknown } else { self.random.pick(&known).unwrap_or(unknown) }
    }

    /// A todo that the lane holds, if it holds one.
    pub(super) fn own_todo(&mut self, lane: &AgentId) -> TodoId {
        let own = |todo: &&Todo| todo.live_claim(self.now).is_some_and(|claim| claim.agent == *lane);
        let own: Vec<TodoId> = self.state.todos.values().filter(own).map(|todo| todo.id.clone()).collect();
        self.random.pick(&own).unwrap_or_else(|| self.todo_id())
    }

    /// A todo that the lane might take, mostly the one its screen shows.
    pub(super) fn free_todo(&mut self, lane: &AgentId) -> TodoId {
        let free =
            |todo: &&Todo| todo.is_agents() && todo.is_open(self.now) && todo.live_claim(self.now).is_none();
        let free: Vec<TodoId> = self.state.todos.values().filter(free).map(|todo| todo.id.clone()).collect();
        if let (Some(goal), Some(agent)) = (&self.state.goal, self.state.agents.get(lane))
            && let Some(shown) = Lane::new(&self.state, goal, agent, self.now).executable
            && self.random.chance(50)
        {
            return shown.id.clone();
        }
        self.random.pick(&free).unwrap_or_else(|| self.todo_id())
    }

    /// A deferred gate, if there is one.
    pub(super) fn deferred_gate(&mut self) -> GateId {
        let deferred = |gate: &&Gate| {
            matches!(gate.state, GateDecision::Deferred { condition: Some(_), met: false, .. })
        };
        let known: Vec<GateId> =
            self.state.gates.values().filter(deferred).map(|gate| gate.id.clone()).collect();
        self.random.pick(&known).unwrap_or_else(|| self.gate_id())
    }

    /// A handoff of which `which` holds, if there is one.
    pub(super) fn handoff_that(&mut self, which: impl Fn(&Handoff) -> bool) -> HandoffId {
        let fit: Vec<HandoffId> =
            self.state.handoffs.values().filter(|row| which(row)).map(|row| row.id.clone()).collect();
        self.random.pick(&fit).unwrap_or_else(|| self.handoff_id())
    }

    pub(super) fn gate_id(&mut self) -> GateId {
        let known: Vec<GateId> = self.state.gates.iter().map(|(id, _)| id.clone()).collect();
        let unknown = GateId::parse("gate_nowhere").expect("an id");
        if self.random.chance(3) { unknown } else { self.random.pick(&known).unwrap_or(unknown) }
    }

    pub(super) fn run_id(&mut self) -> RunId {
        let known: Vec<RunId> = self.state.runs.iter().map(|(id, _)| id.clone()).collect();
        let unknown = RunId::parse("run_nowhere").expect("an id");
        if self.random.chance(3) { unknown } else { self.random.pick(&known).unwrap_or(unknown) }
    }

    pub(super) fn handoff_id(&mut self) -> HandoffId {
        let known: Vec<HandoffId> = self.state.handoffs.iter().map(|(id, _)| id.clone()).collect();
        let unknown = HandoffId::parse("hof_nowhere").expect("an id");
        if self.random.chance(3) { unknown } else { self.random.pick(&known).unwrap_or(unknown) }
    }

    pub(super) fn blocker(&mut self) -> Blocker {
        match self.random.below(8) {
            0..=3 => Blocker::Todo(self.todo_id()),
            4 | 5 => Blocker::Gate(self.gate_id()),
            6 => Blocker::Run(self.run_id()),
            _ => Blocker::Evidence(text("the weather")),
        }
    }

    pub(super) fn covered(&mut self) -> Covers {
        let mut covers = Covers::default();
        match self.random.below(12) {
            0 => covers.goal = true,
            1..=3 => covers.agents.extend([self.lane()]),
            4..=10 => covers.todos.extend([self.todo_id()]),
            _ => {}
        }
        covers
    }

    pub(super) fn later(&mut self) -> Timestamp {
        let minutes = self.one(&[-30, 10, 60, 60 * 24]);
        self.now.saturating_add(SignedDuration::from_mins(minutes)).expect("within time")
    }

    pub(super) fn lease(&mut self) -> u32 {
        self.one(&[1, 30, 30, 240, 60 * 24 * 30, 0])
    }

    pub(super) fn token(&mut self, todo: &TodoId) -> Option<u64> {
        let epoch = self.state.todos.get(todo).map_or(0, |todo| todo.epoch);
        self.maybe(50, |world| if world.random.chance(85) { epoch } else { epoch + 1 })
    }

    pub(super) fn class(&mut self) -> TodoClass {
        let next_due_at = self.later();
        if self.random.chance(85) { TodoClass::Advance } else { TodoClass::Monitor { next_due_at } }
    }

    pub(super) fn priority(&mut self) -> Priority {
        self.one(&[Priority::P0, Priority::P1, Priority::P2, Priority::P3])
    }

    pub(super) fn addition(&mut self) -> TodoAdd {
        let (covers, user) = (self.covered(), self.random.chance(20));
        let blocking = self.one(&[Blocking::Blocking, Blocking::NonBlocking]);
        TodoAdd {
            title: self.words(),
            audience: if user { AudienceDraft::User { covers, blocking } } else { AudienceDraft::Agent },
            priority: self.priority(),
            class: self.class(),
            globs: self.globs(),
            needs: self.can(),
            blocked_by: self.maybe(20, Self::blocker).into_iter().collect(),
        }
    }

    pub(super) fn changes(&mut self) -> TodoEdit {
        TodoEdit {
            todo: self.todo_id(),
            title: self.maybe(30, Self::words),
            priority: self.maybe(50, Self::priority),
            class: self.maybe(30, Self::class),
            globs: self.maybe(20, Self::globs),
            needs: self.maybe(20, Self::can),
            covers: self.maybe(5, Self::covered),
            blocking: self.maybe(5, |_| Blocking::Blocking),
        }
    }

    pub(super) fn run_draft(&mut self, kind: RunKind) -> RunDraft {
        let label = self.one(&["test", "lint"]);
        let outcome =
            self.one(&[ValidationOutcome::Passed, ValidationOutcome::Failed, ValidationOutcome::Unknown]);
        let validates = matches!(kind, RunKind::Validation | RunKind::Progress);
        RunDraft {
            kind,
            session: None,
            validation: validates.then(|| Validation { label: text(label), outcome, exit_code: Some(1) }),
            summary: self.maybe(90, Self::words),
            event_id: None,
            outcome_id: None,
            id: None,
        }
    }

    pub(super) fn spending(&mut self, agent: Option<AgentId>) -> SpendDraft {
        let key = TurnKey::parse(&format!("turn-{}", self.random.below(60))).expect("a key");
        let amount = Amount { turns: self.random.below(2), minutes: self.random.below(30), tokens: 0 };
        SpendDraft { agent, key, amount, at: self.maybe(30, Self::later) }
    }

    pub(super) fn finish(&mut self, agent: Option<AgentId>) -> TodoFinish {
        let todo = match &agent {
            Some(lane) if self.random.chance(80) => self.own_todo(lane),
            Some(_) | None => self.todo_id(),
        };
        let next = Succession::Named([self.todo_id()].into());
        TodoFinish {
            token: self.token(&todo),
            succession: self.one(&[Succession::Unsaid, Succession::NoneNeeded, next]),
            run: self.maybe(30, |world| world.run_draft(RunKind::Progress)),
            spend: self.maybe(30, |world| world.spending(agent.clone())),
            todo,
            agent,
        }
    }
}
