//! `loopx todo list`.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, IdKind};
use loopx_core::State;
use loopx_core::todo::{Priority, Todo, TodoClass, TodoState};
use serde::Serialize;

use super::{AudienceArg, TodoDocument};
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
        (args.all || is_ahead(todo, &state, now))
            && args.audience.is_none_or(|audience| audience.is_of(todo))
            && mine.as_ref().is_none_or(|agent| is_of(todo, agent, &state, now))
    };
    let mut todos: Vec<&Todo> = state.todos.values().filter(wanted).collect();
    todos.sort_by_key(|todo| order(todo, &state, now));
    if context.json() {
        let todos = todos.into_iter().map(|todo| TodoDocument::of(todo, &state, now)).collect();
        context.ui.json(&TodosDocument { schema_version: "loopx_todos_v0", goal_id: &goal, now, todos })?;
        return Ok(0);
    }
    let rows: Vec<_> = todos.iter().map(|todo| row(todo, &state, now)).collect();
    words::list(&mut context.ui, rows, "no todos; add one: `loopx todo add TITLE`");
    Ok(0)
}

/// Whether something is still to be done of it, now or later.
fn is_ahead(todo: &Todo, state: &State, now: Timestamp) -> bool {
    match &todo.state {
        TodoState::Open => state.is_open(todo, now),
        TodoState::Deferred { .. } => true,
        TodoState::Done { .. } | TodoState::Dropped => false,
    }
}

fn is_of(todo: &Todo, agent: &AgentId, state: &State, now: Timestamp) -> bool {
    let offer = todo.offered.as_ref().and_then(|offer| state.handoffs.get(offer));
    todo.live_claim(now).is_some_and(|claim| claim.agent == *agent)
        || offer.is_some_and(|offer| offer.is_offered(now) && offer.is_for(agent))
}

fn order(todo: &Todo, state: &State, now: Timestamp) -> (u8, Priority, Timestamp, String) {
    let rank = match &todo.state {
        _ if state.is_open(todo, now) => 0,
        TodoState::Deferred { .. } => 1,
        TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => 2,
    };
    (rank, todo.priority, todo.created_at, todo.id.to_string())
}

fn row(todo: &Todo, state: &State, now: Timestamp) -> (Option<Tone>, Vec<String>) {
    let word = super::state_word(todo, state, now);
    let mut text = todo.title.to_string();
    let notes = notes(todo, state, now);
    if !notes.is_empty() {
        text += &format!("  ({})", notes.join("; "));
    }
    let tone = if word == "open" { None } else { Some(Tone::Dim) };
    let cells = vec![
        todo.id.to_string(),
        format!("{:?}", todo.priority),
        super::audience_word(todo).to_owned(),
        word.to_owned(),
        text,
    ];
    (tone, cells)
}

/// What else there is to know of it at a glance.
fn notes(todo: &Todo, state: &State, now: Timestamp) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(claim) = todo.live_claim(now) {
        notes.push(format!("claimed by {}, lease ends {}", claim.agent, words::relative(claim.until, now)));
    }
    let offer = todo.offered.as_ref().and_then(|offer| state.handoffs.get(offer));
    if let Some(offer) = offer.filter(|offer| offer.is_offered(now)) {
        let to = offer.to.as_ref().map_or("any lane", AgentId::as_str);
        notes.push(format!("offered to {to} by {}", offer.id));
    }
    if let Some(gate) = todo.linked_gate() {
        notes.push(format!("decide {gate}"));
    }
    match todo.class {
        TodoClass::Monitor { next_due_at } => {
            notes.push(format!("due {}", words::relative(next_due_at, now)));
        }
        TodoClass::Advance => {}
    }
    match &todo.state {
        TodoState::Deferred { until: Some(until) } if *until > now => {
            notes.push(format!("again {}", words::relative(*until, now)));
        }
        TodoState::Deferred { .. } | TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => {}
    }
    if !todo.is_closed() && !todo.blocked_by.is_empty() {
        let by: Vec<String> = todo.blocked_by.iter().map(words::blocker).collect();
        notes.push(format!("waits for {}", by.join(", ")));
    }
    notes
}
