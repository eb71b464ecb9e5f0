//! Read-only readers of what agent runtimes leave on disk.
//!
//! Files and live signals in, [`SessionFacts`](loopx_contract::SessionFacts) out. One folder a runtime (`locate`,
//! `records`, `fold`), one shared [`reader`], one ladder of [`evidence`]. Time and environment are arguments.
//!
//! Architecture invariant: nothing a session said leaves this crate but inside a
//! [`Private`](loopx_safety::Private).

mod adapter;
pub mod caller;
mod check;
mod claude_code;
mod codex;
pub mod evidence;
pub mod hooks;
mod index;
mod inspect;
mod installed;
mod latest;
mod process;
pub mod reader;
mod runtime;
mod sources;
mod spool;
mod sweep;
#[cfg(feature = "testing")]
pub mod testing;
mod usage;
mod watch;
pub mod worker;

pub use index::{Backfill, Fold, Index, Inherited, Pace, Spender, Spending};
pub use inspect::{Finding, InspectError, Inspection, LineEvidence, Verdict, inspect};
pub use installed::{FoundBy, Installed, NoVersion, Version, installed};
pub use runtime::{Runtime, UnknownRuntime, session_handle};
pub use sources::Sources;
pub use sweep::{Observed, Origin, Scope, SkipKind, Skipped, Sweep, observe};
pub use usage::{Spell, Spent, Tokens, either};
pub use watch::{Own, Waker, Watch, Woken};
