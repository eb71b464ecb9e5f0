//! The adapters against recordings, against each other's evidence, and against bad input.
#![expect(clippy::unwrap_used, reason = "a test may fail that way")]
#![expect(clippy::too_many_lines, reason = "tables of cases")]

mod bad_input;
mod caller;
mod claude_code;
mod codex;
mod ladder;
mod recordings;
mod scene;
mod sweep;
