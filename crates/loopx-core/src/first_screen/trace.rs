//! The trace behind `why`: the facts that decided, each checked by deciding again without it.

use loopx_contract::{AgentId, GateId, HandoffId, Ref, SessionFacts, TodoId};
use serde::Serialize;

use crate::agent::AgentState;
use crate::first_screen::{Decision, Inputs, Known, Row, first_screen};
use crate::gate::GateDecision;
use crate::goal::GoalState;
use crate::handoff::HandoffState;
use crate::quota::Quota;
use crate::state::State;
use crate::todo::TodoState;

/// One fact that a row or its text rests on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Fact {
    /// The log is damaged.
    Damage,
    /// Goal or lane is not registered.
    Unregistered,
    /// The goal is not active.
    GoalState,
    /// The lane is paused.
    AgentState,
    /// A session's state.
    Session(Ref),
    /// A gate.
    Gate(GateId),
    /// A todo.
    Todo(TodoId),
    /// A claim on a todo.
    Claim(TodoId),
    /// An offered handoff.
    Offer(HandoffId),
    /// A limit that is used up.
    Limit,
    /// A finished todo without a word on what follows.
    LastFinished(TodoId),
}

/// A decision with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The decision.
    pub decision: Decision,
    /// The facts without which it would be another row or another text.
    pub facts: Vec<Fact>,
    /// Facts that hold as well but of which none decides alone: another stands in for each.
    pub shared: Vec<Fact>,
    /// The rows before it, none of which holds.
    pub passed: Vec<Row>,
}

/// Decides, and keeps of the cited facts those whose absence changes the row or its text.
pub fn why(inputs: &Inputs<'_>) -> Why {
    let decision = first_screen(inputs);
    let mut cites = decision.cites.clone();
    cites.sort();
    cites.dedup();
    let (facts, shared) = cites.into_iter().partition(|fact| matters(inputs, &decision, fact));
    let passed = Row::ALL.into_iter().filter(|row| *row < decision.row).collect();
    Why { decision, facts, shared, passed }
}

fn matters(inputs: &Inputs<'_>, decision: &Decision, fact: &Fact) -> bool {
    let Known::State(state) = inputs.known else { return true };
    if matches!(fact, Fact::Damage | Fact::Unregistered) {
        return true;
    }
    let (state, sessions) = without(state, inputs.sessions, inputs.agent, fact);
    let other = first_screen(&Inputs { known: Known::State(&state), sessions: &sessions, ..*inputs });
    other.row != decision.row
        || other.projection.first_screen.next_action != decision.projection.first_screen.next_action
}

/// The same world without one fact, as a lane sees it.
pub fn without(
    state: &State,
    sessions: &[SessionFacts],
    lane: &AgentId,
    fact: &Fact,
) -> (State, Vec<SessionFacts>) {
    let mut state = state.clone();
    let mut sessions = sessions.to_vec();
    match fact {
        Fact::Damage | Fact::Unregistered => {}
        Fact::GoalState => {
            if let Some(goal) = &mut state.goal {
                goal.state = GoalState::Active;
            }
        }
        Fact::AgentState => {
            if let Some(agent) = state.agents.get_mut(lane) {
                agent.state = AgentState::Active;
            }
        }
        Fact::Session(id) => sessions.retain(|session| session.session_id.to_string() != id.as_str()),
        Fact::Gate(id) => {
            if let Some(gate) = state.gates.get_mut(id) {
                gate.state = GateDecision::Withdrawn;
            }
        }
        Fact::Todo(id) => {
            if let Some(todo) = state.todos.get_mut(id) {
                todo.state = TodoState::Dropped;
                todo.claim = None;
            }
        }
        Fact::Claim(id) => {
            if let Some(todo) = state.todos.get_mut(id) {
                todo.claim = None;
            }
        }
        Fact::Offer(id) => {
            if let Some(handoff) = state.handoffs.get_mut(id) {
                handoff.state = HandoffState::Withdrawn;
            }
        }
        Fact::Limit => {
            if let Some(goal) = &mut state.goal {
                goal.quota = Quota::default();
            }
            if let Some(agent) = state.agents.get_mut(lane) {
                agent.quota = Quota::default();
            }
        }
        Fact::LastFinished(_) => {
            if let Some(goal) = &mut state.goal {
                goal.last_finished = None;
            }
        }
    }
    (state, sessions)
}
