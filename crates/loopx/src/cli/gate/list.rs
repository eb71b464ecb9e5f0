//! `loopx gate list`.

use jiff::Timestamp;
use loopx_contract::{GoalId, IdKind};
use loopx_core::gate::{Gate, GateStanding};
use serde::Serialize;

use super::GateDocument;
use crate::app::reading::gate as reading;
use crate::cli::{Context, list, named, words};
use crate::error::CliError;
use crate::ui::Tone;

/// List the gates of a goal, requested ones first, each with its decision and what proved it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Withdrawn gates too, and all that was ever decided.
    #[arg(long)]
    all: bool,
}

#[derive(Serialize)]
struct GatesDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    gates: Vec<GateDocument<'a>>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let state = if args.all {
        named::state_with_all(context, &goal, IdKind::Gate)?
    } else {
        named::state(context, &goal)?
    };
    let now = context.now();
    let shown = |gate: &&Gate| args.all || gate.standing(now) != GateStanding::Withdrawn;
    let mut gates: Vec<&Gate> = state.gates.values().filter(shown).collect();
    gates.sort_by_key(|gate| {
        (reading::rank(gate.standing(now)), gate.actor, gate.created_at, gate.id.to_string())
    });
    if context.json() {
        let gates = gates.into_iter().map(|gate| GateDocument::of(gate, now)).collect();
        context.ui.json(&GatesDocument { schema_version: "loopx_gates_v0", goal_id: &goal, now, gates })?;
        return Ok(0);
    }
    let rows: Vec<_> = gates.iter().map(|gate| row(context, gate, now)).collect();
    words::list(&mut context.ui, rows, "no gates: nothing waits for a decision");
    Ok(0)
}

fn row(context: &Context, gate: &Gate, now: Timestamp) -> (Option<Tone>, Vec<String>) {
    let standing = gate.standing(now);
    let mut notes = vec![format!("covers {}", words::covers(&gate.covers))];
    let decision = reading::decision(gate, &list::zone(context), now);
    if !decision.is_empty() {
        notes.push(decision);
    }
    if let (GateStanding::Requested, Some(at)) = (standing, gate.expires_at) {
        notes.push(format!("request runs out {}", words::relative(at, now)));
    }
    let tone = match standing {
        GateStanding::Requested => Some(Tone::Alert),
        GateStanding::Rejected | GateStanding::Deferred => Some(Tone::Warn),
        GateStanding::Approved => None,
        GateStanding::Withdrawn => Some(Tone::Dim),
    };
    let cells = vec![
        gate.id.to_string(),
        words::standing(standing).to_owned(),
        reading::actor_word(gate).to_owned(),
        format!("{}  ({})", gate.question, notes.join("; ")),
    ];
    (tone, cells)
}
