//! What the sessions of goals were observed to spend, as far back as a limit counts it. Where nothing is limited nothing is
//! looked for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::quota::{Amount, Observed, Quota};
use loopx_runtimes::{Backfill, Index, Sources, Spender, Spent};
use loopx_safety::InstallKey;

use crate::app::overview::Held;
use crate::app::placing::{Bindings, Clues, Named, Place, place};

/// How long files are read that were not read to their end before; what is left is counted the next time.
const AT_MOST: Duration = Duration::from_secs(2);

/// The window of a quota that names none: a day.
pub const WINDOW: u32 = 24 * 60;

/// Which goals it is counted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Those with a limit.
    #[default]
    Limited,
    /// All, for a day at least.
    All,
}

impl Counting {
    /// How far back it is counted, in minutes; none where nothing is.
    pub fn window(self, state: &State) -> Option<u32> {
        let quotas = state.goal.iter().map(|goal| goal.quota);
        let quotas = quotas.chain(state.agents.values().map(|agent| agent.quota));
        let window = |quota: Quota| match self {
            Self::Limited => quota.is_limited().then_some(quota.window_minutes),
            Self::All => Some(if quota.window_minutes == 0 { WINDOW } else { quota.window_minutes }),
        };
        quotas.filter_map(window).max()
    }
}

/// Where sessions are, and what tells where they belong.
pub struct Places<'a> {
    /// Where they are looked for.
    pub sources: &'a Sources,
    /// The key of the handles.
    pub key: &'a InstallKey,
    /// What is bound to what.
    pub bindings: &'a Bindings,
    /// What this environment names for its own session.
    pub named: Option<&'a Named>,
}

impl Places<'_> {
    /// The place of a session that spent something.
    pub fn of(&self, spender: &Spender, lanes: &Lanes, states: &BTreeMap<&GoalId, &State>) -> Place {
        place(
            (&spender.runtime, spender.session),
            &Clues { cwd: spender.cwd.expose().clone(), lane: lanes.get(&spender.session).cloned() },
            self.named,
            self.bindings,
            states,
            self.key,
        )
    }

    /// What sessions spent since then, each with its place; and whether all of their files are read.
    pub fn spent_since(
        &self,
        index: &mut Index,
        states: &BTreeMap<&GoalId, &State>,
        since: Timestamp,
        now: Timestamp,
    ) -> (Vec<(Spender, Place)>, bool) {
        let began = Instant::now();
        let in_time = |_: Backfill| began.elapsed() < AT_MOST;
        let spenders = index.spent_since(self.sources, self.key, since, &in_time);
        let are_whole = began.elapsed() < AT_MOST;
        let lanes = loopx_runtimes::hooks::lanes(self.sources, self.key, now);
        let placed = |spender: Spender| {
            let place = self.of(&spender, &lanes, states);
            (spender, place)
        };
        (spenders.into_iter().map(placed).collect(), are_whole)
    }

    /// What sessions spent in each goal that is counted, by lane and minute, so many minutes back.
    pub fn observed(
        &self,
        index: &mut Index,
        goals: &BTreeMap<GoalId, Held>,
        window: Option<u32>,
        now: Timestamp,
    ) -> BTreeMap<GoalId, Observed> {
        let Some(window) = window else { return BTreeMap::new() };
        let states = states(goals);
        let since = now.checked_sub(SignedDuration::from_mins(i64::from(window))).unwrap_or(Timestamp::MIN);
        let mut observed: BTreeMap<GoalId, Observed> = BTreeMap::new();
        for (spender, place) in self.spent_since(index, &states, since, now).0 {
            let (goal, agent) = match place {
                Place::Lane(goal, agent) => (goal, Some(agent)),
                Place::Goal(goal) => (goal, None),
                Place::Nowhere => continue,
            };
            let of_goal = observed.entry(goal).or_default();
            for (at, amount) in amounts(spender.spent) {
                of_goal.add(agent.clone(), at, amount);
            }
        }
        observed
    }
}

/// What the environment of each session's hooks names.
pub type Lanes = BTreeMap<loopx_safety::Handle, (GoalId, Option<loopx_contract::AgentId>)>;

/// The goals that can be read.
pub fn states(goals: &BTreeMap<GoalId, Held>) -> BTreeMap<&GoalId, &State> {
    let states = goals.iter().filter_map(|(id, held)| match held {
        Held::State(state) => Some((id, state.as_ref())),
        Held::Damaged(_) => None,
    });
    states.collect()
}

/// One session's spending as amounts: finished turns, whole minutes at work, and tokens. What was read from a cache is
/// the same text once more, and is left out.
fn amounts(mut spent: Vec<(Option<Timestamp>, Spent)>) -> Vec<(Timestamp, Amount)> {
    spent.sort_by_key(|(at, _)| *at);
    let mut millis: u64 = 0;
    let amount = |(at, spent): (Option<Timestamp>, Spent)| {
        let before = millis / 60_000;
        millis = millis.saturating_add(spent.time.active);
        let tokens =
            spent.tokens.input.saturating_sub(spent.tokens.cached).saturating_add(spent.tokens.output);
        Some((at?, Amount { turns: spent.turns, minutes: millis / 60_000 - before, tokens }))
    };
    spent.into_iter().filter_map(amount).collect()
}

#[cfg(test)]
mod tests {
    use loopx_runtimes::{Spell, Tokens};

    use super::*;

    #[test]
    fn minutes_are_counted_when_they_are_full_and_cached_tokens_not_at_all() {
        let at = |seconds| Some(Timestamp::from_second(seconds).expect("an instant"));
        let spent = |active| Spent {
            tokens: Tokens { input: 1000, cached: 900, output: 50, reasoning: Some(20) },
            turns: 1,
            time: Spell { active, waiting: 9_000_000 },
        };
        let told = vec![
            (at(300), spent(40_000)),
            (at(100), spent(50_000)),
            (None, spent(5)),
            (at(200), spent(50_000)),
        ];
        let counted = amounts(told);
        let minutes: Vec<u64> = counted.iter().map(|(_, amount)| amount.minutes).collect();
        assert_eq!(minutes, [0, 1, 1]);
        assert!(counted.iter().all(|(_, amount)| amount.turns == 1 && amount.tokens == 150));
    }
}
