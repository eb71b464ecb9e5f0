//! Claude Code's transcript records, as far as they say how a session stands and what it spent. Bodies are never kept.
//!
//! Source: recordings of 1.0.128, 2.0.76 and 2.1.332; the vendor documents no format.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

use crate::reader::field::{Content, Flag, Instant, Integer, Object, Present, Text};
use crate::usage::Tokens;

/// How much of a message is looked at, in bytes.
const BEGINNING: usize = 256;

/// The top of every line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Line<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    /// When it was written.
    pub timestamp: Instant,
    /// The record's own id.
    #[serde(borrow)]
    pub uuid: Text<'a>,
    /// The session.
    #[serde(borrow)]
    pub session_id: Text<'a>,
    /// Whether it belongs to a subagent.
    pub is_sidechain: Flag,
    /// The subagent.
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    /// The folder.
    #[serde(borrow)]
    pub cwd: Text<'a>,
    /// The branch.
    #[serde(borrow)]
    pub git_branch: Text<'a>,
    /// The request that was answered.
    #[serde(borrow)]
    pub request_id: Text<'a>,
    /// The message.
    #[serde(borrow)]
    pub message: Object<Message<'a>>,
    /// A system record's kind.
    #[serde(borrow)]
    pub subtype: Text<'a>,
    /// Written by the runtime, not by the user.
    pub is_meta: Flag,
    /// A summary after a compaction.
    pub is_compact_summary: Flag,
    /// Shown, never sent.
    pub is_visible_in_transcript_only: Flag,
    /// A command's output after a compaction.
    pub repeats_compact_summary: Flag,
    /// Who asked.
    #[serde(borrow)]
    pub origin: Object<Kinded<'a>>,
    /// How it was asked.
    #[serde(borrow)]
    pub prompt_source: Text<'a>,
    /// An error of the API in the shape of an answer.
    pub is_api_error_message: Flag,
    /// Its class.
    #[serde(borrow)]
    pub error: Text<'a>,
    /// Its HTTP status.
    pub api_error_status: Integer,
    /// What a tool gave.
    #[serde(borrow)]
    pub tool_use_result: Object<Gave<'a>>,
    /// Whether tools may ask.
    #[serde(borrow)]
    pub permission_mode: Text<'a>,
    /// What a queue did.
    #[serde(borrow)]
    pub operation: Text<'a>,
    /// Agents that go on after the turn.
    pub pending_background_agent_count: Integer,
    /// How a compaction came about.
    #[serde(borrow)]
    pub compact_metadata: Object<Compaction<'a>>,
    /// What went wrong in hooks at a turn's end.
    #[serde(borrow)]
    pub hook_errors: Content<'a, Present>,
}

/// `message`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Message<'a> {
    /// The response it belongs to: one response is several lines.
    #[serde(borrow)]
    pub id: Text<'a>,
    /// A text or blocks.
    #[serde(borrow)]
    pub content: Content<'a, Object<Block<'a>>>,
    /// Why the response ended.
    #[serde(borrow)]
    pub stop_reason: Text<'a>,
    /// What the response cost, as far as it was known when the line was written.
    pub usage: Object<Count>,
}

impl<'a> Message<'a> {
    /// The blocks; what isn't one is left out.
    pub fn blocks(&self) -> impl Iterator<Item = &Block<'a>> {
        self.content.list().iter().filter_map(Object::get)
    }

    /// Whether all of its blocks are told apart: what stands in one that isn't could be anything.
    pub fn is_readable(&self) -> bool {
        let is_block =
            |block: &Object<Block<'_>>| block.get().is_some_and(|block| block.kind.get().is_some());
        match &self.content {
            Content::Nothing => false,
            Content::Text(_) => true,
            Content::List(blocks) => blocks.iter().all(is_block),
        }
    }

    /// The first words.
    pub fn beginning(&self) -> Cow<'_, str> {
        let body = self.content.body().or_else(|| self.blocks().find_map(|block| block.text.body()));
        body.map(|body| body.beginning(BEGINNING)).unwrap_or_default()
    }
}

/// One block of a message.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Block<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    /// A call's id.
    #[serde(borrow)]
    pub id: Text<'a>,
    /// A call's tool.
    #[serde(borrow)]
    pub name: Text<'a>,
    /// What the tool is given.
    #[serde(borrow)]
    pub input: Object<Input<'a>>,
    /// The call a result belongs to.
    #[serde(borrow)]
    pub tool_use_id: Text<'a>,
    /// Whether the call failed.
    pub is_error: Flag,
    /// What it gave.
    #[serde(borrow)]
    pub content: Content<'a, Object<Part<'a>>>,
    /// What is said.
    #[serde(borrow)]
    pub text: Content<'a, Present>,
}

impl Block<'_> {
    /// The first words of a result.
    pub fn gave(&self) -> Cow<'_, str> {
        let part = || self.content.list().iter().find_map(|part| part.get()?.text.body());
        let body = self.content.body().or_else(part);
        body.map(|body| body.beginning(BEGINNING)).unwrap_or_default()
    }
}

/// A part of a result.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Part<'a> {
    /// The words.
    #[serde(borrow)]
    pub text: Content<'a, Present>,
}

