//! The patterns of the steps, compiled once, when a step first asks.

use regex::{Regex, RegexBuilder};

/// How much a pattern's automaton may hold at once, in bytes: with less it is built over and over on a long text.
const AUTOMATON: usize = 32 << 20;

/// Compiles a pattern of ours.
///
/// The border of a word is that of ASCII: no automaton knows those of all scripts, and without one a text of many
/// megabytes takes minutes.
#[expect(clippy::expect_used, reason = "a pattern is a constant: the test of its step compiles it")]
pub(super) fn compile(pattern: &str) -> Regex {
    let pattern = pattern.replace(r"\b", r"(?-u:\b)");
    RegexBuilder::new(&pattern).dfa_size_limit(AUTOMATON).build().expect("a pattern of the screen compiles")
}
