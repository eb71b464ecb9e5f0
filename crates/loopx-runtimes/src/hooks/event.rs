//! One event of a runtime's hook: which, of what session, when. Nothing that was said is taken from it.
//!
//! Sources: recorded payloads of Codex 0.171 and Claude Code 2.1.332, and the vendor's type declarations of the latter
//! (agent SDK 0.3.332). Codex's events are of Claude Code's shape.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_safety::{HandleKind, InstallKey, Private};
use serde::{Deserialize, Serialize};

use crate::Runtime;
use crate::reader::field::{Content, Flag, Text};
use crate::reader::skim;

/// The longest id that is kept, in bytes.
const ID: usize = 128;

/// An event as it is kept.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HookEvent {
    /// When the hook ran, UTC.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub at: Timestamp,
    /// The runtime.
    pub runtime: Runtime,
    /// The runtime's own id of the session.
    pub session: String,
    /// What happened.
    pub what: What,
    /// The call it is about, where one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The turn it is about, where one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// What kind of tool it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// The subagent that did it, where it was one: its id, or what stands for one that is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// What its process knew beside it.
    #[serde(default)]
    pub around: Around,
}

/// What kind of tool is called. No name is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// It runs a command: a process tells that it does.
    Command,
    /// It changes a file: that takes moments.
    Edit,
    /// Another one: once it is permitted nothing tells that it works.
    Other,
}

impl Tool {
    fn of(name: &str) -> Self {
        match name {
            "Bash" | "PowerShell" | "shell" | "local_shell" | "exec_command" | "shell_command" => {
                Self::Command
            }
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "apply_patch" => Self::Edit,
            _ => Self::Other,
        }
    }
}

/// What a hook's process knows beside what it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Around {
    /// The runtime's process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<Pid>,
    /// Clock ticks from boot to the hook's own start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<u64>,
    /// Whether the runtime's hooks tell of every prompt for permission.
    pub prompts: Prompts,
    /// The goal that the environment names, and the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<(GoalId, Option<AgentId>)>,
}

/// Whether hooks tell when permission is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prompts {
    /// They may not: a call that begins may be asking.
    #[default]
    Untold,
    /// They do: a call that was not asked about runs.
    Told,
}

/// A process: its id, the tick that it began at, and where that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pid {
    /// The id.
    pub pid: u32,
    /// Clock ticks from boot to its start.
    pub start: u64,
    /// Stands for the machine and the namespace that the id counts in.
    #[serde(default)]
    pub domain: u64,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A session began, or was taken up again, with no turn open.
    Started,
    /// A prompt was given: a turn begins.
    Prompted,
    /// The user has the conversation summed up: the runtime is at work without a turn.
    Compacts,
    /// It was summed up.
    Compacted,
    /// A tool is about to be called; permission may still be asked for.
    CallBegins,
    /// A question or a plan is about to be put to the user.
    QuestionBegins,
    /// Permission is asked for.
    AsksPermission,
    /// An answer is asked for.
    AsksAnswer,
    /// The runtime says, some seconds late, that permission is asked for.
    SaysPermission,
    /// The same of an answer.
    SaysAnswer,
    /// A call came to an end: with a result, an error, or no permission.
    CallEnded,
    /// A subagent came to an end.
    SubagentEnded,
    /// The turn ended, by a notice that is told of the runtime's own threads too.
    NoticedEnd,
    /// The turn ended.
    TurnEnded,
    /// The turn ended, and work that the session owns goes on.
    TurnEndedInBackground,
    /// The turn failed.
    TurnFailed,
    /// The turn ran into the runtime's limit.
    TurnLimited,
    /// The user stopped the turn.
    Interrupted,
    /// The session is over.
    Ended,
    /// A process proved that the ask was permitted which is the same but for this word. A look notes it, no hook.
    Permitted,
}

