//! `loopx why`: the row that decided, and the facts used and lacking.

use crate::app::documents::WhyDocument;
use crate::app::reading;
use crate::cli::Context;
use crate::cli::{list, view};
use crate::error::CliError;
use crate::ui::Tone;

/// Say why a lane's first screen is what it is: the row that decided, the facts used and lacking.
#[derive(Debug, clap::Args)]
pub struct Args {}

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
        context.ui.json(&WhyDocument::of(&why))?;
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
