//! Turns that are over, as the runtimes' own records tell them: those that ran in a lane's sessions are facts of its past.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId, RuntimeId};
use loopx_core::past::Seen;
use loopx_runtimes::Spender;
use loopx_safety::Handle;

use super::DAYS;
use crate::app::ControlPlane;
use crate::app::overview::World;
use crate::app::placing::Place;
use crate::error::CliError;

/// How often they are looked for again: this many times as long as it took.
const PAUSE: u32 = 10;

/// A turn that is over.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its session.
    pub session: Handle,
    /// Its runtime.
    pub runtime: RuntimeId,
    /// Where its session belongs.
    pub place: Place,
    /// Since when at least it ran, UTC: while it had a question open it did not work, and that is not drawn.
    pub from: Timestamp,
    /// When it ended, UTC.
    pub to: Timestamp,
}

/// Those that ended since an instant.
#[derive(Debug, Default)]
pub struct Turns {
    /// The oldest first.
    pub ran: Vec<Ran>,
    /// When each turn ended that told no more than that, and where its session belongs.
    pub ended: Vec<(Timestamp, Place)>,
    /// Whether all files were read.
    pub are_whole: bool,
}

impl Turns {
    /// Looks for them.
    pub fn since(
        plane: &mut ControlPlane,
        world: &World,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Self, CliError> {
        let (spenders, are_whole) = plane.spent_since(world, since, now)?;
        let mut turns = Self { are_whole, ..Self::default() };
        for (spender, place) in &spenders {
            turns.add(spender, place);
        }
        turns.ran.sort_by_key(|ran| (ran.from, ran.to));
        Ok(turns)
    }

    fn add(&mut self, spender: &Spender, place: &Place) {
        for (at, spent) in &spender.spent {
            let Some(to) = at.filter(|_| spent.turns > 0) else { continue };
            self.ended.extend((0..spent.turns).map(|_| (to, place.clone())));
            let active = SignedDuration::from_millis(i64::try_from(spent.time.active).unwrap_or(i64::MAX));
            let Some(from) = to.checked_sub(active).ok().filter(|from| *from < to) else { continue };
            self.ran.push(Ran {
                session: spender.session,
                runtime: spender.runtime.clone(),
                place: place.clone(),
                from,
                to,
            });
        }
    }

    /// What they tell of a lane.
    pub fn of<'a>(&'a self, goal: &'a GoalId, agent: &'a AgentId) -> impl Iterator<Item = Seen> + 'a {
        self.ran.iter().filter(|ran| is_of(ran, goal, agent)).map(|ran| Seen::turn(ran.from, ran.to))
    }
}

/// Whether a turn ran in this lane.
fn is_of(ran: &Ran, goal: &GoalId, agent: &AgentId) -> bool {
    matches!(&ran.place, Place::Lane(of, lane) if of == goal && lane == agent)
}

/// The first of these that ran in this lane.
pub fn in_lane<'a>(ran: &'a [Ran], goal: &GoalId, agent: &AgentId) -> Option<&'a Ran> {
    ran.iter().find(|ran| is_of(ran, goal, agent))
}

/// From when on turns are kept.
pub fn first(now: Timestamp) -> Timestamp {
    let days = i64::try_from(DAYS).unwrap_or(i64::MAX);
    now.checked_sub(SignedDuration::from_hours(24 * (days + 1))).unwrap_or(Timestamp::MIN)
}

/// Those of the last days, looked for again when there may be more.
#[derive(Default)]
pub struct Lately {
    turns: Turns,
    /// When they were looked for, and until when they are not looked for again.
    rest: Option<Instant>,
}

impl Lately {
    /// Those that are known.
    pub fn until(
        &mut self,
        plane: &mut ControlPlane,
        world: &World,
        now: Timestamp,
    ) -> Result<&Turns, CliError> {
        let began = Instant::now();
        if self.rest.is_none_or(|rest| began >= rest) {
            self.turns = Turns::since(plane, world, first(now), now)?;
            self.rest = Some(Instant::now() + began.elapsed() * PAUSE);
        }
        Ok(&self.turns)
    }
}
