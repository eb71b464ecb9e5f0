//! What a session spent: tokens, turns, time. Observed in its records, once for every response, however many files
//! repeat it.

mod ledger;
mod pace;

pub use ledger::{Entry, Ledger};
pub use pace::{Pace, Spell};

use loopx_contract::Usage;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Tokens of one or several responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Input, cached ones included.
    pub input: u64,
    /// Of these the cached ones that were read.
    pub cached: u64,
    /// Output, reasoning ones included.
    pub output: u64,
    /// Of these the reasoning ones, where the runtime tells them apart.
    pub reasoning: Option<u64>,
}

impl Tokens {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
            reasoning: either(self.reasoning, other.reasoning),
        }
    }

    /// Whether nothing was spent.
    pub fn is_nothing(self) -> bool {
        let Self { input, cached, output, reasoning } = self;
        input == 0 && cached == 0 && output == 0 && reasoning.unwrap_or(0) == 0
    }

    /// What was added since `earlier`; `None` where a count went down.
    pub fn since(self, earlier: Self) -> Option<Self> {
        Some(Self {
            input: self.input.checked_sub(earlier.input)?,
            cached: self.cached.checked_sub(earlier.cached)?,
            output: self.output.checked_sub(earlier.output)?,
            reasoning: match (self.reasoning, earlier.reasoning) {
                (Some(now), Some(earlier)) => Some(now.checked_sub(earlier)?),
                (now, _) => now,
            },
        })
    }
}

/// The sum of what is told.
pub fn either(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (told, None) | (None, told) => told,
    }
}

/// What was spent, and the time it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens.
    pub tokens: Tokens,
    /// Finished turns.
    pub turns: u64,
    /// Time of these turns.
    pub time: Spell,
}

impl Spent {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.plus(other.tokens),
            turns: self.turns.saturating_add(other.turns),
            time: self.time.plus(other.time),
        }
    }

    /// As the contract's token totals.
    pub const fn usage(self) -> Usage {
        Usage {
            turns: self.turns,
            input_tokens: self.tokens.input,
            cached_input_tokens: self.tokens.cached,
            output_tokens: self.tokens.output,
            reasoning_output_tokens: self.tokens.reasoning,
        }
    }
}

/// A short stand-in for a runtime's id, the same on every machine: it tells ids apart and can't be turned back into
/// one by looking at it. Never shown.
pub fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    parts.into_iter().fold(0, |seed, part| xxh3_64_with_seed(part.as_bytes(), seed.wrapping_add(1)))
}
