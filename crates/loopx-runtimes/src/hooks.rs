//! What runtimes tell through their hooks and status lines: events and windows without a word of what was said, kept in a
//! spool until somebody looks.

mod around;
mod event;
mod heard;
mod known;
mod spool;
mod told;
mod windows;

pub(crate) use heard::{Heard, lane};
#[cfg(feature = "testing")]
pub(crate) use told::told;

pub use crate::spool::Dropped;
pub use event::{Around, HookEvent, Pid, Prompts, Tool, What, names};
pub use heard::lanes;
pub use known::{asks_trust, has_hooks, known, tells_limits};
pub use spool::{EVENTS, Events, Spool, WINDOWS};
pub use windows::{Told, Windows};
