//! `loopx run record`.

use loopx_contract::Ref;
use loopx_core::LaneCommand;
use loopx_core::command::{RunDraft, RunRecord};
use loopx_core::run::RunKind;

use super::KindArg;
use crate::cli::args::CheckArgs;
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Add to run history. A blocker names the todo that it blocks and says in its summary what it is.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What it was.
    #[arg(long, value_enum, value_name = "KIND")]
    kind: KindArg,
    /// What happened, in a line.
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// The todo it was about.
    #[arg(long, value_name = "TODO")]
    todo: Option<String>,
    /// The handle of the session it happened in; else the session this is run from.
    #[arg(long, value_name = "HANDLE")]
    session: Option<String>,
    #[command(flatten)]
    check: CheckArgs,
    /// A compact pointer to the source event.
    #[arg(long, value_name = "REF")]
    event: Option<String>,
    /// A compact pointer to the outcome.
    #[arg(long, value_name = "REF")]
    outcome_ref: Option<String>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    let todo = match &args.todo {
        Some(text) => Some(named::todo_id(context, &goal, text)?),
        None => None,
    };
    for text in [&args.session, &args.event, &args.outcome_ref].into_iter().flatten() {
        context.new_id("reference", text)?;
    }
    let reference = |text: &Option<String>| text.as_deref().map(Ref::parse).transpose();
    let session = match reference(&args.session)? {
        Some(session) => Some(session),
        None => context.plane()?.caller().and_then(|caller| caller.session.clone()),
    };
    // A validation that names no check is of what its summary says; without an outcome that is unknown.
    let label = args.summary.as_deref().filter(|_| args.kind.kind() == RunKind::Validation);
    let run = RunDraft {
        kind: args.kind.kind(),
        session,
        validation: args.check.validation_of(context, label)?,
        summary: named::text(context, "summary", args.summary.as_deref())?,
        event_id: reference(&args.event)?,
        outcome_id: reference(&args.outcome_ref)?,
        id: None,
    };
    let record = RunRecord { agent: agent.clone(), todo, run };
    let receipt = context.lane(&goal, Some(&agent), LaneCommand::RunRecord(record))?;
    receipt::show_subject(context, &receipt, "recorded")
}
