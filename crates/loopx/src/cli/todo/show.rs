//! `loopx todo show`.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::todo::{Audience, Blocking, Succession, Todo, TodoClass, TodoState};
use loopx_core::{Names, State};
use serde::Serialize;

use super::TodoDocument;
use crate::cli::{Context, named, words};
use crate::error::CliError;

/// Show one todo, closed or not.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which todo.
    todo: String,
}

#[derive(Serialize)]
struct ShowDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    todo: TodoDocument<'a>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let names = Names { gates: todo.linked_gate().cloned().into_iter().collect(), ..Names::default() };
    let state = context.plane()?.store().load(&goal, &names)?;
    let now = context.now();
    if context.json() {
        let todo = TodoDocument::of(&todo, &state, now);
        context.ui.json(&ShowDocument { schema_version: "loopx_todo_v0", goal_id: &goal, now, todo })?;
        return Ok(0);
    }
    let heading = format!("{}  {}", todo.id, todo.title);
    let fields = fields(context, &todo, &state, now);
    words::fields(&mut context.ui, &heading, &fields);
    Ok(0)
}

fn fields(context: &Context, todo: &Todo, state: &State, now: Timestamp) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("state", standing(context, todo, state, now)),
        ("for", audience(todo)),
        ("priority", crate::app::reading::todo::priority_word(todo.priority).to_owned()),
    ];
    match todo.class {
        TodoClass::Monitor { next_due_at } => {
            fields.push(("look again", words::instant(context, next_due_at, now)));
        }
        TodoClass::Advance => {}
    }
    let claim = todo.live_claim(now).map(|claim| {
        format!(
            "{}, token {}, lease ends {}",
            claim.agent,
            claim.epoch,
            words::instant(context, claim.until, now)
        )
    });
    let join = |texts: Vec<String>| texts.join(", ");
    fields.extend([
        ("claimed by", claim.unwrap_or_default()),
        ("waits for", join(todo.blocked_by.iter().map(words::blocker).collect())),
        ("touches", join(todo.globs.iter().map(ToString::to_string).collect())),
        ("needs", join(todo.needs.iter().map(ToString::to_string).collect())),
        ("offered by", todo.offered.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("added by", todo.added_by.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("added", words::instant(context, todo.created_at, now)),
        ("closed", todo.closed_at.map(|at| words::instant(context, at, now)).unwrap_or_default()),
    ]);
    fields
}

fn standing(context: &Context, todo: &Todo, state: &State, now: Timestamp) -> String {
    let word = crate::app::reading::todo::state_word(todo, state, now);
    match &todo.state {
        TodoState::Deferred { until: Some(until) } if *until > now => {
            format!("{word} until {}", words::instant(context, *until, now))
        }
        TodoState::Done { succession: Succession::Named(next) } => {
            let next: Vec<String> = next.iter().map(ToString::to_string).collect();
            format!("{word}, then {}", next.join(", "))
        }
        TodoState::Done { succession: Succession::NoneNeeded } => format!("{word}, no successor needed"),
        TodoState::Done { succession: Succession::Unsaid } if todo.is_agents() => {
            format!("{word}, nothing said of what comes after it")
        }
        TodoState::Done { .. } | TodoState::Deferred { .. } | TodoState::Open | TodoState::Dropped => {
            word.to_owned()
        }
    }
}

fn audience(todo: &Todo) -> String {
    match &todo.audience {
        Audience::Agent => "an agent".to_owned(),
        Audience::User { covers, blocking, gate } => {
            let covers = words::covers(covers);
            let blocking = match (gate, blocking) {
                (Some(gate), _) => format!("answered by deciding {gate}; it covers {covers}"),
                (None, Blocking::Blocking) => format!("it holds {covers}"),
                (None, Blocking::NonBlocking) => format!("it covers {covers} and holds nothing"),
            };
            format!("a person; {blocking}")
        }
    }
}
