//! The fold: one event into the state of its goal.

use crate::event::Recorded;
use crate::state::State;

impl State {
    /// Takes in one event. Events come in the order of their revisions; an event of a thing that is not there does
    /// nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.revision = recorded.revision;
    }
}
