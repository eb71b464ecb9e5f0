//! `loopx todo add`.

use loopx_core::LaneCommand;
use loopx_core::command::{AudienceDraft, TodoAdd};
use loopx_core::todo::{Blocking, Priority, TodoClass};

use super::AudienceArg;
use crate::cli::args::{self, When};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Add a todo; the same open title twice is the same todo.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is to be done, in a line.
    title: String,
    /// Who is to do it.
    #[arg(long, value_enum, value_name = "WHO", default_value = "agent")]
    audience: AudienceArg,
    /// How soon: P0 is first.
    #[arg(long, short, value_name = "P0-P3", value_parser = args::priority, default_value = "P2")]
    priority: Priority,
    /// It is a thing to look at again: when next.
    #[arg(long, value_name = "WHEN", value_parser = args::when)]
    monitor_at: Option<When>,
    /// A project-relative glob it touches; several may be given.
    #[arg(long, value_name = "GLOB")]
    glob: Vec<String>,
    /// A capability it needs; several may be given.
    #[arg(long, value_name = "CAPABILITY")]
    needs: Vec<String>,
    /// A todo, gate or blocker run it waits for; several may be given.
    #[arg(long, value_name = "ID")]
    blocked_by: Vec<String>,
    /// External evidence it waits for, by label; several may be given.
    #[arg(long, value_name = "LABEL")]
    evidence: Vec<String>,
    /// For a user todo: what waits for it, `goal`, an agent or a todo; several may be given.
    #[arg(long, value_name = "WHAT")]
    covers: Vec<String>,
    /// For a user todo: it holds what it covers.
    #[arg(long)]
    blocking: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let title = context.text("title", &args.title)?;
    let audience = match args.audience {
        AudienceArg::Agent if args.blocking || !args.covers.is_empty() => {
            return Err(CliError::usage("only a user todo covers or blocks something")
                .hint("add `--audience user`, or leave out `--covers` and `--blocking`"));
        }
        AudienceArg::Agent => AudienceDraft::Agent,
        AudienceArg::User => AudienceDraft::User {
            covers: named::covers(context, &goal, &args.covers)?,
            blocking: if args.blocking { Blocking::Blocking } else { Blocking::NonBlocking },
        },
    };
    let class = match args.monitor_at {
        Some(when) => TodoClass::Monitor { next_due_at: when.at(context.now())? },
        None => TodoClass::Advance,
    };
    let add = TodoAdd {
        title,
        audience,
        priority: args.priority,
        class,
        globs: named::globs(context, &args.glob)?,
        needs: named::names(context, "needs", &args.needs)?,
        blocked_by: named::blockers(context, &goal, &args.blocked_by, &args.evidence)?,
    };
    let agent = context.agent_if_any(&goal)?;
    let receipt = context.lane(&goal, agent.as_ref(), LaneCommand::TodoAdd(add))?;
    receipt::show_subject(context, &receipt, "added")
}
