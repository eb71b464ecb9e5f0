//! The adapters against recordings, against each other's evidence, and against bad input.
//!
//! The recordings are the runtimes' own files, with long texts cut and bulky records that tell no state left out.
#![expect(clippy::unwrap_used, reason = "a test may fail that way")]
#![expect(clippy::too_many_lines, reason = "tables of cases")]

mod bad_input;
mod caller;
mod claude_code;
mod codex;
mod corruption;
mod faults;
mod hooks;
mod index;
mod json;
mod ladder;
mod lines;
mod pieces;
mod recordings;
mod scene;
mod skim;
mod spending;
mod sweep;
mod worker;
