//! The goal's line: the whole projection of the lane that is first by whom it waits on, with counts of the others.

use std::collections::BTreeMap;

use loopx_contract::WaitingOn;

use crate::first_screen::Decision;

/// One goal on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalLine<'a> {
    /// The lane that is shown.
    pub first: &'a Decision,
    /// How many of the other lanes wait on whom.
    pub others: BTreeMap<WaitingOn, usize>,
    /// Prompts in sessions of the goal that belong to no lane.
    pub unbound_prompts: usize,
}

impl<'a> GoalLine<'a> {
    /// Whom the goal waits on, for its place in a list. A prompt in a session without a lane counts as user's.
    pub fn waiting_on(&self) -> WaitingOn {
        if self.unbound_prompts > 0 { WaitingOn::User } else { self.first.projection.first_screen.waiting_on }
    }

    /// The order of goals in a list.
    pub fn order(&self) -> (u8, u8, &'a str) {
        (self.waiting_on().attention(), self.first.row.number(), self.first.projection.goal_id.as_str())
    }
}

/// The first lane by whom it waits on, then row, then agent id.
pub fn goal_line(lanes: &[Decision], unbound_prompts: usize) -> Option<GoalLine<'_>> {
    let order = |decision: &&Decision| {
        let projection = &decision.projection;
        (projection.first_screen.waiting_on.attention(), decision.row.number(), projection.agent_id.clone())
    };
    let first = lanes.iter().min_by_key(order)?;
    let mut others: BTreeMap<WaitingOn, usize> = BTreeMap::new();
    for decision in lanes.iter().filter(|decision| !std::ptr::eq(*decision, first)) {
        *others.entry(decision.projection.first_screen.waiting_on).or_default() += 1;
    }
    Some(GoalLine { first, others, unbound_prompts })
}
