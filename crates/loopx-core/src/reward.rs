//! A reward: a person's judgement of one run. Grants nothing, scores no model.

use jiff::Timestamp;
use loopx_contract::{RewardId, RunId, TodoId};
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

/// One reward.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reward {
    /// Its id.
    pub id: RewardId,
    /// The run that is judged.
    pub run: RunId,
    /// The judgement.
    pub judgement: Judgement,
    /// Why, where said.
    pub reason: Option<PublicText>,
    /// The todo that a lesson became.
    pub lesson: Option<TodoId>,
    /// When, UTC.
    pub at: Timestamp,
}

/// A judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Good.
    Good,
    /// Some of both.
    Mixed,
    /// Bad.
    Bad,
}
