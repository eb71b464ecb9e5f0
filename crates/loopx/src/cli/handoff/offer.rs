//! `loopx handoff offer`.

use std::collections::BTreeSet;

use loopx_contract::AgentId;
use loopx_core::LaneCommand;
use loopx_core::command::HandoffOffer;

use crate::cli::args::{self, When};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Offer a todo to another lane, or to whichever takes it. This lane's claim on it ends.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which todo.
    todo: String,
    /// The receiver; without it, any lane but this one.
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// What the receiver should do next.
    #[arg(long, value_name = "TEXT")]
    next_action: String,
    /// When the receiver must stop.
    #[arg(long, value_name = "TEXT")]
    stop_condition: Option<String>,
    /// A run that shows where it stands; several may be given.
    #[arg(long, value_name = "RUN")]
    evidence: Vec<String>,
    /// When the offer runs out.
    #[arg(long, value_name = "WHEN", value_parser = args::when)]
    expires: Option<When>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    let todo = named::todo_id(context, &goal, &args.todo)?;
    let now = context.now();
    let mut evidence = BTreeSet::new();
    for run in &args.evidence {
        evidence.insert(named::run_id(context, &goal, run)?);
    }
    let offer = HandoffOffer {
        todo,
        from: agent.clone(),
        to: args.to.as_deref().map(AgentId::parse).transpose()?,
        next_action: context.text("next_action", &args.next_action)?,
        stop_condition: named::text(context, "stop_condition", args.stop_condition.as_deref())?,
        evidence,
        expires_at: args.expires.map(|when| when.at(now)).transpose()?,
    };
    let receipt = context.lane(&goal, Some(&agent), LaneCommand::HandoffOffer(offer))?;
    receipt::show_subject(context, &receipt, "offered")
}
