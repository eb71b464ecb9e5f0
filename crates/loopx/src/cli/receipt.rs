//! How a receipt is shown.

use std::collections::BTreeMap;

use loopx_core::Subject;
use loopx_core::event::{Event, Recorded};
use loopx_safety::Class;
use loopx_store::Receipt;
use serde::Serialize;

use crate::cli::Context;
use crate::error::CliError;

/// A receipt as one JSON document.
#[derive(Serialize)]
struct ReceiptDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a str,
    /// The revision of the command's first event.
    command: u64,
    /// The goal's revision after it.
    revision: u64,
    /// The thing it made or changed.
    id: Option<&'a str>,
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
pub fn show(context: &mut Context, receipt: &Receipt, words: &str, id: Option<&str>) -> Result<u8, CliError> {
    let what = id.unwrap_or_else(|| receipt.goal.as_str());
    show_as(context, receipt, id, &format!("{words} {what}"))
}

/// Shows what a command came to in these words, about the thing with this id. Exit code 0.
pub fn show_as(
    context: &mut Context,
    receipt: &Receipt,
    id: Option<&str>,
    words: &str,
) -> Result<u8, CliError> {
    let proof = receipt.events.first().map(|recorded: &Recorded| recorded.actor.proof.word());
    if context.json() {
        let redacted = context.redacted().clone();
        context.ui.json(&ReceiptDocument {
            schema_version: "loopx_receipt_v0",
            goal_id: receipt.goal.as_str(),
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
    show(context, receipt, words, subject(receipt).as_deref())
}

/// The id of the thing a command was about.
pub fn subject(receipt: &Receipt) -> Option<String> {
    match &receipt.subject {
        Subject::Goal(id) => Some(id.to_string()),
        Subject::Agent(id) => Some(id.to_string()),
        Subject::Todo(id) => Some(id.to_string()),
        Subject::Gate(id) => Some(id.to_string()),
        Subject::Run(id) => Some(id.to_string()),
        Subject::Reward(id) => Some(id.to_string()),
        Subject::Handoff(id) => Some(id.to_string()),
        Subject::Spend(key) => Some(key.0.clone()),
        Subject::Binding(_) | Subject::Command(_) => None,
    }
}
