//! `loopx todo list`.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, IdKind};
use loopx_core::State;
use loopx_core::todo::Todo;
use serde::Serialize;

use super::{AudienceArg, TodoDocument};
use crate::app::reading::todo as reading;
use crate::cli::{Context, named, words};
use crate::error::CliError;
use crate::ui::Tone;

/// List the todos of a goal, open ones first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Finished and dropped todos too.
    #[arg(long)]
    all: bool,
    /// Only those for an agent, or for a person.
    #[arg(long, value_enum, value_name = "WHO")]
    audience: Option<AudienceArg>,
    /// Only those that this lane holds or that are offered to it.
    #[arg(long)]
    mine: bool,
}

#[derive(Serialize)]
struct TodosDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    todos: Vec<TodoDocument<'a>>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let state = if args.all {
        named::state_with_all(context, &goal, IdKind::Todo)?
    } else {
        named::state(context, &goal)?
    };
    let mine = if args.mine { Some(context.agent(&goal)?) } else { None };
    let now = context.now();
    let wanted = |todo: &&Todo| {
        (args.all || reading::is_ahead(todo, &state, now))
            && args.audience.is_none_or(|audience| audience.is_of(todo))
            && mine.as_ref().is_none_or(|agent| is_of(todo, agent, &state, now))
    };
    let mut todos: Vec<&Todo> = state.todos.values().filter(wanted).collect();
    todos.sort_by_key(|todo| reading::order(todo, &state, now));
    if context.json() {
        let todos = todos.into_iter().map(|todo| TodoDocument::of(todo, &state, now)).collect();
        context.ui.json(&TodosDocument { schema_version: "loopx_todos_v0", goal_id: &goal, now, todos })?;
        return Ok(0);
    }
    let rows: Vec<_> = todos.iter().map(|todo| row(todo, &state, now)).collect();
    words::list(&mut context.ui, rows, "no todos; add one: `loopx todo add TITLE`");
    Ok(0)
}

fn is_of(todo: &Todo, agent: &AgentId, state: &State, now: Timestamp) -> bool {
    let offer = todo.offered.as_ref().and_then(|offer| state.handoffs.get(offer));
    todo.live_claim(now).is_some_and(|claim| claim.agent == *agent)
        || offer.is_some_and(|offer| offer.is_offered(now) && offer.is_for(agent))
}

fn row(todo: &Todo, state: &State, now: Timestamp) -> (Option<Tone>, Vec<String>) {
    let word = reading::state_word(todo, state, now);
    let mut text = todo.title.to_string();
    let notes = reading::notes(todo, state, now);
    if !notes.is_empty() {
        text += &format!("  ({})", notes.join("; "));
    }
    let tone = if word == "open" { None } else { Some(Tone::Dim) };
    let cells = vec![
        todo.id.to_string(),
        reading::priority_word(todo.priority).to_owned(),
        reading::audience_word(todo).to_owned(),
        word.to_owned(),
        text,
    ];
    (tone, cells)
}
