//! LoopX's domain: commands, events, state and the one decision. Pure: no I/O, no clock, no async; time, ids and
//! the environment come in as arguments.
//!
//! ```text
//! command ──decide──▶ events ──fold──▶ state ──first_screen(agent, sessions, now)──▶ projection
//! ```

pub mod actor;
pub mod agent;
mod authority;
pub mod binding;
pub mod command;
pub mod decide;
pub mod event;
pub mod first_screen;
mod fold;
pub mod gate;
pub mod goal;
pub mod handoff;
pub mod key;
mod name;
pub mod past;
pub mod quota;
pub mod refusal;
pub mod reward;
pub mod run;
pub mod scope;
pub mod state;
pub mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod todo;
pub mod undo;

pub use actor::{Actor, Channel, Proof, ProofFloor, Who};
pub use authority::{AuthorityKey, NotAKey};
pub use command::{AuthorityCommand, Command, IdSource, LaneCommand, Request};
pub use decide::{Decided, Subject, decide, needs_signature};
pub use event::{Event, Recorded};
pub use first_screen::{Caller, Decision, Inputs, Known, Row, Sight, first_screen};
pub use key::{CommandName, IdempotencyKey, TurnKey};
pub use refusal::{Refusal, RefusalCode};
pub use state::{Names, State};
