//! Which sessions belong to which goal and lane.

use jiff::Timestamp;
use loopx_contract::{AgentId, Ref};
use serde::{Deserialize, Serialize};

/// One explicit binding of a session, or of a project folder, to a goal and perhaps a lane. A folder's path is
/// private and kept elsewhere, under the same handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// What is bound.
    pub target: BindingTarget,
    /// The lane; none: the goal alone.
    pub agent: Option<AgentId>,
    /// When, UTC.
    pub at: Timestamp,
}

/// What is bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingTarget {
    /// A session, by our handle.
    Session(Ref),
    /// A project folder, by our handle of its canonical path.
    Folder(Ref),
}
