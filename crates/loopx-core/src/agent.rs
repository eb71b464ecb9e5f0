//! An agent: a lane. Registration gives identity, not rank.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{AgentId, RunId, RuntimeId};
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

use crate::quota::Quota;
use crate::run::Run;

/// What a todo may need and a lane may have; screened like text.
pub type Capability = PublicText;

/// One registered lane and the little of its history that the first screen needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The slug.
    pub id: AgentId,
    /// Automation or human.
    pub kind: AgentKind,
    /// The runtime it works in, where it is bound to one.
    pub runtime: Option<RuntimeId>,
    /// What it can do.
    pub capabilities: BTreeSet<Capability>,
    /// Whether its owner paused it.
    pub state: AgentState,
    /// Limits of this lane alone.
    pub quota: Quota,
    /// When it was registered, UTC.
    pub created_at: Timestamp,
    /// Its latest run that is not a projection.
    pub latest_run: Option<Run>,
    /// Its newest run with a validation per label, where an unknown outcome never replaces a failed one; and its
    /// blocker runs until they are resolved.
    pub validations: Vec<Run>,
    /// Its latest projection run.
    pub latest_projection: Option<RunId>,
}

/// What a lane is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// A program.
    #[default]
    Automation,
    /// A person.
    Human,
}

/// Whether a lane may be given work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It may.
    #[default]
    Active,
    /// Its owner paused it.
    Paused,
}
