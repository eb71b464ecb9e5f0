//! Which of a lane's sessions count, and which of them decides.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{Limit, Liveness, Ref, SessionFacts, SessionState, Turn};

use crate::run::{Run, RunKind};

/// How old evidence of a session may be that is neither proved alive nor dead.
const CURRENT: SignedDuration = SignedDuration::from_mins(15);
/// How long a failure counts.
const FAILURE: SignedDuration = SignedDuration::from_hours(24);
/// How old the sight of a limit may be whose reset is unknown.
const LIMIT_SIGHT: SignedDuration = SignedDuration::from_mins(15);
/// How much later than its own length a window may reset: clocks differ, and instants are rounded.
const WINDOW_SLACK: SignedDuration = SignedDuration::from_mins(5);

/// A lane's sessions at an instant, the caller's own left out of those that decide.
pub(crate) struct Sessions<'a> {
    /// Asking, working or unsure: the one that decides rows 5, 7 and 8.
    pub deciding: Option<&'a SessionFacts>,
    /// The newest of all; decides rows 12 and 13 where no session decides.
    pub newest: Option<&'a SessionFacts>,
    /// The newest current one.
    pub current: Option<&'a SessionFacts>,
    now: Timestamp,
}

/// What a deciding session is doing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doing {
    /// Unknown.
    Unsure,
    /// Running or background.
    Working,
    /// Asking for permission or an answer.
    Asking,
}

pub(crate) fn doing(session: &SessionFacts) -> Option<Doing> {
    match session.state {
        SessionState::WaitingPermission | SessionState::WaitingAnswer => Some(Doing::Asking),
        SessionState::Running | SessionState::Background => Some(Doing::Working),
        SessionState::Unknown => Some(Doing::Unsure),
        SessionState::Idle
        | SessionState::Interrupted
        | SessionState::Errored
        | SessionState::RateLimited
        | SessionState::Ended => None,
    }
}

/// Whether a session is current at `now`: not ended, and proved alive, or not provable with fresh evidence.
pub fn is_current(session: &SessionFacts, now: Timestamp) -> bool {
    let fresh = session.last_activity.is_some_and(|at| now.duration_since(at) <= CURRENT);
    session.state != SessionState::Ended
        && match session.liveness {
            Liveness::Alive => true,
            Liveness::Unproved => fresh,
            Liveness::Dead => false,
        }
}

/// How a session failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its last turn ended in an error.
    Errored,
    /// Its process is gone, and the turn was open.
    Died,
}

impl Failure {
    /// How a session failed, however long ago.
    pub fn of(session: &SessionFacts) -> Option<Self> {
        match (session.state, session.liveness, session.turn) {
            (SessionState::Errored, _, _) => Some(Self::Errored),
            (_, Liveness::Dead, Turn::Open) => Some(Self::Died),
            (_, Liveness::Alive | Liveness::Dead | Liveness::Unproved, _) => None,
        }
    }

    /// The same as long as it counts: a day.
    pub fn at(session: &SessionFacts, now: Timestamp) -> Option<Self> {
        let counts = session.last_activity.is_some_and(|at| now.duration_since(at) <= FAILURE);
        Self::of(session).filter(|_| counts)
    }
}

impl<'a> Sessions<'a> {
    pub fn new(all: &'a [SessionFacts], caller: Option<&str>, now: Timestamp) -> Self {
        let age = |session: &&SessionFacts| (session.last_activity, session.started_at, session.session_id);
        let others =
            || all.iter().filter(|session| caller.is_none_or(|own| session.session_id.to_string() != own));
        let current = || others().filter(|session| is_current(session, now));
        Self {
            deciding: current()
                .filter(|s| doing(s).is_some())
                .max_by_key(|session| (doing(session), age(session))),
            newest: others().max_by_key(age),
            current: current().max_by_key(age),
            now,
        }
    }

    /// The deciding session, if it does this.
    pub fn that_is(&self, what: Doing) -> Option<&'a SessionFacts> {
        self.deciding.filter(|session| doing(session) == Some(what))
    }

    /// The newest session, where none decides rows 5, 7 or 8.
    fn last(&self) -> Option<&'a SessionFacts> {
        self.newest.filter(|_| self.deciding.is_none())
    }

    /// The newest session that failed at most 24 hours ago. A dead process in mid-turn counts for a lane with a claim.
    pub fn failed(&self, has_claim: bool, last_run: Option<&Run>) -> Option<&'a SessionFacts> {
        let session = self.last()?;
        let counts = match Failure::at(session, self.now)? {
            Failure::Errored => true,
            Failure::Died => has_claim,
        };
        let at = session.last_activity?;
        // A clock that went back leaves a failure ahead of every run: there the run that dismisses it names it.
        let names_it = |run: &Run| {
            at > self.now
                && run.kind == RunKind::NoProgress
                && run.session == Some(Ref::from(session.session_id))
        };
        let dismissed = last_run.is_some_and(|run| run.at > at || names_it(run));
        (counts && !dismissed).then_some(session)
    }

    /// The newest session, if its runtime's limit is reached and its reset is ahead or unknown.
    pub fn limited(&self) -> Option<(&'a SessionFacts, LimitReset)> {
        let session = self.last()?;
        let exhausted: Vec<&Limit> = session.limits.iter().filter(|limit| limit.is_used_up()).collect();
        let limited = session.state == SessionState::RateLimited;
        if exhausted.is_empty() && !limited {
            return None;
        }
        let known: Vec<Timestamp> = exhausted.iter().filter_map(|limit| resets_at(limit)).collect();
        if let Some(until) = known.iter().copied().filter(|at| *at > self.now).max() {
            return Some((session, LimitReset::At(until)));
        }
        let unknown = exhausted.iter().any(|limit| resets_at(limit).is_none()) || exhausted.is_empty();
        if !unknown {
            return None;
        }
        let seen = exhausted.iter().filter_map(|limit| limit.seen_at).max();
        let seen = if limited { session.since.max(seen).or(session.last_activity) } else { seen };
        let seen = seen.filter(|at| self.now.duration_since(*at) <= LIMIT_SIGHT)?;
        Some((session, LimitReset::Unknown { seen }))
    }
}

/// When a window resets: one that is told to reset later than its own length after it was seen tells nothing.
fn resets_at(limit: &Limit) -> Option<Timestamp> {
    let latest = limit.window_minutes.zip(limit.seen_at).map(|(minutes, seen)| {
        let length = SignedDuration::from_mins(i64::from(minutes)) + WINDOW_SLACK;
        seen.checked_add(length).unwrap_or(Timestamp::MAX)
    });
    limit.resets_at.filter(|at| latest.is_none_or(|latest| *at <= latest))
}

/// When a runtime's limit resets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitReset {
    At(Timestamp),
    Unknown { seen: Timestamp },
}
