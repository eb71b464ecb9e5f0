//! What a live source says of a session, laid over what its file says.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{EvidenceTier, MissingFact, Rule, SessionState, Turn};

use super::{Claim, Judgement, Weight, stands};

/// How long a registry may lag behind a hook. What it says later than that it says now: a prompt that was decided by a
/// rule, or that never became a turn, fired a hook too.
const LAG: SignedDuration = SignedDuration::from_secs(3);

/// How soon a turn leaves a record in its file. A prompt that left none was stopped by another hook.
const RECORDED: SignedDuration = SignedDuration::from_secs(10);

/// What a live source says: the registry of a runtime, its hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// The source.
    pub tier: EvidenceTier,
    /// What it says.
    pub says: Says,
    /// As of when.
    pub at: Option<Timestamp>,
    /// Since when it is so.
    pub since: Option<Timestamp>,
    /// When the turn began, where that is told.
    pub began: Option<Timestamp>,
    /// The call that is asked about, where that is told.
    pub about: Option<u64>,
    /// The calls that it has seen begin, where it tells of calls.
    pub seen: Option<BTreeSet<u64>>,
    /// Whose turn it is about.
    pub whose: Whose,
}

/// What a live source may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It works.
    Works,
    /// It worked, and nothing tells whether it still does.
    MayWork,
    /// A call began, and whether permission is asked for is not told.
    CallBegan,
    /// It waits for the user.
    Asks(WaitingFor),
    /// No turn is open; how the last one ended, where that is told.
    NoTurn(Option<SessionState>),
    /// The session is over.
    Over,
}

/// What the user is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingFor {
    /// A permission.
    Permission,
    /// An answer.
    Answer,
    /// The user, and the words are new to us.
    Something,
}

/// What a session's file says, as far as it bears on a live source's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing.
    Nothing,
    /// The turn ended.
    Closed {
        /// When.
        at: Option<Timestamp>,
        /// Whether it may still be carried on.
        weight: Weight,
    },
    /// A question is up.
    Question(Option<Timestamp>),
    /// Calls are open.
    Calls {
        /// Each with its instant.
        calls: BTreeMap<u64, Option<Timestamp>>,
        /// The newest record of all.
        newest: Option<Timestamp>,
    },
    /// A turn is open, and no call.
    Step(Option<Timestamp>),
    /// It can't be told whether a turn is open.
    Unclear(Option<Timestamp>),
}

/// Whose word it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// The session's own.
    #[default]
    Own,
    /// An agent's in the background: the session's file tells nothing of it.
    Background,
}

impl Live {
    fn claim(&self) -> Claim {
        Claim { tier: self.tier, at: self.at, weight: Weight::Decisive }
    }

    /// Whether this one stands against another one of its kind.
    fn stands_against(&self, other: &Self, now: Timestamp) -> bool {
        let lags = self.tier >= other.tier || self.at.is_some_and(|at| now.duration_since(at) <= LAG);
        lags && stands(self.claim(), other.claim())
    }

    /// Whether a turn was to begin, and has left no record of it for so long that it did not.
    fn left_no_record(&self, said: &Said, now: Timestamp) -> bool {
        let late = |at: Timestamp| now.duration_since(at) > RECORDED;
        let prompted = self.tier == EvidenceTier::Hook && self.says == Says::Works && self.at == self.began;
        prompted && matches!(said, Said::Closed { .. }) && self.at.is_some_and(late)
    }

    /// Whether it has to give way to a file's word of this instant and weight.
    fn yields(&self, at: Option<Timestamp>, weight: Weight) -> bool {
        !stands(self.claim(), Claim { tier: EvidenceTier::Transcript, at, weight })
    }

