//! The edges into "waiting on you": which of the things that wait are to be told now. Pure: what was told and what
//! waits are arguments, and so is the time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId};
use serde::{Deserialize, Serialize};

use crate::app::placing::Only;
use crate::app::waits::{Wait, Waiting};

/// What waits is told once it has waited for so long: a prompt that somebody answers at once needs nobody else.
pub const SETTLES: SignedDuration = SignedDuration::from_secs(1);

/// What waits again so soon after it did not, for the same thing, has not been away.
pub const FLAPS: SignedDuration = SignedDuration::from_secs(60);

/// Two sources may give instants of one prompt that are so far apart.
const APART: SignedDuration = SignedDuration::from_secs(5);

/// How long it is waited after telling has failed once; after each further time twice as long.
pub const PAUSE: SignedDuration = SignedDuration::from_secs(30);

/// The longest such pause.
pub const LONGEST: SignedDuration = SignedDuration::from_mins(30);

/// How often telling of one thing is tried, over about an hour.
pub const TRIES: u32 = 8;

/// What is known of one thing that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// What waits.
    pub what: Waiting,
    /// The goal it belongs to, if to any.
    pub goal: Option<GoalId>,
    /// The lane it belongs to, if to any.
    pub agent: Option<AgentId>,
    /// Since when it waits, UTC, where that is known.
    pub since: Option<Timestamp>,
    /// When it was seen to wait first, UTC.
    pub seen: Timestamp,
    /// When it was told, UTC: what tells had ended well by then.
    pub told: Option<Timestamp>,
    /// How often telling it has failed.
    #[serde(default)]
    pub failed: u32,
    /// It is not tried again before then, UTC.
    #[serde(default)]
    pub again: Option<Timestamp>,
    /// When it was seen not to wait any more, UTC.
    pub left: Option<Timestamp>,
}

/// What was told, and what is to be told.
pub type Memory = BTreeMap<Waiting, Noted>;

/// Things that began to wait on a person together, for the same: one of them, or the lanes that one ask holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What waits.
    pub waits: Vec<Wait>,
    /// Since when, UTC: as far as that is known, else since it was seen.
    pub since: Timestamp,
    /// How often telling it has failed.
    pub failed: u32,
}

/// How telling went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Went {
    /// It was told.
    Told,
    /// It was not.
    Failed,
}

impl Noted {
    /// Until when it is not told, of a thing that has not been told; none where its time has come.
    fn rests_until(&self, now: Timestamp) -> Option<Timestamp> {
        if apart(now, self.seen) < SETTLES {
            return Some(self.seen + SETTLES);
        }
        // One that is further off than any pause is of a clock that was set back.
        self.again.filter(|again| *again > now && apart(*again, now) <= LONGEST)
    }

    /// How telling it went.
    pub fn ended(&mut self, went: Went, now: Timestamp) {
        match went {
            Went::Told => (self.told, self.again) = (Some(now), None),
            Went::Failed => {
                let pause = PAUSE.checked_mul(1 << self.failed.min(TRIES)).unwrap_or(LONGEST);
                self.failed = self.failed.saturating_add(1);
                self.again = Some(now + pause.min(LONGEST));
            }
        }
    }
}

/// What a look came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// What is known from now on.
    pub memory: Memory,
    /// What is to be told now.
    pub tell: Vec<Edge>,
    /// When the next of what is to be told later may be told, UTC, if it still waits.
    pub next: Option<Timestamp>,
}

/// Whether something may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hours {
    /// It may.
    Loud,
    /// Not now.
    Quiet,
}

