//! How a limit is used up: what its window counts, as it came together, and where that leads at the pace so far.

use jiff::{SignedDuration, Timestamp};

use super::{MINUTES, Quota, Spending, Sums, TOKENS, TURNS, Unit, first_minute, window};

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Turns.
    Turns,
    /// Minutes of work.
    Minutes,
    /// Tokens.
    Tokens,
}

/// A limit with what its window counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Burn {
    /// What it counts.
    pub measure: Measure,
    /// The limit.
    pub limit: u64,
    /// What is counted, as [`Spending::used_in`] counts it.
    pub used: u64,
    /// Where the window begins, UTC.
    pub from: Timestamp,
    /// Where it ends: now, UTC.
    pub now: Timestamp,
    /// The sum of what is counted, after each minute that added to it.
    pub steps: Vec<(Timestamp, u64)>,
    /// When what was spent first leaves the window, UTC.
    pub first_leaves: Option<Timestamp>,
    /// When all of it has left, UTC, if nothing more is spent.
    pub all_left: Option<Timestamp>,
    /// Where it leads.
    pub pace: Pace,
    /// The same as a line: what would be counted at instants from now on. Empty where nothing is said.
    pub ahead: Vec<(Timestamp, u64)>,
}

/// Where spending leads if it goes on at the pace since the first spend that is counted. What leaves the window meanwhile
/// is taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Nothing was spent, or too lately to say.
    Unknown,
    /// It is used up already.
    Over,
    /// It is used up then, UTC.
    UsedUp(Timestamp),
    /// It is not used up before the window is over that begins now.
    Lasts,
}

/// A pace is told from this share of the window on.
const SHARE: i64 = 48;
/// A pace is told from this long on, in seconds.
const LEAST: i64 = 10 * 60;

impl<'a> Spending<'a> {
    /// Each limit of a quota with what it counts.
    pub fn burns(&self, quota: &Quota, now: Timestamp) -> Vec<Burn> {
        let limits = [
            (quota.turns, Measure::Turns, TURNS),
            (quota.minutes, Measure::Minutes, MINUTES),
            (quota.tokens, Measure::Tokens, TOKENS),
        ];
        let burn = |(limit, measure, of): (Option<u64>, Measure, Unit)| {
            limit.map(|limit| self.burn(quota, now, limit, measure, of))
        };
        limits.into_iter().filter_map(burn).collect()
    }

    fn burn(&self, quota: &Quota, now: Timestamp, limit: u64, measure: Measure, of: Unit) -> Burn {
        let first = first_minute(quota, now);
        let (mut sums, mut steps) = (Sums::default(), Vec::new());
        for (minute, told) in self.told.range(first..) {
            let before = sums.total();
            for telling in told {
                sums.add(*telling, of(&telling.amount));
            }
            if sums.total() != before {
                // What a clock that ran ahead has dated in the future counts as now.
                steps.push((instant(*minute).min(now), sums.total()));
            }
        }
        let used = sums.total();
        let leaves = |minute: &i64| instant(minute.saturating_add(window(quota)));
        let mut spent =
            self.told.range(first..).filter(|(_, told)| told.iter().any(|one| of(&one.amount) > 0));
        let first_leaves = spent.next().map(|(minute, _)| leaves(minute));
        let all_left = spent.next_back().map(|(minute, _)| leaves(minute)).or(first_leaves);
        let mut burn = Burn {
            measure,
            limit,
            used,
            from: instant(first),
            now,
            steps,
            first_leaves,
            all_left,
            pace: if used >= limit { Pace::Over } else { Pace::Unknown },
            ahead: Vec::new(),
        };
        let began = burn.steps.first().map_or(now, |(at, _)| *at);
        let elapsed = now.as_second() - began.as_second();
        if burn.pace == Pace::Unknown && used > 0 && elapsed >= LEAST.max(window(quota) * 60 / SHARE) {
            self.project(&mut burn, quota, sums, elapsed, of);
        }
        burn
    }

    /// Goes on at the pace so far until the limit, or for one window.
    fn project(&self, burn: &mut Burn, quota: &Quota, mut sums: Sums<'a>, elapsed: i64, of: Unit) {
        let (now, used) = (burn.now, i128::from(burn.used));
        let end = now.saturating_add(SignedDuration::from_mins(window(quota))).unwrap_or(Timestamp::MAX);
        let added = |at: Timestamp| used * i128::from(at.as_second() - now.as_second()) / i128::from(elapsed);
        let count =
            |kept: u64, at: Timestamp| u64::try_from(i128::from(kept) + added(at)).unwrap_or(u64::MAX);
        burn.ahead.push((now, burn.used));
        let first = first_minute(quota, now);
        let leaving = self.told.range(first..).map(|(minute, told)| {
            (instant(minute.saturating_add(window(quota))).clamp(now, end), told.as_slice())
        });
        for (at, told) in leaving.chain([(end, &[][..])]) {
            let kept = sums.total();
            if count(kept, at) >= burn.limit {
                let left = i128::from(burn.limit.saturating_sub(kept));
                let seconds = (left * i128::from(elapsed) + used - 1) / used.max(1);
                let until = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
                let over = now.saturating_add(until).unwrap_or(Timestamp::MAX).min(at);
                burn.ahead.push((over, burn.limit));
                burn.pace = Pace::UsedUp(over);
                return;
            }
            burn.ahead.push((at, count(kept, at)));
            for telling in told {
                sums.take(*telling, of(&telling.amount));
            }
            if sums.total() != kept {
                burn.ahead.push((at, count(sums.total(), at)));
            }
        }
        burn.pace = Pace::Lasts;
    }
}

/// The beginning of a minute.
fn instant(minute: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH.saturating_add(SignedDuration::from_mins(minute)).unwrap_or(Timestamp::MAX)
}
