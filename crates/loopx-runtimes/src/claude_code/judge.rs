//! A transcript and its registry entry, judged.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{EvidenceTier, Liveness, MissingFact, SessionState, Turn};

use super::registry::{Entry, Status, WaitingFor};
use super::transcript::{Asking, Closed, Stand, Transcript};
use crate::evidence::{Claim, Judgement, Weight, settle, stands};
use crate::reader::{Ending, Extent, Reading};

/// Judges what a transcript says by what the registry says. Either may be absent.
pub fn judge(reading: Option<&Reading<Transcript>>, entry: Option<&Entry>, now: Timestamp) -> Judgement {
    let liveness = entry.map_or(Liveness::Unproved, |entry| entry.liveness);
    let alive = entry.filter(|entry| entry.liveness == Liveness::Alive);
    let fold = reading.map(|reading| &reading.fold);
    let mut judged = transcript(reading, liveness);
    if let Some((status, entry)) = alive.and_then(|entry| Some((entry.status?, entry))) {
        merge(&mut judged, fold, status, entry.status_at);
    }
    let activity = activity(fold, alive);
    settle(judged, activity, now)
}

/// The newest instant of both sources.
pub fn activity(fold: Option<&Transcript>, alive: Option<&Entry>) -> Option<Timestamp> {
    let entry = alive.and_then(|entry| entry.status_at.max(entry.started_at));
    fold.and_then(|fold| fold.last_activity).max(entry)
}

/// What the transcript says by itself, given whether the process lives.
fn transcript(reading: Option<&Reading<Transcript>>, liveness: Liveness) -> Judgement {
    let mut judged = Judgement {
        state: SessionState::Unknown,
        tier: EvidenceTier::Transcript,
        liveness,
        turn: Turn::Unknown,
        since: None,
        missing: BTreeSet::new(),
        hints: BTreeSet::new(),
    };
    let Some(reading) = reading else {
        // A process at a start-up dialog has no file yet.
        judged.missing.insert(MissingFact::TurnState);
        judged.tier = EvidenceTier::Registry;
        return judged;
    };
    if reading.lines.malformed + reading.lines.oversized > 0 {
        judged.missing.insert(MissingFact::Records);
    }
    if reading.extent == Extent::Short {
        judged.missing.insert(MissingFact::OlderRecords);
    }
    let fold = &reading.fold;
    match (&fold.stand, reading.ending) {
        // The newest record is lost: whatever the ones before say may be over.
        (_, Ending::Torn) | (Stand::Nothing, _) => {
            judged.missing.insert(MissingFact::TurnState);
        }
        (Stand::Unclear(step, _), _) => {
            judged.missing.insert(MissingFact::TurnState);
            judged.since = step.at;
        }
        (Stand::Closed(closed), _) => {
            judged.turn = Turn::Closed;
            judged.state = fold.closed_state(closed);
            judged.since = closed.at;
        }
        (Stand::Open(step), _) => {
            judged.turn = Turn::Open;
            judged.since = fold.calls.values().filter_map(|call| call.at).min().or(step.at);
            open_turn(fold, &mut judged);
        }
    }
    judged
}

fn open_turn(fold: &Transcript, judged: &mut Judgement) {
    // Alive or dead, the registry is what says so.
    if judged.liveness != Liveness::Unproved {
        judged.tier = EvidenceTier::Registry;
    }
    if asks(fold) {
        // These tools can't run: as long as they have no result the question is up.
        judged.state = SessionState::WaitingAnswer;
        judged.tier = EvidenceTier::Transcript;
    } else if fold.calls.is_empty() || fold.asking == Asking::Never {
        judged.state = SessionState::Running;
    } else if judged.liveness != Liveness::Dead {
        judged.missing.insert(MissingFact::PermissionState);
    }
}

fn asks(fold: &Transcript) -> bool {
    !fold.calls.is_empty() && fold.calls.values().all(|call| call.question)
}

/// Lays the registry's word over the transcript's.
fn merge(judged: &mut Judgement, fold: Option<&Transcript>, status: Status, at: Option<Timestamp>) {
    let registry = Claim { tier: EvidenceTier::Registry, at, weight: Weight::Decisive };
    let said = fold.map_or(Said::Nothing, said);
    let yields = |at: Option<Timestamp>, weight| {
        !stands(registry, Claim { tier: EvidenceTier::Transcript, at, weight })
    };
    let overruled = match (status, &said) {
        // How a turn ended is the transcript's to say; and builds up to 2.1.220 call themselves idle while a question
        // is up.
        (Status::Idle, Said::Closed(_) | Said::Question(_)) => true,
        (Status::Busy, Said::Closed(closed)) => yields(closed.at, closed.weight),
        // A prompt that is older than every open call was about another one.
        (Status::Idle, Said::Calls { newest: at, .. } | Said::Step(at) | Said::Unclear(at))
        | (Status::Busy, Said::Question(at))
        | (
            Status::Waiting(_),
            Said::Closed(Closed { at, .. }) | Said::Step(at) | Said::Calls { oldest: at, .. },
        ) => yields(*at, Weight::Decisive),
        (_, Said::Nothing)
        | (Status::Busy, Said::Calls { .. } | Said::Step(_) | Said::Unclear(_))
        | (Status::Waiting(_), Said::Question(_) | Said::Unclear(_)) => false,
    };
    if overruled {
        return;
    }
    judged.tier = EvidenceTier::Registry;
    judged.since = at.or(judged.since);
    judged.missing.remove(&MissingFact::PermissionState);
    judged.missing.remove(&MissingFact::TurnState);
    judged.turn = Turn::Open;
    judged.state = match status {
        Status::Busy => SessionState::Running,
        Status::Idle => {
            judged.turn = Turn::Closed;
            SessionState::Idle
        }
        Status::Waiting(WaitingFor::Permission) => SessionState::WaitingPermission,
        Status::Waiting(WaitingFor::Answer) => SessionState::WaitingAnswer,
        Status::Waiting(WaitingFor::Something) => {
            // It is the user who is waited for; for which of the two is a guess, and said to be one.
            judged.missing.insert(MissingFact::PermissionState);
            SessionState::WaitingAnswer
        }
    };
}

/// What the transcript says, as far as it bears on the registry's word.
enum Said<'a> {
    Nothing,
    Closed(&'a Closed),
    Question(Option<Timestamp>),
    Calls { oldest: Option<Timestamp>, newest: Option<Timestamp> },
    Step(Option<Timestamp>),
    Unclear(Option<Timestamp>),
}

fn said(fold: &Transcript) -> Said<'_> {
    match &fold.stand {
        Stand::Nothing => Said::Nothing,
        Stand::Closed(closed) => Said::Closed(closed),
        Stand::Unclear(step, _) => Said::Unclear(step.at),
        Stand::Open(step) if fold.calls.is_empty() => Said::Step(step.at),
        Stand::Open(_) => {
            let at = || fold.calls.values().filter_map(|call| call.at);
            if asks(fold) {
                Said::Question(at().max())
            } else {
                Said::Calls { oldest: at().min(), newest: at().max() }
            }
        }
    }
}