    /// Whether what the file says overrules it.
    fn is_overruled_by(&self, said: &Said) -> bool {
        if self.whose == Whose::Background {
            return false;
        }
        match (self.says, said) {
            // How a turn ended is the file's to say, where it is the same turn.
            (Says::NoTurn(_), Said::Closed { at, .. }) => match (self.began, at) {
                (Some(began), Some(at)) => *at >= began,
                (Some(_) | None, Some(_) | None) => true,
            },
            // Builds of Claude Code up to 2.1.220 call themselves idle while a question is up.
            (Says::NoTurn(_), Said::Question(at)) => {
                self.tier == EvidenceTier::Registry || self.yields(*at, Weight::Decisive)
            }
            (Says::NoTurn(_) | Says::Over, Said::Calls { calls, .. }) => {
                self.yields(newest(calls), Weight::Decisive)
            }
            (Says::NoTurn(_) | Says::MayWork, Said::Step(at) | Said::Unclear(at))
            | (
                Says::Over,
                Said::Closed { at, .. } | Said::Question(at) | Said::Step(at) | Said::Unclear(at),
            )
            | (Says::Works | Says::MayWork | Says::CallBegan, Said::Question(at))
            | (Says::Asks(_), Said::Closed { at, .. } | Said::Step(at)) => self.yields(*at, Weight::Decisive),
            (Says::Works | Says::MayWork | Says::CallBegan, Said::Closed { at, weight }) => {
                self.yields(*at, *weight)
            }
            // What was recorded since tells more.
            (Says::MayWork, Said::Calls { newest, .. }) => self.yields(*newest, Weight::Decisive),
            // A call that was not seen to begin may be asking.
            (Says::Works, Said::Calls { calls, .. }) => self.seen.as_ref().is_some_and(|seen| {
                calls.iter().any(|(call, at)| !seen.contains(call) && self.yields(*at, Weight::Decisive))
            }),
            (_, Said::Nothing)
            | (Says::Works | Says::CallBegan, Said::Step(_) | Said::Unclear(_))
            | (Says::CallBegan, Said::Calls { .. })
            | (Says::Asks(_), Said::Question(_) | Said::Unclear(_)) => false,
            (Says::Asks(_), Said::Calls { calls, newest }) => match self.about {
                Some(call) => !calls.contains_key(&call) && self.yields(*newest, Weight::Decisive),
                // A prompt that is older than every open call was about another one.
                None => self.yields(oldest(calls), Weight::Decisive),
            },
        }
    }

    /// Lays it over what the file says.
    fn lay_over(&self, said: &Said, judged: &mut Judgement, now: Timestamp) {
        if self.is_overruled_by(said) || self.left_no_record(said, now) {
            return;
        }
        judged.tier = self.tier;
        judged.since = self.since.or(judged.since);
        judged.missing.remove(&MissingFact::PermissionState);
        judged.missing.remove(&MissingFact::TurnState);
        judged.turn = Turn::Open;
        (judged.state, judged.rule) = match self.says {
            Says::Works => (SessionState::Running, Rule::Works),
            Says::CallBegan => {
                judged.missing.insert(MissingFact::PermissionState);
                (SessionState::Unknown, Rule::CallOpen)
            }
            Says::MayWork => {
                judged.turn = Turn::Unknown;
                judged.missing.insert(MissingFact::TurnState);
                (SessionState::Unknown, Rule::NothingTold)
            }
            Says::NoTurn(state) => {
                judged.turn = Turn::Closed;
                (state.unwrap_or(SessionState::Idle), Rule::NoTurn)
            }
            Says::Over => {
                judged.turn = Turn::Closed;
                (SessionState::Ended, Rule::Over)
            }
            // Where nothing but questions is open, it is one of them that is put.
            Says::Asks(_) if matches!(said, Said::Question(_)) => (SessionState::WaitingAnswer, Rule::Asks),
            Says::Asks(WaitingFor::Permission) => (SessionState::WaitingPermission, Rule::Asks),
            Says::Asks(WaitingFor::Answer) => (SessionState::WaitingAnswer, Rule::Asks),
            Says::Asks(WaitingFor::Something) => {
                // It is the user who is waited for; for which of the two is a guess, and said to be one.
                judged.missing.insert(MissingFact::PermissionState);
                (SessionState::WaitingAnswer, Rule::Asks)
            }
        };
    }
}

fn newest(calls: &BTreeMap<u64, Option<Timestamp>>) -> Option<Timestamp> {
    calls.values().flatten().max().copied()
}

fn oldest(calls: &BTreeMap<u64, Option<Timestamp>>) -> Option<Timestamp> {
    calls.values().flatten().min().copied()
}

/// Lays live sources over what the file says: of two the one that stands against the other.
pub fn lay(judged: &mut Judgement, said: &Said, live: [Option<&Live>; 2], now: Timestamp) {
    let live = match live {
        [Some(one), Some(other)] if other.stands_against(one, now) => Some(other),
        [Some(one), _] => Some(one),
        [None, other] => other,
    };
    if let Some(live) = live {
        live.lay_over(said, judged, now);
    }
}
