//! `loopx init`: makes the folder one stands in a project with a goal and lanes. Nothing is written into it.

mod lanes;

use loopx_contract::{AgentId, GoalId, Ref, RuntimeId};
use loopx_core::command::{AgentAdd, GoalAdd};
use loopx_core::{AuthorityCommand, ProofFloor, State};
use serde::Serialize;

use crate::cli::bound::{self, Bound, Target};
use crate::cli::goal::PROOFS;
use crate::cli::list::words;
use crate::cli::{Context, named};
use crate::error::CliError;

use lanes::Lanes;

/// Add a goal for this project, with its lanes, and bind this folder to it. Nothing is written into the folder.
///
/// Running it again is harmless: it says what is there, and adds what is missing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The goal's id; default: that of the folder, else `goal-1` and so on.
    #[arg(value_name = "GOAL")]
    name: Option<String>,
    /// What is to be reached.
    #[arg(long, value_name = "TEXT")]
    objective: Option<String>,
    #[command(flatten)]
    lanes: Lanes,
    /// The least proof that decisions on a new goal will need: none is for scripts and tests.
    #[arg(long, value_name = "PROOF", value_parser = words(PROOFS))]
    proof: Option<ProofFloor>,
}

/// A new goal's objective, where none is said.
const OBJECTIVE: &str = "bring this project forward";

#[derive(Serialize)]
struct InitDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    /// Whether the goal is new.
    added: bool,
    agents: Vec<LaneDocument<'a>>,
    /// The handle of the folder that sessions of this goal work in.
    folder: &'a Ref,
    revision: u64,
}

#[derive(Serialize)]
struct LaneDocument<'a> {
    agent_id: &'a AgentId,
    runtime_id: Option<&'a RuntimeId>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let folder = bound::cwd(context)?;
    let target = Target::folder(context, &folder)?;
    let all = bound::all(context)?;
    let over = bound::over(context, &all, &folder)?;
    let goal = meant(args, context, &target, &all, over.as_ref())?;
    let there = context.plane()?.goals()?.into_iter().any(|known| known.id == goal);
    let same = over.as_ref().is_some_and(|over| over.goal == goal);
    if !same {
        bound::take(context, &all, &goal, &target)?;
    }
    let agents = args.lanes.named()?;
    if there {
        complete(args, context, &goal, agents, (!same).then_some(&target))?;
    } else {
        let agents = if agents.is_empty() { lanes::default(context)? } else { agents };
        add(args, context, &goal, agents, &target)?;
    }
    let bound = over.filter(|_| same).map_or_else(|| target.handle.clone(), |over| over.target);
    if bound == target.handle {
        bound::keep_path(context, &target)?;
    }
    let state = context.plane()?.state(&goal)?;
    show(context, &state, &goal, !there, bound::handle(&bound))
}

/// The goal that is meant: as named, as bound, as configured, else a new one with a number. The folder's name is not
/// taken: an id comes out wherever its goal does, and that name may be nobody else's business.
fn meant(
    args: &Args,
    context: &mut Context,
    target: &Target,
    all: &[Bound],
    over: Option<&Bound>,
) -> Result<GoalId, CliError> {
    if let Some(name) = args.name.as_deref().or(context.named_goal()) {
        return Ok(GoalId::parse(name)?);
    }
    // The folder itself, or the repository that it is a worktree of: none of the folders above it.
    let above = target.folder.as_deref().and_then(std::path::Path::parent);
    let higher = match above {
        Some(above) => bound::over(context, all, above)?,
        None => None,
    };
    if let Some(over) = over.filter(|over| higher.is_none_or(|higher| higher.target != over.target)) {
        return Ok(over.goal.clone());
    }
    if let Some(name) = context.config.goal() {
        return Ok(GoalId::parse(name)?);
    }
    let known = context.plane()?.goals()?;
    (1..)
        .find_map(|number: usize| {
            let id = GoalId::parse(&format!("goal-{number}")).ok()?;
            let is_free = known.iter().all(|goal| goal.id != id) && all.iter().all(|bound| bound.goal != id);
            is_free.then_some(id)
        })
        .ok_or_else(|| CliError::usage("no goal is named").hint("name the goal: `loopx init GOAL`"))
}

