//! `loopx todo done`: the todo, its run and its turn in one step.

use loopx_core::command::{RunDraft, TodoFinish};
use loopx_core::todo::Succession;
use loopx_core::{AuthorityCommand, LaneCommand};

use super::Asks;
use crate::cli::args::{CheckArgs, SpendArgs};
use crate::cli::run::KindArg;
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Finish a todo; with it, record its run and, under a turn key, count its turn. A user todo is a person's to finish.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which todo.
    todo: String,
    /// The claim's token.
    #[arg(long, value_name = "N")]
    token: Option<u64>,
    /// A todo that comes after it; several may be given.
    #[arg(long, value_name = "TODO", conflicts_with = "no_successor")]
    successor: Vec<String>,
    /// Nothing needs to come after it.
    #[arg(long)]
    no_successor: bool,
    /// Record a run of this kind; without it, a check is a validation and a summary is progress.
    #[arg(long, value_enum, value_name = "KIND")]
    run_kind: Option<KindArg>,
    /// What happened, in a line.
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    spend: SpendArgs,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let asks = super::asks(&todo);
    let run = draft(args, context)?;
    let agent = match asks {
        Asks::Lane if todo.is_agents() => Some(context.agent(&goal)?),
        Asks::Lane => None,
        Asks::Person if run.is_none() && args.spend.turn_key.is_none() => None,
        Asks::Person => {
            let state = context.plane()?.state(&goal)?;
            let human = Context::human_lane(&state).cloned();
            match context.named_agent()?.or(human) {
                Some(agent) => Some(agent),
                None => Some(context.agent(&goal)?),
            }
        }
    };
    let finish = TodoFinish {
        todo: todo.id.clone(),
        agent: agent.clone(),
        token: args.token,
        succession: named::succession(context, &goal, &args.successor, args.no_successor)?,
        run,
        spend: args.spend.spend(context, agent.as_ref())?,
    };
    let unsaid = todo.is_agents() && finish.succession == Succession::Unsaid;
    let what = format!("finish {}", crate::app::reading::todo::named(&todo));
    let receipt = super::change(
        context,
        &goal,
        asks,
        &what,
        finish,
        LaneCommand::TodoFinish,
        AuthorityCommand::TodoFinish,
    )?;
    let code = receipt::show_subject(context, &receipt, "finished")?;
    if unsaid {
        context
            .ui
            .note("hint: nothing was said of what comes after it: `--successor TODO` or `--no-successor`");
    }
    Ok(code)
}

fn draft(args: &Args, context: &mut Context) -> Result<Option<RunDraft>, CliError> {
    let validation = args.check.validation(context)?;
    let summary = named::text(context, "summary", args.summary.as_deref())?;
    let kind = match (args.run_kind, &validation, &summary) {
        (Some(kind), _, _) => kind,
        (None, Some(_), _) => KindArg::Validation,
        (None, None, Some(_)) => KindArg::Progress,
        (None, None, None) => return Ok(None),
    };
    let session = context.plane()?.caller().and_then(|caller| caller.session.clone());
    Ok(Some(RunDraft {
        kind: kind.kind(),
        session,
        validation,
        summary,
        event_id: None,
        outcome_id: None,
        id: None,
    }))
}
