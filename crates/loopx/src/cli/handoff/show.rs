//! `loopx handoff show`: one handoff, or all of a goal.

use jiff::Timestamp;
use loopx_contract::{GoalId, IdKind};
use loopx_core::handoff::Handoff;
use serde::Serialize;

use crate::app::reading::handoff as reading;
use crate::cli::{Context, named, words};
use crate::error::CliError;
use crate::ui::Tone;

/// Show one handoff; without an id, list them all, standing offers first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which handoff.
    handoff: Option<String>,
}

/// One handoff as JSON.
#[derive(Serialize)]
struct HandoffDocument<'a> {
    #[serde(flatten)]
    handoff: &'a Handoff,
    /// How it stands now: an offer that ran out is expired.
    standing: &'static str,
}

impl<'a> HandoffDocument<'a> {
    fn of(handoff: &'a Handoff, now: Timestamp) -> Self {
        Self { handoff, standing: reading::state_word(handoff, now) }
    }
}

#[derive(Serialize)]
struct ShowDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    handoff: HandoffDocument<'a>,
}

#[derive(Serialize)]
struct HandoffsDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    handoffs: Vec<HandoffDocument<'a>>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    match &args.handoff {
        Some(text) => show(context, &goal, text),
        None => list(context, &goal),
    }
}

fn show(context: &mut Context, goal: &GoalId, text: &str) -> Result<u8, CliError> {
    let handoff = named::handoff(context, goal, text)?;
    let now = context.now();
    if context.json() {
        let handoff = HandoffDocument::of(&handoff, now);
        context.ui.json(&ShowDocument { schema_version: "loopx_handoff_v0", goal_id: goal, now, handoff })?;
        return Ok(0);
    }
    let evidence: Vec<String> = handoff.evidence.iter().map(ToString::to_string).collect();
    let fields = [
        ("stands", reading::state_word(&handoff, now).to_owned()),
        ("todo", handoff.todo.to_string()),
        ("from", handoff.from.to_string()),
        ("to", reading::receiver(&handoff).to_owned()),
        ("stop", handoff.stop_condition.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("evidence", evidence.join(", ")),
        ("runs out", handoff.expires_at.map(|at| words::instant(context, at, now)).unwrap_or_default()),
        ("accepted by", handoff.accepted_by.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("offered", words::instant(context, handoff.created_at, now)),
    ];
    let heading = format!("{}  {}", handoff.id, handoff.next_action);
    words::fields(&mut context.ui, &heading, &fields);
    Ok(0)
}

fn list(context: &mut Context, goal: &GoalId) -> Result<u8, CliError> {
    let state = named::state_with_all(context, goal, IdKind::Handoff)?;
    let now = context.now();
    let mut handoffs: Vec<&Handoff> = state.handoffs.values().collect();
    handoffs.sort_by_key(|handoff| (reading::rank(handoff, now), std::cmp::Reverse(handoff.created_at)));
    if context.json() {
        let handoffs = handoffs.into_iter().map(|handoff| HandoffDocument::of(handoff, now)).collect();
        let schema_version = "loopx_handoffs_v0";
        context.ui.json(&HandoffsDocument { schema_version, goal_id: goal, now, handoffs })?;
        return Ok(0);
    }
    let rows: Vec<_> = handoffs.iter().map(|handoff| row(handoff, now)).collect();
    words::list(&mut context.ui, rows, "no handoffs");
    Ok(0)
}

fn row(handoff: &Handoff, now: Timestamp) -> (Option<Tone>, Vec<String>) {
    let tone = if reading::rank(handoff, now) < 2 { None } else { Some(Tone::Dim) };
    let mut text = format!("{}: {}", handoff.todo, handoff.next_action);
    if let (0, Some(at)) = (reading::rank(handoff, now), handoff.expires_at) {
        text += &format!("  (runs out {})", words::relative(at, now));
    }
    let cells = vec![
        handoff.id.to_string(),
        reading::state_word(handoff, now).to_owned(),
        format!("{} → {}", handoff.from, reading::receiver(handoff)),
        text,
    ];
    (tone, cells)
}
