//! Turns that were not started, as `loopx usage` says them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use loopx_contract::{AgentId, GoalId};
use serde::Serialize;

use crate::app::home::Home;
use crate::app::placing::{Only, Place};
use crate::app::spared::{self, Spared};
use crate::cli::{Context, list};

/// Turns that loops did not start because `loopx next` said no, without a model call.
#[derive(Debug, Serialize)]
pub struct NotStarted {
    /// How many.
    turns: u64,
    /// Since when they are counted, UTC.
    since: Option<Timestamp>,
    /// By what was answered.
    by_exit: Vec<OfExit>,
    /// By goal and lane.
    by_lane: Vec<OfLane>,
    /// By day.
    by_day: Vec<OfDay>,
}

#[derive(Debug, Serialize)]
struct OfExit {
    exit: u8,
    answer: &'static str,
    turns: u64,
}

#[derive(Debug, Serialize)]
struct OfLane {
    goal_id: GoalId,
    agent_id: AgentId,
    turns: u64,
}

#[derive(Debug, Serialize)]
struct OfDay {
    day: Date,
    turns: u64,
}

/// What an exit code of `next` says.
const fn answer(exit: u8) -> &'static str {
    match exit {
        10 => "waiting on you",
        11 => "waiting on the controller",
        12 => "waiting on the runtime",
        13 => "waiting on evidence",
        14 => "throttled",
        15 => "nothing to do",
        16 => "already at work",
        _ => "other",
    }
}

impl NotStarted {
    /// Those of a goal, of an agent, or all.
    pub fn of(context: &Context, only: &Only, zone: &TimeZone) -> Self {
        let all = Home::of(&context.env).map(|home| spared::read(&home.data)).unwrap_or_default();
        let taken = |spared: &Spared| only.takes(&Place::Lane(spared.goal.clone(), spared.agent.clone()));
        Self::sum(all.into_iter().filter(taken), zone)
    }

    fn sum(all: impl Iterator<Item = Spared>, zone: &TimeZone) -> Self {
        let (mut exits, mut lanes, mut days) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut turns, mut since) = (0_u64, None::<Timestamp>);
        for one in all {
            let add = |sum: &mut u64| *sum = sum.saturating_add(one.turns);
            add(&mut turns);
            add(exits.entry(one.exit).or_default());
            add(days.entry(zone.to_datetime(one.at).date()).or_default());
            add(lanes.entry((one.goal.clone(), one.agent.clone())).or_default());
            since = Some(since.map_or(one.at, |first| first.min(one.at)));
        }
        let exit = |(exit, turns)| OfExit { exit, answer: answer(exit), turns };
        let lane = |((goal_id, agent_id), turns)| OfLane { goal_id, agent_id, turns };
        Self {
            turns,
            since,
            by_exit: exits.into_iter().map(exit).collect(),
            by_lane: lanes.into_iter().map(lane).collect(),
            by_day: days.into_iter().map(|(day, turns)| OfDay { day, turns }).collect(),
        }
    }

    /// On one line; nothing where nothing was counted.
    pub fn in_words(&self) -> Option<String> {
        if self.turns == 0 {
            return None;
        }
        let turns = list::counted(usize::try_from(self.turns).unwrap_or(usize::MAX), "turn");
        let mut parts: Vec<&OfExit> = self.by_exit.iter().collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.turns));
        let parts: Vec<String> = parts.iter().map(|part| format!("{} {}", part.answer, part.turns)).collect();
        Some(format!("{turns} not started: `loopx next` said no without a model call ({})", parts.join(", ")))
    }
}
