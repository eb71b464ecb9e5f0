//! `loopx todo block` and `unblock`.

use loopx_contract::GoalId;
use loopx_core::command::TodoUnblock;
use loopx_core::todo::Blocker;
use loopx_core::{AuthorityCommand, LaneCommand, Names};

use super::Asks;
use crate::cli::{Context, named, receipt, words};
use crate::error::CliError;

/// Put a todo, a gate, a blocker run or external evidence in an agent todo's way.
#[derive(Debug, clap::Args)]
#[command(override_usage = "loopx todo block [OPTIONS] <TODO> <BLOCKER | --evidence <LABEL>>")]
pub struct Block {
    /// Which todo.
    todo: String,
    #[command(flatten)]
    by: By,
}

/// Take something out of a todo's way. A gate or a user todo is a person's to take out.
#[derive(Debug, clap::Args)]
#[command(override_usage = "loopx todo unblock [OPTIONS] <TODO> <BLOCKER | --evidence <LABEL>>")]
pub struct Unblock {
    /// Which todo.
    todo: String,
    #[command(flatten)]
    by: By,
}

/// What is in the way.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct By {
    /// A todo, gate or blocker run.
    #[arg(value_name = "BLOCKER")]
    blocker: Option<String>,
    /// External evidence, by label.
    #[arg(long, value_name = "LABEL")]
    evidence: Option<String>,
}

impl By {
    fn blocker(&self, context: &mut Context, goal: &GoalId) -> Result<Blocker, CliError> {
        match (&self.blocker, &self.evidence) {
            (Some(id), _) => named::blocker(context, goal, id),
            (None, Some(label)) => Ok(Blocker::Evidence(context.name("evidence", label)?)),
            (None, None) => Err(CliError::usage("no blocker is named")),
        }
    }
}

/// Runs `block`.
pub fn block(args: &Block, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let on = args.by.blocker(context, &goal)?;
    if super::asks(&todo) == Asks::Person {
        return Err(CliError::usage(format!(
            "{} is a person's to do: only agent todos wait for something",
            todo.id
        ))
        .hint("say it in the title: `loopx todo edit`"));
    }
    let agent = context.agent_if_any(&goal)?;
    let receipt = context.lane(&goal, agent.as_ref(), LaneCommand::TodoBlock { todo: todo.id, on })?;
    receipt::show_subject(context, &receipt, "blocked")
}

/// Runs `unblock`.
pub fn unblock(args: &Unblock, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let off = args.by.blocker(context, &goal)?;
    let asks = if todo.is_agents() { asks(context, &goal, &off)? } else { super::asks(&todo) };
    let what =
        format!("let {} go on without {}", crate::app::reading::todo::named(&todo), words::blocker(&off));
    let unblock = TodoUnblock { todo: todo.id, off };
    let receipt = super::change(
        context,
        &goal,
        asks,
        &what,
        unblock,
        LaneCommand::TodoUnblock,
        AuthorityCommand::TodoUnblock,
    )?;
    receipt::show_subject(context, &receipt, "unblocked")
}

/// Who may take this out of the way: a gate and a user todo are a person's.
fn asks(context: &mut Context, goal: &GoalId, off: &Blocker) -> Result<Asks, CliError> {
    Ok(match off {
        Blocker::Gate(_) => Asks::Person,
        Blocker::Todo(id) => {
            let names = Names { todos: [id.clone()].into(), ..Names::default() };
            let state = context.plane()?.store().load(goal, &names)?;
            if state.todos.get(id).is_some_and(loopx_core::todo::Todo::is_agents) {
                Asks::Lane
            } else {
                Asks::Person
            }
        }
        Blocker::Evidence(_) | Blocker::Run(_) => Asks::Lane,
    })
}
