//! One file's spending, an entry a response or turn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Spent, Tokens};

/// How many of the newest entries may still change.
const OPEN: usize = 16;

/// What one response (Claude Code) or one turn (Codex) spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Stands for the runtime's id of it: files that repeat it have it too.
    pub key: u64,
    /// When it was last added to, milliseconds since the epoch.
    pub at: Option<i64>,
    /// What it spent.
    pub spent: Spent,
}

impl Entry {
    /// Both tellings of one response as one: the fuller one of each counts, never the sum.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let fuller = if other.spent.tokens.output >= self.spent.tokens.output { other } else { self };
        Self {
            key: self.key,
            at: self.at.max(other.at),
            spent: Spent {
                tokens: fuller.spent.tokens,
                turns: self.spent.turns.max(other.spent.turns),
                time: self.spent.time.longer(other.spent.time),
            },
        }
    }
}

/// The entries of one file in their order. Of the old ones some may be taken away: what is left goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    entries: Vec<Entry>,
    taken: bool,
}

impl Ledger {
    /// The entry of a key, made where the newest ones don't have it.
    pub fn of(&mut self, key: u64) -> &mut Entry {
        let from = self.entries.len().saturating_sub(OPEN);
        let found = self.entries.iter().skip(from).position(|entry| entry.key == key);
        let at = found.map_or(self.entries.len(), |found| from + found);
        if found.is_none() {
            self.entries.push(Entry { key, at: None, spent: Spent::default() });
        }
        &mut self.entries[at]
    }

    /// Notes a response that is told line by line, each line with the tokens so far.
    pub fn tell(&mut self, key: u64, at: Option<i64>, tokens: Tokens) {
        let entry = self.of(key);
        let told = Spent { tokens, ..Spent::default() };
        *entry = entry.merged(Entry { key, at, spent: told });
    }

    /// Adds to an entry.
    pub fn add(&mut self, key: u64, at: Option<i64>, spent: Spent) {
        let entry = self.of(key);
        entry.at = entry.at.max(at);
        entry.spent = entry.spent.plus(spent);
    }

    /// The entries that are held, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All that was spent, each response once; `None` where settled entries were taken away.
    pub fn total(&self) -> Option<Spent> {
        if self.taken {
            return None;
        }
        let mut last: BTreeMap<u64, Entry> = BTreeMap::new();
        for entry in &self.entries {
            last.entry(entry.key).and_modify(|held| *held = held.merged(*entry)).or_insert(*entry);
        }
        Some(last.values().fold(Spent::default(), |sum, entry| sum.plus(entry.spent)))
    }

    /// Takes the entries away that will not change any more.
    pub fn take_settled(&mut self) -> Vec<Entry> {
        let settled = self.entries.len().saturating_sub(OPEN);
        self.taken |= settled > 0;
        self.entries.drain(..settled).collect()
    }
}
