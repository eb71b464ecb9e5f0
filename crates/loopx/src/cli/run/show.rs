//! `loopx run show`.

use jiff::Timestamp;
use loopx_contract::{GoalId, Ref};
use loopx_core::run::Run;
use serde::Serialize;

use crate::app::reading::run as reading;
use crate::cli::{Context, named, words};
use crate::error::CliError;

/// Show one entry of run history.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which run.
    run: String,
}

#[derive(Serialize)]
struct ShowDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    run: &'a Run,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let run = named::run(context, &goal, &args.run)?;
    let now = context.now();
    if context.json() {
        context.ui.json(&ShowDocument { schema_version: "loopx_run_v0", goal_id: &goal, now, run: &run })?;
        return Ok(0);
    }
    let reference = |id: &Option<Ref>| id.as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default();
    let fields = [
        ("agent", run.agent.to_string()),
        ("at", words::instant(context, run.at, now)),
        ("todo", run.todo.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("check", reading::check(&run)),
        ("summary", run.summary.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("session", reference(&run.session)),
        ("event", reference(&run.event_id)),
        ("outcome", reference(&run.outcome_id)),
        ("resolved", run.resolved_at.map(|at| words::instant(context, at, now)).unwrap_or_default()),
    ];
    let heading = format!("{}  {}", run.id, reading::kind_word(&run));
    words::fields(&mut context.ui, &heading, &fields);
    Ok(0)
}
