//! The clock and the source of ids: the two places where the outside world comes in unasked.

use jiff::Timestamp;
use loopx_contract::Suffix;
use loopx_core::IdSource;

/// The wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// Now, UTC, to the millisecond: as fine as anything that is shown or compared.
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn now(self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}

/// UUIDs of version 7, shortened to our suffix.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ids;

impl IdSource for Ids {
    fn suffix(&mut self) -> Suffix {
        Suffix::from_uuid(uuid::Uuid::now_v7())
    }
}
