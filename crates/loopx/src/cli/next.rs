//! `loopx next`: an agent's or a script's "may I run?".

use loopx_contract::TodoId;
use loopx_core::{Decision, LaneCommand, Row};
use serde::Serialize;

use crate::cli::Context;
use crate::cli::view::LaneDocument;
use crate::error::{CliError, ErrorKind};

/// Say whether this lane may run a turn, by exit code; with --claim, take the todo as well.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 ready, 10 user, 11 controller, 12 runtime, 13 external evidence, 14 throttled, \
                        15 nothing to do, 16 a session of this lane is already at work."
)]
pub struct Args {
    /// Decide and claim in one transaction.
    #[arg(long)]
    claim: bool,
    /// How long the claim counts, in minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    lease: u32,
}

/// How often a lost race for the first todo is run again.
const TRIES: usize = 8;

#[derive(Serialize)]
struct NextDocument<'a> {
    schema_version: &'static str,
    /// The claimed todo's epoch; finishing names it.
    token: Option<u64>,
    claimed: Option<&'a TodoId>,
    #[serde(flatten)]
    lane: LaneDocument<'a>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = context.agent(&goal)?;
    let mut claimed = None;
    let mut decision = decide(context, &goal, &agent)?;
    if args.claim {
        for _ in 0..TRIES {
            let Some(todo) = ready(&decision) else { break };
            match claim(context, &goal, &agent, &todo, args.lease) {
                Ok(token) => {
                    claimed = Some((todo, token));
                    break;
                }
                Err(error) if error.kind == ErrorKind::Conflict => decision = decide(context, &goal, &agent)?,
                Err(error) => return Err(error),
            }
        }
    }
    if context.json() {
        context.ui.json(&NextDocument {
            schema_version: "loopx_next_v0",
            token: claimed.as_ref().and_then(|(_, token)| *token),
            claimed: claimed.as_ref().map(|(todo, _)| todo),
            lane: LaneDocument::of(&decision),
        })?;
    } else {
        let text = context.ui.plain(decision.projection.first_screen.next_action.as_str());
        match &claimed {
            Some((todo, Some(token))) => context.ui.line(&format!("{todo} token {token}: {text}")),
            Some((todo, None)) => context.ui.line(&format!("{todo}: {text}")),
            None => context.ui.line(&text),
        }
    }
    Ok(decision.exit)
}

fn decide(
    context: &mut Context,
    goal: &loopx_contract::GoalId,
    agent: &loopx_contract::AgentId,
) -> Result<Decision, CliError> {
    let now = context.now();
    let (world, _) = context.plane()?.world(now, Some(goal))?;
    Ok(world.decide(goal, agent, None))
}

/// The todo to claim, where the row says that the lane is ready.
fn ready(decision: &Decision) -> Option<TodoId> {
    (decision.row == Row::Ready)
        .then(|| decision.projection.first_screen.first_executable_agent_todo.clone())?
}

fn claim(
    context: &mut Context,
    goal: &loopx_contract::GoalId,
    agent: &loopx_contract::AgentId,
    todo: &TodoId,
    lease_minutes: u32,
) -> Result<Option<u64>, CliError> {
    let now = context.now();
    let state = context.plane()?.state(goal)?;
    let offer = state
        .todos
        .get(todo)
        .and_then(|todo| state.handoffs.get(todo.offered.as_ref()?))
        .filter(|offer| offer.is_offered(now) && offer.is_for(agent));
    let command = match offer {
        Some(offer) => {
            LaneCommand::HandoffAccept { handoff: offer.id.clone(), agent: agent.clone(), lease_minutes }
        }
        None => LaneCommand::NextClaim { agent: agent.clone(), lease_minutes, expect: todo.clone() },
    };
    context.lane(goal, Some(agent), command)?;
    let state = context.plane()?.state(goal)?;
    Ok(state.todos.get(todo).and_then(|todo| todo.claim.as_ref()).map(|claim| claim.epoch))
}
