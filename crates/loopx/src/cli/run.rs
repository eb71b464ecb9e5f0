//! `loopx run`: run history.

mod list;
mod record;
mod show;

use loopx_core::LaneCommand;
use loopx_core::run::RunKind;

use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Record what a lane did and look at what was recorded.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Record(record::Args),
    Resolve(Resolve),
    List(list::Args),
    Show(show::Args),
}

/// Say that what a blocker run reported is out of the way.
#[derive(Debug, clap::Args)]
struct Resolve {
    /// Which blocker run.
    run: String,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Record(args) => record::run(args, context),
        Verb::Resolve(args) => resolve(args, context),
        Verb::List(args) => list::run(args, context),
        Verb::Show(args) => show::run(args, context),
    }
}

fn resolve(args: &Resolve, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let run = named::run_id(context, &goal, &args.run)?;
    let agent = context.agent_if_any(&goal)?;
    let receipt = context.lane(&goal, agent.as_ref(), LaneCommand::RunResolve { run })?;
    receipt::show_subject(context, &receipt, "resolved")
}

/// What a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum KindArg {
    /// Something moved.
    Progress,
    /// Something was checked.
    Validation,
    /// Something external stands in a todo's way.
    Blocker,
    /// Nothing moved.
    #[value(alias = "no-progress")]
    NoProgress,
    /// Work was handed over.
    Handoff,
    /// A projection was recorded: never progress, never validation.
    Projection,
}

impl KindArg {
    /// The kind.
    pub const fn kind(self) -> RunKind {
        match self {
            Self::Progress => RunKind::Progress,
            Self::Validation => RunKind::Validation,
            Self::Blocker => RunKind::Blocker,
            Self::NoProgress => RunKind::NoProgress,
            Self::Handoff => RunKind::Handoff,
            Self::Projection => RunKind::Projection,
        }
    }
}
