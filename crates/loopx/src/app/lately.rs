//! What was recorded on a goal lately: runs, how they were judged, handoffs. Most of it is closed, and in no state that is
//! kept ready.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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

/// What was found, kept until the goal's log goes on.
#[derive(Default)]
pub struct Kept(Mutex<BTreeMap<GoalId, (u64, Arc<Lately>)>>);

/// Of how many goals it is kept.
const GOALS: usize = 64;

impl Kept {
    /// What was found at this revision.
    pub fn find(&self, goal: &GoalId, revision: u64) -> Option<Arc<Lately>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(goal).filter(|(at, _)| *at == revision).map(|(_, lately)| Arc::clone(lately))
    }

    /// Keeps it.
    pub fn keep(&self, goal: GoalId, revision: u64, lately: &Arc<Lately>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= GOALS {
            held.pop_first();
        }
        held.insert(goal, (revision, Arc::clone(lately)));
    }
}

/// Looks for it, in the log up to a revision and what came since.
pub fn lately(plane: &mut ControlPlane, goal: &GoalId, revision: u64) -> Result<Lately, StoreError> {
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
