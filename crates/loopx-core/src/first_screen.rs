//! The one decision: whom is this lane waiting on, and what is next.
//!
//! Once per (goal, agent, now). The first [`Row`] that holds wins; its name is part of the answer. The same inputs
//! give the same bytes.

mod decision;
mod goal_line;
pub(crate) mod lane;
pub(crate) mod output;
mod row;
mod sessions;
mod text;
mod trace;
mod validation;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Projection, Ref, RunId, RuntimeId, SessionFacts, TodoId};

pub use goal_line::{GoalLine, goal_line};
pub use output::STOP_CONDITION;
pub use row::Row;
pub use sessions::{Failure, is_current};
pub use text::instant;
pub use trace::{Fact, Why, why, without};

use crate::gate::GateActor;
use crate::quota::{Frees, Observed};
use crate::state::State;

/// Everything a decision depends on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The goal asked about.
    pub goal: &'a GoalId,
    /// The lane asked about.
    pub agent: &'a AgentId,
    /// What the log gives.
    pub known: Known<'a>,
    /// The sessions bound to this lane.
    pub sessions: &'a [SessionFacts],
    /// Whether sessions could be looked at for this instant.
    pub sight: Sight,
    /// What the goal's sessions were observed to spend, as far back as its limits count.
    pub observed: &'a Observed,
    /// The session the question comes from, if it comes from inside one.
    pub caller: Option<&'a Caller>,
    /// The projection run being written, with `--record`.
    pub record: Option<&'a RunId>,
    /// The instant asked about, UTC.
    pub now: Timestamp,
}

/// What the log gives for a goal.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    /// It can't be read.
    Damaged {
        /// The damage, as `doctor` names it.
        code: &'a str,
    },
    /// There is no such goal.
    Missing,
    /// Its state.
    State(&'a State),
}

/// Whether sessions could be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// They were.
    Observed,
    /// Nothing is recorded of them for that instant.
    Unrecorded,
}

/// A session that a question comes from: it is plainly running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its runtime family.
    pub runtime: RuntimeId,
    /// Our handle of it, where it is known.
    pub session: Option<Ref>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The row that decided.
    pub row: Row,
    /// The contract's projection.
    pub projection: Projection,
    /// The exit code of `next`.
    pub exit: u8,
    /// The facts that the row and its text name.
    pub cites: Vec<Fact>,
    /// What would be needed to say more.
    pub lacking: Vec<&'static str>,
    /// When a limit that holds turns back frees, as far as that is known.
    pub frees: Option<Frees>,
}

/// Decides.
pub fn first_screen(inputs: &Inputs<'_>) -> Decision {
    decision::decide(inputs)
}

/// The todos that stand for what a person owes a lane that has nothing to take: those of gates and the person's own, in
/// the order in which its first screen names them. They are owed whether or not a session shows a prompt meanwhile.
pub fn owed(decision: &Decision, state: &State, now: Timestamp) -> Vec<TodoId> {
    if decision.row == Row::Held {
        // It names all that holds.
        let todo = |fact: &Fact| match fact {
            Fact::Gate(id) => state.gates.get(id).and_then(|gate| gate.linked_todo.clone()),
            Fact::Todo(id) => Some(id.clone()),
            Fact::Damage
            | Fact::Unregistered
            | Fact::GoalState
            | Fact::AgentState
            | Fact::Session(_)
            | Fact::Claim(_)
            | Fact::Offer(_)
            | Fact::Limit
            | Fact::LastFinished(_) => None,
        };
        return decision.cites.iter().filter_map(todo).collect();
    }
    let projection = &decision.projection;
    let (Some(goal), Some(agent)) = (&state.goal, state.agents.get(&projection.agent_id)) else {
        return Vec::new();
    };
    let lane = || lane::Lane::new(state, goal, agent, now);
    let Some(lane) = (decision.row == Row::Prompt).then(lane).filter(|lane| lane.executable.is_none()) else {
        return Vec::new();
    };
    let asks = lane.asks.iter().filter(|ask| ask.actor() == GateActor::User);
    asks.filter_map(lane::Ask::todo).cloned().collect()
}
