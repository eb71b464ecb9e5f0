//! What was recorded on a goal lately: runs, how they were judged, handoffs. Most of it is closed, and in no state that is
//! kept ready.

use loopx_contract::GoalId;
use loopx_core::{Event, Names, State};
use loopx_store::{EventsOf, StoreError};

use crate::app::ControlPlane;

/// How many of the latest events are looked through: what a page costs does not grow with a log.
pub const EVENTS: u64 = 1000;

/// What was recorded lately.
pub struct Lately {
    /// The goal's state, with it.
    pub state: State,
    /// Whether that is all there ever was.
    pub is_all: bool,
}

/// Looks for it.
pub fn lately(plane: &mut ControlPlane, goal: &GoalId) -> Result<Lately, StoreError> {
    let revision = plane.state(goal)?.revision;
    let after = revision.saturating_sub(EVENTS);
    let most = usize::try_from(EVENTS).unwrap_or(usize::MAX);
    let mut names = Names::default();
    for logged in plane.store().events(EventsOf::Goal { goal, after }, most)? {
        let event = logged.recorded.event;
        if let Event::RunRecorded { run, .. } = event {
            names.runs.insert(run);
        } else if let Event::RewardGiven { reward, run, .. } = event {
            names.rewards.insert(reward);
            names.runs.insert(run);
        } else if let Event::HandoffOffered { handoff, .. } | Event::HandoffMoved { handoff, .. } = event {
            names.handoffs.insert(handoff);
        }
    }
    Ok(Lately { state: plane.store().load(goal, &names)?, is_all: after == 0 })
}
