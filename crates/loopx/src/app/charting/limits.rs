//! Each limit of a goal and its lanes, and where it leads.

use jiff::Timestamp;
use loopx_contract::AgentId;
use loopx_core::State;
use loopx_core::quota::{Burn, Observed, Quota, Spending};

/// One limit.
#[derive(Clone, Debug)]
pub struct Limited {
    /// Whose; none: the goal's, its lanes included.
    pub agent: Option<AgentId>,
    /// Its window, in minutes.
    pub window_minutes: u32,
    /// What is counted, and where it leads.
    pub burn: Burn,
}

/// All of a goal, as `loopx quota show` counts them.
pub(super) fn of(state: &State, observed: &Observed, now: Timestamp) -> Vec<Limited> {
    let burns = |agent: Option<&AgentId>, quota: Quota| -> Vec<Limited> {
        if !quota.is_limited() {
            return Vec::new();
        }
        let spending = Spending::of(&state.ledger, observed, agent);
        let burns = spending.burns(&quota, now).into_iter();
        let limited = |burn| Limited { agent: agent.cloned(), window_minutes: quota.window_minutes, burn };
        burns.map(limited).collect()
    };
    let goal = state.goal.iter().flat_map(|goal| burns(None, goal.quota));
    let lanes = state.agents.iter().flat_map(|(id, agent)| burns(Some(id), agent.quota));
    goal.chain(lanes).collect()
}
