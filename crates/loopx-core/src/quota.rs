//! Quota: limits on turns, minutes and tokens in a rolling window, and the ledger of what was spent.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::AgentId;
use serde::{Deserialize, Serialize};

use crate::key::TurnKey;

/// The longest rolling window, in minutes: 31 days.
pub const LONGEST_WINDOW_MINUTES: u32 = 31 * 24 * 60;

/// Limits in a rolling window. An absent limit does not bind; 0 is a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// What was spent in a quota's window. What a clock that ran ahead has dated in the future counts as now.
pub fn used_in(quota: &Quota, spent: &BTreeMap<i64, Amount>, now: Timestamp) -> Amount {
    let window = i64::from(quota.window_minutes.max(1));
    let minute = now.as_second().div_euclid(60);
    spent.range(minute - window + 1..).fold(Amount::default(), |sum, (_, amount)| sum.plus(*amount))
}

/// The limit that is used up for longest, if one is. A spend counts from its minute until the window has passed it.
pub fn used_up(quota: &Quota, spent: &BTreeMap<i64, Amount>, now: Timestamp) -> Option<Frees> {
    let window = i64::from(quota.window_minutes.max(1));
    let minute = now.as_second().div_euclid(60);
    let limits = [
        (quota.turns, (|a: &Amount| a.turns) as fn(&Amount) -> u64),
        (quota.minutes, |a: &Amount| a.minutes),
        (quota.tokens, |a: &Amount| a.tokens),
    ];
    let mut latest: Option<Frees> = None;
    for (limit, of) in limits {
        let Some(limit) = limit else { continue };
        if limit == 0 {
            return Some(Frees::Never);
        }
        let counted = || spent.range(minute - window + 1..);
        let mut used = counted().fold(0u64, |sum, (_, amount)| sum.saturating_add(of(amount)));
        if used < limit {
            continue;
        }
        for (at, amount) in counted() {
            used = used.saturating_sub(of(amount));
            if used < limit {
                let frees = Timestamp::UNIX_EPOCH.saturating_add(SignedDuration::from_mins(at + window));
                let frees = frees.unwrap_or(Timestamp::MAX);
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
