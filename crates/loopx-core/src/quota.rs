//! Quota: limits on turns, minutes and tokens in a rolling window, and the ledger of what was spent.

mod burn;

use std::collections::BTreeMap;

pub use burn::{Burn, Measure, Pace};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::AgentId;
use serde::{Deserialize, Serialize};

use crate::key::TurnKey;

/// The longest rolling window, in minutes: 31 days.
pub const LONGEST_WINDOW_MINUTES: u32 = 31 * 24 * 60;

/// Limits in a rolling window. An absent limit does not bind; 0 is a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Quota {
    /// Length of the window in minutes, at most [`LONGEST_WINDOW_MINUTES`].
    pub window_minutes: u32,
    /// Most turns in the window.
    pub turns: Option<u64>,
    /// Most minutes of work in the window.
    pub minutes: Option<u64>,
    /// Most tokens in the window.
    pub tokens: Option<u64>,
}

impl Quota {
    /// Whether it limits anything.
    pub const fn is_limited(&self) -> bool {
        self.turns.is_some() || self.minutes.is_some() || self.tokens.is_some()
    }
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Turns.
    pub turns: u64,
    /// Minutes of work.
    pub minutes: u64,
    /// Tokens.
    pub tokens: u64,
}

impl Amount {
    /// The sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            turns: self.turns.saturating_add(other.turns),
            minutes: self.minutes.saturating_add(other.minutes),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// The difference, never below 0.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self {
            turns: self.turns.saturating_sub(other.turns),
            minutes: self.minutes.saturating_sub(other.minutes),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

/// One spend, by its turn key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// The key.
    pub key: TurnKey,
    /// Whose; none for the goal as a whole.
    pub agent: Option<AgentId>,
    /// How much.
    pub amount: Amount,
    /// When, UTC.
    pub at: Timestamp,
    /// Whether it was taken back.
    pub voided: bool,
}

/// What a spend is counted under: a lane (or the goal without one) and a minute since the epoch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// Whose; none for the goal as a whole.
    pub agent: Option<AgentId>,
    /// Minutes since 1970-01-01T00:00Z, rounded down.
    pub minute: i64,
}

impl Slot {
    /// The slot of an instant.
    pub fn at(agent: Option<AgentId>, at: Timestamp) -> Self {
        Self { agent, minute: at.as_second().div_euclid(60) }
    }
}

/// When a used-up limit frees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frees {
    /// At this instant, UTC, if nothing more is spent.
    At(Timestamp),
    /// Never: the limit is 0.
    Never,
}

/// What was reported spent in a quota's window. What a clock that ran ahead has dated in the future counts as now.
pub fn used_in(quota: &Quota, spent: &BTreeMap<i64, Amount>, now: Timestamp) -> Amount {
    spent.range(first_minute(quota, now)..).fold(Amount::default(), |sum, (_, amount)| sum.plus(*amount))
}

/// What the sessions of a goal were observed to spend, by lane (none: of no lane) and minute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    spent: BTreeMap<Slot, Amount>,
}

impl Observed {
    /// Nothing.
    pub const NOTHING: &'static Self = &Self { spent: BTreeMap::new() };

    /// Adds what a session of a lane, or of no lane, spent at an instant.
    pub fn add(&mut self, agent: Option<AgentId>, at: Timestamp, amount: Amount) {
        if amount != Amount::default() {
            let sum = self.spent.entry(Slot::at(agent, at)).or_default();
            *sum = sum.plus(amount);
        }
    }
}

/// What was spent of a quota, reported and observed. Both tell of the same turns: of a lane the larger sum of both
/// counts, of a goal the larger of all that was reported and of what its lanes and its sessions without a lane come to.
/// So a turn that is told twice counts once, and one that is told once counts.
#[derive(Clone, Debug, Default)]
pub struct Spending<'a> {
    /// By minute, in order.
    told: BTreeMap<i64, Vec<Telling<'a>>>,
}

#[derive(Clone, Copy, Debug)]
struct Telling<'a> {
    agent: Option<&'a AgentId>,
    by: By,
    amount: Amount,
}

/// Who tells of a spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The log.
    Report,
    /// The runtimes' records.
    Observation,
}

impl<'a> Spending<'a> {
    /// What was spent by one lane, or by the whole goal: its lanes, and what is of none.
    pub fn of(
        reported: impl IntoIterator<Item = (&'a Slot, &'a Amount)>,
        observed: &'a Observed,
        agent: Option<&AgentId>,
    ) -> Self {
        let mut told: BTreeMap<i64, Vec<Telling<'a>>> = BTreeMap::new();
        let reported = reported.into_iter().map(|(slot, amount)| (slot, amount, By::Report));
        let observed = observed.spent.iter().map(|(slot, amount)| (slot, amount, By::Observation));
        for (slot, amount, by) in reported.chain(observed) {
            if agent.is_none_or(|agent| slot.agent.as_ref() == Some(agent)) {
                let telling = Telling { agent: slot.agent.as_ref(), by, amount: *amount };
                told.entry(slot.minute).or_default().push(telling);
            }
        }
        Self { told }
    }

