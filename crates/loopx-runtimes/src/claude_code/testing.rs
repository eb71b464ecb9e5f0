//! What the tests look at inside Claude Code's reader.

use jiff::Timestamp;
use loopx_contract::{Liveness, SessionFacts};
use loopx_safety::InstallKey;

pub(crate) use super::records::Line;
use super::registry::{Entry, Status};
use super::transcript::Transcript;
use crate::evidence::WaitingFor;
use crate::reader::Reading;
use crate::testing::{Process, Says};

/// The facts of one transcript; `None` where it is no session's.
pub(crate) fn facts(
    reading: &Reading<Transcript>,
    session: &str,
    process: Process,
    key: &InstallKey,
    now: Timestamp,
) -> Option<SessionFacts> {
    if reading.fold.chain == 0 && !super::is_lost(reading) {
        return None;
    }
    let entry = |liveness, said: Option<(Says, Timestamp)>| Entry {
        pid: 1,
        session_id: Some(session.to_owned()),
        cwd: None,
        started_at: None,
        helper: false,
        status: said.map(|(says, _)| match says {
            Says::Works => Status::Busy,
            Says::Rests => Status::Idle,
            Says::Asks => Status::Waiting(WaitingFor::Permission),
        }),
        status_at: said.map(|(_, at)| at),
        liveness,
        start: None,
    };
    let entry = match process {
        Process::Unproved => None,
        Process::Alive => Some(entry(Liveness::Alive, None)),
        Process::Says(says, at) => Some(entry(Liveness::Alive, Some((says, at)))),
        Process::Dead => Some(entry(Liveness::Dead, None)),
    };
    Some(super::facts(Some(reading), session, entry.as_ref(), &super::Told::default(), key, now))
}
