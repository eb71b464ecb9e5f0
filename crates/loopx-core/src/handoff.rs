//! A handoff of one todo between lanes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{AgentId, HandoffId, RunId, TodoId};
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

/// One handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its id.
    pub id: HandoffId,
    /// The giver.
    pub from: AgentId,
    /// The receiver; none: whoever takes it, the giver excepted.
    pub to: Option<AgentId>,
    /// What is handed over.
    pub todo: TodoId,
    /// What the receiver should do next.
    pub next_action: PublicText,
    /// When the receiver must stop.
    pub stop_condition: Option<PublicText>,
    /// Runs that show where it stands.
    pub evidence: BTreeSet<RunId>,
    /// Where it stands.
    pub state: HandoffState,
    /// When an offer runs out, UTC.
    pub expires_at: Option<Timestamp>,
    /// Who accepted it.
    pub accepted_by: Option<AgentId>,
    /// When it was offered, UTC.
    pub created_at: Timestamp,
}

/// Where a handoff stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffState {
    /// Offered; it is expired once `expires_at` has passed.
    Offered,
    /// Taken.
    Accepted,
    /// The receiver said how it went on.
    FollowedUp,
    /// Not taken.
    Declined,
    /// Taken back by the giver, or fallen away with its todo.
    Withdrawn,
    /// It ran out, and its todo has moved on since.
    Expired,
}

impl Handoff {
    /// Whether the offer stands at `now`.
    pub fn is_offered(&self, now: Timestamp) -> bool {
        matches!(self.state, HandoffState::Offered) && self.expires_at.is_none_or(|at| at > now)
    }

    /// Whether a standing offer is for `agent`.
    pub fn is_for(&self, agent: &AgentId) -> bool {
        match &self.to {
            Some(to) => to == agent,
            None => &self.from != agent,
        }
    }
}
