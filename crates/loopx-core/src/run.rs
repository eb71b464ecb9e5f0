//! A run: one entry of run history. Append-only.

use jiff::Timestamp;
use loopx_contract::{AgentId, Ref, RunId, TodoId};
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The revision of the event that recorded it: its place in the log.
    pub revision: u64,
    /// Whose.
    pub agent: AgentId,
    /// What it was.
    pub kind: RunKind,
    /// The todo it was about.
    pub todo: Option<TodoId>,
    /// Our handle of the session it happened in.
    pub session: Option<Ref>,
    /// A check and how it ended.
    pub validation: Option<Validation>,
    /// What happened, in a line.
    pub summary: Option<PublicText>,
    /// A compact pointer to the source event.
    pub event_id: Option<Ref>,
    /// A compact pointer to the outcome.
    pub outcome_id: Option<Ref>,
    /// When, UTC.
    pub at: Timestamp,
    /// For a blocker: when it was resolved, UTC.
    pub resolved_at: Option<Timestamp>,
}

/// What a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Something moved.
    Progress,
    /// Something was checked.
    Validation,
    /// Something external stands in a todo's way.
    Blocker,
    /// Nothing moved.
    NoProgress,
    /// Work was handed over.
    Handoff,
    /// A projection was recorded: never progress, never validation.
    Projection,
}

/// A check and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    /// What was checked.
    pub label: PublicText,
    /// How it ended.
    pub outcome: ValidationOutcome,
    /// The exit code, where there is one.
    pub exit_code: Option<i32>,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It is not known.
    Unknown,
}
