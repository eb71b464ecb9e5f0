//! What a worker told, judged: what it claims, as far as its process is proved.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use loopx_contract::{
    Check, EvidenceTier, Limit, LineCounts, Liveness, MissingFact, Rule, SessionFacts, SessionFactsVersion,
    SessionState, Turn,
};

use super::told::{Standing, Told, standing};
use crate::Sources;
use crate::evidence::{Judgement, clamp, is_recent, settle};
use crate::sweep::{Observed, Origin, folder_words};

/// The session that these lines are of.
pub(super) fn observed(told: &BTreeSet<Told>, sources: &Sources, now: Timestamp) -> Option<Observed> {
    let Standing { newest: told, first, .. } = standing(told, now)?;
    let (liveness, pid) = liveness(told, sources, now);
    let at = clamp(told.at, now);
    // Nothing was seen after the line was told.
    let by = |instant: Option<Timestamp>| instant.map(|instant| instant.min(at));
    let last_activity = by(told.last_activity).unwrap_or(at);
    let mut missing: BTreeSet<MissingFact> = told.missing.iter().copied().collect();
    let turn = turn(told);
    if told.state == SessionState::Unknown && turn == Turn::Unknown {
        missing.insert(MissingFact::TurnState);
    }
    if told.state == SessionState::RateLimited && told.limits.iter().all(|limit| limit.resets_at.is_none()) {
        missing.insert(MissingFact::LimitReset);
    }
    let (mut state, mut rule) = (told.state, rule(told.state));
    if state == SessionState::Background && liveness == Liveness::Unproved {
        // What is said to go on has to be proved, as a turn has.
        (state, rule) = (SessionState::Unknown, Rule::NoProcess);
        missing.insert(MissingFact::Liveness);
    }
    let judged = Judgement {
        state,
        tier: told.tier.unwrap_or(EvidenceTier::Hook).min(EvidenceTier::Hook),
        rule,
        liveness,
        turn,
        since: by(told.since).or(Some(first.at)),
        missing,
        hints: told.hints.iter().copied().collect(),
    };
    let judged = settle(judged, Some(last_activity), now);
    let facts = SessionFacts {
        schema_version: SessionFactsVersion::V0,
        runtime_id: told.runtime.clone(),
        session_id: told.session,
        state: judged.state,
        tier: judged.tier,
        rule: judged.rule,
        liveness: judged.liveness,
        turn: judged.turn,
        since: judged.since,
        last_activity: Some(last_activity),
        started_at: by(told.started_at),
        missing: judged.missing.into_iter().collect(),
        hints: judged.hints.into_iter().collect(),
        limits: told.limits.iter().map(|limit| seen(limit, at)).collect(),
        checks: checks(&told.checks, at),
        usage: told.usage,
        children: told.children,
        event_id: None,
        outcome_id: None,
        lines: LineCounts::default(),
    };
    let words = folder_words(told.cwd.as_deref());
    let native_id = told.native.clone().unwrap_or_default();
    let origin = Origin { native_id, file: None, cwd: told.cwd.clone(), pid, lane: told.lane.clone(), words };
    Some(Observed { facts, private: origin.into() })
}

/// Whether the worker lives, and the process that proves it. Who reads from it vouches for it for as long as a prompt
/// counts without proof: somebody else may hold the stream open.
fn liveness(told: &Told, sources: &Sources, now: Timestamp) -> (Liveness, Option<u32>) {
    if let Some(process) = told.process {
        let liveness = process.liveness(sources);
        return (liveness, (liveness == Liveness::Alive).then_some(process.pid));
    }
    let alive = |reader: &crate::hooks::Pid| {
        is_recent(Some(told.at), now) && reader.liveness(sources) == Liveness::Alive
    };
    match told.stream.filter(alive) {
        Some(reader) => (Liveness::Alive, Some(reader.pid)),
        None => (Liveness::Unproved, None),
    }
}

/// The rule by which a state is believed that a worker told.
const fn rule(state: SessionState) -> Rule {
    match state {
        SessionState::Running | SessionState::Background => Rule::Works,
        SessionState::WaitingPermission | SessionState::WaitingAnswer => Rule::Asks,
        SessionState::Idle
        | SessionState::Interrupted
        | SessionState::Errored
        | SessionState::RateLimited => Rule::NoTurn,
        SessionState::Ended => Rule::Over,
        SessionState::Unknown => Rule::NothingTold,
    }
}

/// Whether a turn is open follows from the state, where that says it.
const fn turn(told: &Told) -> Turn {
    match (told.state, told.turn) {
        (SessionState::Running | SessionState::WaitingPermission | SessionState::WaitingAnswer, _) => {
            Turn::Open
        }
        (
            SessionState::Idle
            | SessionState::Background
            | SessionState::Interrupted
            | SessionState::Errored
            | SessionState::RateLimited
            | SessionState::Ended,
            _,
        ) => Turn::Closed,
        (SessionState::Unknown, Some(turn)) => turn,
        (SessionState::Unknown, None) => Turn::Unknown,
    }
}

fn seen(limit: &Limit, at: Timestamp) -> Limit {
    Limit { seen_at: Some(limit.seen_at.map_or(at, |seen| seen.min(at))), ..limit.clone() }
}

/// The latest of each label.
fn checks(all: &[Check], at: Timestamp) -> Vec<Check> {
    let mut latest: BTreeMap<_, Check> = BTreeMap::new();
    for check in all {
        let check = Check { at: Some(check.at.map_or(at, |of| of.min(at))), ..check.clone() };
        let held = latest.entry(check.label).or_insert_with(|| check.clone());
        if held.at <= check.at {
            *held = check;
        }
    }
    latest.into_values().collect()
}
