//! What the tests look at inside Codex's reader.

use jiff::Timestamp;
use loopx_contract::SessionFacts;
use loopx_safety::InstallKey;

pub(crate) use super::records::{Arguments, Line, Output, Payload};
use super::rollout::Rollout;
use crate::process::Lock;
use crate::reader::Reading;
use crate::testing::Process;

/// The facts of one rollout.
pub(crate) fn facts(
    reading: &Reading<Rollout>,
    thread: &str,
    process: Process,
    key: &InstallKey,
    now: Timestamp,
) -> SessionFacts {
    let lock = match process {
        Process::Unproved => Lock::Absent,
        Process::Alive | Process::Says(..) => Lock::Held(None),
        Process::Dead => Lock::Free,
    };
    super::facts(reading, thread, lock, key, now).0
}
