//! What a rollout's turns spent: the totals are the thread's, so what a turn spent is what they grew by.

use jiff::Timestamp;

use super::records::{Count, Kind};
use super::rollout::{Counted, History, Rollout};
use crate::usage::{Spent, Tokens, key};

impl Rollout {
    /// A turn begins; of one without an id the thread's id and its number stand for it.
    pub(super) fn begin(&mut self, turn: Option<u64>, at: Option<Timestamp>) {
        self.begun += 1;
        self.turn = turn.or_else(|| Some(self.numbered()));
        self.pace.begin(at);
    }

    fn numbered(&self) -> u64 {
        let thread = self.meta.as_ref().and_then(|meta| meta.id.as_deref()).unwrap_or_default();
        key([thread, &self.begun.to_string()])
    }

    /// Takes a total, as it is told.
    pub(super) fn count(&mut self, total: Option<&Count>, last: Option<&Count>, at: Option<Timestamp>) {
        let Some(total) = total.map(|total| total.tokens()) else { return };
        let last = last.map(|last| last.tokens());
        let grown = match self.counted {
            Counted::UpTo(before) if before == total => return,
            // It went down: it was counted anew.
            Counted::UpTo(before) => total.since(before).or(last).unwrap_or_default(),
            Counted::Nothing => self.first(total, last),
        };
        self.counted = Counted::UpTo(total);
        if !grown.is_nothing() {
            let turn = self.turn.unwrap_or_else(|| self.numbered());
            self.ledger.add(
                turn,
                at.map(Timestamp::as_millisecond),
                Spent { tokens: grown, ..Spent::default() },
            );
        }
    }

    /// What the first total that is told has of this thread's own.
    fn first(&mut self, total: Tokens, last: Option<Tokens>) -> Tokens {
        let Some(meta) = &mut self.meta else { return total };
        let (Some(last), false) =
            (last, meta.history == History::Own && matches!(meta.kind, Kind::Session(_)))
        else {
            return total;
        };
        if last != total && meta.history == History::Own {
            // A subagent that was given its parent's history.
            meta.history = History::Copied(match &meta.kind {
                Kind::Child(parent) => parent.clone(),
                Kind::Session(_) | Kind::Hidden => None,
            });
        }
        last
    }

    /// A turn has ended.
    pub(super) fn spend_turn(&mut self, turn: Option<u64>, at: Option<Timestamp>) {
        let turn = turn.or(self.turn).unwrap_or_else(|| self.numbered());
        let spent = Spent { turns: 1, time: self.pace.end(at), ..Spent::default() };
        self.ledger.add(turn, at.map(Timestamp::as_millisecond), spent);
    }

    /// Without markers an answer is the turn's end, until it turns out not to be the last.
    pub(super) fn infer_end(&mut self, at: Option<Timestamp>) {
        if self.marks() {
            return;
        }
        let turn = self.turn.unwrap_or_else(|| self.numbered());
        let mut pace = self.pace;
        let time = pace.end(at);
        let entry = self.ledger.of(turn);
        entry.at = entry.at.max(at.map(Timestamp::as_millisecond));
        entry.spent.turns = 1;
        entry.spent.time = entry.spent.time.longer(time);
    }
}
