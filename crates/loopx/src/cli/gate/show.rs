//! `loopx gate show`.

use jiff::Timestamp;
use loopx_contract::GoalId;
use serde::Serialize;

use super::GateDocument;
use crate::app::reading::gate as reading;
use crate::cli::list;
use crate::cli::{Context, named, words};
use crate::error::CliError;

/// Show one gate with its decision and what proved it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which gate.
    gate: String,
}

#[derive(Serialize)]
struct ShowDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    gate: GateDocument<'a>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let gate = named::gate(context, &goal, &args.gate)?;
    let now = context.now();
    if context.json() {
        let gate = GateDocument::of(&gate, now);
        context.ui.json(&ShowDocument { schema_version: "loopx_gate_v0", goal_id: &goal, now, gate })?;
        return Ok(0);
    }
    let instant = |at: Option<Timestamp>| at.map(|at| words::instant(context, at, now)).unwrap_or_default();
    let fields = [
        ("stands", words::standing(gate.standing(now)).to_owned()),
        ("decides", reading::actor_word(&gate).to_owned()),
        ("covers", words::covers(&gate.covers)),
        ("decision", reading::decision(&gate, &list::zone(context), now)),
        ("decided", instant(gate.decided_at)),
        ("proof", gate.proof.map(|proof| proof.word().to_owned()).unwrap_or_default()),
        ("runs out", instant(gate.expires_at)),
        ("user todo", gate.linked_todo.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("asked by", gate.asked_by.as_ref().map_or("a person".to_owned(), |agent| format!("agent {agent}"))),
        ("asked", instant(Some(gate.created_at))),
    ];
    let heading = format!("{}  {}", gate.id, gate.question);
    words::fields(&mut context.ui, &heading, &fields);
    Ok(0)
}
