//! `loopx undo`: takes the last command back, by events that compensate it.

use loopx_core::decide::needs_person;
use loopx_core::undo::Undo;
use loopx_core::{AuthorityCommand, Event, LaneCommand, Refusal, Who};

use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Undo your last command on the goal, unless something has changed what it changed.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let state = named::state(context, &goal)?;
    let agent = context.agent_if_any(&goal)?;
    let inside = context.plane()?.caller().is_some();
    let who = match &agent {
        Some(agent) if inside => Who::Lane(agent.clone()),
        _ => Who::Person,
    };
    let last =
        state.last_commands.get(&who).ok_or(Refusal::NothingToUndo("no command of this actor is known"))?;
    let events = match &last.undo {
        Undo::By(events) => events.as_slice(),
        Undo::Never(_) => &[],
    };
    let by: Vec<&str> = events.iter().map(Event::name).collect();
    let by = by.join(", ");
    let receipt = if events.iter().any(|event| needs_person(&state, event)) {
        let what = format!("undo revision {} of goal {goal} by {by}", last.command);
        context.authority(&goal, &what, AuthorityCommand::Undo)?
    } else {
        context.lane(&goal, agent.as_ref(), LaneCommand::Undo)?
    };
    receipt::show_as(context, &receipt, None, &format!("undid revision {} by {by}", last.command))
}
