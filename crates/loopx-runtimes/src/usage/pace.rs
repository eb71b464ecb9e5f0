//! How long turns took, and how long they waited to be asked for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Time in milliseconds, by the instants of the records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spell {
    /// From the prompt to the turn's end, without open questions.
    pub active: u64,
    /// From one turn's end to the next prompt, and while a question was open.
    pub waiting: u64,
}

impl Spell {
    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            active: self.active.saturating_add(other.active),
            waiting: self.waiting.saturating_add(other.waiting),
        }
    }

    /// The longer of both.
    #[must_use]
    pub fn longer(self, other: Self) -> Self {
        Self { active: self.active.max(other.active), waiting: self.waiting.max(other.waiting) }
    }
}

/// The clock of one session's turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    began: Option<Timestamp>,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    ended: Option<Timestamp>,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    asked: Option<Timestamp>,
    waited: u64,
    /// How much of that was before the turn.
    before: u64,
}

impl Pace {
    /// A turn begins. One that never ended is given up: how long it took can't be told.
    pub fn begin(&mut self, at: Option<Timestamp>) {
        self.waited = if self.began.is_none() { between(self.ended, at) } else { 0 };
        self.before = self.waited;
        self.began = at;
        self.asked = None;
    }

    /// A question is put to the user.
    pub fn ask(&mut self, at: Option<Timestamp>) {
        self.asked = self.asked.or(at);
    }

    /// Questions are answered, or gone.
    pub fn answer(&mut self, at: Option<Timestamp>) {
        self.waited = self.waited.saturating_add(between(self.asked.take(), at));
    }

    /// The turn is over; says how long it took.
    pub fn end(&mut self, at: Option<Timestamp>) -> Spell {
        self.answer(at);
        let questions = self.waited.saturating_sub(self.before);
        let whole = between(self.began.take(), at);
        self.ended = at.or(self.ended);
        Spell { active: whole.saturating_sub(questions), waiting: std::mem::take(&mut self.waited) }
    }
}

/// Milliseconds from one instant to a later one; 0 where one isn't known.
fn between(from: Option<Timestamp>, to: Option<Timestamp>) -> u64 {
    match (from, to) {
        (Some(from), Some(to)) => u64::try_from(to.as_millisecond() - from.as_millisecond()).unwrap_or(0),
        _ => 0,
    }
}
