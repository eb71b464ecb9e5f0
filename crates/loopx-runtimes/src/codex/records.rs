//! Codex's rollout records, as far as they say how a session stands and what it spent. Bodies are never kept.
//!
//! Source: openai/codex, `protocol` and `rollout/policy.rs`; recordings of 0.80 to 0.171.

use serde::Deserialize;

use crate::reader::field::{Content, Either, Flag, Hundredths, Instant, Integer, Object, Present, Text};
use crate::usage::Tokens;

/// The top of every line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Line<'a> {
    /// When it was written.
    pub timestamp: Instant,
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    /// Its body; it is large, so it is not moved about.
    #[serde(borrow)]
    pub payload: Object<Box<Payload<'a>>>,
    /// Files before 0.32 began with a bare one.
    #[serde(borrow)]
    pub id: Text<'a>,
    /// And went on with states.
    #[serde(borrow)]
    pub record_type: Text<'a>,
    /// Their first line has this beside the id.
    pub instructions: Present,
}

/// The body of a record of any type. What is large and rare is boxed: the rest is moved for every line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Payload<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    /// The turn it belongs to.
    #[serde(borrow)]
    pub turn_id: Text<'a>,
    /// The call it belongs to.
    #[serde(borrow)]
    pub call_id: Text<'a>,
    /// The called tool.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// The tool's arguments: JSON in a string.
    #[serde(borrow)]
    pub arguments: Content<'a, Present>,
    /// What a call of the oldest shell tool runs.
    #[serde(borrow)]
    pub action: Object<Action<'a>>,
    /// What a call gave.
    #[serde(borrow)]
    pub output: Content<'a, Present>,
    /// The exit code of an ended command.
    pub exit_code: Integer,
    /// Who speaks.
    #[serde(borrow)]
    pub role: Text<'a>,
    /// What is said.
    #[serde(borrow)]
    pub content: Content<'a, Object<Part<'a>>>,
    /// Why a turn failed.
    #[serde(borrow)]
    pub error: Object<Failure<'a>>,
    /// The error's class, in the event `error`.
    #[serde(borrow)]
    pub codex_error_info: Text<'a>,
    /// Why a turn was aborted.
    #[serde(borrow)]
    pub reason: Text<'a>,
    /// The last words of a turn.
    pub last_agent_message: Present,
    /// The limits.
    #[serde(borrow)]
    pub rate_limits: Object<Box<RateLimits<'a>>>,
    /// The tokens so far, in `token_count`.
    pub info: Object<Box<Info>>,
    /// The tokens so far, in `token_usage_record`.
    pub thread_token_usage: Object<Count>,
    /// The tokens of the response, there.
    pub usage: Object<Count>,
    /// The finished item.
    #[serde(borrow)]
    pub item: Object<Box<Item<'a>>>,
    /// When Codex asks for approval.
    #[serde(borrow)]
    pub approval_policy: Text<'a>,
    /// The folder of the session or turn.
    #[serde(borrow)]
    pub cwd: Text<'a>,
    /// The thread's id; `session_id` is the tree's.
    #[serde(borrow)]
    pub id: Text<'a>,
    /// When the session began.
    pub timestamp: Instant,
    /// Which version wrote it.
    #[serde(borrow)]
    pub cli_version: Text<'a>,
    /// Which front end: a word or an object.
    #[serde(borrow)]
    pub source: Either<'a, SourceObject<'a>>,
    /// Whose thread it is.
    #[serde(borrow)]
    pub thread_source: Text<'a>,
    /// The program that asked for the thread.
    #[serde(borrow)]
    pub originator: Text<'a>,
    /// The thread that started it.
    #[serde(borrow)]
    pub parent_thread_id: Text<'a>,
    /// The thread it was forked from.
    #[serde(borrow)]
    pub forked_from_id: Text<'a>,
    /// Where the fork's history goes on from: nothing of it is copied then.
    pub history_base: Present,
    /// The repository.
    #[serde(borrow)]
    pub git: Object<Box<Git<'a>>>,
}

/// `session_meta.git`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Git<'a> {
    /// The branch.
    #[serde(borrow)]
    pub branch: Text<'a>,
    /// The remote.
    #[serde(borrow)]
    pub repository_url: Text<'a>,
}

/// A part of what is said.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Part<'a> {
    /// The words.
    #[serde(borrow)]
    pub text: Content<'a, Present>,
}

/// What a shell call runs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Action<'a> {
    /// The words of the command.
    #[serde(borrow)]
    pub command: Content<'a, Text<'a>>,
}

/// The arguments of a call, as far as they matter.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Arguments<'a> {
    /// The command of `shell` and `shell_command`.
    #[serde(borrow)]
    pub command: Content<'a, Text<'a>>,
    /// The command of `exec_command`.
    #[serde(borrow)]
    pub cmd: Content<'a, Text<'a>>,
    /// The process that `write_stdin` writes to.
    pub session_id: Integer,
    /// What it wants of the sandbox.
    #[serde(borrow)]
    pub sandbox_permissions: Text<'a>,
    /// The same before.
    pub with_escalated_permissions: Flag,
}

/// What the oldest shell tool gave: JSON in a string.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Output {
    /// About the command.
    pub metadata: Object<OutputMetadata>,
}

