//! Decisions, goals and sessions as JSON: the same documents at every door, and the schemas that say so.

pub mod goal;
mod lane;
mod session;

use std::collections::BTreeMap;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Projection, SessionFacts, WaitingOn};
use loopx_core::Decision;
use loopx_core::first_screen::GoalLine;
use loopx_runtimes::Skipped;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::placing::Place;
use crate::app::plane::Sweep;
use crate::app::{GoalView, Overview, SessionView};

pub use goal::{GoalSetDocument, SourceDocument};
pub use lane::{FollowLine, WhyDocument};
pub use session::{OneSessionDocument, SessionsDocument};

const STATUS: &str = "loopx_status_v0";

/// Whom every goal and session is waiting on, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct StatusDocument<'a> {
    #[schemars(extend("const" = STATUS))]
    schema_version: &'static str,
    /// The instant decided for, UTC.
    #[schemars(with = "String", extend("format" = "date-time"))]
    now: Timestamp,
    goals: Vec<GoalDocument<'a>>,
    sessions: Vec<SessionDocument<'a>>,
    /// Session files that were not looked at because they are old.
    older_sessions: u64,
    /// When all session files were looked for last, UTC; hot ones are looked at every time.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    swept_at: Option<Timestamp>,
    /// What could not be read, counted by kind.
    skipped: Vec<SkippedDocument>,
}

impl<'a> StatusDocument<'a> {
    /// The document of a look; of an instant gone by nothing was swept.
    pub fn of(overview: &'a Overview, sweep: Option<&Sweep>) -> Self {
        Self {
            schema_version: STATUS,
            now: overview.now,
            goals: overview.goals.iter().map(|goal| GoalDocument::of(goal)).collect(),
            sessions: overview.sessions.iter().map(SessionDocument::of).collect(),
            older_sessions: sweep.map_or(0, |sweep| sweep.older),
            swept_at: sweep.and_then(|sweep| sweep.swept_at),
            skipped: SkippedDocument::all(sweep.map(|sweep| sweep.skipped.as_slice()).unwrap_or_default()),
        }
    }
}

/// One lane's decision as JSON.
#[derive(Serialize, JsonSchema)]
pub struct LaneDocument<'a> {
    /// The row that decided.
    row: &'static str,
    row_number: u8,
    /// The exit code of `loopx next`.
    exit: u8,
    /// What would be needed to say more.
    lacking: &'a [&'static str],
    projection: &'a Projection,
}

impl<'a> LaneDocument<'a> {
    /// The document of a decision.
    pub fn of(decision: &'a Decision) -> Self {
        Self {
            row: decision.row.name(),
            row_number: decision.row.number(),
            exit: decision.exit,
            lacking: &decision.lacking,
            projection: &decision.projection,
        }
    }
}

/// One goal as JSON.
#[derive(Serialize, JsonSchema)]
pub struct GoalDocument<'a> {
    goal_id: &'a GoalId,
    waiting_on: WaitingOn,
    /// Prompts in sessions of the goal that belong to no lane.
    unbound_prompts: usize,
    /// The lane whose projection is the goal's line.
    first_agent_id: Option<&'a AgentId>,
    /// How many of the other lanes wait on whom.
    others: BTreeMap<&'static str, usize>,
    lanes: Vec<LaneDocument<'a>>,
}

impl<'a> GoalDocument<'a> {
    /// The document of a goal.
    pub fn of(view: &'a GoalView) -> Self {
        let line = view.line();
        let others = line.iter().flat_map(|line| &line.others).map(|(whom, count)| (whom.word(), *count));
        Self {
            goal_id: &view.id,
            waiting_on: line.as_ref().map_or(WaitingOn::Controller, GoalLine::waiting_on),
            unbound_prompts: view.unbound_prompts,
            first_agent_id: line.as_ref().map(|line| &line.first.projection.agent_id),
            others: others.collect(),
            lanes: view.lanes.iter().map(LaneDocument::of).collect(),
        }
    }
}

/// One session as JSON.
#[derive(Serialize, JsonSchema)]
pub struct SessionDocument<'a> {
    waiting_on: WaitingOn,
    goal_id: Option<&'a GoalId>,
    agent_id: Option<&'a AgentId>,
    session: &'a SessionFacts,
}

impl<'a> SessionDocument<'a> {
    /// The document of a session.
    pub fn of(view: &'a SessionView) -> Self {
        let (goal_id, agent_id) = match &view.place {
            Place::Lane(goal, agent) => (Some(goal), Some(agent)),
            Place::Goal(goal) => (Some(goal), None),
            Place::Nowhere => (None, None),
        };
        Self { waiting_on: view.waiting_on, goal_id, agent_id, session: &view.facts }
    }
}

/// What could not be read as a session, counted by kind, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct SkippedDocument {
    kind: &'static str,
    count: u64,
}

impl SkippedDocument {
    /// The documents of all kinds.
    pub fn all(skipped: &[Skipped]) -> Vec<Self> {
        skipped.iter().map(|skipped| Self { kind: skipped.kind.word(), count: skipped.count }).collect()
    }
}
