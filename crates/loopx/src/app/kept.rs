//! What a look that follows another one need not find again: a goal whose log goes as far as it did is the same one, and
//! what was decided of it a moment ago from the same facts is decided so now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::quota::Observed;
use loopx_safety::{Handle, PrivateWords};
use loopx_store::{GoalSummary, StoreError};

use crate::app::counting::Counting;
use crate::app::overview::{GoalView, SessionView};
use crate::app::plane::Seen;

/// How long a decision stands whose facts are the same. What time alone changes is seen so much later; where nothing
/// happens it is looked far less often.
const STANDS: Duration = Duration::from_secs(5);

/// For how long sessions stand as they were seen, where nothing but the log is told of.
const SEEN: Duration = Duration::from_secs(1);

/// The goals as they were read last.
#[derive(Default)]
pub struct Kept {
    states: BTreeMap<GoalId, Goal>,
}

/// A goal as it was read last, and how far back it is counted what its sessions spent.
struct Goal {
    revision: u64,
    checksum: [u8; 32],
    state: Arc<State>,
    window: Option<u32>,
}

impl Kept {
    /// The state of a goal: the one that was read before, where its log goes no further, else as it is read now.
    pub fn state(
        &mut self,
        summary: &GoalSummary,
        counting: Counting,
        read: impl FnOnce() -> Result<State, StoreError>,
    ) -> Result<Arc<State>, StoreError> {
        let (revision, checksum) = (summary.revision, summary.checksum);
        if let Some(goal) = self.states.get(&summary.id)
            && (goal.revision, goal.checksum) == (revision, checksum)
        {
            return Ok(Arc::clone(&goal.state));
        }
        let state = Arc::new(read()?);
        // It may have gone on since it was asked how far it goes.
        if state.revision == revision {
            let window = counting.window(&state);
            let goal = Goal { revision, checksum, state: Arc::clone(&state), window };
            self.states.insert(summary.id.clone(), goal);
        } else {
            self.states.remove(&summary.id);
        }
        Ok(state)
    }

    /// How far back it is counted what the sessions of a goal spent, in minutes; none where nothing is.
    pub fn window(&self, goal: &GoalId, state: &Arc<State>, counting: Counting) -> Option<u32> {
        match self.states.get(goal) {
            Some(goal) if Arc::ptr_eq(&goal.state, state) => goal.window,
            Some(_) | None => counting.window(state),
        }
    }
}

/// The sessions as they were seen last: when, which were asked for, and what was seen.
#[derive(Default)]
pub struct Sighted(Option<(Instant, BTreeSet<Handle>, Arc<Seen>)>);

impl Sighted {
    /// What was seen a moment ago, where the same ones were asked for.
    pub fn again(&self, also: &BTreeSet<Handle>) -> Option<Arc<Seen>> {
        let (at, asked, seen) = self.0.as_ref()?;
        (at.elapsed() < SEEN && asked == also).then(|| Arc::clone(seen))
    }

    /// Keeps what was seen now, or is still as it was seen.
    pub fn keep(&mut self, also: BTreeSet<Handle>, seen: &Arc<Seen>) {
        if self.0.as_ref().is_none_or(|(.., kept)| !Arc::ptr_eq(kept, seen)) {
            self.0 = Some((Instant::now(), also, Arc::clone(seen)));
        }
    }
}

/// What a goal was decided from.
#[derive(Debug, PartialEq)]
pub struct Facts {
    /// Its sessions.
    pub sessions: Vec<SessionView>,
    /// What they were observed to spend.
    pub observed: Observed,
}

/// One goal as it was decided last.
#[derive(Debug)]
struct Decision {
    at: Timestamp,
    state: Arc<State>,
    facts: Facts,
    view: Arc<GoalView>,
}

/// Whether what was decided stands where nothing but time has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// It was decided a moment ago.
    Still,
    /// It is to be decided again.
    NoMore,
}

/// What was decided last, of every goal.
#[derive(Debug, Default)]
pub struct Decided(Mutex<(Option<PrivateWords>, BTreeMap<GoalId, Decision>)>);

impl Decided {
    /// What was decided of a goal from the same state and facts and for the same words, and whether it stands.
    pub fn find(
        &self,
        goal: &GoalId,
        state: &Arc<State>,
        facts: &Facts,
        words: &PrivateWords,
        now: Timestamp,
    ) -> Option<(Arc<GoalView>, Stands)> {
        let mut held = self.held();
        if held.0.as_ref() != Some(words) {
            *held = (Some(words.clone()), BTreeMap::new());
        }
        let last = held.1.get(goal)?;
        let age = now.duration_since(last.at);
        let is_new = age >= SignedDuration::ZERO && age.unsigned_abs() < STANDS;
        let stands = if is_new { Stands::Still } else { Stands::NoMore };
        (Arc::ptr_eq(&last.state, state) && last.facts == *facts).then(|| (Arc::clone(&last.view), stands))
    }

    /// Keeps what was decided for these words. A look that goes on beside this one may have come with others since.
    pub fn keep(
        &self,
        state: &Arc<State>,
        facts: Facts,
        words: &PrivateWords,
        view: &Arc<GoalView>,
        at: Timestamp,
    ) {
        let mut held = self.held();
        if held.0.as_ref() == Some(words) {
            let decision = Decision { at, state: Arc::clone(state), facts, view: Arc::clone(view) };
            held.1.insert(view.id.clone(), decision);
        }
    }

    fn held(&self) -> MutexGuard<'_, (Option<PrivateWords>, BTreeMap<GoalId, Decision>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use loopx_safety::{PrivateWord, TierKind, WordKind};

    use super::*;

    #[test]
    fn what_was_screened_for_other_words_was_shown_for_these() {
        let words = |names: &[&str]| {
            let names = names.iter().map(|name| PrivateWord::new(WordKind::Remote, *name));
            PrivateWords::new(TierKind::Local, &names.collect::<Vec<PrivateWord>>())
        };
        let (before, after) = (words(&[]), words(&["acmecorp"]));
        let goal = GoalId::parse("atlas").expect("a goal");
        let (state, now) = (Arc::new(State::default()), Timestamp::UNIX_EPOCH);
        let facts = || Facts { sessions: Vec::new(), observed: Observed::default() };
        let view = Arc::new(GoalView::new(goal.clone(), Vec::new(), 0));
        let decided = Decided::default();
        let find = |words| decided.find(&goal, &state, &facts(), words, now).is_some();
        // One look finds nothing, another one comes with other words, and the first one keeps what it decided.
        assert!(!find(&before) && !find(&after));
        decided.keep(&state, facts(), &before, &view, now);
        assert!(!find(&after));
        decided.keep(&state, facts(), &after, &view, now);
        assert!(find(&after) && !find(&before));
    }
}
