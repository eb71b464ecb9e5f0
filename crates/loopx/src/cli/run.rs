//! `loopx run`: run history.

mod list;
mod record;
mod show;

use loopx_core::LaneCommand;
use loopx_core::run::{Run, RunKind, ValidationOutcome};

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

/// What a run was, in a word.
const fn kind_word(run: &Run) -> &'static str {
    match run.kind {
        RunKind::Progress => "progress",
        RunKind::Validation => "validation",
        RunKind::Blocker => "blocker",
        RunKind::NoProgress => "no progress",
        RunKind::Handoff => "handoff",
        RunKind::Projection => "projection",
    }
}

/// What was checked and how it ended.
fn check(run: &Run) -> String {
    let Some(validation) = &run.validation else { return String::new() };
    let outcome = match validation.outcome {
        ValidationOutcome::Passed => "passed",
        ValidationOutcome::Failed => "failed",
        ValidationOutcome::Unknown => "outcome unknown",
    };
    let exit = validation.exit_code.map(|code| format!(", exit {code}")).unwrap_or_default();
    format!("{} {outcome}{exit}", validation.label)
}
