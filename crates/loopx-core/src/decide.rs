//! What a command does to a state: events, or a typed refusal. Pure.

use jiff::Timestamp;

use crate::command::{Command, IdSource, Request};
use crate::event::Event;
use crate::refusal::Refusal;
use crate::state::{Names, State};

/// Decides one request. `state` must hold what is open and what [`Names::of_command`] names.
///
/// A refusal for which [`Refusal::is_recorded`] holds goes into the log as [`Event::Refused`].
pub fn decide(
    _state: &State,
    _request: &Request,
    _now: Timestamp,
    _ids: &mut dyn IdSource,
) -> Result<Vec<Event>, Refusal> {
    Ok(Vec::new())
}

impl Names {
    /// What a command names.
    pub fn of_command(_command: &Command) -> Self {
        Self::default()
    }
}
