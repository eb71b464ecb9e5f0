//! Hooks of ours in a runtime's settings: what is to stand there, what was written, how it stands, and taking it out.

mod change;
mod entries;
mod program;
mod record;
mod role;
mod standing;
mod survey;
mod trust;
mod version;

pub use change::{Asked, BY_HAND, Change, LEFT, LineAsked, Refused, install, named, uninstall};
pub use entries::{LineIs, Wanted};
pub use program::Program;
pub use record::{FILE, Record, Written, hold};
pub use role::{Role, called};
pub use standing::{Standing, State};
pub use survey::{Survey, survey};
pub use version::{Counts, counts};
