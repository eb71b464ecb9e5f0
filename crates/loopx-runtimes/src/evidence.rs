//! The ladder of evidence: what every runtime's verdict has to hold to. Pure functions.

mod live;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{EvidenceTier, Hint, Liveness, MissingFact, Rule, SessionState, Turn};

pub use live::{Live, Said, Says, WaitingFor, Whose, lay};

/// How far ahead of now an instant may lie: clocks differ a little.
pub const AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// How long a prompt counts without proof that its process lives.
pub const PROMPT_WITHOUT_PROOF: SignedDuration = SignedDuration::from_mins(10);

/// What is made of one session's evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The state.
    pub state: SessionState,
    /// What it rests on.
    pub tier: EvidenceTier,
    /// The rule that gave it.
    pub rule: Rule,
    /// Whether the process lives.
    pub liveness: Liveness,
    /// Whether a turn is open.
    pub turn: Turn,
    /// Since when.
    pub since: Option<Timestamp>,
    /// What is missing.
    pub missing: BTreeSet<MissingFact>,
    /// What points somewhere.
    pub hints: BTreeSet<Hint>,
}

impl Judgement {
    /// Where nothing was told yet, of a process that lives or not.
    pub const fn untold(liveness: Liveness) -> Self {
        Self {
            state: SessionState::Unknown,
            tier: EvidenceTier::Transcript,
            rule: Rule::NothingTold,
            liveness,
            turn: Turn::Unknown,
            since: None,
            missing: BTreeSet::new(),
            hints: BTreeSet::new(),
        }
    }
}

/// Whether a statement settles how a turn stands, or leaves room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Weight {
    /// It says how the turn ended.
    Decisive,
    /// It is compatible with more than one state.
    Open,
}

/// One source's statement about a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The source's rank.
    pub tier: EvidenceTier,
    /// As of when.
    pub at: Option<Timestamp>,
    /// Whether it settles the turn.
    pub weight: Weight,
}

/// Whether `one` stands against `other`: the higher tier does, unless the lower one is decisive and fresher.
pub fn stands(one: Claim, other: Claim) -> bool {
    if one.tier >= other.tier { !overtakes(other, one) } else { overtakes(one, other) }
}

fn overtakes(lower: Claim, higher: Claim) -> bool {
    // A claim without an instant is never the fresher one.
    lower.weight == Weight::Decisive
        && lower.tier < higher.tier
        && matches!((lower.at, higher.at), (Some(lower), Some(higher)) if lower > higher)
}

/// An instant as it may be shown: never further ahead than [`AHEAD`].
pub fn clamp(at: Timestamp, now: Timestamp) -> Timestamp {
    now.checked_add(AHEAD).map_or(at, |latest| at.min(latest))
}

/// Whether an instant is so recent that a prompt counts without proof of its process. One far ahead is no proof.
pub fn is_recent(at: Option<Timestamp>, now: Timestamp) -> bool {
    at.is_some_and(|at| {
        let age = now.duration_since(at);
        age <= PROMPT_WITHOUT_PROOF && age >= -AHEAD
    })
}

/// Holds a judgement to the rules of every runtime: nothing runs or asks without a process, and a prompt without
/// proof counts for ten minutes.
pub fn settle(mut judged: Judgement, last_activity: Option<Timestamp>, now: Timestamp) -> Judgement {
    match judged.state {
        SessionState::Running if judged.liveness != Liveness::Alive => {
            (judged.state, judged.rule) = (SessionState::Unknown, Rule::NoProcess);
        }
        SessionState::WaitingPermission | SessionState::WaitingAnswer => {
            let counts = match judged.liveness {
                Liveness::Alive => true,
                Liveness::Dead => false,
                Liveness::Unproved => is_recent(last_activity, now),
            };
            if !counts {
                (judged.state, judged.rule) = (SessionState::Unknown, Rule::NoProcess);
            }
        }
        // Work that a session owns dies with its process.
        SessionState::Background if judged.liveness == Liveness::Dead => {
            (judged.state, judged.rule) = (SessionState::Idle, Rule::NoProcess);
        }
        SessionState::Running
        | SessionState::Idle
        | SessionState::Background
        | SessionState::Interrupted
        | SessionState::Errored
        | SessionState::RateLimited
        | SessionState::Ended
        | SessionState::Unknown => {}
    }
    if judged.turn != Turn::Closed && judged.liveness == Liveness::Unproved {
        judged.missing.insert(MissingFact::Liveness);
    }
    if last_activity.is_none() {
        judged.missing.insert(MissingFact::LastActivity);
    }
    judged.since = judged.since.map(|at| clamp(at, now));
    judged
}
