//! `loopx gate approve`, `reject`, `defer`, `met`, `cover`, `withdraw` and `revoke`: each shows in words what is
//! decided before it asks for a person's proof.

use loopx_contract::GoalId;
use loopx_core::command::{Decision, GateWithdraw};
use loopx_core::gate::{Gate, GateDecision};
use loopx_core::{AuthorityCommand, LaneCommand};

use crate::cli::args::{self, When};
use crate::cli::{Context, named, receipt, words};
use crate::error::CliError;

/// Approve a gate: what it covers may go on.
#[derive(Debug, clap::Args)]
pub struct Approve {
    /// Which gate.
    gate: String,
    /// When the approval runs out.
    #[arg(long, value_name = "WHEN", value_parser = args::when)]
    until: Option<When>,
    /// Only for the first covered todo that is claimed.
    #[arg(long)]
    single_use: bool,
}

/// Reject a gate: what it covers stays held.
#[derive(Debug, clap::Args)]
pub struct Reject {
    /// Which gate.
    gate: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Put a gate off, until an instant or until a condition is met.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("how").required(true).multiple(true).args(["until", "condition"]))]
pub struct Defer {
    /// Which gate.
    gate: String,
    /// Until then.
    #[arg(long, value_name = "WHEN", value_parser = args::when)]
    until: Option<When>,
    /// Until this is supplied.
    #[arg(long, value_name = "TEXT")]
    condition: Option<String>,
}

/// Say that a deferred gate's condition is met: it counts as requested again.
#[derive(Debug, clap::Args)]
pub struct Met {
    /// Which gate.
    gate: String,
}

/// Say what a gate covers from now on.
#[derive(Debug, clap::Args)]
pub struct Cover {
    /// Which gate.
    gate: String,
    /// All that it covers: `goal`, agents or todos.
    #[arg(long, value_name = "WHAT", required = true)]
    covers: Vec<String>,
}

/// Take a question back. A lane may take back what it asked; any other is a person's.
#[derive(Debug, clap::Args)]
pub struct Withdraw {
    /// Which gate.
    gate: String,
}

/// Take an approval back: the gate counts as requested again.
#[derive(Debug, clap::Args)]
pub struct Revoke {
    /// Which gate.
    gate: String,
}

/// Runs `approve`.
pub fn approve(args: &Approve, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let now = context.now();
    let until = args.until.map(|when| when.at(now)).transpose()?;
    let mut how = "approve".to_owned();
    if args.single_use {
        how += " for one use";
    }
    if let Some(until) = until {
        how += &format!(" until {}", words::instant(context, until, now));
    }
    let decision = Decision::Approve { until, single_use: args.single_use };
    decide(context, &goal, &gate, &how, decision, "approved")
}

/// Runs `reject`.
pub fn reject(args: &Reject, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let reason = named::text(context, "reason", args.reason.as_deref())?;
    decide(context, &goal, &gate, "reject", Decision::Reject { reason }, "rejected")
}

/// Runs `defer`.
pub fn defer(args: &Defer, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let now = context.now();
    let until = args.until.map(|when| when.at(now)).transpose()?;
    let condition = named::text(context, "condition", args.condition.as_deref())?;
    let mut how = "put off".to_owned();
    if let Some(until) = until {
        how += &format!(" until {}", words::instant(context, until, now));
    }
    if let Some(condition) = &condition {
        how += &format!(" until “{condition}”");
    }
    decide(context, &goal, &gate, &how, Decision::Defer { until, condition }, "deferred")
}

/// Runs `met`.
pub fn met(args: &Met, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let command = AuthorityCommand::GateConditionMet { gate: gate.id.clone() };
    ask_person(context, &goal, &gate, "say that the condition is met of", command, "met the condition of")
}

/// Runs `cover`.
pub fn cover(args: &Cover, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let covers = named::covers(context, &goal, &args.covers)?;
    let how = format!("let it cover {} from now on:", words::covers(&covers));
    let command = AuthorityCommand::GateCover { gate: gate.id.clone(), covers };
    ask_person(context, &goal, &gate, &how, command, "set what is covered by")
}

/// Runs `revoke`.
pub fn revoke(args: &Revoke, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let command = AuthorityCommand::GateRevoke { gate: gate.id.clone() };
    ask_person(context, &goal, &gate, "take back the approval of", command, "revoked")
}

/// Runs `withdraw`.
pub fn withdraw(args: &Withdraw, context: &mut Context) -> Result<u8, CliError> {
    let (goal, gate) = loaded(context, &args.gate)?;
    let agent = context.agent_if_any(&goal)?;
    // Of a gate that is withdrawn already, the same command again: a retry is known by that.
    let undecided = matches!(gate.state, GateDecision::Requested | GateDecision::Withdrawn);
    let own = agent.is_some() && gate.asked_by == agent && undecided;
    let withdraw = GateWithdraw { gate: gate.id.clone(), agent: agent.clone().filter(|_| own) };
    if own {
        let receipt = context.lane(&goal, agent.as_ref(), LaneCommand::GateWithdraw(withdraw))?;
        return receipt::show_subject(context, &receipt, "withdrew");
    }
    ask_person(context, &goal, &gate, "withdraw", AuthorityCommand::GateWithdraw(withdraw), "withdrew")
}

fn loaded(context: &mut Context, text: &str) -> Result<(GoalId, Gate), CliError> {
    let goal = context.goal()?;
    let gate = named::gate(context, &goal, text)?;
    Ok((goal, gate))
}

fn decide(
    context: &mut Context,
    goal: &GoalId,
    gate: &Gate,
    how: &str,
    decision: Decision,
    words: &str,
) -> Result<u8, CliError> {
    let command = AuthorityCommand::GateDecide { gate: gate.id.clone(), decision };
    ask_person(context, goal, gate, how, command, words)
}

fn ask_person(
    context: &mut Context,
    goal: &GoalId,
    gate: &Gate,
    how: &str,
    command: AuthorityCommand,
    words: &str,
) -> Result<u8, CliError> {
    let what = format!("{how} {}", crate::app::reading::gate::question(gate, context.now()));
    let receipt = context.authority(goal, &what, command)?;
    receipt::show_subject(context, &receipt, words)
}
