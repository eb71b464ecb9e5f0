//! A rollout, its writer's lock and what hooks told, judged.

use jiff::Timestamp;
use loopx_contract::{EvidenceTier, Hint, Liveness, MissingFact, Rule, SessionState, Turn};

use super::records::FrontEnd;
use super::rollout::{Approval, Inferred, Rollout};
use crate::evidence::{Judgement, Said, Weight, lay, settle};
use crate::hooks::Heard;
use crate::process::Lock;
use crate::reader::{Ending, Extent, Reading};

/// Judges what a rollout says by what its lock says and what hooks told.
pub fn judge(reading: &Reading<Rollout>, lock: Lock, heard: Option<&Heard>, now: Timestamp) -> Judgement {
    let fold = &reading.fold;
    let (liveness, proves) = liveness(lock, heard);
    let mut judged = Judgement::untold(liveness);
    missing(reading, &mut judged);
    let said = if reading.ending == Ending::Torn {
        // The newest record is lost: whatever the ones before say may be over.
        judged.missing.insert(MissingFact::TurnState);
        judged.rule = Rule::RecordLost;
        Said::Nothing
    } else {
        stand(reading, proves, &mut judged);
        said(fold)
    };
    lay(&mut judged, &said, [heard.map(|heard| &heard.live), None], now);
    settle(judged, activity(fold, heard), now)
}

/// The newest instant of all sources.
pub fn activity(fold: &Rollout, heard: Option<&Heard>) -> Option<Timestamp> {
    fold.last_activity.max(heard.and_then(|heard| heard.live.at))
}

/// Whether the process lives, and which source proves that: the lock's word before that of hooks.
fn liveness(lock: Lock, heard: Option<&Heard>) -> (Liveness, EvidenceTier) {
    match lock {
        Lock::Held(_) => (Liveness::Alive, EvidenceTier::Lock),
        // Left behind: its process was killed.
        Lock::Free => (Liveness::Dead, EvidenceTier::Lock),
        // Removed at a clean end, and never made by older versions.
        Lock::Absent | Lock::Unknown => {
            (heard.map_or(Liveness::Unproved, |heard| heard.liveness), EvidenceTier::Hook)
        }
    }
}

/// How the turn stands, by the rollout.
fn stand(reading: &Reading<Rollout>, proves: EvidenceTier, judged: &mut Judgement) {
    let fold = &reading.fold;
    if let Some(open) = &fold.open {
        judged.turn = Turn::Open;
        judged.since = open.at;
        open_turn(fold, proves, judged);
    } else if let Some(ended) = &fold.ended {
        judged.turn = Turn::Closed;
        judged.state = ended.state;
        judged.since = ended.at;
        judged.rule = Rule::TurnEnded;
    } else {
        unmarked(reading, judged);
    }
}

/// What the rollout says, as far as it bears on a live source's word.
fn said(fold: &Rollout) -> Said {
    let newest = || fold.calls.values().filter_map(|call| call.at).max();
    let questions = fold.calls.values().all(|call| call.question);
    match (&fold.open, &fold.ended) {
        (Some(open), _) if fold.calls.is_empty() => Said::Step(fold.last_activity.max(open.at)),
        (Some(_), _) if questions => Said::Question(newest()),
        (Some(_), _) => Said::Calls {
            calls: fold.calls.iter().map(|(call, open)| (*call, open.at)).collect(),
            newest: fold.last_activity,
        },
        (None, Some(ended)) => Said::Closed { at: ended.at, weight: Weight::Decisive },
        (None, None) => match fold.inferred {
            Inferred::Counted(_, at) if !fold.marks() => Said::Closed { at, weight: Weight::Open },
            Inferred::Counted(..) | Inferred::Answered(..) | Inferred::Unclear => Said::Nothing,
        },
    }
}

fn missing(reading: &Reading<Rollout>, judged: &mut Judgement) {
    let fold = &reading.fold;
    match fold.front_end() {
        None => {
            judged.missing.extend([MissingFact::SessionMeta, MissingFact::Source]);
        }
        Some(FrontEnd::Other) => {
            judged.missing.insert(MissingFact::Source);
        }
        Some(FrontEnd::Cli | FrontEnd::Exec | FrontEnd::Vscode) => {}
    }
    if reading.lines.malformed + reading.lines.oversized > 0 {
        judged.missing.insert(MissingFact::Records);
    }
    if reading.extent == Extent::Short {
        judged.missing.insert(MissingFact::OlderRecords);
    }
}

fn open_turn(fold: &Rollout, proves: EvidenceTier, judged: &mut Judgement) {
    let alive = judged.liveness == Liveness::Alive;
    if judged.liveness != Liveness::Unproved {
        judged.tier = proves;
    }
    let never_asks = fold.approval == Approval::Never || fold.front_end() == Some(FrontEnd::Exec);
    let questions = fold.calls.values().filter(|call| call.question).count();
    judged.since = fold.calls.values().filter_map(|call| call.at).min().or(judged.since);
    judged.rule = if fold.calls.is_empty() { Rule::TurnOpen } else { Rule::CallOpen };
    if questions > 0 && questions == fold.calls.len() {
        judged.state = SessionState::WaitingAnswer;
        judged.rule = Rule::QuestionOpen;
    } else if alive && (fold.calls.is_empty() || never_asks && questions == 0) {
        judged.state = SessionState::Running;
        judged.rule = if fold.calls.is_empty() { Rule::TurnOpen } else { Rule::NeverAsks };
    } else if !fold.calls.is_empty() && !never_asks && judged.liveness != Liveness::Dead {
        judged.missing.insert(MissingFact::PermissionState);
        if fold.calls.values().any(|call| call.escalated) {
            judged.hints.insert(Hint::EscalationRequested);
        }
    }
}

/// Without markers a turn's end is inferred, and nothing else is.
fn unmarked(reading: &Reading<Rollout>, judged: &mut Judgement) {
    let fold = &reading.fold;
    if fold.marks() {
        // Marked, and no turn yet or none within reach.
        judged.missing.insert(MissingFact::TurnState);
        return;
    }
    judged.missing.insert(MissingFact::TurnMarkers);
    match fold.inferred {
        Inferred::Counted(_, at) if fold.calls.is_empty() && reading.extent != Extent::Short => {
            judged.state = SessionState::Idle;
            judged.tier = EvidenceTier::Transcript;
            judged.turn = Turn::Closed;
            judged.since = at;
            judged.rule = Rule::EndInferred;
        }
        Inferred::Unclear | Inferred::Answered(..) | Inferred::Counted(..) => {
            judged.missing.insert(MissingFact::TurnState);
        }
    }
}
