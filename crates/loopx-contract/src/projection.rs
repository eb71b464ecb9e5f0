//! The first-screen projection: the contract's minimal JSON shape, field for field and in its order.

use loopx_safety::{ActionText, Local, PublicText, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, GoalId, Ref, RunId, RuntimeId, TodoId};

/// The schema version every projection carries.
pub const PROJECTION_VERSION: &str = "session_runtime_loopx_projection_v0";

/// The one version there is; an unknown one does not deserialize.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ProjectionVersion {
    /// Version 0.
    #[default]
    #[serde(rename = "session_runtime_loopx_projection_v0")]
    V0,
}

/// One goal and lane, as an operator sees it first.
// `T` is the tier its texts were screened for: a local projection is no showcase one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(bound = "T: Tier")]
pub struct Projection<T: Tier = Local> {
    /// Always `session_runtime_loopx_projection_v0`.
    pub schema_version: ProjectionVersion,
    /// The goal being controlled.
    pub goal_id: GoalId,
    /// The lane this screen is written for.
    pub agent_id: AgentId,
    /// The session that decides, or the newest current one, or none.
    pub runtime: RuntimeRef,
    /// LoopX's own join keys.
    pub loopx_refs: LoopxRefs,
    /// The eight fields.
    pub first_screen: FirstScreen<T>,
}

/// Which session of which runtime family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeRef {
    /// The runtime family, or `none`.
    pub runtime_id: RuntimeId,
    /// Our handle of the session; null when none is attached or it was withheld.
    pub session_id: Option<Ref>,
    /// True exactly when an id that exists was withheld as null.
    pub source_ids_redacted: bool,
}

/// The join keys of a handoff. All four are always present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopxRefs {
    /// The run that records this projection, or the lane's latest other run.
    pub run_id: Option<RunId>,
    /// The todo the projection selects or blocks.
    pub todo_id: Option<TodoId>,
    /// A compact pointer to the source event.
    pub event_id: Option<Ref>,
    /// A compact pointer to the outcome.
    pub outcome_id: Option<Ref>,
}

/// The minimum operator view needed to decide whether a loop can continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(bound = "T: Tier")]
pub struct FirstScreen<T: Tier = Local> {
    /// Whom the lane is waiting on.
    pub waiting_on: WaitingOn,
    /// One compact safe action, written for the current actor.
    pub next_action: ActionText<T>,
    /// The first concrete user todo.
    pub open_user_todo: Option<TodoId>,
    /// The first runnable agent todo after quota, scope and capability gates.
    pub first_executable_agent_todo: Option<TodoId>,
    /// The latest compact validation, blocker or missing-evidence summary.
    pub latest_validation: PublicText<T>,
    /// What the gates say.
    pub gate_state: GateState,
    /// Whether an automatic turn may be spent.
    pub quota_state: QuotaState,
    /// What may be read and written, and when to stop.
    pub boundary: Boundary<T>,
}

/// Whom a lane is waiting on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitingOn {
    /// Nobody.
    None,
    /// The person whose decision or deed it is.
    User,
    /// The one who owns the goal's configuration.
    Controller,
    /// An agent: it is working, or may.
    Agent,
    /// The session runtime.
    Runtime,
    /// Something outside: an instant, a condition, a label.
    ExternalEvidence,
}

impl WaitingOn {
    /// The contract's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::User => "user",
            Self::Controller => "controller",
            Self::Agent => "agent",
            Self::Runtime => "runtime",
            Self::ExternalEvidence => "external_evidence",
        }
    }

    /// The order of attention: who needs somebody soonest comes first.
    pub const fn attention(self) -> u8 {
        match self {
            Self::User => 0,
            Self::Controller => 1,
            Self::Runtime => 2,
            Self::Agent => 3,
            Self::ExternalEvidence => 4,
            Self::None => 5,
        }
    }
}

/// What the gates over a lane say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// Nothing holds.
    Clear,
    /// A user todo is among the asks.
    UserTodo,
    /// A requested gate touches the lane.
    OperatorGate,
    /// A rejected gate touches and nothing is executable, or the log is damaged.
    Blocked,
    /// A deferred gate touches the lane.
    Deferred,
    /// A valid approval covers the executable todo.
    Approved,
}

impl GateState {
    /// The contract's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::UserTodo => "user_todo",
            Self::OperatorGate => "operator_gate",
            Self::Blocked => "blocked",
            Self::Deferred => "deferred",
            Self::Approved => "approved",
        }
    }
}

/// Whether the lane may spend an automatic turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaState {
    /// It may.
    Eligible,
    /// A limit is used up.
    Throttled,
    /// Nothing to spend a turn on.
    MonitorQuietSkip,
    /// A decision is owed first.
    OperatorGate,
    /// It may not.
    Blocked,
}

impl QuotaState {
    /// The contract's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Eligible => "eligible",
            Self::Throttled => "throttled",
            Self::MonitorQuietSkip => "monitor_quiet_skip",
            Self::OperatorGate => "operator_gate",
            Self::Blocked => "blocked",
        }
    }
}

/// How the projection may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Look, never write.
    #[default]
    ReadOnlyProjection,
    /// A separate writeback contract was accepted.
    ControlledWriteback,
}

/// Read and write scope, private-data rule and stop condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(bound = "T: Tier")]
pub struct Boundary<T: Tier = Local> {
    /// How the projection may be used.
    pub mode: Mode,
    /// Whether screening found raw transcript material in what goes out.
    pub raw_transcripts_copied: bool,
    /// Whether screening found a credential in what goes out.
    pub credentials_copied: bool,
    /// Whether screening found a private path in what goes out.
    pub private_paths_copied: bool,
    /// When the lane must stop.
    pub stop_condition: PublicText<T>,
    /// Globs the goal allows to read, where it states them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_scope: Option<Vec<PublicText<T>>>,
    /// Globs the goal allows to write, where it states them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_scope: Option<Vec<PublicText<T>>>,
    /// The goal's private-data rule, where it states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_data_rule: Option<PublicText<T>>,
}
