//! What waits for a look: the events of hooks, and the windows that status lines tell.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::event::{HookEvent, What};
use super::windows::{Told, Windows};
use crate::Runtime;
use crate::evidence::AHEAD;
use crate::spool::{self, Dropped, Entry, FORGOTTEN};

/// Events this fresh are all kept: what belongs before one of them may still be on its way.
const FRESH: SignedDuration = SignedDuration::from_mins(2);

/// The file of events, in the data folder.
pub const EVENTS: &str = "hooks.jsonl";

/// The file of windows.
pub const WINDOWS: &str = "limits.jsonl";

/// Where events and windows are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool {
    events: spool::Spool,
    windows: spool::Spool,
}

/// The events of each session.
pub type Events = BTreeMap<(Runtime, String), BTreeSet<HookEvent>>;

impl Spool {
    /// The spool in a folder of LoopX's own.
    pub fn of(data: &Path) -> Self {
        let at = |name: &str| spool::Spool::at(data.join(name));
        Self { events: at(EVENTS), windows: at(WINDOWS) }
    }

    /// Appends an event in one write. A line that is there is whole, whatever ends the process.
    pub fn append(&self, event: &HookEvent) -> io::Result<()> {
        self.events.append([event]).map(drop)
    }

    /// Notes that an ask was permitted, unless that is what its session told last.
    pub(super) fn permit(&self, ask: &HookEvent) -> io::Result<()> {
        self.events.append_new(&ask.permitted(), |last: &HookEvent| last.permits(ask))
    }

    /// Notes windows, unless the session's last note says the same: a status line is told many times a second.
    pub fn note(&self, windows: &Windows) -> io::Result<()> {
        // One that lies ahead was written under another clock.
        self.windows.append_new(windows, |last| last.repeats(windows) && last.told_at <= windows.told_at)
    }

    /// What was told and still counts, by session. A spool that has grown long is written anew without the rest.
    pub fn read(&self, now: Timestamp) -> Events {
        self.events.read(now)
    }

    /// How many lines of the events' file are no events.
    pub fn noise(&self) -> u64 {
        self.events.noise::<HookEvent>()
    }

    /// Between when events were dropped because nobody had looked for so long; none where none were, in the last 7 days.
    pub fn dropped(&self) -> Option<Dropped> {
        self.events.dropped()
    }

    /// The windows that each session told last.
    pub fn windows(&self, now: Timestamp) -> Told {
        Told(self.windows.read(now))
    }
}

/// Within what time what happened together is noted.
const WITHIN: SignedDuration = SignedDuration::from_secs(10);

impl Entry for HookEvent {
    type Session = (Runtime, String);

    fn session(&self) -> Self::Session {
        (self.runtime, self.session.clone())
    }

    fn at(&self) -> Timestamp {
        self.at
    }

    /// What a look notes bears the instant of an ask.
    fn is_prompt(&self) -> bool {
        self.what != What::Permitted
    }

    /// A hook notes its event within moments: one that is dated later than what was told after it was dated by a clock
    /// that was put back since.
    fn precedes(&mut self, later: Timestamp) {
        if self.at.duration_since(later) > WITHIN {
            self.at = later;
        }
    }

    /// Leaves what still counts: all since the newest event that says how the turn stands, and what is fresh. What another
    /// clock dated ahead of now decides nothing of the rest.
    fn keep(events: &mut BTreeSet<Self>, now: Timestamp) {
        let latest = now.checked_add(AHEAD).unwrap_or(now);
        let told = || events.iter().rev().filter(|event| event.at <= latest);
        let Some(newest) = told().next().map(|event| event.at) else { return };
        if now.duration_since(newest) > FORGOTTEN {
            events.retain(|event| event.at > latest);
            return;
        }
        let prompted =
            told().find(|event| event.what == What::Prompted).and_then(|event| event.turn.as_deref());
        let from = told().find(|event| event.what.is_boundary() && !event.ends_another_turn(prompted));
        let from = from.map(|event| event.at);
        events.retain(|event| {
            from.is_none_or(|from| event.at >= from) || newest.duration_since(event.at) <= FRESH
        });
    }
}

impl HookEvent {
    /// Whether it is the end of another turn than this one, as far as both are named.
    fn ends_another_turn(&self, turn: Option<&str>) -> bool {
        let ends = matches!(
            self.what,
            What::TurnEnded
                | What::TurnEndedInBackground
                | What::TurnFailed
                | What::TurnLimited
                | What::Interrupted
        );
        let own = self.turn.as_deref();
        ends && turn.is_some() && own.is_some() && own != turn
    }
}

#[cfg(test)]
mod tests;
