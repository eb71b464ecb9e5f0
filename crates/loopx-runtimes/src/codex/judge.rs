//! A rollout and its writer's lock, judged.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{EvidenceTier, Hint, Liveness, MissingFact, SessionState, Turn};

use super::records::FrontEnd;
use super::rollout::{Approval, Inferred, Rollout};
use crate::evidence::{Judgement, settle};
use crate::process::Lock;
use crate::reader::{Ending, Extent, Reading};

/// Judges what a rollout says by what its lock says.
pub fn judge(reading: &Reading<Rollout>, lock: Lock, now: Timestamp) -> Judgement {
    let fold = &reading.fold;
    let liveness = match lock {
        Lock::Held(_) => Liveness::Alive,
        // Left behind: its process was killed.
        Lock::Free => Liveness::Dead,
        // Removed at a clean end, and never made by older versions.
        Lock::Absent | Lock::Unknown => Liveness::Unproved,
    };
    let mut judged = Judgement {
        state: SessionState::Unknown,
        tier: EvidenceTier::Transcript,
        liveness,
        turn: Turn::Unknown,
        since: None,
        missing: BTreeSet::new(),
        hints: BTreeSet::new(),
    };
    missing(reading, &mut judged);
    if reading.ending == Ending::Torn {
        // The newest record is lost: whatever the ones before say may be over.
        judged.missing.insert(MissingFact::TurnState);
        return settle(judged, fold.last_activity, now);
    }
    if let Some(open) = &fold.open {
        judged.turn = Turn::Open;
        judged.since = open.at;
        open_turn(fold, &mut judged);
    } else if let Some(ended) = &fold.ended {
        judged.turn = Turn::Closed;
        judged.state = ended.state;
        judged.since = ended.at;
    } else {
        unmarked(reading, &mut judged);
    }
    settle(judged, fold.last_activity, now)
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

fn open_turn(fold: &Rollout, judged: &mut Judgement) {
    let alive = judged.liveness == Liveness::Alive;
    if judged.liveness != Liveness::Unproved {
        judged.tier = EvidenceTier::Lock;
    }
    let never_asks = fold.approval == Approval::Never || fold.front_end() == Some(FrontEnd::Exec);
    let questions = fold.calls.values().filter(|call| call.question).count();
    judged.since = fold.calls.values().filter_map(|call| call.at).min().or(judged.since);
    if questions > 0 && questions == fold.calls.len() {
        judged.state = SessionState::WaitingAnswer;
    } else if alive && (fold.calls.is_empty() || never_asks && questions == 0) {
        judged.state = SessionState::Running;
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
        }
        Inferred::Unclear | Inferred::Answered(..) | Inferred::Counted(..) => {
            judged.missing.insert(MissingFact::TurnState);
        }
    }
}