/// Decides what is told: each thing once from when it begins to wait until it waits no more. What is to be told counts
/// as told when [`Noted::ended`] has said so: what failed is tried again after a pause.
///
/// `watched` is what waited at the last look of this process: what waited then and waits now has not been away, however
/// its instant moves. What is not asked for stays as it is known.
pub fn edges(
    before: &Memory,
    watched: &BTreeSet<Waiting>,
    waits: &[Wait],
    only: &Only,
    now: Timestamp,
    hours: Hours,
) -> Edges {
    let mut memory = before.clone();
    let after: BTreeMap<&Waiting, &Wait> = waits.iter().map(|wait| (&wait.what, wait)).collect();
    let asked = |entry: &Noted| {
        only.goal.as_ref().is_none_or(|goal| entry.goal.as_ref() == Some(goal))
            && only.agent.as_ref().is_none_or(|agent| entry.agent.as_ref() == Some(agent))
    };
    memory.retain(|what, entry| {
        if after.contains_key(what) || !asked(entry) {
            return true;
        }
        let left = *entry.left.get_or_insert(now);
        apart(now, left) <= FLAPS
    });
    let (mut tell, mut next): (Vec<Edge>, Option<Timestamp>) = (Vec::new(), None);
    // What another lane was told to wait for, and still waits for, is no news of this one.
    let is_told = |what: &Waiting| {
        let waits = |other: &&Noted| other.told.is_some() && after.contains_key(&other.what);
        before.values().filter(waits).any(|other| is_same(&other.what, what))
    };
    for (what, wait) in &after {
        let (what, wait) = (*what, *wait);
        let goes_on = memory.get(what).filter(|entry| goes_on(entry, wait, watched, now)).cloned();
        let known = goes_on.map(|entry| Noted { since: wait.since.or(entry.since), left: None, ..entry });
        let mut entry = known.unwrap_or_else(|| Noted {
            what: what.clone(),
            goal: None,
            agent: None,
            since: wait.since,
            seen: now,
            told: None,
            failed: 0,
            again: None,
            left: None,
        });
        (entry.goal, entry.agent) = (wait.goal.clone(), wait.agent.clone());
        if entry.told.is_none() && entry.failed < TRIES {
            match (hours, entry.rests_until(now)) {
                (Hours::Loud, None) if is_told(what) => entry.told = Some(now),
                (Hours::Loud, None) => add(&mut tell, wait, &entry),
                (Hours::Loud, Some(until)) => next = next.into_iter().chain([until]).min(),
                (Hours::Quiet, _) => next = Some(now),
            }
        }
        memory.insert(what.clone(), entry);
    }
    Edges { memory, tell, next }
}

/// Whether what waits is what is known already.
fn goes_on(entry: &Noted, wait: &Wait, watched: &BTreeSet<Waiting>, now: Timestamp) -> bool {
    let is_later = match (entry.since, wait.since) {
        (Some(known), Some(since)) => since.duration_since(known) > APART,
        (None, _) | (_, None) => false,
    };
    match entry.left {
        Some(left) => apart(now, left) <= FLAPS && !is_later,
        None => !is_later || watched.contains(&entry.what),
    }
}

/// How far two instants are apart: a clock may have been set back.
fn apart(one: Timestamp, other: Timestamp) -> SignedDuration {
    one.duration_since(other).abs()
}

/// Lanes that one todo holds are told together.
fn add(tell: &mut Vec<Edge>, wait: &Wait, entry: &Noted) {
    let since = entry.since.unwrap_or(entry.seen);
    let same = |edge: &&mut Edge| edge.waits.first().is_some_and(|first| is_same(&first.what, &wait.what));
    match tell.iter_mut().find(same) {
        Some(edge) => {
            edge.since = edge.since.min(since);
            edge.failed = edge.failed.max(entry.failed);
            edge.waits.push(wait.clone());
        }
        None => tell.push(Edge { waits: vec![wait.clone()], since, failed: entry.failed }),
    }
}

fn is_same(one: &Waiting, other: &Waiting) -> bool {
    match (one, other) {
        (
            Waiting::Lane { goal_id, todo_id: Some(todo), .. },
            Waiting::Lane { goal_id: goal, todo_id: Some(other), .. },
        ) => goal_id == goal && todo == other,
        (Waiting::Lane { .. } | Waiting::Session { .. }, Waiting::Lane { .. } | Waiting::Session { .. }) => {
            false
        }
    }
}

#[cfg(test)]
mod tests;
