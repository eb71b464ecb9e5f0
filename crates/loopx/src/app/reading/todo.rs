//! How a person reads a todo.

use jiff::Timestamp;
use loopx_contract::AgentId;
use loopx_core::State;
use loopx_core::todo::{Audience, Blocking, Priority, Todo, TodoClass, TodoState};

use super::{blocker, relative};

/// Whether something is still to be done of it, now or later.
pub fn is_ahead(todo: &Todo, state: &State, now: Timestamp) -> bool {
    match &todo.state {
        TodoState::Open => state.is_open(todo, now),
        TodoState::Deferred { .. } => true,
        TodoState::Done { .. } | TodoState::Dropped => false,
    }
}

/// Its place in a list: what is open first, by priority and age.
pub fn order(todo: &Todo, state: &State, now: Timestamp) -> (u8, Priority, Timestamp, String) {
    let rank = match &todo.state {
        _ if state.is_open(todo, now) => 0,
        TodoState::Deferred { .. } => 1,
        TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => 2,
    };
    (rank, todo.priority, todo.created_at, todo.id.to_string())
}

/// What else there is to know of it at a glance.
pub fn notes(todo: &Todo, state: &State, now: Timestamp) -> Vec<String> {
    notes_with(todo, state, now, |at| relative(at, now))
}

/// The same, its instants written by `written`: how far off one is does not stay so.
pub fn notes_with(
    todo: &Todo,
    state: &State,
    now: Timestamp,
    written: impl Fn(Timestamp) -> String,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(claim) = todo.live_claim(now) {
        notes.push(format!("claimed by {}, lease ends {}", claim.agent, written(claim.until)));
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
            notes.push(format!("due {}", written(next_due_at)));
        }
        TodoClass::Advance => {}
    }
    match &todo.state {
        TodoState::Deferred { until: Some(until) } if *until > now => {
            notes.push(format!("again {}", written(*until)));
        }
        TodoState::Deferred { .. } | TodoState::Open | TodoState::Done { .. } | TodoState::Dropped => {}
    }
    if !todo.is_closed() && !todo.blocked_by.is_empty() {
        let by: Vec<String> = todo.blocked_by.iter().map(blocker).collect();
        notes.push(format!("waits for {}", by.join(", ")));
    }
    notes
}

/// How it stands, in a word.
pub fn state_word(todo: &Todo, state: &State, now: Timestamp) -> &'static str {
    if state.is_open(todo, now) {
        return "open";
    }
    match &todo.state {
        // The gate it asks for is decided.
        TodoState::Open => "settled",
        TodoState::Deferred { .. } => "deferred",
        TodoState::Done { .. } => "done",
        TodoState::Dropped => "dropped",
    }
}

/// How soon, in a word.
pub const fn priority_word(priority: Priority) -> &'static str {
    match priority {
        Priority::P0 => "P0",
        Priority::P1 => "P1",
        Priority::P2 => "P2",
        Priority::P3 => "P3",
    }
}

/// Whose it is to do, in a word.
pub const fn audience_word(todo: &Todo) -> &'static str {
    match &todo.audience {
        Audience::Agent => "agent",
        Audience::User { blocking: Blocking::Blocking, .. } => "user!",
        Audience::User { .. } => "user",
    }
}

/// A todo in words, for the one who has to confirm a change of it.
pub fn named(todo: &Todo) -> String {
    let of = match &todo.audience {
        Audience::Agent => String::new(),
        Audience::User { covers, .. } => format!(", a person's to do; it covers {}", super::covers(covers)),
    };
    format!("{} “{}”{of}", todo.id, todo.title)
}
