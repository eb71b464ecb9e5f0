//! `loopx next`: an agent's or a script's "may I run?".

use std::fmt;

use loopx_contract::{AgentId, GoalId, TodoId};
use loopx_core::first_screen::instant;
use loopx_core::quota::Frees;
use loopx_core::{Decision, Event, LaneCommand, Row, Subject};
use loopx_store::StoreError;
use serde::{Serialize, Serializer};

use crate::app::documents::LaneDocument;
use crate::app::home::Home;
use crate::app::overview::no_agent;
use crate::app::spared::{self, Spared};
use crate::cli::{Context, args};
use crate::error::{CliError, ErrorKind};

/// Say whether this lane may run a turn, by exit code; with --claim, take the todo as well.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 ready, 10 user, 11 controller, 12 runtime, 13 external evidence, 14 throttled (when it \
                        frees, or never, on a line of its own), \
                        15 nothing to do, 16 a session of this lane is already at work."
)]
pub struct Args {
    /// Decide and claim in one transaction.
    #[arg(long)]
    claim: bool,
    /// How long the claim counts: minutes, or 60m, 2h.
    #[arg(long, value_name = "LEASE", value_parser = args::lease, default_value = "60m")]
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
    /// When a limit that holds turns back frees: an instant, UTC, or "never"; null where none does or none is known.
    frees_at: Option<FreesAt>,
    #[serde(flatten)]
    lane: LaneDocument<'a>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let decided = lane(context, &goal).and_then(|agent| Ok((decide(context, &goal, &agent)?, agent)));
    let (mut decision, agent) = decided.map_err(|error| context.asking_goal(&goal, error))?;
    let mut claimed = None;
    let mut tries = 0;
    while let Some(todo) = ready(&decision).filter(|_| args.claim && claimed.is_none()) {
        match claim(context, &goal, &agent, &todo, args.lease) {
            Ok(taken) => claimed = Some(taken),
            // Whoever lost every race is told so: ready without a claim would start a turn on another's todo.
            Err(error) if error.kind != ErrorKind::Conflict || tries == TRIES => return Err(error),
            Err(_) => {
                tries += 1;
                decision = decide(context, &goal, &agent)?;
            }
        }
    }
    spare(context, &goal, &agent, decision.exit);
    if decision.row == Row::UnknownLane {
        context.note_meant(&goal, &agent);
    }
    if context.json() {
        context.ui.json(&NextDocument {
            schema_version: "loopx_next_v0",
            token: claimed.as_ref().and_then(|(_, token)| *token),
            claimed: claimed.as_ref().map(|(todo, _)| todo),
            frees_at: decision.frees.map(FreesAt),
            lane: LaneDocument::of(&decision),
        })?;
    } else {
        let text = context.ui.plain(decision.projection.first_screen.next_action.as_str());
        match &claimed {
            Some((todo, Some(token))) => context.ui.line(&format!("{todo} token {token}: {text}")),
            Some((todo, None)) => context.ui.line(&format!("{todo}: {text}")),
            None => context.ui.line(&text),
        }
        if let Some(frees) = decision.frees.map(FreesAt) {
            context.ui.line(&frees.to_string());
        }
    }
    Ok(decision.exit)
}

/// The lane that is meant; of a goal without lanes, the one that says so.
fn lane(context: &mut Context, goal: &GoalId) -> Result<AgentId, CliError> {
    if let Some(agent) = context.agent_if_any(goal)? {
        return Ok(agent);
    }
    let without = match context.plane()?.state(goal) {
        Ok(state) => state.agents.iter().next().is_none(),
        // The decision says what is wrong with it.
        Err(StoreError::Damaged(_)) => true,
        Err(error) => return Err(error.into()),
    };
    if without { Ok(no_agent()?) } else { context.agent(goal) }
}

fn decide(
    context: &mut Context,
    goal: &loopx_contract::GoalId,
    agent: &loopx_contract::AgentId,
) -> Result<Decision, CliError> {
    let now = context.now();
    let (world, _) = context.plane()?.world(now, Some(goal))?;
    world.decide(goal, agent, None)
}

/// Counts the turn that a loop does not start. A person at a terminal is no loop, and inside a session it has begun.
fn spare(context: &mut Context, goal: &GoalId, agent: &AgentId, exit: u8) {
    let inside = context.plane().is_ok_and(|plane| plane.caller().is_some());
    if !matches!(exit, 10..=16) || context.ui.is_terminal() || inside {
        return;
    }
    let Some(home) = Home::of(&context.env) else { return };
    let at = context.now();
    let spared = Spared { at, goal: goal.clone(), agent: agent.clone(), exit, turns: 1 };
    // It is not worth a word where it can't be kept.
    let _ = spared::count(&home.data, &spared);
}

/// When a limit that holds turns back frees, as it is said.
struct FreesAt(Frees);

impl fmt::Display for FreesAt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Frees::At(at) => out.write_str(&instant(at)),
            Frees::Never => out.write_str("never"),
        }
    }
}

impl Serialize for FreesAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
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
) -> Result<(TodoId, Option<u64>), CliError> {
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
    let receipt = context.lane(goal, Some(agent), command)?;
    for recorded in &receipt.events {
        if let Event::TodoClaimed { todo, epoch, .. } = &recorded.event {
            return Ok((todo.clone(), Some(*epoch)));
        }
    }
    // Its own claim was lengthened: under the epoch that it had.
    let todo = if let Subject::Todo(taken) = &receipt.subject { taken } else { todo };
    let state = context.plane()?.state(goal)?;
    let epoch = state.todos.get(todo).and_then(|todo| todo.claim.as_ref()).map(|claim| claim.epoch);
    Ok((todo.clone(), epoch))
}
