//! `loopx agent`: the lanes of a goal.

use std::collections::BTreeSet;

use loopx_contract::{AgentId, GoalId, RuntimeId};
use loopx_core::agent::{Agent, AgentKind, AgentState, Capability};
use loopx_core::command::AgentAdd;
use loopx_core::{AuthorityCommand, Refusal};
use serde::Serialize;

use crate::app::similar::{did_you_mean, similar};
use crate::cli::list::{Table, Words, word};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Register, edit, pause and list the lanes of a goal.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(Add),
    Edit(Edit),
    /// Pause a lane: it is given no work until it is resumed.
    Pause(Which),
    /// Let a paused lane go on.
    Resume(Which),
    List(List),
}

const KINDS: Words<AgentKind> = &[("automation", AgentKind::Automation), ("human", AgentKind::Human)];

/// How a lane stands.
pub(super) const STATES: Words<AgentState> =
    &[("active", AgentState::Active), ("paused", AgentState::Paused)];

/// Register a lane: a program's, or a person's.
#[derive(Debug, clap::Args)]
struct Add {
    /// Its id: a letter or digit, then letters, digits, '_', '.' or '-'.
    #[arg(value_name = "ID")]
    id: String,
    /// It is a person.
    #[arg(long, conflicts_with = "runtime")]
    human: bool,
    /// The runtime it works in, such as codex_cli_tui or claude_code: sessions of it in the goal's folder are its own.
    #[arg(long, value_name = "RUNTIME")]
    runtime: Option<String>,
    /// Something it can do that a todo may need; may be given again.
    #[arg(long, value_name = "TEXT")]
    capability: Vec<String>,
}

/// Edit a lane's runtime or capabilities; what is not named stays.
#[derive(Debug, clap::Args)]
struct Edit {
    /// Which lane.
    #[arg(value_name = "AGENT", id = "lane")]
    id: String,
    /// The new runtime.
    #[arg(long, value_name = "RUNTIME", conflicts_with = "clear_runtime")]
    runtime: Option<String>,
    /// Name no runtime.
    #[arg(long)]
    clear_runtime: bool,
    /// All that it can do from now on; may be given again.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["grant", "revoke", "clear_capabilities"])]
    capability: Vec<String>,
    /// One more thing it can do; may be given again.
    #[arg(long, value_name = "TEXT")]
    grant: Vec<String>,
    /// A thing it can do no more; may be given again.
    #[arg(long, value_name = "TEXT")]
    revoke: Vec<String>,
    /// Take every capability away.
    #[arg(long, conflicts_with_all = ["grant", "revoke"])]
    clear_capabilities: bool,
}

/// One lane.
#[derive(Debug, clap::Args)]
struct Which {
    /// Which lane.
    #[arg(value_name = "AGENT", id = "lane")]
    id: String,
}

/// List the lanes.
#[derive(Debug, clap::Args)]
struct List {}

#[derive(Serialize)]
struct ListDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    agents: Vec<AgentDocument<'a>>,
}

#[derive(Serialize)]
struct AgentDocument<'a> {
    agent_id: &'a AgentId,
    kind: AgentKind,
    state: AgentState,
    runtime_id: Option<&'a RuntimeId>,
    capabilities: &'a BTreeSet<Capability>,
    created_at: jiff::Timestamp,
}

impl<'a> AgentDocument<'a> {
    fn of(agent: &'a Agent) -> Self {
        Self {
            agent_id: &agent.id,
            kind: agent.kind,
            state: agent.state,
            runtime_id: agent.runtime.as_ref(),
            capabilities: &agent.capabilities,
            created_at: agent.created_at,
        }
    }
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Add(args) => add(args, context),
        Verb::Edit(args) => edit(args, context),
        Verb::Pause(which) => set(which, context, "pause", "paused", AgentState::Paused),
        Verb::Resume(which) => set(which, context, "resume", "resumed", AgentState::Active),
        Verb::List(_) => list(context),
    }
}

/// The runtimes by the names of the contract's vocabulary; any other name is taken, but may be a slip of the pen.
fn known() -> impl Iterator<Item = &'static str> {
    RuntimeId::BUILT_IN.into_iter().chain([RuntimeId::CUSTOM_WORKER])
}

fn is_known(runtime: &RuntimeId) -> bool {
    known().any(|known| known == runtime.as_str())
}

fn add(args: &Add, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = AgentId::parse(&args.id)?;
    context.new_id("agent id", agent.as_str())?;
    let add = AgentAdd {
        agent,
        kind: if args.human { AgentKind::Human } else { AgentKind::Automation },
        runtime: args.runtime.as_deref().map(|id| runtime_id(context, id)).transpose()?,
        capabilities: named::names(context, "capability", &args.capability)?,
    };
    let id = add.agent.clone();
    let mut what = format!("register {} {id} on goal {goal}", word(KINDS, &add.kind));
    if let Some(runtime) = &add.runtime {
        what += &format!(", runtime {runtime}");
    }
    let unread = add.runtime.as_ref().filter(|runtime| !is_known(runtime)).cloned();
    let receipt = context.authority(&goal, &what, AuthorityCommand::AgentAdd(add))?;
    if let Some(runtime) = unread {
        let known: Vec<_> = known().collect();
        context.ui.note(&format!("{runtime} is no runtime that LoopX knows: {}", known.join(", ")));
    }
    receipt::show(context, &receipt, "registered", Some((&id).into()))
}

