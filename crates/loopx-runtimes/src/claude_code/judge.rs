//! A transcript, its registry entry and what hooks told, judged.

use jiff::Timestamp;
use loopx_contract::{EvidenceTier, Liveness, MissingFact, Rule, SessionState, Turn};

use super::registry::{Entry, Status};
use super::transcript::{Asking, Stand, Transcript};
use crate::evidence::{Judgement, Live, Said, Says, Whose, lay, settle};
use crate::hooks::Heard;
use crate::reader::{Ending, Extent, Reading};

/// Judges what a transcript says by what the registry says and what hooks told. Each may be absent.
pub fn judge(
    reading: Option<&Reading<Transcript>>,
    entry: Option<&Entry>,
    heard: Option<&Heard>,
    now: Timestamp,
) -> Judgement {
    let (liveness, proves) = liveness(entry, heard);
    let alive = entry.filter(|entry| entry.liveness == Liveness::Alive);
    let fold = reading.map(|reading| &reading.fold);
    let mut judged = transcript(reading, liveness, proves);
    let said = fold.map_or(Said::Nothing, said);
    let registry = alive.and_then(registry);
    lay(&mut judged, &said, [registry.as_ref(), heard.map(|heard| &heard.live)], now);
    settle(judged, activity(fold, alive, heard), now)
}

/// Whether the process lives, and which source proves that: the registry's word before that of hooks.
fn liveness(entry: Option<&Entry>, heard: Option<&Heard>) -> (Liveness, EvidenceTier) {
    let registry = entry.map_or(Liveness::Unproved, |entry| entry.liveness);
    match (registry, heard) {
        (Liveness::Unproved, Some(heard)) => (heard.liveness, EvidenceTier::Hook),
        // An entry outlives its process; a session that was taken up again has another one.
        (Liveness::Dead, Some(heard)) if heard.liveness == Liveness::Alive => {
            (Liveness::Alive, EvidenceTier::Hook)
        }
        (Liveness::Alive | Liveness::Dead | Liveness::Unproved, _) => (registry, EvidenceTier::Registry),
    }
}

/// The newest instant of all sources.
pub fn activity(
    fold: Option<&Transcript>,
    alive: Option<&Entry>,
    heard: Option<&Heard>,
) -> Option<Timestamp> {
    let entry = alive.and_then(|entry| entry.status_at.max(entry.started_at));
    fold.and_then(|fold| fold.last_activity).max(entry).max(heard.and_then(|heard| heard.live.at))
}

/// What the transcript says by itself, given whether the process lives and what proves that.
fn transcript(reading: Option<&Reading<Transcript>>, liveness: Liveness, proves: EvidenceTier) -> Judgement {
    let mut judged = Judgement::untold(liveness);
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
        (_, Ending::Torn) => {
            judged.missing.insert(MissingFact::TurnState);
            judged.rule = Rule::RecordLost;
        }
        (Stand::Nothing, _) => {
            judged.missing.insert(MissingFact::TurnState);
        }
        (Stand::Unclear(step, _), _) => {
            judged.missing.insert(MissingFact::TurnState);
            judged.since = step.at;
            judged.rule = Rule::CommandAfterEnd;
        }
        (Stand::Closed(closed), _) => {
            judged.turn = Turn::Closed;
            judged.state = fold.closed_state(closed);
            judged.since = closed.at;
            judged.rule = Rule::TurnEnded;
        }
        (Stand::Open(step), _) => {
            judged.turn = Turn::Open;
            judged.since = fold.calls.values().filter_map(|call| call.at).min().or(step.at);
            open_turn(fold, proves, &mut judged);
        }
    }
    judged
}

fn open_turn(fold: &Transcript, proves: EvidenceTier, judged: &mut Judgement) {
    // Alive or dead, the source that says so counts.
    if judged.liveness != Liveness::Unproved {
        judged.tier = proves;
    }
    judged.rule = Rule::CallOpen;
    if asks(fold) {
        // These tools can't run: as long as they have no result the question is up.
        judged.state = SessionState::WaitingAnswer;
        judged.tier = EvidenceTier::Transcript;
        judged.rule = Rule::QuestionOpen;
    } else if fold.calls.is_empty() || fold.asking == Asking::Never {
        judged.state = SessionState::Running;
        judged.rule = if fold.calls.is_empty() { Rule::TurnOpen } else { Rule::NeverAsks };
    } else if judged.liveness != Liveness::Dead {
        judged.missing.insert(MissingFact::PermissionState);
    }
}

fn asks(fold: &Transcript) -> bool {
    !fold.calls.is_empty() && fold.calls.values().all(|call| call.question)
}

/// What the registry says.
fn registry(entry: &Entry) -> Option<Live> {
    Some(Live {
        tier: EvidenceTier::Registry,
        says: match entry.status? {
            Status::Busy => Says::Works,
            Status::Idle => Says::NoTurn(None),
            Status::Waiting(whom) => Says::Asks(whom),
        },
        at: entry.status_at,
        since: entry.status_at,
        began: None,
        about: None,
        seen: None,
        whose: Whose::Own,
    })
}

/// What the transcript says, as far as it bears on a live source's word.
fn said(fold: &Transcript) -> Said {
    match &fold.stand {
        Stand::Nothing => Said::Nothing,
        Stand::Closed(closed) => Said::Closed { at: closed.at, weight: closed.weight },
        Stand::Unclear(step, _) => Said::Unclear(step.at),
        Stand::Open(step) if fold.calls.is_empty() => Said::Step(step.at),
        Stand::Open(_) if asks(fold) => Said::Question(fold.calls.values().filter_map(|call| call.at).max()),
        Stand::Open(_) => Said::Calls {
            calls: fold.calls.iter().map(|(call, open)| (*call, open.at)).collect(),
            newest: fold.last_activity,
        },
    }
}
