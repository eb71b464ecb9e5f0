//! `loopx why`: the row that decided, and the facts used and lacking.

use loopx_core::first_screen::Fact;
use serde::Serialize;

use crate::app::documents::LaneDocument;
use crate::app::reading;
use crate::cli::Context;
use crate::cli::{list, view};
use crate::error::CliError;
use crate::ui::Tone;

/// Say why a lane's first screen is what it is: the row that decided, the facts used and lacking.
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Serialize)]
struct WhyDocument<'a> {
    schema_version: &'static str,
    holds_when: &'static str,
    /// Without any one of these it would be another row or another text.
    facts: &'a [Fact],
    /// Facts that hold as well; another stands in for each.
    shared: &'a [Fact],
    /// The rows before it, none of which holds.
    passed: Vec<&'static str>,
    #[serde(flatten)]
    lane: LaneDocument<'a>,
}

/// Runs it.
pub fn run(_args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    context.registered(&goal)?;
    let agent = match context.agent_if_any(&goal)? {
        Some(agent) => agent,
        None => context.first_agent(&goal)?,
    };
    context.note_meant(&goal, &agent);
    let now = context.now();
    let (world, _) = context.plane()?.world(now, Some(&goal))?;
    let why = world.why(&goal, &agent)?;
    let row = why.decision.row;
    if context.json() {
        context.ui.json(&WhyDocument {
            schema_version: "loopx_why_v0",
            holds_when: row.holds_when(),
            facts: &why.facts,
            shared: &why.shared,
            passed: why.passed.iter().map(|row| row.name()).collect(),
            lane: LaneDocument::of(&why.decision),
        })?;
        return Ok(0);
    }
    let zone = list::zone(context);
    view::lane(&mut context.ui, &why.decision, &zone);
    let ui = &mut context.ui;
    ui.line("");
    ui.line(&format!("row {} {}: {}", row.number(), row.name(), row.holds_when()));
    for fact in &why.facts {
        ui.line(&format!("  because of  {}", reading::fact(fact, &world)));
    }
    for fact in &why.shared {
        ui.line(&format!("  as well as  {}", reading::fact(fact, &world)));
    }
    for lacking in &why.decision.lacking {
        let text = ui.tone(Tone::Warn, &format!("  lacking     {lacking}"));
        ui.line(&text);
    }
    let passed: Vec<&str> = why.passed.iter().map(|row| row.name()).collect();
    if !passed.is_empty() {
        let text = ui.tone(Tone::Dim, &format!("  not         {}", passed.join(", ")));
        ui.line(&text);
    }
    Ok(0)
}
