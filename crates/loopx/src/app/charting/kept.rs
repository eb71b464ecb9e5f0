//! What a goal's log tells of its past, kept until the log goes on.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use loopx_contract::GoalId;
use loopx_core::past::{Done, Past, Spans};
use loopx_core::{Event, Recorded};
use loopx_store::EventsOf;

use super::days::{Outcome, Outcomes};
use super::{WEEK, day, turns};
use crate::app::ControlPlane;
use crate::error::CliError;

/// How many events are held at once.
const AT_ONCE: usize = 512;
/// How long a log that goes on is not walked again: this many times as long as it took.
const PAUSE: u32 = 10;

/// One goal's.
pub(super) struct Kept {
    revision: u64,
    until: Timestamp,
    /// Whom its lanes waited on.
    pub lanes: Spans,
    /// To which length that is right, where not to the instant.
    pub grain: Option<jiff::SignedDuration>,
    /// What runs came to, by day.
    pub days: BTreeMap<Date, Outcomes>,
    /// When the log may be walked again.
    rest: Instant,
}

/// Those of all goals that were asked for.
#[derive(Default)]
pub(super) struct Goals(BTreeMap<GoalId, Kept>);

impl Goals {
    /// A goal's past until now. `revision` is how far its log is known to go.
    pub fn goal(
        &mut self,
        plane: &mut ControlPlane,
        goal: &GoalId,
        revision: u64,
        zone: &TimeZone,
        now: Timestamp,
    ) -> Result<&Kept, CliError> {
        let kept = match self.0.remove(goal) {
            Some(kept) if kept.revision >= revision => kept.gone_on(plane, goal, zone, now)?,
            // It is walked again later: until then the past ends where it did.
            Some(kept) if kept.rest > Instant::now() => kept,
            Some(_) | None => walked(plane, goal, zone, now)?,
        };
        Ok(self.0.entry(goal.clone()).or_insert(kept))
    }

    /// Forgets the goals that are not there any more.
    pub fn retain(&mut self, is_there: impl Fn(&GoalId) -> bool) {
        self.0.retain(|goal, _| is_there(goal));
    }
}

impl Kept {
    /// Nothing was recorded since: what time alone changed comes in.
    fn gone_on(
        self,
        plane: &mut ControlPlane,
        goal: &GoalId,
        zone: &TimeZone,
        now: Timestamp,
    ) -> Result<Self, CliError> {
        if now <= self.until {
            return Ok(self);
        }
        let state = plane.state(goal)?;
        if state.revision != self.revision {
            return walked(plane, goal, zone, now);
        }
        let from = now.checked_sub(WEEK).unwrap_or(Timestamp::MIN);
        let mut lanes = Past::resumed(goal.clone(), self.lanes, state, self.until, now).finish().lanes;
        for spans in lanes.values_mut() {
            spans.retain(|span| span.to > from);
        }
        Ok(Self { lanes, until: now, ..self })
    }
}

/// Walks a goal's log.
fn walked(
    plane: &mut ControlPlane,
    goal: &GoalId,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<Kept, CliError> {
    let began = Instant::now();
    let from = now.checked_sub(WEEK).unwrap_or(Timestamp::MIN);
    let mut past = Past::new(goal.clone(), from, now);
    let (mut revision, mut days) = (0, BTreeMap::new());
    loop {
        let events = plane.store().events(EventsOf::Goal { goal, after: revision }, AT_ONCE)?;
        if events.is_empty() {
            break;
        }
        for logged in &events {
            past.apply(&logged.recorded);
            count(&mut days, &logged.recorded, zone, now);
            revision = logged.recorded.revision;
        }
    }
    let Done { lanes, grain } = past.finish();
    let took = began.elapsed().min(Duration::from_mins(1));
    Ok(Kept { revision, until: now, lanes, grain, days, rest: Instant::now() + took * PAUSE })
}

fn count(days: &mut BTreeMap<Date, Outcomes>, recorded: &Recorded, zone: &TimeZone, now: Timestamp) {
    if recorded.at < turns::first(now) {
        return;
    }
    if let Event::RunRecorded { kind, validation, .. } = &recorded.event
        && let Some(outcome) = Outcome::of(*kind, validation.as_ref().map(|validation| validation.outcome))
    {
        days.entry(day(recorded.at, zone)).or_default().add(outcome);
    }
}
