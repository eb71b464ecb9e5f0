//! One lane as JSON: why its first screen is what it is, and each change of it.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_core::first_screen::{Fact, Why};
use schemars::JsonSchema;
use serde::Serialize;

use super::LaneDocument;
use crate::app::follow::{Change, Listing, Revision};

const WHY: &str = "loopx_why_v0";
const FOLLOW: &str = "loopx_follow_v0";

/// Why a lane's first screen is what it is, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct WhyDocument<'a> {
    #[schemars(extend("const" = WHY))]
    schema_version: &'static str,
    /// When the row that decided holds.
    holds_when: &'static str,
    /// Without any one of these it would be another row or another text.
    facts: &'a [Fact],
    /// Facts that hold as well; another stands in for each.
    shared: &'a [Fact],
    /// The rows before it, none of which holds.
    passed: Vec<&'static str>,
    #[serde(flatten)]
    lane: LaneDocument<'a>,
}

impl<'a> WhyDocument<'a> {
    /// The document of a decision with its reasons.
    pub fn of(why: &'a Why) -> Self {
        Self {
            schema_version: WHY,
            holds_when: why.decision.row.holds_when(),
            facts: &why.facts,
            shared: &why.shared,
            passed: why.passed.iter().map(|row| row.name()).collect(),
            lane: LaneDocument::of(&why.decision),
        }
    }
}

/// A lane whose first screen is another one than was said, as a line of JSON.
#[derive(Serialize, JsonSchema)]
pub struct FollowLine<'a> {
    #[schemars(extend("const" = FOLLOW))]
    schema_version: &'static str,
    /// What has been said, this line included: `--after` goes on here.
    revision: &'a Revision,
    /// When it was looked, UTC.
    #[schemars(with = "String", extend("format" = "date-time"))]
    at: Timestamp,
    goal_id: &'a GoalId,
    agent_id: &'a AgentId,
    /// `dropped` on the last line of a lane that `status` does not list any more.
    listing: Listing,
    /// Prompts in sessions of the goal that belong to no lane.
    unbound_prompts: usize,
    #[serde(flatten)]
    lane: LaneDocument<'a>,
}

impl<'a> FollowLine<'a> {
    /// The line of a change.
    pub fn of(change: &'a Change) -> Self {
        let projection = &change.decision.projection;
        Self {
            schema_version: FOLLOW,
            revision: &change.revision,
            at: change.at,
            goal_id: &projection.goal_id,
            agent_id: &projection.agent_id,
            listing: change.listing,
            unbound_prompts: change.unbound_prompts,
            lane: LaneDocument::of(&change.decision),
        }
    }
}
