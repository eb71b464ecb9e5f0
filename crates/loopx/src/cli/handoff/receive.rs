//! `loopx handoff accept`, `decline`, `withdraw` and `follow-up`.

use loopx_contract::{AgentId, GoalId, HandoffId};
use loopx_core::LaneCommand;

use crate::cli::{Context, args, named, receipt, todo};
use crate::error::CliError;

/// Take an offered todo: the claim moves to this lane.
#[derive(Debug, clap::Args)]
pub struct Accept {
    /// Which handoff.
    handoff: String,
    /// How long the claim counts: minutes, or 60m, 2h.
    #[arg(long, value_name = "LEASE", value_parser = args::lease, default_value = "60m")]
    lease: u32,
}

/// Say no to an offer: the todo stays unclaimed.
#[derive(Debug, clap::Args)]
pub struct Decline {
    /// Which handoff.
    handoff: String,
}

/// Take this lane's offer back: the todo stays unclaimed.
#[derive(Debug, clap::Args)]
pub struct Withdraw {
    /// Which handoff.
    handoff: String,
}

/// Say how an accepted handoff went on, as a run of this lane.
#[derive(Debug, clap::Args)]
pub struct FollowUp {
    /// Which handoff.
    handoff: String,
    /// What happened, in a line.
    #[arg(long, value_name = "TEXT")]
    summary: String,
}

/// Runs `accept`.
pub fn accept(args: &Accept, context: &mut Context) -> Result<u8, CliError> {
    let (goal, agent) = lane(context)?;
    let handoff = named::handoff(context, &goal, &args.handoff)?;
    let command =
        LaneCommand::HandoffAccept { handoff: handoff.id, agent: agent.clone(), lease_minutes: args.lease };
    todo::taken(context, &goal, &agent, &handoff.todo, command, "accepted")
}

/// Runs `decline`.
pub fn decline(args: &Decline, context: &mut Context) -> Result<u8, CliError> {
    run(context, &args.handoff, "declined", |handoff, agent| LaneCommand::HandoffDecline { handoff, agent })
}

/// Runs `withdraw`.
pub fn withdraw(args: &Withdraw, context: &mut Context) -> Result<u8, CliError> {
    run(context, &args.handoff, "withdrew", |handoff, agent| LaneCommand::HandoffWithdraw { handoff, agent })
}

/// Runs `follow-up`.
pub fn follow_up(args: &FollowUp, context: &mut Context) -> Result<u8, CliError> {
    let summary = context.text("summary", &args.summary)?;
    run(context, &args.handoff, "followed up", |handoff, agent| LaneCommand::HandoffFollowUp {
        handoff,
        agent,
        summary,
    })
}

fn lane(context: &mut Context) -> Result<(GoalId, AgentId), CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    Ok((goal, agent))
}

fn run(
    context: &mut Context,
    text: &str,
    words: &str,
    command: impl FnOnce(HandoffId, AgentId) -> LaneCommand,
) -> Result<u8, CliError> {
    let (goal, agent) = lane(context)?;
    let handoff = named::handoff_id(context, &goal, text)?;
    let receipt = context.lane(&goal, Some(&agent), command(handoff, agent.clone()))?;
    receipt::show_subject(context, &receipt, words)
}
