//! Claude Code's transcript records, as far as they say how a session stands. Bodies are never kept.
//!
//! Source: recordings of 1.0.128, 2.0.76 and 2.1.332; the vendor documents no format.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::reader::field::{Raw, integer, is_true, nested, text};

/// The top of every line.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Line<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    /// When it was written.
    #[serde(borrow)]
    pub timestamp: Raw<'a>,
    /// The record's own id.
    #[serde(borrow)]
    pub uuid: Raw<'a>,
    /// The session.
    #[serde(borrow)]
    pub session_id: Raw<'a>,
    /// Whether it belongs to a subagent.
    #[serde(borrow)]
    pub is_sidechain: Raw<'a>,
    /// The subagent.
    #[serde(borrow)]
    pub agent_id: Raw<'a>,
    /// The folder.
    #[serde(borrow)]
    pub cwd: Raw<'a>,
    /// The branch.
    #[serde(borrow)]
    pub git_branch: Raw<'a>,
    /// The message.
    #[serde(borrow)]
    pub message: Raw<'a>,
    /// A system record's kind.
    #[serde(borrow)]
    pub subtype: Raw<'a>,
    /// Written by the runtime, not by the user.
    #[serde(borrow)]
    pub is_meta: Raw<'a>,
    /// A summary after a compaction.
    #[serde(borrow)]
    pub is_compact_summary: Raw<'a>,
    /// Shown, never sent.
    #[serde(borrow)]
    pub is_visible_in_transcript_only: Raw<'a>,
    /// A command's output after a compaction.
    #[serde(borrow)]
    pub repeats_compact_summary: Raw<'a>,
    /// Who asked.
    #[serde(borrow)]
    pub origin: Raw<'a>,
    /// How it was asked.
    #[serde(borrow)]
    pub prompt_source: Raw<'a>,
    /// An error of the API in the shape of an answer.
    #[serde(borrow)]
    pub is_api_error_message: Raw<'a>,
    /// Its class.
    #[serde(borrow)]
    pub error: Raw<'a>,
    /// Its HTTP status.
    #[serde(borrow)]
    pub api_error_status: Raw<'a>,
    /// What a tool gave.
    #[serde(borrow)]
    pub tool_use_result: Raw<'a>,
    /// Whether tools may ask.
    #[serde(borrow)]
    pub permission_mode: Raw<'a>,
    /// What a queue did.
    #[serde(borrow)]
    pub operation: Raw<'a>,
    /// Agents that go on after the turn.
    #[serde(borrow)]
    pub pending_background_agent_count: Raw<'a>,
    /// How a compaction came about.
    #[serde(borrow)]
    pub compact_metadata: Raw<'a>,
    /// What went wrong in hooks at a turn's end.
    #[serde(borrow)]
    pub hook_errors: Raw<'a>,
}

/// `message`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message<'a> {
    /// The response it belongs to: one response is several lines.
    #[serde(borrow)]
    pub id: Raw<'a>,
    /// A text or blocks.
    #[serde(borrow)]
    pub content: Raw<'a>,
    /// Why the response ended.
    #[serde(borrow)]
    pub stop_reason: Raw<'a>,
}

/// One block of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Block<'a> {
    /// Its type.
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    /// A call's id.
    #[serde(borrow)]
    pub id: Raw<'a>,
    /// A call's tool.
    #[serde(borrow)]
    pub name: Raw<'a>,
    /// The call a result belongs to.
    #[serde(borrow)]
    pub tool_use_id: Raw<'a>,
    /// What is said.
    #[serde(borrow)]
    pub text: Raw<'a>,
}

/// `toolUseResult` of an agent that goes on by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Launched<'a> {
    /// Whether it does.
    #[serde(borrow)]
    pub is_async: Raw<'a>,
    /// Which agent.
    #[serde(borrow)]
    pub agent_id: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kinded<'a> {
    #[serde(borrow)]
    kind: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Compaction<'a> {
    #[serde(borrow)]
    trigger: Raw<'a>,
}

/// The blocks of a message; what isn't one is left out.
pub fn blocks<'a>(content: Raw<'a>) -> Vec<Block<'a>> {
    let Some(content) = content else { return Vec::new() };
    let raw: Vec<&'a RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    raw.into_iter().filter_map(|block| nested(Some(block))).collect()
}

/// The first words of a message.
pub fn opening<'a>(content: Raw<'a>, blocks: &[Block<'a>]) -> Option<Cow<'a, str>> {
    text(content).or_else(|| blocks.iter().find_map(|block| text(block.text)))
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
pub fn user_record<'a>(line: &Line<'a>, content: Raw<'a>, blocks: &[Block<'a>], marked: bool) -> UserRecord {
    if blocks.iter().any(|block| text(block.kind).is_some_and(|kind| kind == "tool_result")) {
        return UserRecord::Returns;
    }
    let words = opening(content, blocks).unwrap_or_default();
    let words = words.trim_start();
    let begins = |marks: &[&str]| marks.iter().any(|mark| words.starts_with(mark));
    if begins(&["[Request interrupted by user"]) {
        return UserRecord::Interrupts;
    }
    if is_true(line.repeats_compact_summary) || begins(&["<local-command-std", "<bash-std"]) {
        return UserRecord::Printed;
    }
    if is_true(line.is_compact_summary) || is_true(line.is_visible_in_transcript_only) {
        return UserRecord::Aside;
    }
    if begins(&["<command-", "<local-command-", "<bash-input>", "Caveat:"]) || is_true(line.is_meta) {
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
pub fn asked_by<'a>(line: &Line<'a>) -> Option<Cow<'a, str>> {
    nested::<Kinded<'_>>(line.origin)
        .and_then(|origin| text(origin.kind))
        .or_else(|| text(line.prompt_source))
}

/// Whether the user compacted the session by hand: no turn goes on after that.
pub fn compacted_by_hand(line: &Line<'_>) -> bool {
    nested::<Compaction<'_>>(line.compact_metadata)
        .and_then(|compaction| text(compaction.trigger))
        .is_some_and(|trigger| trigger == "manual")
}

/// Whether an error of the API is a limit. Old versions say it in words only.
pub fn is_limit(line: &Line<'_>, words: &str) -> bool {
    text(line.error).is_some_and(|error| error == "rate_limit")
        || integer(line.api_error_status) == Some(429)
        || line.error.is_none() && words.contains("limit reached")
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
