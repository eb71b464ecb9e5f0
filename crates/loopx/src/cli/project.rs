//! `loopx project`: the contract's projection of one lane.

use loopx_contract::RunId;
use loopx_core::command::{RunDraft, RunRecord};
use loopx_core::run::RunKind;
use loopx_core::{IdSource as _, LaneCommand, Subject};

use crate::cli::Context;
use crate::clock::Ids;
use crate::error::CliError;

/// Print the contract's projection of one lane as JSON; with --record, add it to run history.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Record the projection as a run: its id is the projection's `run_id`.
    #[arg(long)]
    record: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = match context.agent_if_any(&goal)? {
        Some(agent) => agent,
        None => context.first_agent(&goal)?,
    };
    let run = args.record.then(|| RunId::mint(&Ids.suffix()));
    let now = context.now();
    let (world, _) = context.plane()?.world(now, Some(&goal))?;
    let mut decision = world.decide(&goal, &agent, run.as_ref())?;
    if let Some(run) = &run {
        let projection = &decision.projection;
        let draft = RunDraft {
            kind: RunKind::Projection,
            session: projection.runtime.session_id.clone(),
            validation: None,
            summary: None,
            event_id: projection.loopx_refs.event_id.clone(),
            outcome_id: projection.loopx_refs.outcome_id.clone(),
            id: Some(run.clone()),
        };
        let todo = projection.loopx_refs.todo_id.clone();
        let record = RunRecord { agent: agent.clone(), todo, run: draft };
        let receipt = context.lane(&goal, Some(&agent), LaneCommand::RunRecord(record))?;
        // A retry under the same key shows the run that was recorded first.
        if let Subject::Run(recorded) = &receipt.subject
            && receipt.replayed
        {
            decision = world.decide(&goal, &agent, Some(recorded))?;
        }
    }
    context.ui.json(&decision.projection)?;
    Ok(0)
}
