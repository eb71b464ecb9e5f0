//! Decides undoing the actor's own last command.

use super::{Case, Decided, Outcome, Subject, needs_person, todo};
use crate::event::Event;
use crate::refusal::Refusal;
use crate::undo::Undo;

/// Undoes the actor's last command by the events that compensate it, unless something was changed since. What needs a
/// person to do needs a person to undo.
pub(super) fn undo(case: &Case<'_>) -> Outcome {
    case.acting(None)?;
    let last = case
        .state
        .last_commands
        .get(&case.actor.who)
        .ok_or(Refusal::NothingToUndo("no command of this actor is known"))?;
    let events = match &last.undo {
        Undo::By(events) => events,
        Undo::Never(why) => return Err(Refusal::NothingToUndo(why.words())),
    };
    for event in events {
        if needs_person(case.state, event) {
            case.person()?;
        }
        no_twins(case, event)?;
    }
    let mut all = vec![Event::Undone { command: last.command }];
    all.extend(events.iter().cloned());
    Ok(Decided::new(all, Subject::Command(last.command)))
}

/// Refuses to bring back a title that another todo was given since.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other events bring no title back")]
fn no_twins(case: &Case<'_>, event: &Event) -> Result<(), Refusal> {
    let (id, title) = match event {
        Event::TodoReopened { todo, .. } => (todo, None),
        Event::TodoEdited { todo, title, .. } => (todo, Some(title.text.as_str())),
        _ => return Ok(()),
    };
    match case.state.todos.get(id) {
        Some(todo) => todo::no_twin(case.state, todo, title.unwrap_or(todo.title.as_str())),
        None => Ok(()),
    }
}
