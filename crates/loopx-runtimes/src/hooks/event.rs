//! One event of a runtime's hook: which, of what session, when. Nothing that was said is taken from it.
//!
//! Sources: recorded payloads of Codex 0.171 and Claude Code 2.1.332, and the vendor's type declarations of the latter
//! (agent SDK 0.3.332). Codex's events are of Claude Code's shape.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Runtime;
use crate::reader::field::{Content, Flag, Present, Text};
use crate::reader::skim;

/// The longest id that is kept, in bytes.
const ID: usize = 128;

/// An event as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// The runtime's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Pid>,
}

/// A process: its id, and the tick that it began at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pid {
    /// The id.
    pub pid: u32,
    /// Clock ticks from boot to its start.
    pub start: u64,
}

/// What happened. What a subagent did is none of it: it flips no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A session began, or was taken up again, with no turn open.
    Started,
    /// A prompt was given: a turn begins.
    Prompted,
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
    agent_id: Present,
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
    pub fn read(runtime: Runtime, bytes: &[u8], at: Timestamp, process: Option<Pid>) -> Option<Self> {
        let payload: Payload<'_> = skim::object(bytes).ok()?;
        if payload.agent_id.0 {
            return None;
        }
        let what = payload.what()?;
        Some(Self {
            at,
            runtime,
            session: id(&payload.session_id)?,
            what,
            call: id(&payload.tool_use_id),
            turn: id(&payload.turn_id).or_else(|| id(&payload.prompt_id)),
            process,
        })
    }

    /// What Codex's `notify` says: that a turn ended. It says so of its own hidden threads too: only a session whose
    /// file has that turn takes it.
    pub fn notice(bytes: &[u8], at: Timestamp) -> Option<Self> {
        let notice: Notice<'_> = skim::object(bytes).ok()?;
        notice.kind.is("agent-turn-complete").then_some(())?;
        Some(Self {
            at,
            runtime: Runtime::Codex,
            session: id(&notice.thread_id)?,
            what: What::TurnEnded,
            call: None,
            turn: Some(id(&notice.turn_id)?),
            process: None,
        })
    }
}

impl Payload<'_> {
    fn what(&self) -> Option<What> {
        let asks = self.tool_name.get().is_some_and(|name| QUESTIONS.contains(&name));
        Some(match self.hook_event_name.get()? {
            // In the midst of a turn.
            "SessionStart" if self.source.is("compact") => return None,
            "SessionStart" => What::Started,
            "UserPromptSubmit" => What::Prompted,
            "PreToolUse" if asks => What::QuestionBegins,
            "PreToolUse" => What::CallBegins,
            "PermissionRequest" if asks => What::AsksAnswer,
            "PermissionRequest" => What::AsksPermission,
            "Elicitation" => What::AsksAnswer,
            "PostToolUseFailure" if self.is_interrupt.0 => What::Interrupted,
            "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" | "ElicitationResult" => {
                What::CallEnded
            }
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

/// An id as it is kept: of this length, and of what ids are written with.
fn id(text: &Text<'_>) -> Option<String> {
    let is_one = |c: u8| c.is_ascii_alphanumeric() || b"-_.:".contains(&c);
    text.word().filter(|word| word.len() <= ID && word.bytes().all(is_one)).map(str::to_owned)
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
