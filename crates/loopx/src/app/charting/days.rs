//! What runs came to, day by day.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use loopx_contract::GoalId;
use loopx_core::run::{RunKind, ValidationOutcome};
use serde::Serialize;

use super::kept::Kept;
use super::turns::Turns;
use super::{DAYS, day};
use crate::app::placing::Place;

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A check passed.
    Passed,
    /// Something moved, or was handed over.
    Progress,
    /// Something was checked, and how that ended is not known.
    Unknown,
    /// Nothing moved.
    NoProgress,
    /// Something outside stood in the way.
    Blocked,
    /// A check failed.
    Failed,
}

impl Outcome {
    /// All, as they are listed.
    pub const ALL: [Self; 6] =
        [Self::Passed, Self::Progress, Self::Unknown, Self::NoProgress, Self::Blocked, Self::Failed];

    /// That of a run; a projection that was recorded is none.
    pub const fn of(kind: RunKind, validation: Option<ValidationOutcome>) -> Option<Self> {
        Some(match (kind, validation) {
            (RunKind::Projection, _) => return None,
            (RunKind::Blocker, _) => Self::Blocked,
            (_, Some(ValidationOutcome::Failed)) => Self::Failed,
            (RunKind::NoProgress, _) => Self::NoProgress,
            (_, Some(ValidationOutcome::Passed)) => Self::Passed,
            (RunKind::Validation, Some(ValidationOutcome::Unknown) | None) => Self::Unknown,
            (RunKind::Progress | RunKind::Handoff, Some(ValidationOutcome::Unknown) | None) => Self::Progress,
        })
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Passed => "check passed",
            Self::Progress => "progress",
            Self::Unknown => "outcome unknown",
            Self::NoProgress => "no progress",
            Self::Blocked => "blocked",
            Self::Failed => "check failed",
        }
    }

    /// What names its colour and pattern.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Passed => "o-passed",
            Self::Progress => "o-progress",
            Self::Unknown => "o-unknown",
            Self::NoProgress => "o-nothing",
            Self::Blocked => "o-blocked",
            Self::Failed => "o-failed",
        }
    }
}

/// How many runs came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes([u64; Outcome::ALL.len()]);

impl Outcomes {
    /// One more.
    pub fn add(&mut self, outcome: Outcome) {
        if let Some(count) = self.0.get_mut(outcome as usize) {
            *count += 1;
        }
    }

    /// How many came to this.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.0.get(outcome as usize).copied().unwrap_or_default()
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(one, more)| *one += more);
        self
    }
}

/// One day of the operator's.
#[derive(Clone, Copy, Debug)]
pub struct Day {
    /// Which.
    pub date: Date,
    /// What the runs came to that agents recorded.
    pub runs: Outcomes,
    /// Turns that ended, as the runtimes' records tell.
    pub turns: u64,
}

/// The last days of a goal, the oldest first.
pub(super) fn last(kept: &Kept, turns: &Turns, goal: &GoalId, zone: &TimeZone, now: Timestamp) -> Vec<Day> {
    let of_goal = |place: &Place| match place {
        Place::Lane(of, _) | Place::Goal(of) => of == goal,
        Place::Nowhere => false,
    };
    let ended: Vec<Date> =
        turns.ended.iter().filter(|(_, place)| of_goal(place)).map(|(at, _)| day(*at, zone)).collect();
    dates(now, zone)
        .map(|date| Day {
            date,
            runs: kept.days.get(&date).copied().unwrap_or_default(),
            turns: ended.iter().filter(|ended| **ended == date).count() as u64,
        })
        .collect()
}

/// The last days there, today last.
fn dates(now: Timestamp, zone: &TimeZone) -> impl Iterator<Item = Date> {
    let today = day(now, zone);
    let back = |days: usize| i64::try_from(days).unwrap_or_default().days();
    (0..DAYS).rev().map(move |days| today.saturating_sub(back(days)))
}

/// The sum of several goals' days.
pub fn sum<'a>(goals: impl Iterator<Item = &'a [Day]>) -> Vec<Day> {
    let mut all: Vec<Day> = Vec::new();
    for days in goals {
        if all.is_empty() {
            all = days.to_vec();
            continue;
        }
        for (sum, day) in all.iter_mut().zip(days) {
            sum.runs = sum.runs.plus(&day.runs);
            sum.turns += day.turns;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_comes_to_what_it_says() {
        use ValidationOutcome as Check;
        for (kind, check, outcome) in [
            (RunKind::Progress, None, Some(Outcome::Progress)),
            (RunKind::Progress, Some(Check::Passed), Some(Outcome::Passed)),
            (RunKind::Progress, Some(Check::Failed), Some(Outcome::Failed)),
            (RunKind::Validation, Some(Check::Unknown), Some(Outcome::Unknown)),
            (RunKind::NoProgress, Some(Check::Passed), Some(Outcome::NoProgress)),
            (RunKind::NoProgress, Some(Check::Failed), Some(Outcome::Failed)),
            (RunKind::Blocker, Some(Check::Failed), Some(Outcome::Blocked)),
            (RunKind::Handoff, None, Some(Outcome::Progress)),
            (RunKind::Projection, None, None),
        ] {
            assert_eq!(Outcome::of(kind, check), outcome, "{kind:?} {check:?}");
        }
    }

    #[test]
    fn a_day_ends_where_the_operator_is() {
        let zone = TimeZone::fixed(jiff::tz::offset(-8));
        let now: Timestamp = "2026-11-30T05:00:00Z".parse().expect("an instant");
        let dates: Vec<Date> = dates(now, &zone).collect();
        assert_eq!(dates.len(), DAYS);
        assert_eq!(dates.last().map(ToString::to_string).as_deref(), Some("2026-11-29"));
        assert_eq!(dates.first().map(ToString::to_string).as_deref(), Some("2026-11-16"));
    }
}
