//! The event log on disk: commands in, receipts and states out.
//!
//! [`Store`] is what every engine does; [`SqliteStore`] does it in one SQLite file that many processes may use at
//! once. The log is the only truth. What is open is kept ready to read beside it, so that cost follows open work and
//! not history. What can't be trusted is never read as if it could: see [`Damage`].

#[cfg(feature = "testing")]
pub mod conformance;
mod damage;
mod error;
mod signer;
mod sqlite;
mod store;

pub use damage::{Damage, DamageCode};
pub use error::{StoreError, StoreErrorCode};
pub use signer::Signer;
pub use sqlite::SqliteStore;
pub use store::{
    EventsOf, ExportSummary, FoundId, GoalSummary, ImportSummary, LONGEST_LINE, Logged, Pointer,
    PurgeSummary, PurgeTarget, Receipt, Store,
};
