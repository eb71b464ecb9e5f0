//! What charts are drawn from: whom lanes waited on, what runs came to, where limits lead.
//!
//! A goal's log is walked once for each of its revisions; what time alone changes is gone on with. None of it is done for
//! the first screen.

pub mod days;
pub mod documents;
mod kept;
pub mod lanes;
pub mod limits;
pub mod turns;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use loopx_contract::GoalId;
use loopx_core::past::{Seen, with_sessions};

use crate::app::ControlPlane;
use crate::app::board::Board;
use crate::app::overview::Held;
use crate::error::CliError;

use days::Day;
use lanes::{LanePast, Share};
use limits::Limited;
use turns::{Ran, Turns};

/// How far back whom lanes waited on is told.
pub const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many days runs and turns are counted for.
pub const DAYS: usize = 14;

/// A goal's charts.
pub struct GoalCharts {
    /// Which.
    pub id: GoalId,
    /// Its lanes, those that need somebody first.
    pub lanes: Vec<LanePast>,
    /// Where there was too much to decide: what lasted less than this may be missing.
    pub grain: Option<SignedDuration>,
    /// The last days, the oldest first.
    pub days: Vec<Day>,
    /// Each limit of it and of its lanes.
    pub limits: Vec<Limited>,
}

impl GoalCharts {
    /// How long its lanes waited on whom, all together.
    pub fn shares(&self) -> Vec<Share> {
        Share::sum(&self.lanes)
    }
}

/// Charts at an instant.
pub struct Charts {
    /// From when on whom lanes waited on is told, UTC.
    pub from: Timestamp,
    /// Until when, UTC.
    pub to: Timestamp,
    /// The goals that were asked for and can be read, those that need somebody first.
    pub goals: Vec<GoalCharts>,
    /// Goals whose log can't be read.
    pub damaged: Vec<GoalId>,
    /// Whether all that sessions' files tell of turns was read.
    pub turns_are_whole: bool,
}

/// What was found out, kept until the log goes on.
#[derive(Default)]
pub struct Charting {
    kept: kept::Goals,
    turns: turns::Lately,
}

impl Charting {
    /// The charts of one goal, or of all that are listed, for this long until now.
    pub fn charts(
        &mut self,
        plane: &mut ControlPlane,
        board: &Board,
        only: Option<&GoalId>,
        length: SignedDuration,
        now: Timestamp,
    ) -> Result<Charts, CliError> {
        let from = now.checked_sub(length).unwrap_or(Timestamp::MIN);
        let turns = self.turns.until(plane, &board.world, now)?;
        let mut charts = Charts {
            from,
            to: now,
            goals: Vec::new(),
            damaged: Vec::new(),
            turns_are_whole: turns.are_whole,
        };
        for view in board.overview.goals.iter().filter(|view| only.is_none_or(|only| view.id == *only)) {
            let Some(Held::State(state)) = board.world.goals.get(&view.id) else {
                charts.damaged.push(view.id.clone());
                continue;
            };
            let kept = self.kept.goal(plane, &view.id, state.revision, &board.zone, now)?;
            let lanes = board.cards_of(view).into_iter().filter_map(|card| {
                let seen = turns.of(&view.id, card.agent());
                let log = kept.lanes.get(card.agent())?;
                let spans = with_sessions(log, &seen.chain(lanes::shown(&card, now)).collect::<Vec<Seen>>());
                let spans = spans.iter().filter_map(|span| span.within(from, now)).collect();
                Some(LanePast { agent: card.agent().clone(), spans })
            });
            charts.goals.push(GoalCharts {
                id: view.id.clone(),
                lanes: lanes.collect(),
                grain: kept.grain,
                days: days::last(kept, turns, &view.id, &board.zone, now),
                limits: limits::of(state, board.world.observed(&view.id), board.overview.now),
            });
        }
        self.kept.retain(|goal| board.world.goals.contains_key(goal));
        Ok(charts)
    }

    /// The turns that are known to have run in a goal's lanes at an instant.
    pub fn running_at(
        &mut self,
        plane: &mut ControlPlane,
        board: &Board,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<Ran>, CliError> {
        let covers = |ran: &&Ran| ran.from <= at && at < ran.to;
        if at >= turns::first(now) {
            let turns = self.turns.until(plane, &board.world, now)?;
            return Ok(turns.ran.iter().filter(covers).cloned().collect());
        }
        let turns = Turns::since(plane, &board.world, at, now)?;
        Ok(turns.ran.into_iter().filter(|ran| covers(&ran)).collect())
    }

    /// The turns of one session that are known, the oldest first.
    pub fn turns_of(
        &mut self,
        plane: &mut ControlPlane,
        board: &Board,
        session: loopx_safety::Handle,
        now: Timestamp,
    ) -> Result<Vec<Ran>, CliError> {
        let turns = self.turns.until(plane, &board.world, now)?;
        Ok(turns.ran.iter().filter(|ran| ran.session == session).cloned().collect())
    }
}

/// The day of an instant where the operator is.
fn day(at: Timestamp, zone: &TimeZone) -> jiff::civil::Date {
    at.to_zoned_datetime(zone.clone()).date()
}
