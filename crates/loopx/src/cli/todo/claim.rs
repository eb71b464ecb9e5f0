//! `loopx todo claim`, `renew` and `release`.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, TodoId};
use loopx_core::LaneCommand;
use serde::Serialize;

use crate::cli::{Context, args, named, receipt, words};
use crate::error::CliError;

/// Take a todo for this lane. Its token is named when it is renewed, released or finished.
#[derive(Debug, clap::Args)]
pub struct Claim {
    /// Which todo.
    todo: String,
    /// How long the claim counts: minutes, or 60m, 2h.
    #[arg(long, value_name = "LEASE", value_parser = args::lease, default_value = "60m")]
    lease: u32,
}

/// Lengthen this lane's claim: the lease runs from now. Without a lease it never ends sooner than before.
#[derive(Debug, clap::Args)]
pub struct Renew {
    /// Which todo.
    todo: String,
    /// The claim's token.
    #[arg(long, value_name = "N")]
    token: Option<u64>,
    /// How long the claim counts from now: minutes, or 60m, 2h; else 60m, or what is left if that is more.
    #[arg(long, value_name = "LEASE", value_parser = args::lease)]
    lease: Option<u32>,
}

/// Give this lane's claim back.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// Which todo.
    todo: String,
    /// The claim's token.
    #[arg(long, value_name = "N")]
    token: Option<u64>,
}

#[derive(Serialize)]
struct ClaimDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    revision: u64,
    /// The todo.
    id: &'a TodoId,
    agent: &'a AgentId,
    /// The claim's epoch; finishing and releasing name it.
    token: u64,
    /// When the lease ends, UTC.
    until: Timestamp,
    replayed: bool,
}

/// Runs `claim`.
pub fn claim(args: &Claim, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    let todo = named::todo_id(context, &goal, &args.todo)?;
    let command =
        LaneCommand::TodoClaim { todo: todo.clone(), agent: agent.clone(), lease_minutes: args.lease };
    taken(context, &goal, &agent, &todo, command, "claimed")
}

/// Runs `renew`.
pub fn renew(args: &Renew, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    let todo = named::todo_id(context, &goal, &args.todo)?;
    let lease_minutes = match args.lease {
        Some(lease) => lease,
        None => USUAL.max(minutes_left(context, &goal, &todo)?),
    };
    let command =
        LaneCommand::TodoRenew { todo: todo.clone(), agent: agent.clone(), token: args.token, lease_minutes };
    taken(context, &goal, &agent, &todo, command, "renewed")
}

/// How long a claim counts where nothing is said, in minutes.
const USUAL: u32 = 60;

/// The minutes that a claim has left, rounded up.
fn minutes_left(context: &mut Context, goal: &GoalId, todo: &TodoId) -> Result<u32, CliError> {
    let now = context.now();
    let state = context.plane()?.state(goal)?;
    let claim = state.todos.get(todo).and_then(|todo| todo.live_claim(now));
    let left = claim.map_or(0, |claim| (claim.until.duration_since(now).as_secs() + 59) / 60);
    Ok(u32::try_from(left).unwrap_or(0))
}

/// Runs `release`.
pub fn release(args: &Release, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    let todo = named::todo_id(context, &goal, &args.todo)?;
    let command = LaneCommand::TodoRelease { todo, agent: agent.clone(), token: args.token };
    let receipt = context.lane(&goal, Some(&agent), command)?;
    receipt::show_subject(context, &receipt, "released")
}

/// Runs a command that leaves the lane with a claim, and shows the claim.
pub(in crate::cli) fn taken(
    context: &mut Context,
    goal: &GoalId,
    agent: &AgentId,
    todo: &TodoId,
    command: LaneCommand,
    words: &str,
) -> Result<u8, CliError> {
    let receipt = context.lane(goal, Some(agent), command)?;
    let state = context.plane()?.state(goal)?;
    let claim = state.todos.get(todo).and_then(|todo| todo.claim.as_ref());
    // A retry may find the todo in other hands, or closed.
    let Some(claim) = claim.filter(|claim| claim.agent == *agent) else {
        return receipt::show(context, &receipt, words, Some(todo.into()));
    };
    if context.json() {
        context.ui.json(&ClaimDocument {
            schema_version: "loopx_claim_v0",
            goal_id: goal,
            revision: receipt.revision,
            id: todo,
            agent,
            token: claim.epoch,
            until: claim.until,
            replayed: receipt.replayed,
        })?;
        return Ok(0);
    }
    let until = words::instant(context, claim.until, context.now());
    context.ui.line(&format!("{words} {todo} for {agent}, token {}, lease ends {until}", claim.epoch));
    Ok(0)
}