/// `metadata` of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OutputMetadata {
    /// The exit code.
    pub exit_code: Integer,
}

/// A finished item.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Item<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    /// Its id; a command's is its call's.
    #[serde(borrow)]
    pub id: Text<'a>,
    /// The words of a command.
    #[serde(borrow)]
    pub command: Content<'a, Text<'a>>,
    /// Its exit code.
    pub exit_code: Integer,
    /// How it ended.
    #[serde(borrow)]
    pub status: Text<'a>,
}

/// `token_count.info`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Info {
    /// Of the thread, with all that a fork inherited.
    pub total_token_usage: Object<Count>,
    /// Of the last response.
    pub last_token_usage: Object<Count>,
}

/// A count of tokens.
#[expect(clippy::struct_field_names, reason = "the runtime's names")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Count {
    input_tokens: Integer,
    cached_input_tokens: Integer,
    output_tokens: Integer,
    reasoning_output_tokens: Integer,
}

impl Count {
    /// As tokens; a count that isn't told is none.
    pub fn tokens(self) -> Tokens {
        let count = |number: Integer| number.count().unwrap_or(0);
        Tokens {
            input: count(self.input_tokens),
            cached: count(self.cached_input_tokens),
            output: count(self.output_tokens),
            reasoning: self.reasoning_output_tokens.count(),
        }
    }
}

/// `rate_limits`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RateLimits<'a> {
    /// The shorter window.
    pub primary: Object<Window>,
    /// The longer window.
    pub secondary: Object<Window>,
    /// Set once a limit is reached.
    #[serde(borrow)]
    pub rate_limit_reached_type: Text<'a>,
}

/// One window of `rate_limits`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Window {
    /// The used share in percent.
    pub used_percent: Hundredths,
    /// Its length.
    #[serde(rename = "window_minutes")]
    pub minutes: Integer,
    /// When it resets, epoch seconds.
    pub resets_at: Integer,
    /// The same before 0.50, counted from the line's instant.
    pub resets_in_seconds: Integer,
}

/// `task_complete.error`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Failure<'a> {
    #[serde(borrow)]
    codex_error_info: Text<'a>,
}

/// What an error means for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
pub enum ErrorClass {
    /// A limit of the account or of the session.
    Limit,
    /// Anything else that ends a turn.
    Failed,
    /// A refused request that no turn ends by.
    Harmless,
}

/// The class of the error in a field, if there is one.
pub fn error_class(error: &Object<Failure<'_>>) -> Option<ErrorClass> {
    let none = Text::default();
    error.present.then(|| info_class(error.get().map_or(&none, |failure| &failure.codex_error_info)))
}

/// The class of a `codex_error_info`.
pub fn info_class(info: &Text<'_>) -> ErrorClass {
    match info.get() {
        Some("usage_limit_exceeded" | "rate_limit_exceeded" | "session_budget_exceeded") => ErrorClass::Limit,
        Some("thread_rollback_failed" | "active_turn_not_steerable") => ErrorClass::Harmless,
        _ => ErrorClass::Failed,
    }
}

/// By whom a thread was started.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
pub enum Kind {
    /// By a person, with this front end.
    Session(FrontEnd),
    /// By another thread, where it is told.
    Child(Option<String>),
    /// By the runtime for itself.
    Hidden,
}

/// The front end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
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

/// `source` where it is an object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SourceObject<'a> {
    #[serde(borrow)]
    subagent: Either<'a, Subagent<'a>>,
}

/// `source.subagent`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Subagent<'a> {
    #[serde(borrow)]
    thread_spawn: Object<Spawn<'a>>,
}

/// `source.subagent.thread_spawn`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Spawn<'a> {
    #[serde(borrow)]
    parent_thread_id: Text<'a>,
}

/// By whom the thread of this record was started.
pub fn kind(meta: &Payload<'_>) -> Kind {
    let parent = || meta.parent_thread_id.word().map(str::to_owned);
    if let Either::Object(source) = &meta.source {
        let spawn = match &source.subagent {
            Either::Object(subagent) => subagent.thread_spawn.get(),
            // Reviews and compactions are threads that nobody sees.
            Either::Word(_) => return Kind::Hidden,
            Either::Nothing => None,
        };
        if let Some(spawn) = spawn {
            return Kind::Child(spawn.parent_thread_id.word().map(str::to_owned).or_else(parent));
        }
        if matches!(source.subagent, Either::Object(_)) {
            return Kind::Hidden;
        }
    }
    match meta.thread_source.get() {
        Some("subagent") => return Kind::Child(parent()),
        Some("user") | None => {}
        Some(_) => return Kind::Hidden,
    }
    Kind::Session(match &meta.source {
        Either::Word(word) if word == "cli" => FrontEnd::Cli,
        Either::Word(word) if word == "exec" => FrontEnd::Exec,
        // Its threads live in a daemon, which calls whoever asks for one an editor; who asked is told beside it.
        Either::Word(word) if word == "vscode" && meta.originator.is("codex-tui") => FrontEnd::Cli,
        Either::Word(word) if word == "vscode" => FrontEnd::Vscode,
        Either::Word(_) | Either::Object(_) | Either::Nothing => FrontEnd::Other,
    })
}
