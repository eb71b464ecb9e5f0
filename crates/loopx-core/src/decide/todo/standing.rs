//! Decides putting off, dropping and opening again.

use std::collections::BTreeSet;

use super::{about, not_closed, wrong_state};
use crate::command::{TodoDefer, TodoDrop, TodoReopen};
use crate::decide::{Case, Decided, Outcome};
use crate::event::Event;
use crate::refusal::Refusal;
use crate::state::State;
use crate::text::LogText;
use crate::todo::Todo;

/// Puts a todo off. Its claim ends.
pub(in crate::decide) fn defer(case: &Case<'_>, defer: &TodoDefer) -> Outcome {
    case.acting(None)?;
    let todo = case.todo_to_change(&defer.todo)?;
    not_closed(todo)?;
    case.not_anothers(todo)?;
    if defer.until.is_some_and(|until| until <= case.now) {
        return Err(Refusal::BadValue { field: "until", reason: "has passed" });
    }
    let mut events: Vec<Event> = case.offer_over(todo).into_iter().collect();
    events.push(Event::TodoDeferred { todo: todo.id.clone(), until: defer.until });
    Ok(Decided::new(events, about(todo)))
}

/// Drops a todo. Its claim ends, and a single-use approval that it took is used up: what was done under it is not known.
pub(in crate::decide) fn discard(case: &Case<'_>, drop: &TodoDrop) -> Outcome {
    case.acting(None)?;
    let todo = case.todo_to_change(&drop.todo)?;
    not_closed(todo)?;
    case.not_anothers(todo)?;
    let mut events: Vec<Event> = case.offer_over(todo).into_iter().collect();
    events.push(Event::TodoDropped {
        todo: todo.id.clone(),
        reason: drop.reason.clone().map(LogText::from),
        uses: case.taken_by(todo),
    });
    Ok(Decided::new(events, about(todo)))
}

/// Opens a todo again.
pub(in crate::decide) fn reopen(case: &Case<'_>, reopen: &TodoReopen) -> Outcome {
    case.acting(None)?;
    let todo = case.todo_to_change(&reopen.todo)?;
    case.not_over()?;
    if todo.is_open(case.now) {
        return Err(wrong_state(todo, "it is open already; see `loopx todo show`"));
    }
    no_twin(case.state, todo, todo.title.as_str())?;
    let event = Event::TodoReopened { todo: todo.id.clone(), takes: BTreeSet::new(), last_finished: None };
    Ok(Decided::one(event, about(todo)))
}

/// The todo of this title and audience that is not closed. A gate's own todo and purged titles are nobody's twins.
pub(super) fn twin<'a>(
    state: &'a State,
    title: &str,
    agents: bool,
    besides: Option<&Todo>,
) -> Option<&'a Todo> {
    state.todos.values().find(|todo| {
        !todo.is_closed()
            && todo.linked_gate().is_none()
            && todo.is_agents() == agents
            // What was taken out of two titles need not have been the same.
            && !todo.title.is_purged()
            && !todo.title.is_redacted()
            && todo.title.as_str().trim() == title.trim()
            && besides.is_none_or(|besides| besides.id != todo.id)
    })
}

/// Refuses a title that would make two todos one.
pub(in crate::decide) fn no_twin(state: &State, todo: &Todo, title: &str) -> Result<(), Refusal> {
    match twin(state, title, todo.is_agents(), Some(todo)) {
        None => Ok(()),
        Some(twin) => Err(Refusal::WrongState {
            thing: twin.id.to_string(),
            state: "a todo of the same title",
            hint: "the same open title twice is the same todo: edit one of the titles",
        }),
    }
}