/// What is read of an event. Every field may be missing or of another type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow)]
    hook_event_name: Text<'a>,
    #[serde(borrow)]
    session_id: Text<'a>,
    #[serde(borrow)]
    turn_id: Text<'a>,
    #[serde(borrow)]
    prompt_id: Text<'a>,
    #[serde(borrow)]
    agent_id: Text<'a>,
    #[serde(borrow)]
    tool_name: Text<'a>,
    #[serde(borrow)]
    tool_use_id: Text<'a>,
    #[serde(borrow)]
    notification_type: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    source: Text<'a>,
    #[serde(borrow)]
    trigger: Text<'a>,
    #[serde(borrow)]
    error: Text<'a>,
    is_interrupt: Flag,
    #[serde(borrow)]
    background_tasks: Content<'a, serde::de::IgnoredAny>,
}

/// Codex's notification, which comes as an argument.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Notice<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    thread_id: Text<'a>,
    #[serde(borrow)]
    turn_id: Text<'a>,
}

/// Tools that ask the user and can't run.
const QUESTIONS: [&str; 3] = ["AskUserQuestion", "ExitPlanMode", "request_user_input"];

impl HookEvent {
    /// What an event says; nothing where it is none that a session's state follows from.
    pub fn read(runtime: Runtime, bytes: &[u8], at: Timestamp, around: Around) -> Option<Self> {
        let payload: Payload<'_> = skim::object(bytes).ok()?;
        let what = payload.what()?;
        let subagent = agent(&payload.agent_id);
        if subagent.is_some() && !what.is_told_of_subagents() {
            return None;
        }
        Some(Self {
            at,
            runtime,
            session: id(&payload.session_id)?,
            what,
            call: id(&payload.tool_use_id),
            turn: id(&payload.turn_id).or_else(|| id(&payload.prompt_id)),
            tool: payload.tool_name.get().map(Tool::of),
            subagent,
            around,
        })
    }

    /// What Codex's `notify` says: that a turn ended. It says so of its own hidden threads too: only a session whose
    /// file has that turn takes it.
    pub fn notice(bytes: &[u8], at: Timestamp, around: Around) -> Option<Self> {
        let notice: Notice<'_> = skim::object(bytes).ok()?;
        notice.kind.is("agent-turn-complete").then_some(())?;
        Some(Self {
            at,
            runtime: Runtime::Codex,
            session: id(&notice.thread_id)?,
            what: What::NoticedEnd,
            call: None,
            turn: Some(id(&notice.turn_id)?),
            tool: None,
            subagent: None,
            around,
        })
    }

    /// That this ask was permitted. All who find that out note the same.
    pub(super) fn permitted(&self) -> Self {
        Self { what: What::Permitted, ..self.clone() }
    }

    /// Whether this notes that an ask was permitted. Its instant does not count: it may have been taken for another one.
    pub(super) fn permits(&self, ask: &Self) -> bool {
        self.what == What::Permitted && *self == Self { at: self.at, ..ask.permitted() }
    }
}

/// The runtime's own ids are not told.
impl fmt::Debug for HookEvent {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, runtime, session, what, call, turn, tool, subagent, around } = self;
        to.debug_struct("HookEvent")
            .field("at", at)
            .field("runtime", runtime)
            .field("session", &Private::new(session))
            .field("what", what)
            .field("call", &call.as_ref().map(Private::new))
            .field("turn", &turn.as_ref().map(Private::new))
            .field("tool", tool)
            .field("subagent", &subagent.as_ref().map(Private::new))
            .field("around", around)
            .finish()
    }
}

