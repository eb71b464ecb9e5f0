//! What the tests look at inside Codex's reader.

use jiff::Timestamp;
use loopx_contract::SessionFacts;
use loopx_safety::InstallKey;

use super::records::Kind;
pub(crate) use super::records::{Arguments, Line, Output, Payload};
use super::rollout::Rollout;
use crate::process::Lock;
use crate::reader::Reading;
use crate::testing::Process;

/// The facts of one rollout; `None` where it is no session's.
pub(crate) fn facts(
    reading: &Reading<Rollout>,
    thread: &str,
    process: Process,
    key: &InstallKey,
    now: Timestamp,
) -> Option<SessionFacts> {
    let kind = reading.fold.meta.as_ref().map(|meta| &meta.kind);
    let other = matches!(kind, Some(Kind::Child(_) | Kind::Hidden));
    if other || reading.fold.records == 0 && !super::is_lost(reading) {
        return None;
    }
    let lock = match process {
        Process::Unproved => Lock::Absent,
        Process::Alive | Process::Says(..) => Lock::Held(None),
        Process::Dead => Lock::Free,
    };
    Some(super::facts(reading, thread, lock, None, key, now).0)
}
