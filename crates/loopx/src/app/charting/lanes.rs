//! Whom lanes waited on, as a person reads it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, WaitingOn};
use loopx_core::Row;
use loopx_core::past::{Seen, Span, Stand, Told};
use serde::Serialize;

use crate::app::board::Card;

/// Whom a lane waited on, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whom {
    /// The person.
    You,
    /// The one who owns the goal's configuration.
    Controller,
    /// The session runtime.
    Runtime,
    /// Something outside.
    Evidence,
    /// The agent, and a turn of it ran.
    AtWork,
    /// The agent; what its sessions did is not recorded.
    AgentsTurn,
    /// Nobody.
    Nobody,
}

impl Whom {
    /// All, as they are listed.
    pub const ALL: [Self; 7] = [
        Self::You,
        Self::Controller,
        Self::Runtime,
        Self::Evidence,
        Self::AtWork,
        Self::AgentsTurn,
        Self::Nobody,
    ];

    /// That of a span.
    pub const fn of(span: &Span) -> Self {
        match (span.stand.waiting_on, span.told) {
            (WaitingOn::User, _) => Self::You,
            (WaitingOn::Controller, _) => Self::Controller,
            (WaitingOn::Runtime, _) => Self::Runtime,
            (WaitingOn::ExternalEvidence, _) => Self::Evidence,
            (WaitingOn::Agent, Told::BySession) => Self::AtWork,
            (WaitingOn::Agent, Told::ByLog) => Self::AgentsTurn,
            (WaitingOn::None, _) => Self::Nobody,
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::You => "you",
            Self::Controller => "controller",
            Self::Runtime => "runtime",
            Self::Evidence => "evidence",
            Self::AtWork => "at work",
            Self::AgentsTurn => "agent's turn, session not recorded",
            Self::Nobody => "nobody",
        }
    }

    /// What names its colour and pattern.
    pub const fn class(self) -> &'static str {
        match self {
            Self::You => "w-you",
            Self::Controller => "w-controller",
            Self::Runtime => "w-runtime",
            Self::Evidence => "w-evidence",
            Self::AtWork => "w-work",
            Self::AgentsTurn => "w-turn",
            Self::Nobody => "w-nobody",
        }
    }
}

/// One lane's past.
pub struct LanePast {
    /// Which.
    pub agent: AgentId,
    /// Whom it waited on, without a gap from when it was registered or the window began.
    pub spans: Vec<Span>,
}

/// How long something waited on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Share {
    /// On whom.
    pub whom: Whom,
    /// How long, in seconds, of all lanes together.
    pub seconds: i64,
}

impl Share {
    /// The sums of lanes; what is nothing is left out.
    pub fn sum<'a>(lanes: impl IntoIterator<Item = &'a LanePast>) -> Vec<Self> {
        let mut sums: BTreeMap<Whom, SignedDuration> = BTreeMap::new();
        for span in lanes.into_iter().flat_map(|lane| &lane.spans) {
            let sum = sums.entry(Whom::of(span)).or_default();
            *sum = sum.saturating_add(span.length());
        }
        sums.into_iter()
            .map(|(whom, sum)| Self { whom, seconds: sum.as_secs() })
            .filter(|share| share.seconds > 0)
            .collect()
    }
}

/// What a lane's session shows now, since when it does, where its first screen rests on it.
pub fn shown(card: &Card<'_>, now: Timestamp) -> Option<Seen> {
    let row = card.decision.row;
    if !matches!(row, Row::Prompt | Row::Working | Row::Unsure | Row::Failed | Row::Limited) {
        return None;
    }
    let from = card.session?.since?;
    Some(Seen { from, to: now, stand: Stand { row, waiting_on: card.waiting_on() } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole() {
        let at = |second| Timestamp::from_second(second).expect("an instant");
        let span = |from, to, waiting_on, told| Span {
            from: at(from),
            to: at(to),
            stand: Stand { row: Row::Ready, waiting_on },
            told,
        };
        let lane = |name: &str, spans| LanePast { agent: AgentId::parse(name).expect("an id"), spans };
        let lanes = [
            lane(
                "codex",
                vec![
                    span(0, 10, WaitingOn::User, Told::ByLog),
                    span(10, 13, WaitingOn::Agent, Told::BySession),
                    span(13, 20, WaitingOn::Agent, Told::ByLog),
                ],
            ),
            lane("claude", vec![span(5, 20, WaitingOn::User, Told::BySession)]),
        ];
        let told: Vec<(Whom, i64)> =
            Share::sum(&lanes).iter().map(|share| (share.whom, share.seconds)).collect();
        assert_eq!(told, [(Whom::You, 25), (Whom::AtWork, 3), (Whom::AgentsTurn, 7)]);
    }
}
