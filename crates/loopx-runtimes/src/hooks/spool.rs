//! The events of hooks that wait for a look.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::event::HookEvent;
use crate::Runtime;
use crate::spool::{self, Entry, FORGOTTEN};

/// Events this fresh are all kept: what belongs before one of them may still be on its way.
const FRESH: SignedDuration = SignedDuration::from_mins(2);

/// Where events are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool(spool::Spool);

/// The events of each session.
pub type Events = BTreeMap<(Runtime, String), BTreeSet<HookEvent>>;

impl Spool {
    /// The spool in a folder of LoopX's own.
    pub fn of(data: &Path) -> Self {
        Self(spool::Spool::at(data.join("hooks.jsonl")))
    }

    /// Appends an event in one write. A line that is there is whole, whatever ends the process.
    pub fn append(&self, event: &HookEvent) -> io::Result<()> {
        self.0.append([event]).map(drop)
    }

    /// What was told and still counts, by session. A spool that has grown long is written anew without the rest.
    pub fn read(&self, now: Timestamp) -> Events {
        self.0.read(now)
    }
}

impl Entry for HookEvent {
    type Session = (Runtime, String);

    fn session(&self) -> Self::Session {
        (self.runtime, self.session.clone())
    }

    fn at(&self) -> Timestamp {
        self.at
    }

    /// Leaves what still counts: all since the newest event that says how the turn stands, and what is fresh.
    fn keep(events: &mut BTreeSet<Self>, now: Timestamp) {
        let Some(newest) = events.last().map(|event| event.at) else { return };
        if now.duration_since(newest) > FORGOTTEN {
            events.clear();
            return;
        }
        let from = events.iter().rev().find(|event| event.what.is_boundary()).map(|event| event.at);
        events.retain(|event| {
            from.is_none_or(|from| event.at >= from) || newest.duration_since(event.at) <= FRESH
        });
    }
}

#[cfg(test)]
mod tests;
