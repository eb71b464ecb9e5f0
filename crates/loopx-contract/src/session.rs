//! What an adapter may say of a session: closed enums, numbers, instants, handles, evidence and what is missing.
//! No free text: nothing a session said has a field to travel in.

use jiff::Timestamp;
use loopx_safety::Handle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::RuntimeId;
use crate::rule::Rule;

/// The schema version of [`SessionFacts`].
pub const SESSION_FACTS_VERSION: &str = "session_facts_v0";

/// The one version there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SessionFactsVersion {
    /// Version 0.
    #[default]
    #[serde(rename = "session_facts_v0")]
    V0,
}

/// What is known of one session at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionFacts {
    /// Always `session_facts_v0`.
    pub schema_version: SessionFactsVersion,
    /// The runtime family.
    pub runtime_id: RuntimeId,
    /// Our opaque handle of the session.
    pub session_id: Handle,
    /// The state, as far as it is proved.
    pub state: SessionState,
    /// What the state rests on.
    pub tier: EvidenceTier,
    /// The rule that gave it.
    pub rule: Rule,
    /// Whether the session's process is known to live.
    pub liveness: Liveness,
    /// Whether a turn is open.
    pub turn: Turn,
    /// Since when the session is in this state, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub since: Option<Timestamp>,
    /// The newest valid record or signal, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub last_activity: Option<Timestamp>,
    /// When the session began, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub started_at: Option<Timestamp>,
    /// What would be needed to say more; sorted, no fact twice.
    pub missing: Vec<MissingFact>,
    /// What points somewhere without proving it; never decides.
    pub hints: Vec<Hint>,
    /// The runtime's own rate-limit windows, as last seen.
    pub limits: Vec<Limit>,
    /// The latest check of each label.
    pub checks: Vec<Check>,
    /// Token totals of the session, where they are known.
    pub usage: Option<Usage>,
    /// Sessions this one started: subagents, background agents.
    pub children: u32,
    /// Handle of the newest source record.
    pub event_id: Option<Handle>,
    /// Handle of the last finished turn.
    pub outcome_id: Option<Handle>,
    /// What became of the lines that were read.
    pub lines: LineCounts,
}

/// A session's state. An open tool call is [`SessionState::Unknown`] until something proves it running or waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// A turn is open and its process is proved to work on it.
    Running,
    /// A permission prompt is up.
    WaitingPermission,
    /// A question or plan is up.
    WaitingAnswer,
    /// The last turn finished.
    Idle,
    /// The last turn finished, work the session owns goes on.
    Background,
    /// The user stopped the last turn.
    Interrupted,
    /// The last turn failed.
    Errored,
    /// The last turn ran into the runtime's limit.
    RateLimited,
    /// The session is over.
    Ended,
    /// The facts do not decide.
    Unknown,
}

impl SessionState {
    /// The contract's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::WaitingPermission => "waiting_permission",
            Self::WaitingAnswer => "waiting_answer",
            Self::Idle => "idle",
            Self::Background => "background",
            Self::Interrupted => "interrupted",
            Self::Errored => "errored",
            Self::RateLimited => "rate_limited",
            Self::Ended => "ended",
            Self::Unknown => "unknown",
        }
    }
}

/// What a statement rests on, weakest first. A lower tier never overrules a fresher, higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceTier {
    /// Age alone.
    Clock,
    /// The session's own file.
    Transcript,
    /// A hook's event.
    Hook,
    /// A lock held by the session's process.
    Lock,
    /// The runtime's live registry, its process checked.
    Registry,
    /// The runtime's server.
    Server,
    /// A call from inside the session.
    Caller,
}

impl EvidenceTier {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Transcript => "transcript",
            Self::Hook => "hook",
            Self::Lock => "lock",
            Self::Registry => "registry",
            Self::Server => "server",
            Self::Caller => "caller",
        }
    }
}

/// Whether a session's process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Liveness {
    /// Proved alive.
    Alive,
    /// Proved dead.
    Dead,
    /// Not provable either way.
    Unproved,
}

