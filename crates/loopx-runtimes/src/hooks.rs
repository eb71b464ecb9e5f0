//! What runtimes tell through their hooks: events without a word of what was said, kept in a spool until somebody looks.

mod around;
mod event;
mod spool;

pub use event::{Around, HookEvent, Pid, Prompts, What, names};
pub use spool::{Events, Spool};