impl Payload<'_> {
    fn what(&self) -> Option<What> {
        let asks = self.tool_name.get().is_some_and(|name| QUESTIONS.contains(&name));
        Some(match self.hook_event_name.get()? {
            // In the midst of a turn, or at the end of what the user began.
            "SessionStart" if self.source.is("compact") => What::Compacted,
            "SessionStart" => What::Started,
            "UserPromptSubmit" => What::Prompted,
            "PreCompact" if self.trigger.is("manual") => What::Compacts,
            "PostCompact" => What::Compacted,
            "PreToolUse" if asks => What::QuestionBegins,
            "PreToolUse" => What::CallBegins,
            "PermissionRequest" if asks => What::AsksAnswer,
            "PermissionRequest" => What::AsksPermission,
            "Elicitation" => What::AsksAnswer,
            "PostToolUseFailure" if self.is_interrupt.0 => What::Interrupted,
            "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" | "ElicitationResult" => {
                What::CallEnded
            }
            "SubagentStop" => What::SubagentEnded,
            "Stop" if self.background_tasks.list().is_empty() => What::TurnEnded,
            "Stop" => What::TurnEndedInBackground,
            "StopFailure" if self.error.is("rate_limit") => What::TurnLimited,
            "StopFailure" => What::TurnFailed,
            "Interrupt" => What::Interrupted,
            "SessionEnd" => What::Ended,
            "Notification" => return self.notification(),
            _ => return None,
        })
    }

    fn notification(&self) -> Option<What> {
        match self.notification_type.get() {
            Some("permission_prompt") => Some(What::SaysPermission),
            Some("elicitation_dialog" | "agent_needs_input") => Some(What::SaysAnswer),
            Some(_) => None,
            // Versions 1.x told no type.
            None => self
                .message
                .get()
                .filter(|message| message.contains("permission"))
                .map(|_| What::SaysPermission),
        }
    }
}

impl What {
    /// Whether it counts of a subagent: what the user is asked, and what answers that. Nothing else that a subagent does
    /// flips its session.
    const fn is_told_of_subagents(self) -> bool {
        match self {
            Self::CallBegins
            | Self::QuestionBegins
            | Self::AsksPermission
            | Self::AsksAnswer
            | Self::CallEnded
            | Self::SubagentEnded => true,
            Self::Started
            | Self::Prompted
            | Self::Compacts
            | Self::Compacted
            | Self::SaysPermission
            | Self::SaysAnswer
            | Self::NoticedEnd
            | Self::TurnEnded
            | Self::TurnEndedInBackground
            | Self::TurnFailed
            | Self::TurnLimited
            | Self::Interrupted
            | Self::Ended
            | Self::Permitted => false,
        }
    }

    /// Whether it says how the turn stands, whatever was told before.
    pub const fn is_boundary(self) -> bool {
        match self {
            Self::Started
            | Self::Prompted
            | Self::Compacts
            | Self::TurnEnded
            | Self::TurnEndedInBackground
            | Self::TurnFailed
            | Self::TurnLimited
            | Self::Interrupted
            | Self::Ended => true,
            Self::Compacted
            | Self::CallBegins
            | Self::QuestionBegins
            | Self::AsksPermission
            | Self::AsksAnswer
            | Self::SaysPermission
            | Self::SaysAnswer
            | Self::CallEnded
            | Self::SubagentEnded
            | Self::NoticedEnd
            | Self::Permitted => false,
        }
    }
}

/// An id as it is kept: of this length, and of what ids are written with.
pub(super) fn id(text: &Text<'_>) -> Option<String> {
    let is_one = |c: u8| c.is_ascii_alphanumeric() || b"-_.:".contains(&c);
    text.word().filter(|word| word.len() <= ID && word.bytes().all(is_one)).map(str::to_owned)
}

/// What stands for a subagent: its id, or for one that is written otherwise a digest, which no id can be.
fn agent(text: &Text<'_>) -> Option<String> {
    let digest = || {
        let key = InstallKey::from_bytes([0; 32], "hooks");
        let handle = key.handle(HandleKind::Event, "subagent", text.get().unwrap_or_default());
        format!("~{}", handle.digits())
    };
    text.is_present().then(|| id(text).unwrap_or_else(digest))
}

/// The events that are taken of a runtime, by the names it calls them.
pub fn names(runtime: Runtime) -> BTreeSet<&'static str> {
    let shared = [
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SubagentStop",
        "Stop",
    ];
    let own: &[&str] = match runtime {
        Runtime::Codex => &["Interrupt"],
        Runtime::ClaudeCode => &[
            "Notification",
            "PostToolUseFailure",
            "PermissionDenied",
            "StopFailure",
            "Elicitation",
            "ElicitationResult",
        ],
    };
    shared.iter().chain(own).copied().collect()
}

#[cfg(test)]
mod tests;