/// Whether a turn of the session is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// A turn has begun and not ended.
    Open,
    /// No turn is open.
    Closed,
    /// The records do not say.
    Unknown,
}

/// A fact that would be needed to say more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissingFact {
    /// Whether the process lives.
    Liveness,
    /// Whether an open call waits for permission.
    PermissionState,
    /// Whether a turn is open.
    TurnState,
    /// Turn markers, which this version of the runtime does not write.
    TurnMarkers,
    /// Any instant of activity.
    LastActivity,
    /// The record that names the session.
    SessionMeta,
    /// By which front end the session was started.
    Source,
    /// Records that could not be read: torn, malformed, over the size limit.
    Records,
    /// The file itself: unreadable, vanished, not of this format.
    File,
    /// An older part of the file that was not looked at.
    OlderRecords,
    /// When an exhausted limit resets.
    LimitReset,
    /// Session state at the asked instant.
    SessionState,
}

impl MissingFact {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Liveness => "liveness",
            Self::PermissionState => "permission_state",
            Self::TurnState => "turn_state",
            Self::TurnMarkers => "turn_markers",
            Self::LastActivity => "last_activity",
            Self::SessionMeta => "session_meta",
            Self::Source => "source",
            Self::Records => "records",
            Self::File => "file",
            Self::OlderRecords => "older_records",
            Self::LimitReset => "limit_reset",
            Self::SessionState => "session_state",
        }
    }
}

/// What points somewhere without proving it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// The open call asked for escalated permissions: likely waiting for approval.
    EscalationRequested,
    /// The runtime's derived store says otherwise than its records.
    DerivedStoreDisagrees,
    /// A process works in the session's folder; it may be another session's.
    ProjectProcess,
}

/// One of the runtime's own rate-limit windows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// Which window.
    pub window: LimitWindow,
    /// Used share in hundredths of a percent: 100 % is 10000.
    pub used_basis_points: Option<u32>,
    /// Length of the window in minutes.
    pub window_minutes: Option<u32>,
    /// When it resets, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub resets_at: Option<Timestamp>,
    /// The runtime itself said that the limit was reached.
    pub reached: bool,
    /// When this was seen, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub seen_at: Option<Timestamp>,
}

impl Limit {
    /// Whether nothing is left of it: the runtime said so, or all of it is used.
    pub fn is_used_up(&self) -> bool {
        self.reached || self.used_basis_points.is_some_and(|used| used >= 10_000)
    }
}

/// Which of a runtime's windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitWindow {
    /// The shorter one.
    Primary,
    /// The longer one.
    Secondary,
    /// A limit without a window of its own.
    Other,
}

/// A check that the session ran, classified locally; the command is never kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was checked.
    pub label: CheckLabel,
    /// How it ended.
    pub outcome: CheckOutcome,
    /// The exit code, where one is recorded.
    pub exit_code: Option<i32>,
    /// When, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub at: Option<Timestamp>,
    /// Part of a compound command: the exit code is the shell's.
    pub compound: bool,
}

/// What a check checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckLabel {
    /// Tests.
    Test,
    /// A linter or type checker.
    Lint,
    /// A build.
    Build,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// Exit code 0.
    Passed,
    /// Another exit code, or a recorded failure.
    Failed,
    /// Stopped before it ended.
    Cancelled,
    /// No exit code can be had.
    Unknown,
}

/// Token totals of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Finished turns.
    pub turns: u64,
    /// Input tokens, cached ones included.
    pub input_tokens: u64,
    /// Cached input tokens.
    pub cached_input_tokens: u64,
    /// Output tokens, reasoning ones included.
    pub output_tokens: u64,
    /// Of these the reasoning ones, where the runtime tells them apart.
    pub reasoning_output_tokens: Option<u64>,
}

/// What became of the lines of a session file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineCounts {
    /// Lines understood.
    pub read: u64,
    /// Lines that are no record of the format.
    pub malformed: u64,
    /// Lines over the size limit, skipped to their end.
    pub oversized: u64,
    /// Lines of an unknown type.
    pub unknown_type: u64,
}