/// What a tool is given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Input<'a> {
    /// The command of `Bash`.
    #[serde(borrow)]
    pub command: Content<'a, Present>,
}

/// `toolUseResult`, where it is an object.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Gave<'a> {
    /// Whether the agent goes on by itself.
    pub is_async: Flag,
    /// Which agent.
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    /// What a command printed.
    pub stdout: Present,
    /// Whether a command was stopped.
    pub interrupted: Flag,
    /// The command goes on.
    pub background_task_id: Present,
}

/// Tokens of a response.
#[expect(clippy::struct_field_names, reason = "the runtime's names")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Count {
    input_tokens: Integer,
    cache_creation_input_tokens: Integer,
    cache_read_input_tokens: Integer,
    output_tokens: Integer,
}

impl Count {
    /// As tokens: input is all that was sent, be it new, written to the cache or read from it.
    pub fn tokens(self) -> Tokens {
        let count = |number: Integer| number.count().unwrap_or(0);
        let cached = count(self.cache_read_input_tokens);
        let sent = count(self.input_tokens).saturating_add(count(self.cache_creation_input_tokens));
        Tokens {
            input: sent.saturating_add(cached),
            cached,
            output: count(self.output_tokens),
            // It is part of the output and not told apart.
            reasoning: None,
        }
    }
}

/// Something with a kind.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Kinded<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
}

/// `compactMetadata`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Compaction<'a> {
    #[serde(borrow)]
    trigger: Text<'a>,
}

/// What a user record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserRecord {
    /// Asks the model: a person, a notification, a queue.
    Asks,
    /// Results of tools.
    Returns,
    /// The user stopped the turn.
    Interrupts,
    /// A command that may or may not ask the model.
    Commands,
    /// What a local command printed: the model isn't asked.
    Printed,
    /// Written by the runtime beside the conversation.
    Aside,
}

/// Tells user records apart. `marked`: whether other user records of the file say who asked.
pub fn user_record(line: &Line<'_>, message: &Message<'_>, marked: bool) -> UserRecord {
    if line.tool_use_result.present || message.blocks().any(|block| block.kind.is("tool_result")) {
        return UserRecord::Returns;
    }
    let words = message.beginning();
    let words = words.trim_start();
    let begins = |marks: &[&str]| marks.iter().any(|mark| words.starts_with(mark));
    if begins(&["[Request interrupted by user"]) {
        return UserRecord::Interrupts;
    }
    if line.repeats_compact_summary.0 || begins(&["<local-command-std", "<bash-std"]) {
        return UserRecord::Printed;
    }
    if line.is_compact_summary.0 || line.is_visible_in_transcript_only.0 {
        return UserRecord::Aside;
    }
    if begins(&["<command-", "<local-command-", "<bash-input>", "Caveat:"]) || line.is_meta.0 {
        return UserRecord::Commands;
    }
    if asked_by(line).is_some() || begins(&["<task-notification>"]) {
        return UserRecord::Asks;
    }
    if begins(&["<system-reminder>"]) {
        return UserRecord::Aside;
    }
    if marked { UserRecord::Commands } else { UserRecord::Asks }
}

/// Who asked, where the record says it.
pub fn asked_by<'r>(line: &'r Line<'_>) -> Option<&'r str> {
    line.origin.get().and_then(|origin| origin.kind.get()).or_else(|| line.prompt_source.get())
}

/// Whether the user compacted the session by hand: no turn goes on after that.
pub fn compacted_by_hand(line: &Line<'_>) -> bool {
    line.compact_metadata.get().is_some_and(|compaction| compaction.trigger.is("manual"))
}

/// Whether an answer is an error of the API: any of the fields that such a one has says it.
pub fn is_error(line: &Line<'_>) -> bool {
    line.is_api_error_message.0 || line.error.word().is_some() || line.api_error_status.0.is_some()
}

/// Whether an error of the API is a limit. Versions 1.x say it in words only; 2.0 calls its kind unknown, and the words
/// begin with the status.
pub fn is_limit(line: &Line<'_>, words: &str) -> bool {
    let unkinded = !line.error.is_present() || line.error.is("unknown");
    line.error.is("rate_limit")
        || line.api_error_status.0 == Some(429)
        || unkinded && (words.contains("limit reached") || words.starts_with("API Error: 429 "))
}

/// When a limit resets, where the words end with its instant: `…limit reached|<epoch seconds>`.
pub fn resets_at(words: &str) -> Option<Timestamp> {
    let seconds = words.trim_end().rsplit_once("limit reached|")?.1;
    Timestamp::from_second(seconds.parse().ok()?).ok()
}

/// Whether a line's type is one we know to say nothing of the state.
pub fn is_silent(kind: &str) -> bool {
    const SILENT: &[&str] = &[
        "attachment",
        "progress",
        "summary",
        "file-history-snapshot",
        "file-history-delta",
        "custom-title",
        "ai-title",
        "agent-name",
        "tag",
        "mode",
        "last-prompt",
        "pr-link",
        "worktree-state",
        "bridge-session",
        "cost-state",
        "tools-used",
        "atis-latch",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "session-owner",
        "content-replacement",
    ];
    SILENT.contains(&kind)
}
