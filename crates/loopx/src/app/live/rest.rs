//! How long it is rested between two looks: what happens alone is seen at once, and what goes on and on costs little.

use std::time::{Duration, Instant};

/// A look is paid for by so many times what it took of the processor: on a busy machine it takes longer, and costs no
/// more.
const TIMES: u32 = 16;

/// How much may be looked before it is paid for.
const CREDIT: Duration = Duration::from_millis(150);

/// What comes in quick succession is seen together.
const SHORTEST: Duration = Duration::from_millis(8);

/// The longest rest.
const LONGEST: Duration = Duration::from_millis(960);

/// What was looked and is not paid for yet.
#[derive(Debug)]
pub(super) struct Rest {
    owed: Duration,
    at: Instant,
}

impl Rest {
    pub fn new(now: Instant) -> Self {
        Self { owed: Duration::ZERO, at: now }
    }

    /// The rest after a look that took so much of the processor and ended now.
    pub fn after(&mut self, took: Duration, now: Instant) -> Duration {
        let paid = now.saturating_duration_since(self.at) / TIMES;
        self.owed = self.owed.saturating_sub(paid).saturating_add(took).min(CREDIT + LONGEST / TIMES);
        self.at = now;
        (self.owed.saturating_sub(CREDIT) * TIMES).clamp(SHORTEST, LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Duration = Duration::from_millis(10);

    /// The rests after looks, each followed by a wait of so long.
    fn rests(looks: usize, wait: Duration) -> (Vec<Duration>, Duration) {
        let mut now = Instant::now();
        let (mut rest, begun, mut rests) = (Rest::new(now), now, Vec::new());
        for _ in 0..looks {
            now += LOOK;
            let rested = rest.after(LOOK, now);
            rests.push(rested);
            now += rested.max(wait);
        }
        (rests, now - begun)
    }

    #[test]
    fn what_happens_now_and_then_is_seen_at_once() {
        let (rests, _) = rests(1000, Duration::from_millis(250));
        assert!(rests.iter().all(|rest| *rest == SHORTEST), "{:?}", rests.iter().max());
    }

    #[test]
    fn a_burst_is_seen_at_once_and_a_storm_costs_little() {
        let (rests, took) = rests(1000, Duration::ZERO);
        assert!(rests[..10].iter().all(|rest| *rest == SHORTEST), "{rests:?}");
        let share = (LOOK * 1000).as_secs_f64() / took.as_secs_f64();
        assert!(share < 0.09, "{share}");
        assert!(rests.iter().all(|rest| *rest <= LONGEST));
    }

    #[test]
    fn a_look_that_took_long_is_paid_for_once() {
        let now = Instant::now();
        let mut rest = Rest::new(now);
        assert_eq!(rest.after(Duration::from_mins(1), now), LONGEST);
        assert_eq!(rest.after(LOOK, now + LONGEST * 3), SHORTEST);
    }
}
