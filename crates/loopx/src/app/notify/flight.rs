//! What is being told: which programs have not ended yet, and what came of those that have.

use std::fs::File;

use jiff::Timestamp;

use super::edges::{Edge, Memory, Noted, Went};
use super::runner::{Ended, Run};
use crate::app::waits::Waiting;

/// What is told at once, until what it came to is kept.
pub struct Flight {
    /// Keeps others from telling the same meanwhile.
    _lock: Option<File>,
    tells: Vec<Tell>,
}

/// One edge that is being told.
struct Tell {
    /// What waits, and when it was seen to wait first: what waits anew meanwhile is another thing.
    of: Vec<(Waiting, Timestamp)>,
    /// How many programs have not ended.
    left: usize,
    is_told: bool,
    is_kept: bool,
}

impl Tell {
    /// How it went. One program that ends well has told it, whatever the others do.
    const fn went(&self) -> Option<Went> {
        match (self.is_told, self.left) {
            (true, _) => Some(Went::Told),
            (false, 0) => Some(Went::Failed),
            (false, _) => None,
        }
    }
}

impl Flight {
    /// Edges that begin to be told by these programs.
    pub fn new(lock: Option<File>, edges: &[Edge], memory: &Memory, runs: &[Run]) -> Self {
        let seen = |what: &Waiting| memory.get(what).map(|entry| (what.clone(), entry.seen));
        let tell = |(place, edge): (usize, &Edge)| Tell {
            of: edge.waits.iter().filter_map(|wait| seen(&wait.what)).collect(),
            left: runs.iter().filter(|run| run.of.contains(&place)).count(),
            is_told: false,
            is_kept: false,
        };
        Self { _lock: lock, tells: edges.iter().enumerate().map(tell).collect() }
    }

    /// A program has ended.
    pub fn ended(&mut self, ended: &Ended) {
        for tell in self.tells.get_mut(ended.of.clone()).unwrap_or_default() {
            tell.left = tell.left.saturating_sub(1);
            tell.is_told |= ended.failure.is_none();
        }
    }

    /// Whether something is known that is not kept.
    pub fn has_news(&self) -> bool {
        self.tells.iter().any(|tell| !tell.is_kept && tell.went().is_some())
    }

    /// What is known, in what is to be kept.
    pub fn note(&self, memory: &mut Memory, now: Timestamp) {
        for tell in self.tells.iter().filter(|tell| !tell.is_kept) {
            let Some(went) = tell.went() else { continue };
            for (what, seen) in &tell.of {
                let is_it = |entry: &&mut Noted| entry.seen == *seen && entry.told.is_none();
                if let Some(entry) = memory.get_mut(what).filter(is_it) {
                    entry.ended(went, now);
                }
            }
        }
    }

    /// What is known has been kept.
    pub fn kept(&mut self) {
        for tell in &mut self.tells {
            tell.is_kept |= tell.went().is_some();
        }
    }

    /// Whether all is over, and kept.
    pub fn is_over(&self) -> bool {
        self.tells.iter().all(|tell| tell.left == 0 && tell.is_kept)
    }
}
