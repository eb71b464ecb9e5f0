//! The patterns of the steps, compiled once, when a step first asks.

use regex::Regex;

/// Compiles a pattern of ours.
#[expect(clippy::expect_used, reason = "a pattern is a constant: the test of its step compiles it")]
pub(super) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of the screen compiles")
}
