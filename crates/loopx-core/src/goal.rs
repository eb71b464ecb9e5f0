//! A goal: objective, boundary, authority sources, quota.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Mode, TodoId};
use loopx_safety::PublicText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::ProofFloor;
use crate::authority::AuthorityKey;
use crate::quota::Quota;
use crate::scope::Glob;
use crate::todo::Succession;

/// One goal's head: everything about it that is not a thing of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The slug.
    pub id: GoalId,
    /// What is to be reached.
    pub objective: PublicText,
    /// Whether it is worked on.
    pub state: GoalState,
    /// What may be read and written, and when to stop.
    pub boundary: BoundaryRule,
    /// Who and what the goal may lean on.
    pub authority_sources: Vec<AuthoritySource>,
    /// Limits of the goal as a whole.
    pub quota: Quota,
    /// The least proof an authority command needs.
    pub proof: ProofFloor,
    /// The key that signs its decisions; none: they are not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_key: Option<AuthorityKey>,
    /// Whether the controlled-writeback contract was accepted.
    pub mode: Mode,
    /// When it was added, UTC.
    pub created_at: Timestamp,
    /// The last agent todo that was finished, with what was said of its succession.
    pub last_finished: Option<LastFinished>,
}

/// The last finished agent todo of a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFinished {
    /// Which.
    pub todo: TodoId,
    /// Whose it was.
    pub agent: AgentId,
    /// What comes after it.
    pub succession: Succession,
}

/// Whether a goal is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GoalState {
    /// Worked on.
    Active,
    /// The owner's pause.
    Paused,
    /// Reached.
    Done,
    /// Put away.
    Archived,
}

impl GoalState {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Archived => "archived",
        }
    }
}

/// What the goal allows. Scopes are project-relative globs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundaryRule {
    /// What may be read; none stated means nothing is said of it.
    pub read: Vec<Glob>,
    /// What may be written; none allow no todo that has globs.
    pub write: Vec<Glob>,
    /// How private data is to be treated, where stated.
    pub private_data_rule: Option<PublicText>,
    /// When a lane must stop.
    pub stop_condition: PublicText,
}

/// Something that may decide or inform, by label. Its pointer is private and kept elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthoritySource {
    /// What it is to the goal.
    pub role: AuthorityRole,
    /// Its name.
    pub label: PublicText,
    /// How fresh what we know of it is.
    pub freshness: Freshness,
}

/// What an authority source is to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthorityRole {
    /// Owns the goal.
    Owner,
    /// Says how it is to be built.
    Design,
    /// Says what is allowed.
    Policy,
    /// Says whether it works.
    Validation,
    /// Informs.
    Source,
}

/// How fresh an authority source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// Read lately.
    Fresh,
    /// Read, but changed since or old.
    Stale,
    /// Gone.
    Missing,
    /// Never read.
    Unread,
}
