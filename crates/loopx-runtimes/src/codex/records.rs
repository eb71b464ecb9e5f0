//! Codex's rollout records, as far as they say how a session stands. Bodies are never kept.
//!
//! Source: openai/codex, `protocol` and `rollout/policy.rs`; recordings of 0.80 to 0.171.

use serde::Deserialize;

use crate::reader::field::{Raw, nested, text};

/// The top of every line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Line<'a> {
    /// When it was written.
    #[serde(borrow)]
    pub timestamp: Raw<'a>,
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    /// Its body.
    #[serde(borrow)]
    pub payload: Raw<'a>,
    /// Files before 0.32 began with a bare one.
    #[serde(borrow)]
    pub id: Raw<'a>,
    /// And went on with states.
    #[serde(borrow)]
    pub record_type: Raw<'a>,
    /// Their first line has this beside the id.
    #[serde(borrow)]
    pub instructions: Raw<'a>,
}

/// The body of `session_meta`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Meta<'a> {
    /// The thread's id; `session_id` is the tree's.
    #[serde(borrow)]
    pub id: Raw<'a>,
    /// When the session began.
    #[serde(borrow)]
    pub timestamp: Raw<'a>,
    /// The folder it works in.
    #[serde(borrow)]
    pub cwd: Raw<'a>,
    /// Which version wrote it.
    #[serde(borrow)]
    pub cli_version: Raw<'a>,
    /// Which front end: a word or an object.
    #[serde(borrow)]
    pub source: Raw<'a>,
    /// Whose thread it is.
    #[serde(borrow)]
    pub thread_source: Raw<'a>,
    /// The thread that started it.
    #[serde(borrow)]
    pub parent_thread_id: Raw<'a>,
    /// The repository.
    #[serde(borrow)]
    pub git: Raw<'a>,
}

/// `session_meta.git`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Git<'a> {
    /// The branch.
    #[serde(borrow)]
    pub branch: Raw<'a>,
    /// The remote.
    #[serde(borrow)]
    pub repository_url: Raw<'a>,
}

/// The body of `event_msg`, `response_item` and `turn_context`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Body<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    /// The turn it belongs to.
    #[serde(borrow)]
    pub turn_id: Raw<'a>,
    /// The call it belongs to.
    #[serde(borrow)]
    pub call_id: Raw<'a>,
    /// The called tool.
    #[serde(borrow)]
    pub name: Raw<'a>,
    /// The tool's arguments: JSON in a string.
    #[serde(borrow)]
    pub arguments: Raw<'a>,
    /// Who speaks.
    #[serde(borrow)]
    pub role: Raw<'a>,
    /// What is said.
    #[serde(borrow)]
    pub content: Raw<'a>,
    /// Why a turn failed.
    #[serde(borrow)]
    pub error: Raw<'a>,
    /// The error's class, in the event `error`.
    #[serde(borrow)]
    pub codex_error_info: Raw<'a>,
    /// Why a turn was aborted.
    #[serde(borrow)]
    pub reason: Raw<'a>,
    /// The last words of a turn.
    #[serde(borrow)]
    pub last_agent_message: Raw<'a>,
    /// The limits.
    #[serde(borrow)]
    pub rate_limits: Raw<'a>,
    /// The finished item.
    #[serde(borrow)]
    pub item: Raw<'a>,
    /// When Codex asks for approval.
    #[serde(borrow)]
    pub approval_policy: Raw<'a>,
    /// The folder of the turn.
    #[serde(borrow)]
    pub cwd: Raw<'a>,
}

/// A finished item, and what else has an id and a type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Item<'a> {
    /// Its id; a command's is its call's.
    #[serde(borrow)]
    pub id: Raw<'a>,
}

/// `rate_limits`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RateLimits<'a> {
    /// The shorter window.
    #[serde(borrow)]
    pub primary: Raw<'a>,
    /// The longer window.
    #[serde(borrow)]
    pub secondary: Raw<'a>,
    /// Set once a limit is reached.
    #[serde(borrow)]
    pub rate_limit_reached_type: Raw<'a>,
}

/// One window of `rate_limits`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Window<'a> {
    /// The used share in percent.
    #[serde(borrow)]
    pub used_percent: Raw<'a>,
    /// Its length.
    #[serde(borrow, rename = "window_minutes")]
    pub minutes: Raw<'a>,
    /// When it resets, epoch seconds.
    #[serde(borrow)]
    pub resets_at: Raw<'a>,
    /// The same before 0.50, counted from the line's instant.
    #[serde(borrow)]
    pub resets_in_seconds: Raw<'a>,
}

/// `task_complete.error`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failure<'a> {
    #[serde(borrow)]
    codex_error_info: Raw<'a>,
}

/// What an error means for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// A limit of the account or of the session.
    Limit,
    /// Anything else that ends a turn.
    Failed,
    /// A refused request that no turn ends by.
    Harmless,
}

/// The class of the error in a field, if there is one.
pub fn error_class(error: Raw<'_>) -> Option<ErrorClass> {
    error?;
    let info = nested::<Failure<'_>>(error).and_then(|failure| failure.codex_error_info);
    Some(info_class(info))
}

/// The class of a `codex_error_info`.
pub fn info_class(info: Raw<'_>) -> ErrorClass {
    match text(info).as_deref() {
        Some("usage_limit_exceeded" | "rate_limit_exceeded" | "session_budget_exceeded") => ErrorClass::Limit,
        Some("thread_rollback_failed" | "active_turn_not_steerable") => ErrorClass::Harmless,
        _ => ErrorClass::Failed,
    }
}

/// By whom a thread was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By a person, with this front end.
    Session(FrontEnd),
    /// By another thread, where it is told.
    Child(Option<String>),
    /// By the runtime for itself.
    Hidden,
}

/// The front end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontEnd {
    /// The terminal.
    Cli,
    /// `codex exec`.
    Exec,
    /// The editor.
    Vscode,
    /// One we do not know.
    Other,
}

impl FrontEnd {
    /// The contract's runtime id.
    pub const fn runtime(self) -> &'static str {
        match self {
            Self::Cli | Self::Other => "codex_cli_tui",
            Self::Exec => "codex_exec",
            Self::Vscode => "codex_vscode",
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SourceObject<'a> {
    #[serde(borrow)]
    subagent: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Subagent<'a> {
    #[serde(borrow)]
    thread_spawn: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spawn<'a> {
    #[serde(borrow)]
    parent_thread_id: Raw<'a>,
}

/// By whom the thread of this record was started.
pub fn kind(meta: &Meta<'_>) -> Kind {
    let own = text(meta.thread_source);
    let parent = || text(meta.parent_thread_id).map(std::borrow::Cow::into_owned);
    if let Some(subagent) = nested::<SourceObject<'_>>(meta.source).and_then(|source| source.subagent) {
        let spawn = nested::<Subagent<'_>>(Some(subagent))
            .and_then(|subagent| nested::<Spawn<'_>>(subagent.thread_spawn));
        return match spawn {
            Some(spawn) => Kind::Child(text(spawn.parent_thread_id).map(Into::into).or_else(parent)),
            // Reviews and compactions are threads that nobody sees.
            None => Kind::Hidden,
        };
    }
    match own.as_deref() {
        Some("subagent") => return Kind::Child(parent()),
        Some("user") | None => {}
        Some(_) => return Kind::Hidden,
    }
    Kind::Session(match text(meta.source).as_deref() {
        Some("cli") => FrontEnd::Cli,
        Some("exec") => FrontEnd::Exec,
        Some("vscode") => FrontEnd::Vscode,
        _ => FrontEnd::Other,
    })
}
