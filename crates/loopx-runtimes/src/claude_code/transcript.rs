//! What a transcript says, as far as it was folded.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::SessionState;
use serde::{Deserialize, Serialize};

use crate::check;
use crate::evidence::Weight;
use crate::latest::Latest;
use crate::reader::Place;
use crate::usage::{Ledger, Pace};

/// What a transcript says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Transcript {
    /// The session that the records name.
    pub session_id: Option<String>,
    /// Records of the conversation itself.
    pub chain: u64,
    /// Lines of another format: what `-p --output-format stream-json` prints.
    pub foreign: u64,
    /// Records of subagents.
    pub sidechain: u64,
    /// The first words to a subagent are the runtime's own warm-up.
    pub warmup: bool,
    /// How the last turn stands.
    pub stand: Stand,
    /// Calls without a result.
    pub calls: BTreeMap<u64, Call>,
    /// Whether tools may ask.
    pub asking: Asking,
    /// The newest instant.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub last_activity: Option<Timestamp>,
    /// The oldest instant.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub first_activity: Option<Timestamp>,
    /// The newest record.
    pub newest: Option<String>,
    /// The response that ended the last turn.
    pub outcome: Option<String>,
    /// The folder.
    pub cwd: Option<PathBuf>,
    /// The branch.
    pub branch: Option<String>,
    /// Where the turn began.
    pub began: Option<Place>,
    /// When the limit was last run into.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub limited_at: Option<Timestamp>,
    /// When it resets, as far as that is told.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub resets_at: Option<Timestamp>,
    /// The latest checks.
    pub checks: Latest,
    /// What was spent.
    pub ledger: Ledger,
    pub(super) group: Option<String>,
    /// Stands for the newest response.
    pub(super) response: Option<u64>,
    pub(super) pace: Pace,
    /// Whether a turn is counted as begun.
    pub(super) turn: bool,
    pub(super) launched: Vec<String>,
    pub(super) pending: u64,
    /// Whether the turn's end said what goes on behind it.
    pub(super) behind: Behind,
    pub(super) queued: u32,
    pub(super) marked: bool,
}

/// A call without a result.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Whether it asks the user and can't run.
    pub question: bool,
    /// The check that it is.
    pub check: Option<check::Kind>,
    /// Where.
    pub place: Place,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub at: Option<Timestamp>,
}

/// Whether tools may ask for permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asking {
    /// They may, or that isn't told.
    #[default]
    May,
    /// They never do.
    Never,
}

/// Whether the end of the last turn said what goes on behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Behind {
    /// It did not, or not yet.
    #[default]
    Untold,
    /// It did.
    Told,
}

/// How the last turn stands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub enum Stand {
    /// Nothing was said.
    #[default]
    Nothing,
    /// The turn goes on: asked, answering or with results to look at.
    Open(Step),
    /// The turn has ended.
    Closed(Closed),
    /// A command came after it, which may have begun another.
    Unclear(Step, Option<Closed>),
}

/// The newest record that counts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub at: Option<Timestamp>,
    /// The response has no reason to end yet: a marker of the turn's end completes it.
    pub unended: bool,
}

/// An ended turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Closed {
    /// How.
    pub state: SessionState,
    /// Whether hooks may still carry it on.
    pub weight: Weight,
    /// Where.
    pub place: Place,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub at: Option<Timestamp>,
}

impl Stand {
    /// The instant of the newest record that counts.
    pub(super) fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Nothing => None,
            Self::Open(step) | Self::Unclear(step, _) => step.at,
            Self::Closed(closed) => closed.at,
        }
    }
}

impl Transcript {
    /// Whether it is nothing but the runtime's own warm-up.
    pub const fn is_warmup(&self) -> bool {
        self.warmup && self.sidechain <= 2
    }

    /// How a closed turn reads once what goes on behind it is counted.
    pub fn closed_state(&self, closed: &Closed) -> SessionState {
        let behind = self.pending > 0 || !self.launched.is_empty() || self.queued > 0;
        if closed.state == SessionState::Idle && behind { SessionState::Background } else { closed.state }
    }
}
