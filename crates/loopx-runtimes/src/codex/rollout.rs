//! What a rollout says, as far as it was folded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::{Limit, SessionState};

use super::records::{ErrorClass, FrontEnd, Kind};
use crate::reader::Place;

/// What a rollout says.
#[derive(Clone, Debug, Default)]
pub struct Rollout {
    /// The first `session_meta`: a fork may hold its parent's too.
    pub meta: Option<Owner>,
    /// Where it stood.
    pub meta_at: Option<Place>,
    /// Whether any line was a record of the format.
    pub records: u64,
    /// Lines of another format: what `exec --json` prints.
    pub foreign: u64,
    /// Whether turns are marked.
    pub markers: bool,
    /// The turn that is open.
    pub open: Option<OpenTurn>,
    /// How the last turn ended.
    pub ended: Option<EndedTurn>,
    /// Calls without a result.
    pub calls: BTreeMap<String, Call>,
    /// Whether the turn never asks.
    pub approval: Approval,
    /// Without markers: where the conversation stands.
    pub inferred: Inferred,
    /// The newest instant.
    pub last_activity: Option<Timestamp>,
    /// The newest record.
    pub newest: Option<Place>,
    /// The oldest instant.
    pub first_activity: Option<Timestamp>,
    /// The limits, as last told.
    pub limits: Vec<Limit>,
    /// The folder of the newest turn.
    pub cwd: Option<PathBuf>,
    /// A record of an ended turn after its end.
    pub late: Option<Place>,
    /// A user's message was seen: the turn's beginning, where turns aren't marked.
    pub(super) asked: bool,
    pub(super) finished: BTreeSet<String>,
    pub(super) failed: Option<ErrorClass>,
}

/// Whose thread it is.
#[derive(Clone, Debug)]
pub struct Owner {
    /// The thread's id.
    pub id: Option<String>,
    /// By whom it was started.
    pub kind: Kind,
    /// When.
    pub started_at: Option<Timestamp>,
    /// Where.
    pub cwd: Option<PathBuf>,
    /// Branch and remote.
    pub words: Vec<String>,
    /// Whether its version marks turns; `None` where the version isn't told.
    pub marks: Option<bool>,
}

/// An open turn.
#[derive(Clone, Debug)]
pub struct OpenTurn {
    /// Its id.
    pub id: Option<String>,
    /// Where it began.
    pub place: Place,
    /// When.
    pub at: Option<Timestamp>,
}

/// An ended turn.
#[derive(Clone, Debug)]
pub struct EndedTurn {
    /// Its id.
    pub id: Option<String>,
    /// How it ended.
    pub state: SessionState,
    /// Whether turns were taken back since.
    pub rolled_back: bool,
    /// Where.
    pub place: Place,
    /// When.
    pub at: Option<Timestamp>,
}

/// A call without a result.
#[derive(Clone, Debug)]
pub struct Call {
    /// Whether it asks the user.
    pub question: bool,
    /// Whether it wants more than the sandbox gives.
    pub escalated: bool,
    /// Where.
    pub place: Place,
    /// When.
    pub at: Option<Timestamp>,
}

/// Whether Codex may ask for approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approval {
    /// It may, or that isn't told.
    #[default]
    MayAsk,
    /// It never does.
    Never,
}

/// Where an unmarked conversation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inferred {
    /// The records don't say.
    #[default]
    Unclear,
    /// The assistant spoke last.
    Answered(Place, Option<Timestamp>),
    /// And the tokens were counted after it: the usual end of a turn.
    Counted(Place, Option<Timestamp>),
}

impl Rollout {
    /// Whether turns are marked, by what was seen or by the version.
    pub fn marks(&self) -> bool {
        self.markers || self.meta.as_ref().and_then(|meta| meta.marks).unwrap_or(false)
    }

    /// Who started the session, where that is told.
    pub fn front_end(&self) -> Option<FrontEnd> {
        match self.meta.as_ref()?.kind {
            Kind::Session(front_end) => Some(front_end),
            Kind::Child(_) | Kind::Hidden => None,
        }
    }
}
