//! What runtimes tell through their hooks: events without a word of what was said, kept in a spool until somebody looks.

mod event;
mod spool;

pub use event::{HookEvent, Pid, What, names};
pub use spool::{Events, Spool};
