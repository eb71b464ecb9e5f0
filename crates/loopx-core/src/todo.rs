//! A todo: a thing somebody is to do.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, HandoffId, RunId, TodoId};
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

use crate::agent::Capability;
use crate::scope::Glob;

/// One todo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// Its id.
    pub id: TodoId,
    /// What is to be done.
    pub title: PublicText,
    /// Who is to do it, and what follows from that.
    pub audience: Audience,
    /// P0 is first.
    pub priority: Priority,
    /// Where it stands.
    pub state: TodoState,
    /// Work, or a thing to look at again.
    pub class: TodoClass,
    /// What it touches; none needs no scope.
    pub globs: Vec<Glob>,
    /// What a lane must be able to do.
    pub needs: BTreeSet<Capability>,
    /// What must be out of the way first.
    pub blocked_by: BTreeSet<Blocker>,
    /// The claim, if one was made; it counts until its lease ends.
    pub claim: Option<Claim>,
    /// Claims made so far: the fencing counter of the next one.
    pub epoch: u64,
    /// The handoff that is offered over it.
    pub offered: Option<HandoffId>,
    /// Who added it, if a lane did.
    pub added_by: Option<AgentId>,
    /// When it was added, UTC.
    pub created_at: Timestamp,
    /// When it was finished or dropped, UTC.
    pub closed_at: Option<Timestamp>,
}

/// Who is to do a todo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// A lane.
    Agent,
    /// A person.
    User {
        /// What waits for it.
        covers: Covers,
        /// Whether it holds what it covers.
        blocking: Blocking,
        /// The gate whose question this is. It is open exactly while that gate counts as requested.
        gate: Option<GateId>,
    },
}

/// Whether a user todo holds what it covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocking {
    /// It holds.
    Blocking,
    /// It does not.
    #[default]
    NonBlocking,
}

/// What a gate or user todo is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covers {
    /// The whole goal.
    pub goal: bool,
    /// These lanes.
    pub agents: BTreeSet<AgentId>,
    /// These todos.
    pub todos: BTreeSet<TodoId>,
}

impl Covers {
    /// The whole goal.
    pub fn goal() -> Self {
        Self { goal: true, ..Self::default() }
    }
}

/// P0 is first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Priority {
    /// First.
    P0,
    /// Before most.
    P1,
    /// The usual.
    #[default]
    P2,
    /// Some day.
    P3,
}

/// Where a todo stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// To be done.
    Open,
    /// Put off; open again at the instant, if one is given.
    Deferred {
        /// When it is open again, UTC.
        until: Option<Timestamp>,
    },
    /// Finished.
    Done {
        /// What comes after it.
        succession: Succession,
    },
    /// Not to be done.
    Dropped,
}

/// What comes after a finished agent todo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Succession {
    /// Nothing was said.
    #[default]
    Unsaid,
    /// None is needed.
    NoneNeeded,
    /// These.
    Named(BTreeSet<TodoId>),
}

/// Work, or a thing to look at again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoClass {
    /// Work.
    #[default]
    Advance,
    /// A thing to look at again.
    Monitor {
        /// When next, UTC.
        next_due_at: Timestamp,
    },
}

/// What stands in a todo's way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocker {
    /// Another todo.
    Todo(TodoId),
    /// A gate.
    Gate(GateId),
    /// External evidence, by label, until it is taken out again.
    Evidence(PublicText),
    /// External evidence that a `blocker` run reported, until that run is resolved.
    Run(RunId),
}

/// A lane's hold on a todo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Whose.
    pub agent: AgentId,
    /// When the lease ends, UTC.
    pub until: Timestamp,
    /// The fencing counter; finishing and releasing name it.
    pub epoch: u64,
}

impl Todo {
    /// Whether this is an agent's to do.
    pub const fn is_agents(&self) -> bool {
        matches!(self.audience, Audience::Agent)
    }

    /// The claim, if its lease runs at `now`.
    pub fn live_claim(&self, now: Timestamp) -> Option<&Claim> {
        self.claim.as_ref().filter(|claim| claim.until > now)
    }

    /// Whether it is to be done at `now`, the linked gate left aside.
    pub fn is_open(&self, now: Timestamp) -> bool {
        match &self.state {
            TodoState::Open => true,
            TodoState::Deferred { until } => until.is_some_and(|until| until <= now),
            TodoState::Done { .. } | TodoState::Dropped => false,
        }
    }

    /// Whether it is finished or dropped.
    pub const fn is_closed(&self) -> bool {
        matches!(self.state, TodoState::Done { .. } | TodoState::Dropped)
    }

    /// The gate whose question this is.
    pub const fn linked_gate(&self) -> Option<&GateId> {
        match &self.audience {
            Audience::Agent => None,
            Audience::User { gate, .. } => gate.as_ref(),
        }
    }
}
