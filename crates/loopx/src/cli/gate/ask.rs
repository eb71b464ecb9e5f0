//! `loopx gate ask`.

use loopx_core::LaneCommand;
use loopx_core::command::GateAsk;
use loopx_core::gate::GateActor;

use crate::cli::args::{self, When};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Ask for a decision. It holds what it covers until it is approved; the same open question twice is the same gate.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is to be decided, in a line.
    question: String,
    /// Who decides.
    #[arg(long, value_enum, value_name = "WHO", default_value = "user")]
    actor: ActorArg,
    /// What it holds: `goal`, an agent or a todo; several may be given. Without it, the goal.
    #[arg(long, value_name = "WHAT")]
    covers: Vec<String>,
    /// When the request runs out; it still counts as requested then.
    #[arg(long, value_name = "WHEN", value_parser = args::when)]
    expires: Option<When>,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ActorArg {
    /// The person whose decision it is.
    User,
    /// The one who owns the goal's configuration.
    Controller,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let question = context.text("question", &args.question)?;
    let now = context.now();
    let agent = context.agent_if_any(&goal)?;
    let ask = GateAsk {
        question,
        actor: match args.actor {
            ActorArg::User => GateActor::User,
            ActorArg::Controller => GateActor::Controller,
        },
        covers: named::covers(context, &goal, &args.covers)?,
        expires_at: args.expires.map(|when| when.at(now)).transpose()?,
        agent: agent.clone(),
    };
    let receipt = context.lane(&goal, agent.as_ref(), LaneCommand::GateAsk(ask))?;
    receipt::show_subject(context, &receipt, "asked")
}