fn edit(args: &Edit, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = lane(context, &goal, &args.id)?;
    let runtime = match (&args.runtime, args.clear_runtime) {
        (_, true) => Some(None),
        (Some(runtime), false) => Some(Some(runtime_id(context, runtime)?)),
        (None, false) => None,
    };
    let grant = named::names(context, "capability", &args.grant)?;
    let revoke = named::names(context, "capability", &args.revoke)?;
    let capabilities = if args.clear_capabilities {
        Some(BTreeSet::new())
    } else if !args.capability.is_empty() {
        Some(named::names(context, "capability", &args.capability)?)
    } else if grant.is_empty() && revoke.is_empty() {
        None
    } else {
        let kept = agent.capabilities.iter().filter(|capability| !revoke.contains(capability));
        Some(kept.chain(&grant).cloned().collect())
    };
    let mut what = format!("edit lane {} of goal {goal}", agent.id);
    match &runtime {
        Some(Some(runtime)) => what += &format!(": runtime {runtime}"),
        Some(None) => what += ": no runtime",
        None => {}
    }
    if let Some(capabilities) = &capabilities {
        what += &format!(": able to {}", some_of(capabilities));
    }
    let command = AuthorityCommand::AgentEdit { agent: agent.id.clone(), runtime, capabilities, state: None };
    let receipt = context.authority(&goal, &what, command)?;
    receipt::show(context, &receipt, "edited", Some((&agent.id).into()))
}

fn set(
    which: &Which,
    context: &mut Context,
    verb: &str,
    done: &'static str,
    state: AgentState,
) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let agent = lane(context, &goal, &which.id)?.id;
    let command = AuthorityCommand::AgentEdit {
        agent: agent.clone(),
        runtime: None,
        capabilities: None,
        state: Some(state),
    };
    let receipt = context.authority(&goal, &format!("{verb} lane {agent} of goal {goal}"), command)?;
    receipt::show(context, &receipt, done, Some((&agent).into()))
}

/// The id of a runtime, which may be one that LoopX doesn't read.
fn runtime_id(context: &mut Context, id: &str) -> Result<RuntimeId, CliError> {
    let id = RuntimeId::parse(id)?;
    context.new_id("runtime id", id.as_str())?;
    let meant = similar(id.as_str(), known()).filter(|_| !is_known(&id));
    // One that goes on where a known one ends is a word of its own: `custom_worker_2`, `codex2`.
    let goes_on = |meant: &str| {
        let rest = |known| id.as_str().strip_prefix(known).unwrap_or_default();
        let first = meant.split('_').next().unwrap_or(meant);
        let is_digit = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
        rest(meant).starts_with('_') || is_digit(rest(meant)) || is_digit(rest(first))
    };
    if let Some(meant) = meant.filter(|meant| !goes_on(meant)) {
        let known: Vec<_> = known().collect();
        return Err(CliError::usage(format!("{id} is no runtime that LoopX knows")).hint(format!(
            "{}It knows {}; a worker of your own has a word that is like none of them",
            did_you_mean(meant),
            known.join(", ")
        )));
    }
    Ok(id)
}

/// A lane by its id or a unique prefix of it.
fn lane(context: &mut Context, goal: &GoalId, name: &str) -> Result<Agent, CliError> {
    let id = AgentId::parse(name)?;
    let state = named::state(context, goal)?;
    if let Some(agent) = state.agents.get(&id) {
        return Ok(agent.clone());
    }
    let mut longer = state.agents.values().filter(|agent| agent.id.as_str().starts_with(name));
    match (longer.next(), longer.next()) {
        (Some(only), None) => Ok(only.clone()),
        (Some(first), Some(second)) => {
            Err(CliError::usage(format!("agent {name} is ambiguous: {}, {}", first.id, second.id))
                .hint("type more of it"))
        }
        (None, _) => Err(Refusal::NoAgent(id).into()),
    }
}

fn some_of(capabilities: &BTreeSet<Capability>) -> String {
    if capabilities.is_empty() {
        return "–".to_owned();
    }
    capabilities.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn list(context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let state = named::state(context, &goal)?;
    if context.json() {
        let agents = state.agents.values().map(AgentDocument::of).collect();
        context.ui.json(&ListDocument { schema_version: "loopx_agent_list_v0", goal_id: &goal, agents })?;
        return Ok(0);
    }
    if state.agents.is_empty() {
        context
            .ui
            .note(&format!("goal {goal} has no lanes: `loopx agent add ID --goal {goal}` registers one"));
        return Ok(0);
    }
    let mut table = Table::new(["agent", "kind", "state", "runtime", "capabilities"]);
    for agent in state.agents.values() {
        table.row(vec![
            agent.id.to_string(),
            word(KINDS, &agent.kind).to_owned(),
            word(STATES, &agent.state).to_owned(),
            agent.runtime.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string),
            some_of(&agent.capabilities),
        ]);
    }
    table.show(&mut context.ui);
    Ok(0)
}
