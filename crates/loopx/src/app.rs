//! The one control plane that every door calls: the store, the sessions that are seen, and the decision over both.

pub mod acting;
pub mod board;
pub mod caller;
pub mod counting;
pub mod documents;
pub mod file;
pub mod folder;
pub mod follow;
pub mod given;
pub mod home;
pub mod hooks;
pub mod keeper;
mod kept;
pub mod keyring;
pub mod lanes;
pub mod live;
pub mod marks;
pub mod notify;
pub mod outgoing;
pub mod overview;
pub mod passphrase;
pub mod peer;
pub mod placing;
pub mod plane;
pub mod proof;
pub mod reading;
pub mod serving;
pub mod settings;
pub mod similar;
pub mod sources;
pub mod spared;
pub mod times;
pub mod waits;
pub mod words;

pub use overview::{GoalView, Overview, SessionView};
pub use plane::ControlPlane;
