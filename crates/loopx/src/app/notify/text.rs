//! What is told of an edge: our words and ids, so that a locked screen shows no title.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::{AgentId, GoalId, RuntimeId, TodoId};
use loopx_safety::{ActionText, Handle};
use serde::Serialize;

use super::edges::Edge;
use crate::app::times::localized;
use crate::app::waits::{Reason, Wait, Waiting};

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Which lane waits, and why, in our words.
    Row,
    /// The next action too, with its titles and questions.
    Full,
}

#[derive(Serialize)]
struct EdgeDocument<'a> {
    schema_version: &'static str,
    /// When it is told, UTC.
    at: Timestamp,
    /// Since when it waits, UTC.
    since: Timestamp,
    reason: Reason,
    goal_id: Option<&'a GoalId>,
    /// The lanes that wait; none of a session that belongs to no lane.
    agent_ids: Vec<&'a AgentId>,
    /// The session that shows the prompt, and its runtime.
    session_id: Option<&'a Handle>,
    runtime_id: Option<&'a RuntimeId>,
    /// The todo that stands for what is owed.
    todo_id: Option<&'a TodoId>,
    /// Only where `notify.text` is `full`.
    next_action: Option<&'a ActionText>,
}

/// What a command reads.
pub fn document(edge: &Edge, words: Words, now: Timestamp) -> Vec<u8> {
    let Some(first) = edge.waits.first() else { return Vec::new() };
    let (session_id, todo_id) = match &first.what {
        Waiting::Session { session_id } => (Some(session_id), None),
        Waiting::Lane { todo_id, .. } => (None, todo_id.as_ref()),
    };
    let document = EdgeDocument {
        schema_version: "loopx_edge_v0",
        at: now,
        since: edge.since,
        reason: first.reason,
        goal_id: first.goal.as_ref(),
        agent_ids: edge.waits.iter().filter_map(|wait| wait.agent.as_ref()).collect(),
        session_id,
        runtime_id: first.runtime.as_ref(),
        todo_id,
        next_action: full(first, words),
    };
    let text = serde_json::to_string(&document).unwrap_or_default();
    format!("{}\n", loopx_safety::escape_json(&text)).into_bytes()
}

/// The same as a sentence.
pub fn sentence(edge: &Edge, words: Words, now: Timestamp, zone: &TimeZone) -> String {
    let Some(first) = edge.waits.first() else { return String::new() };
    let lanes: Vec<&str> =
        edge.waits.iter().filter_map(|wait| wait.agent.as_ref()).map(AgentId::as_str).collect();
    let who = match (&first.goal, &first.runtime) {
        (Some(goal), _) if !lanes.is_empty() => format!("{goal} / {}", lanes.join(", ")),
        (Some(goal), Some(runtime)) => format!("{goal}, no lane, {runtime}"),
        (Some(goal), None) => goal.to_string(),
        (None, Some(runtime)) => format!("{runtime}, no goal"),
        (None, None) => "a session".to_owned(),
    };
    let since = edge.since.to_zoned_datetime(zone.clone());
    let is_today = since.date() == now.to_zoned_datetime(zone.clone()).date();
    let since = since.strftime(if is_today { "%H:%M" } else { "%Y-%m-%d %H:%M" });
    let mut text = format!("{who}: {}, since {since}", first.reason.words());
    if let Some(next) = full(first, words) {
        text += &format!(": {}", localized(next.as_str(), zone));
    }
    loopx_safety::escape(&text).into_owned()
}

fn full(wait: &Wait, words: Words) -> Option<&ActionText> {
    match words {
        Words::Row => None,
        Words::Full => wait.next_action.as_ref(),
    }
}
