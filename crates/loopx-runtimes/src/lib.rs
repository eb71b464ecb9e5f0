//! Read-only readers of what agent runtimes leave on disk.
//!
//! Files and live signals in, [`SessionFacts`](loopx_contract::SessionFacts) out. One folder a runtime (`locate`,
//! `records`, `fold`), one shared [`reader`], one ladder of [`evidence`]. Time and environment are arguments.
//!
//! Architecture invariant: nothing a session said leaves this crate but inside a
//! [`Private`](loopx_safety::Private).

pub mod caller;
#[cfg_attr(not(test), expect(dead_code, reason = "the readers of each runtime will call it"))]
mod check;
mod claude_code;
mod codex;
pub mod evidence;
mod inspect;
mod process;
pub mod reader;
mod runtime;
mod sources;
mod sweep;

pub use inspect::{Finding, InspectError, Inspection, LineEvidence, Verdict, inspect};
pub use runtime::{Runtime, UnknownRuntime, session_handle};
pub use sources::Sources;
pub use sweep::{Observed, Origin, SkipKind, Skipped, Sweep, observe};
