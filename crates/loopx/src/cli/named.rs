//! Things that a command line names: ids by a unique prefix, and what is loaded of them.

use std::collections::BTreeSet;

use loopx_contract::{AgentId, GateId, GoalId, HandoffId, IdKind, RunId, TodoId};
use loopx_core::gate::Gate;
use loopx_core::handoff::Handoff;
use loopx_core::run::Run;
use loopx_core::scope::Glob;
use loopx_core::todo::{Blocker, Covers, Succession, Todo};
use loopx_core::{Names, Refusal, State};
use loopx_safety::PublicText;
use loopx_store::StoreError;

use crate::cli::Context;
use crate::error::CliError;

/// More ids than a goal has.
pub const ALL: usize = 1_000_000;

/// A todo's id.
pub fn todo_id(context: &mut Context, goal: &GoalId, text: &str) -> Result<TodoId, CliError> {
    context.id(goal, IdKind::Todo, text, TodoId::parse)
}

/// A gate's id.
pub fn gate_id(context: &mut Context, goal: &GoalId, text: &str) -> Result<GateId, CliError> {
    context.id(goal, IdKind::Gate, text, GateId::parse)
}

/// A run's id.
pub fn run_id(context: &mut Context, goal: &GoalId, text: &str) -> Result<RunId, CliError> {
    context.id(goal, IdKind::Run, text, RunId::parse)
}

/// A handoff's id.
pub fn handoff_id(context: &mut Context, goal: &GoalId, text: &str) -> Result<HandoffId, CliError> {
    context.id(goal, IdKind::Handoff, text, HandoffId::parse)
}

/// Several todos.
pub fn todo_ids(
    context: &mut Context,
    goal: &GoalId,
    texts: &[String],
) -> Result<BTreeSet<TodoId>, CliError> {
    texts.iter().map(|text| todo_id(context, goal, text)).collect()
}

/// A todo, closed or not.
pub fn todo(context: &mut Context, goal: &GoalId, text: &str) -> Result<Todo, CliError> {
    let id = todo_id(context, goal, text)?;
    let names = Names { todos: [id.clone()].into(), ..Names::default() };
    let state = context.plane()?.store().load(goal, &names)?;
    Ok(state.todos.get(&id).cloned().ok_or(Refusal::NoTodo(id))?)
}

/// A gate, decided or not.
pub fn gate(context: &mut Context, goal: &GoalId, text: &str) -> Result<Gate, CliError> {
    let id = gate_id(context, goal, text)?;
    let names = Names { gates: [id.clone()].into(), ..Names::default() };
    let state = context.plane()?.store().load(goal, &names)?;
    Ok(state.gates.get(&id).cloned().ok_or(Refusal::NoGate(id))?)
}

/// A run.
pub fn run(context: &mut Context, goal: &GoalId, text: &str) -> Result<Run, CliError> {
    let id = run_id(context, goal, text)?;
    let names = Names { runs: [id.clone()].into(), ..Names::default() };
    let state = context.plane()?.store().load(goal, &names)?;
    Ok(state.runs.get(&id).cloned().ok_or(Refusal::NoRun(id))?)
}

/// A handoff.
pub fn handoff(context: &mut Context, goal: &GoalId, text: &str) -> Result<Handoff, CliError> {
    let id = handoff_id(context, goal, text)?;
    let names = Names { handoffs: [id.clone()].into(), ..Names::default() };
    let state = context.plane()?.store().load(goal, &names)?;
    Ok(state.handoffs.get(&id).cloned().ok_or(Refusal::NoHandoff(id))?)
}

/// The goal's state; an error where there is no such goal.
pub fn state(context: &mut Context, goal: &GoalId) -> Result<State, CliError> {
    let state = context.plane()?.state(goal);
    there(context, state, goal)
}

/// The goal's state with what is named; an error where there is no such goal.
pub fn loaded(context: &mut Context, goal: &GoalId, names: &Names) -> Result<State, CliError> {
    let state = context.plane()?.store().load(goal, names);
    there(context, state, goal)
}

