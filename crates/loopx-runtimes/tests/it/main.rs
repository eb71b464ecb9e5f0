//! The adapters against recordings, against each other's evidence, and against bad input.

mod bad_input;
mod caller;
mod claude_code;
mod codex;
mod ladder;
mod recordings;
mod scene;
mod sweep;
