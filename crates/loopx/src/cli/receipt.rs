//! How a receipt is shown.

use std::collections::BTreeMap;
use std::fmt;

use loopx_contract::{AgentId, GateId, GoalId, HandoffId, Ref, RewardId, RunId, TodoId};
use loopx_core::event::{Event, Recorded};
use loopx_core::{Subject, TurnKey};
use loopx_safety::{Class, Handle, PublicText};
use loopx_store::Receipt;
use serde::Serialize;

use crate::cli::Context;
use crate::error::CliError;

/// What a receipt is about, by the id it is called by.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Named {
    /// A goal.
    Goal(GoalId),
    /// A lane.
    Agent(AgentId),
    /// A todo.
    Todo(TodoId),
    /// A gate.
    Gate(GateId),
    /// A run.
    Run(RunId),
    /// A reward.
    Reward(RewardId),
    /// A handoff.
    Handoff(HandoffId),
    /// A session or folder that is bound.
    Bound(Ref),
    /// A session that was seen.
    Seen(Handle),
    /// What a goal leans on, by its label.
    Label(PublicText),
    /// A spend, by its turn.
    Spend(TurnKey),
}

macro_rules! named {
    ($($kind:ident($id:ty)),* $(,)?) => {
        $(impl From<&$id> for Named {
            fn from(id: &$id) -> Self {
                Self::$kind(id.clone())
            }
        })*

        impl fmt::Display for Named {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$kind(id) => id.fmt(out),)*
                }
            }
        }
    };
}

named! {
    Goal(GoalId), Agent(AgentId), Todo(TodoId), Gate(GateId), Run(RunId), Reward(RewardId), Handoff(HandoffId),
    Bound(Ref), Seen(Handle), Label(PublicText), Spend(TurnKey),
}

/// A receipt as one JSON document.
#[derive(Serialize)]
struct ReceiptDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    /// The revision of the command's first event.
    command: u64,
    /// The goal's revision after it.
    revision: u64,
    /// The thing it made or changed.
    id: Option<Named>,
    /// Whether this is the receipt of an earlier command with the same key.
    replayed: bool,
    /// What happened, by name.
    events: Vec<&'static str>,
    /// What proves who decided.
    proof: Option<&'static str>,
    /// How many things of each class were taken out of its texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    redacted: &'a BTreeMap<Class, usize>,
}

/// Shows what a command came to: `words` is a past participle, such as "added". Exit code 0.
pub fn show(
    context: &mut Context,
    receipt: &Receipt,
    words: &str,
    id: Option<Named>,
) -> Result<u8, CliError> {
    let what = id.clone().unwrap_or_else(|| Named::from(&receipt.goal));
    show_as(context, receipt, id, &format!("{words} {what}"))
}

/// Shows what a command came to in these words, about the thing with this id. Exit code 0.
pub fn show_as(
    context: &mut Context,
    receipt: &Receipt,
    id: Option<Named>,
    words: &str,
) -> Result<u8, CliError> {
    let proof = receipt.events.first().map(|recorded: &Recorded| recorded.actor.proof.word());
    if context.json() {
        let redacted = context.redacted().clone();
        context.ui.json(&ReceiptDocument {
            schema_version: "loopx_receipt_v0",
            goal_id: &receipt.goal,
            command: receipt.command,
            revision: receipt.revision,
            id,
            replayed: receipt.replayed,
            events: receipt.events.iter().map(|recorded| Event::name(&recorded.event)).collect(),
            proof,
            redacted: &redacted,
        })?;
        return Ok(0);
    }
    let already = if receipt.replayed {
        " (already recorded)"
    } else if receipt.events.is_empty() {
        " (already so)"
    } else {
        ""
    };
    context.ui.line(&format!("{words} at revision {}{already}", receipt.revision));
    Ok(0)
}

/// Shows what a command came to, by the thing it was about. Exit code 0.
pub fn show_subject(context: &mut Context, receipt: &Receipt, words: &str) -> Result<u8, CliError> {
    show(context, receipt, words, subject(receipt))
}

/// The id of the thing a command was about.
pub fn subject(receipt: &Receipt) -> Option<Named> {
    match &receipt.subject {
        Subject::Goal(id) => Some(id.into()),
        Subject::Agent(id) => Some(id.into()),
        Subject::Todo(id) => Some(id.into()),
        Subject::Gate(id) => Some(id.into()),
        Subject::Run(id) => Some(id.into()),
        Subject::Reward(id) => Some(id.into()),
        Subject::Handoff(id) => Some(id.into()),
        Subject::Spend(key) => Some(key.into()),
        Subject::Binding(_) | Subject::Command(_) => None,
    }
}
