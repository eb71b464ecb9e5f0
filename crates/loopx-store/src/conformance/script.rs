//! Short words for requests, for tests and benches.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Suffix, TodoId};
use loopx_core::agent::AgentKind;
use loopx_core::command::{AgentAdd, AudienceDraft, GoalAdd, TodoAdd, TodoFinish};
use loopx_core::todo::{Priority, Succession, TodoClass};
use loopx_core::{
    Actor, AuthorityCommand, Channel, Command, IdSource, IdempotencyKey, LaneCommand, Proof, ProofFloor,
    Request, Subject, Who,
};
use loopx_safety::PublicText;

use crate::error::StoreError;
use crate::store::{Receipt, Store};

/// Ids that count up, after a number that keeps the ids of two processes apart.
#[derive(Debug, Default)]
pub struct Ids {
    next: u64,
    apart: u64,
}

impl Ids {
    /// Ids of one of several processes.
    pub fn apart(apart: u64) -> Self {
        Self { next: 0, apart }
    }
}

impl IdSource for Ids {
    fn suffix(&mut self) -> Suffix {
        self.next += 1;
        Suffix::from_uuid(uuid::Uuid::from_u128(u128::from(self.next) << 80 | u128::from(self.apart) << 42))
    }
}

/// A goal id.
pub fn goal(id: &str) -> GoalId {
    GoalId::parse(id).unwrap()
}

/// A lane.
pub fn agent(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

/// A text.
pub fn text(text: &str) -> PublicText {
    PublicText::new(text).unwrap()
}

/// So many seconds after some day.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + second).unwrap()
}

/// A person at a terminal.
pub fn person() -> Actor {
    Actor { who: Who::Person, channel: Channel::Cli, proof: Proof::Terminal }
}

/// A lane through MCP.
pub fn lane(id: &str) -> Actor {
    Actor { who: Who::Lane(agent(id)), channel: Channel::Mcp, proof: Proof::Lane }
}

/// A request of a person.
pub fn authority(goal_id: &str, command: AuthorityCommand) -> Request {
    Request { goal: goal(goal_id), actor: person(), key: None, command: Command::Authority(command) }
}

/// A request of a lane.
pub fn by_lane(goal_id: &str, id: &str, command: LaneCommand) -> Request {
    Request { goal: goal(goal_id), actor: lane(id), key: None, command: Command::Lane(command) }
}

/// The same under an idempotency key.
#[must_use]
pub fn keyed(request: Request, key: &str) -> Request {
    Request { key: Some(IdempotencyKey::parse(key).unwrap_or_else(|error| panic!("{error}"))), ..request }
}

/// Adds a goal.
pub fn goal_add(id: &str, proof: ProofFloor) -> Request {
    authority(
        id,
        AuthorityCommand::GoalAdd(GoalAdd {
            lock: None,
            objective: text("reach the end"),
            proof,
            read: Vec::new(),
            write: Vec::new(),
            private_data_rule: None,
            stop_condition: None,
            agents: Vec::new(),
            bind: Vec::new(),
        }),
    )
}

/// Registers a lane.
pub fn agent_add(goal_id: &str, id: &str) -> Request {
    let (agent, kind) = (agent(id), AgentKind::Automation);
    let add = AgentAdd { agent, kind, runtime: None, capabilities: BTreeSet::new() };
    authority(goal_id, AuthorityCommand::AgentAdd(add))
}

/// Adds an agent todo.
pub fn todo_add(goal_id: &str, id: &str, title: &str) -> Request {
    let add = TodoAdd {
        title: text(title),
        audience: AudienceDraft::Agent,
        priority: Priority::P2,
        class: TodoClass::Advance,
        globs: Vec::new(),
        needs: BTreeSet::new(),
        blocked_by: BTreeSet::new(),
    };
    by_lane(goal_id, id, LaneCommand::TodoAdd(add))
}

/// Claims a todo for an hour.
pub fn claim(goal_id: &str, id: &str, todo: &TodoId) -> Request {
    let (todo, agent) = (todo.clone(), agent(id));
    by_lane(goal_id, id, LaneCommand::TodoClaim { todo, agent, lease_minutes: 60 })
}

/// Finishes a claimed todo.
pub fn finish(goal_id: &str, id: &str, todo: &TodoId) -> Request {
    let (todo, agent) = (todo.clone(), Some(agent(id)));
    let succession = Succession::NoneNeeded;
    by_lane(
        goal_id,
        id,
        LaneCommand::TodoFinish(TodoFinish { todo, agent, token: None, succession, run: None, spend: None }),
    )
}

/// A store and the ids of its commands.
pub struct Script<'a> {
    /// The store.
    pub store: &'a mut dyn Store,
    /// Where ids come from.
    pub ids: Ids,
    /// The second at which the next command comes; each one is a second later.
    pub second: i64,
}

impl<'a> Script<'a> {
    /// A script from second 0 on.
    pub fn new(store: &'a mut dyn Store) -> Self {
        Self { store, ids: Ids::default(), second: 0 }
    }

    /// Applies a request.
    pub fn apply(&mut self, request: &Request) -> Result<Receipt, StoreError> {
        let now = at(self.second);
        self.second += 1;
        self.store.apply(request, now, &mut self.ids)
    }

    /// Applies a request that is not refused.
    pub fn done(&mut self, request: &Request) -> Receipt {
        self.apply(request).unwrap()
    }

    /// Adds a goal with two lanes, `left` and `right`.
    pub fn goal(&mut self, id: &str) {
        self.done(&goal_add(id, ProofFloor::Terminal));
        self.done(&agent_add(id, "left"));
        self.done(&agent_add(id, "right"));
    }

    /// Adds a todo.
    pub fn todo(&mut self, goal_id: &str, title: &str) -> TodoId {
        let subject = self.done(&todo_add(goal_id, "left", title)).subject;
        let Subject::Todo(todo) = subject else { panic!("{subject:?} is no todo") };
        todo
    }

    /// Adds, claims and finishes a todo.
    pub fn finished(&mut self, goal_id: &str, title: &str) -> TodoId {
        let todo = self.todo(goal_id, title);
        self.done(&claim(goal_id, "left", &todo));
        self.done(&finish(goal_id, "left", &todo));
        todo
    }
}
