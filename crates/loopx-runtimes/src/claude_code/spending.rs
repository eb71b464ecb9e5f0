//! What a transcript's responses spent. One response is several lines, each with the tokens so far, and a fork's file
//! tells its parent's again: a response is known by its id.

use jiff::Timestamp;

use super::records::Line;
use super::transcript::Transcript;
use crate::usage::{Spent, key};

impl Transcript {
    /// Takes the tokens of a response's line.
    pub(super) fn spend(&mut self, line: &Line<'_>) {
        let Some(message) = line.message.get() else { return };
        let Some(tokens) = message.usage.get().map(|usage| usage.tokens()) else { return };
        let Some(id) = message.id.word().filter(|_| !tokens.is_nothing()) else { return };
        let response = key([id, line.request_id.get().unwrap_or_default()]);
        self.response = Some(response);
        self.ledger.tell(response, line.timestamp.0.map(Timestamp::as_millisecond), tokens);
    }

    /// A turn begins.
    pub(super) fn begin_turn(&mut self, at: Option<Timestamp>) {
        self.turn = true;
        self.response = None;
        self.pace.begin(at);
    }

    /// The turn that was begun has ended: it is counted with its last response, else with the record that ends it.
    pub(super) fn end_turn(&mut self, line: &Line<'_>) {
        if !std::mem::take(&mut self.turn) {
            return;
        }
        let at = line.timestamp.0;
        let entry = self.response.take().or_else(|| Some(key([line.uuid.word()?])));
        let spent = Spent { turns: 1, time: self.pace.end(at), ..Spent::default() };
        if let Some(entry) = entry {
            self.ledger.add(entry, at.map(Timestamp::as_millisecond), spent);
        }
    }
}