/// A new goal with all that belongs to it, in one command.
fn add(
    args: &Args,
    context: &mut Context,
    goal: &GoalId,
    agents: Vec<AgentAdd>,
    target: &Target,
) -> Result<(), CliError> {
    let by_folder = args.name.is_none() && context.named_goal().is_none();
    context
        .new_id("goal id", goal.as_str())
        .map_err(|error| if by_folder { error.hint("name the goal: `loopx init GOAL`") } else { error })?;
    for agent in &agents {
        context.new_id("agent id", agent.agent.as_str())?;
        if let Some(runtime) = &agent.runtime {
            context.new_id("runtime id", runtime.as_str())?;
        }
    }
    let (read, write) = (context.config.scope_read().to_vec(), context.config.scope_write().to_vec());
    let objective = context.text("objective", args.objective.as_deref().unwrap_or(OBJECTIVE))?;
    let proof = args.proof.unwrap_or(context.config.proof());
    let command = GoalAdd {
        objective,
        proof,
        lock: context.lock_for(proof)?,
        read: named::globs(context, &read)?,
        write: named::globs(context, &write)?,
        private_data_rule: None,
        stop_condition: None,
        agents,
        bind: vec![(target.handle.clone(), None)],
    };
    context.authority(goal, &format!("add goal {goal}"), AuthorityCommand::GoalAdd(command))?;
    Ok(())
}

/// What is missing of a goal that is there.
fn complete(
    args: &Args,
    context: &mut Context,
    goal: &GoalId,
    agents: Vec<AgentAdd>,
    bind: Option<&Target>,
) -> Result<(), CliError> {
    let state = context.plane()?.state(goal)?;
    let agents = if agents.is_empty() && state.agents.iter().next().is_none() {
        lanes::default(context)?
    } else {
        agents
    };
    for add in agents.into_iter().filter(|add| !state.agents.contains(&add.agent)) {
        let question = format!("register lane {} on goal {goal}", add.agent);
        context.authority(goal, &question, AuthorityCommand::AgentAdd(add))?;
    }
    if let Some(target) = bind {
        let question = format!("bind {} to goal {goal}", target.words());
        let command = AuthorityCommand::Bind { target: target.handle.clone(), agent: None };
        context.authority(goal, &question, command)?;
    }
    if args.objective.is_some() {
        context.ui.note(&format!(
            "the objective stays as it is; change it with `loopx goal edit --goal {goal} --objective TEXT`"
        ));
    }
    Ok(())
}

fn show(
    context: &mut Context,
    state: &State,
    goal: &GoalId,
    added: bool,
    folder: &Ref,
) -> Result<u8, CliError> {
    let lanes = || state.agents.values();
    if context.json() {
        let agents =
            lanes().map(|agent| LaneDocument { agent_id: &agent.id, runtime_id: agent.runtime.as_ref() });
        context.ui.json(&InitDocument {
            schema_version: "loopx_init_v0",
            goal_id: goal,
            added,
            agents: agents.collect(),
            folder,
            revision: state.revision,
        })?;
        return Ok(0);
    }
    let word = if added { "added goal" } else { "this folder belongs to goal" };
    context.ui.line(&format!("{word} {goal} at revision {}", state.revision));
    for agent in lanes() {
        let runtime = agent.runtime.as_ref().map_or("no runtime", RuntimeId::as_str);
        context.ui.line(&format!("  lane {}, {runtime}", agent.id));
    }
    context.ui.line(&format!("  {folder}: sessions in this folder belong to it"));
    let first = lanes().next().map(|agent| agent.id.clone());
    context.ui.note(&hint(goal, first.as_ref()));
    Ok(0)
}

fn hint(goal: &GoalId, first: Option<&AgentId>) -> String {
    let agent = first.map_or_else(String::new, |agent| format!(" --agent {agent}"));
    format!("hint: add work with `loopx todo add TITLE`, then see `loopx next --goal {goal}{agent}`")
}