/// The goal's state with its newest runs, and how many runs there are. Ids sort by the time they were minted at.
pub fn state_with_newest_runs(
    context: &mut Context,
    goal: &GoalId,
    limit: usize,
) -> Result<(State, usize), CliError> {
    let store = context.plane()?.store();
    let mut ids: Vec<RunId> = Vec::new();
    for found in store.find_ids(RunId::PREFIX, ALL)?.iter().filter(|found| found.goal == *goal) {
        ids.push(RunId::parse(&found.id)?);
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
    let total = ids.len();
    let names = Names { runs: ids.into_iter().take(limit).collect(), ..Names::default() };
    let state = store.load(goal, &names);
    Ok((there(context, state, goal)?, total))
}

/// The goal's state with everything of one kind, closed things too.
pub fn state_with_all(context: &mut Context, goal: &GoalId, kind: IdKind) -> Result<State, CliError> {
    let prefix = match kind {
        IdKind::Todo => TodoId::PREFIX,
        IdKind::Gate => GateId::PREFIX,
        IdKind::Run => RunId::PREFIX,
        IdKind::Handoff => HandoffId::PREFIX,
        IdKind::Goal | IdKind::Agent | IdKind::Runtime | IdKind::Reward | IdKind::Reference => {
            return state(context, goal);
        }
    };
    let store = context.plane()?.store();
    let mut names = Names::default();
    for found in store.find_ids(prefix, ALL)?.iter().filter(|found| found.kind == kind && found.goal == *goal)
    {
        match kind {
            IdKind::Todo => drop(names.todos.insert(TodoId::parse(&found.id)?)),
            IdKind::Gate => drop(names.gates.insert(GateId::parse(&found.id)?)),
            IdKind::Run => drop(names.runs.insert(RunId::parse(&found.id)?)),
            IdKind::Handoff => drop(names.handoffs.insert(HandoffId::parse(&found.id)?)),
            IdKind::Goal | IdKind::Agent | IdKind::Runtime | IdKind::Reward | IdKind::Reference => {}
        }
    }
    let state = store.load(goal, &names);
    there(context, state, goal)
}

fn there(context: &mut Context, state: Result<State, StoreError>, goal: &GoalId) -> Result<State, CliError> {
    match state {
        Ok(state) if state.goal.is_none() => Err(context.no_goal(goal)),
        Ok(state) => Ok(state),
        Err(error) => Err(context.asking_goal(goal, error.into())),
    }
}

/// What stands in a todo's way, by its id.
pub fn blocker(context: &mut Context, goal: &GoalId, text: &str) -> Result<Blocker, CliError> {
    if text.starts_with(TodoId::PREFIX) {
        return todo_id(context, goal, text).map(Blocker::Todo);
    }
    if text.starts_with(GateId::PREFIX) {
        return gate_id(context, goal, text).map(Blocker::Gate);
    }
    if text.starts_with(RunId::PREFIX) {
        return run_id(context, goal, text).map(Blocker::Run);
    }
    Err(CliError::usage("a blocker is a todo_…, a gate_… or a run_…")
        .hint("external evidence is named by its label: `--evidence LABEL`"))
}

/// What stands in a todo's way: ids, and labels of external evidence.
pub fn blockers(
    context: &mut Context,
    goal: &GoalId,
    ids: &[String],
    labels: &[String],
) -> Result<BTreeSet<Blocker>, CliError> {
    let mut blockers = BTreeSet::new();
    for text in ids {
        blockers.insert(blocker(context, goal, text)?);
    }
    for label in labels {
        blockers.insert(Blocker::Evidence(context.name("evidence", label)?));
    }
    Ok(blockers)
}

/// What a gate or user todo covers: `goal`, agents, todos.
pub fn covers(context: &mut Context, goal: &GoalId, texts: &[String]) -> Result<Covers, CliError> {
    let mut covers = Covers::default();
    for text in texts {
        if text == "goal" {
            covers.goal = true;
        } else if text.starts_with(TodoId::PREFIX) {
            covers.todos.insert(todo_id(context, goal, text)?);
        } else {
            covers.agents.insert(AgentId::parse(text)?);
        }
    }
    Ok(covers)
}

/// What comes after a finished todo.
pub fn succession(
    context: &mut Context,
    goal: &GoalId,
    named: &[String],
    none_needed: bool,
) -> Result<Succession, CliError> {
    Ok(match (named, none_needed) {
        ([], true) => Succession::NoneNeeded,
        ([], false) => Succession::Unsaid,
        (named, _) => Succession::Named(todo_ids(context, goal, named)?),
    })
}

/// Globs, screened.
pub fn globs(context: &mut Context, texts: &[String]) -> Result<Vec<Glob>, CliError> {
    let glob = |text: &String| {
        Glob::parse(context.name("glob", text)?)
            .map_err(|error| CliError::usage(error.to_string()).hint("write it as `src/**` or `docs/*.md`"))
    };
    texts.iter().map(glob).collect()
}

/// Names of one field, screened.
pub fn names(context: &mut Context, field: &str, texts: &[String]) -> Result<BTreeSet<PublicText>, CliError> {
    texts.iter().map(|text| context.name(field, text)).collect()
}

/// A text that may be left out, screened.
pub fn text(context: &mut Context, field: &str, text: Option<&str>) -> Result<Option<PublicText>, CliError> {
    text.map(|text| context.text(field, text)).transpose()
}
