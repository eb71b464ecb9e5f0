//! What holds of every text, and what must not compile.
#![expect(clippy::unwrap_used, reason = "a test may fail that way")]

mod compile_fail;
mod properties;
mod titles;
