//! All that is set for one goal, as JSON.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Mode};
use loopx_core::gate::GateStanding;
use loopx_core::goal::{AuthorityRole, BoundaryRule, Freshness, GoalState};
use loopx_core::quota::Quota;
use loopx_core::{ProofFloor, State};
use loopx_safety::PublicText;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::{ControlPlane, pointers};
use crate::error::CliError;

const GOAL: &str = "loopx_goal_v0";

/// All that is set for one goal, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct GoalSetDocument {
    #[schemars(extend("const" = GOAL))]
    schema_version: &'static str,
    goal_id: GoalId,
    state: GoalState,
    /// How far its log goes.
    revision: u64,
    objective: PublicText,
    /// The least proof that its decisions need.
    proof: ProofFloor,
    mode: Mode,
    #[schemars(with = "String", extend("format" = "date-time"))]
    created_at: Timestamp,
    boundary: BoundaryRule,
    authority_sources: Vec<SourceDocument>,
    quota: Quota,
    agents: Vec<AgentId>,
    open_todos: usize,
    requested_gates: usize,
    bindings: usize,
}

impl GoalSetDocument {
    /// The document of a goal; none where the state is that of no goal.
    pub fn of(plane: &mut ControlPlane, state: &State, now: Timestamp) -> Result<Option<Self>, CliError> {
        let Some(goal) = &state.goal else { return Ok(None) };
        let mut authority_sources = Vec::new();
        for source in &goal.authority_sources {
            let pointer_kept = pointers::read(plane, &goal.id, source)?.is_some();
            authority_sources.push(SourceDocument::of(source, pointer_kept));
        }
        Ok(Some(Self {
            schema_version: GOAL,
            goal_id: goal.id.clone(),
            state: goal.state,
            revision: state.revision,
            objective: goal.objective.clone(),
            proof: goal.proof,
            mode: goal.mode,
            created_at: goal.created_at,
            boundary: goal.boundary.clone(),
            authority_sources,
            quota: goal.quota,
            agents: agents(state),
            open_todos: open_todos(state, now),
            requested_gates: requested_gates(state, now),
            bindings: state.bindings.len(),
        }))
    }
}

/// Who or what a goal may lean on, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct SourceDocument {
    role: AuthorityRole,
    label: PublicText,
    freshness: Freshness,
    /// Whether a pointer is kept on this machine.
    pointer_kept: bool,
}

impl SourceDocument {
    /// The document of a source.
    pub fn of(source: &loopx_core::goal::AuthoritySource, pointer_kept: bool) -> Self {
        Self { role: source.role, label: source.label.clone(), freshness: source.freshness, pointer_kept }
    }
}

/// How many of its todos are open.
pub fn open_todos(state: &State, now: Timestamp) -> usize {
    state.todos.values().filter(|todo| state.is_open(todo, now)).count()
}

/// How many of its gates are asked for.
pub fn requested_gates(state: &State, now: Timestamp) -> usize {
    state.gates.values().filter(|gate| gate.standing(now) == GateStanding::Requested).count()
}

/// Its lanes.
pub fn agents(state: &State) -> Vec<AgentId> {
    state.agents.iter().map(|(id, _)| id.clone()).collect()
}