    /// What was spent in a quota's window. What a clock that ran ahead has dated in the future counts as now.
    pub fn used_in(&self, quota: &Quota, now: Timestamp) -> Amount {
        let sum = |of| self.sums(quota, now, of).total();
        Amount { turns: sum(TURNS), minutes: sum(MINUTES), tokens: sum(TOKENS) }
    }

    /// The part of it that was reported.
    pub fn reported_in(&self, quota: &Quota, now: Timestamp) -> Amount {
        let sum = |of| self.sums(quota, now, of).reported;
        Amount { turns: sum(TURNS), minutes: sum(MINUTES), tokens: sum(TOKENS) }
    }

    /// The part of it that was observed.
    pub fn observed_in(&self, quota: &Quota, now: Timestamp) -> Amount {
        let sum = |of| self.sums(quota, now, of).observed;
        Amount { turns: sum(TURNS), minutes: sum(MINUTES), tokens: sum(TOKENS) }
    }

    /// The limit that is used up for longest, if one is. A spend counts from its minute until the window has passed it.
    pub fn used_up(&self, quota: &Quota, now: Timestamp) -> Option<Frees> {
        let mut latest: Option<Frees> = None;
        for (limit, of) in [(quota.turns, TURNS), (quota.minutes, MINUTES), (quota.tokens, TOKENS)] {
            let Some(limit) = limit else { continue };
            if limit == 0 {
                return Some(Frees::Never);
            }
            let mut sums = self.sums(quota, now, of);
            if sums.total() < limit {
                continue;
            }
            for (minute, told) in self.told.range(first_minute(quota, now)..) {
                for telling in told {
                    sums.take(*telling, of(&telling.amount));
                }
                if sums.total() < limit {
                    let passed = SignedDuration::from_mins(minute + window(quota));
                    let frees = Timestamp::UNIX_EPOCH.saturating_add(passed).unwrap_or(Timestamp::MAX);
                    latest = Some(match latest {
                        Some(Frees::At(other)) if other > frees => Frees::At(other),
                        _ => Frees::At(frees),
                    });
                    break;
                }
            }
        }
        latest
    }

    fn sums(&self, quota: &Quota, now: Timestamp, of: Unit) -> Sums<'a> {
        let mut sums = Sums::default();
        for telling in self.told.range(first_minute(quota, now)..).flat_map(|(_, told)| told) {
            sums.add(*telling, of(&telling.amount));
        }
        sums
    }
}

/// One of the counts of an amount.
type Unit = fn(&Amount) -> u64;

const TURNS: Unit = |amount| amount.turns;
const MINUTES: Unit = |amount| amount.minutes;
const TOKENS: Unit = |amount| amount.tokens;

/// The sums of one count in a window.
#[derive(Default)]
struct Sums<'a> {
    reported: u64,
    observed: u64,
    /// Of each lane.
    lanes: BTreeMap<&'a AgentId, Both>,
    /// Observed of no lane.
    of_no_lane: u64,
}

#[derive(Clone, Copy, Default)]
struct Both {
    reported: u64,
    observed: u64,
}

impl<'a> Sums<'a> {
    fn add(&mut self, telling: Telling<'a>, count: u64) {
        self.change(telling, |sum| *sum = sum.saturating_add(count));
    }

    fn take(&mut self, telling: Telling<'a>, count: u64) {
        self.change(telling, |sum| *sum = sum.saturating_sub(count));
    }

    fn change(&mut self, telling: Telling<'a>, change: impl Fn(&mut u64)) {
        match telling.by {
            By::Report => change(&mut self.reported),
            By::Observation => change(&mut self.observed),
        }
        match (telling.agent, telling.by) {
            (Some(agent), By::Report) => change(&mut self.lanes.entry(agent).or_default().reported),
            (Some(agent), By::Observation) => change(&mut self.lanes.entry(agent).or_default().observed),
            (None, By::Report) => {}
            (None, By::Observation) => change(&mut self.of_no_lane),
        }
    }

    fn total(&self) -> u64 {
        let larger = |both: &Both| both.reported.max(both.observed);
        let of_lanes = self.lanes.values().map(larger).fold(self.of_no_lane, u64::saturating_add);
        // What was reported for no lane may be of any session.
        of_lanes.max(self.reported)
    }
}

fn window(quota: &Quota) -> i64 {
    i64::from(quota.window_minutes.max(1))
}

/// The first minute that the window still counts.
fn first_minute(quota: &Quota, now: Timestamp) -> i64 {
    now.as_second().div_euclid(60) - window(quota) + 1
}
