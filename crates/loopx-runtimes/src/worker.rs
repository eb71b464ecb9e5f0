//! Workers of the user's own: what they tell, one line at a time, kept in a spool until somebody looks.
//!
//! A line is believed as far as a hook's event is. Nothing runs because a line once said so: that a process lives has to
//! be proved at each look.

mod intake;
mod judge;
mod told;

use std::path::Path;

use crate::Sources;
use crate::spool;
use crate::sweep::Look;
pub use intake::{Intake, Lane, Setting};
use told::Told;

/// The spool's name in the data folder.
pub const SPOOL: &str = "workers.jsonl";

/// Where what workers told is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool(spool::Spool);

impl Spool {
    /// The spool in a folder of LoopX's own.
    pub fn of(data: &Path) -> Self {
        Self(spool::Spool::at(data.join(SPOOL)))
    }
}

/// Looks at every session that workers told of.
pub(crate) fn observe(sources: &Sources, look: &mut Look<'_>) {
    let Some(Spool(spool)) = &sources.workers else { return };
    for told in spool.read::<Told>(look.now).into_values() {
        if let Some(seen) = judge::observed(&told, sources, look.now) {
            look.keep_foreign(seen);
        }
    }
}
