//! What a rollout says, as far as it was folded.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::{Limit, SessionState};
use serde::{Deserialize, Serialize};

use super::records::{ErrorClass, FrontEnd, Kind};
use crate::check;
use crate::latest::Latest;
use crate::reader::Place;
use crate::usage::{Ledger, Pace, Tokens};

/// How many ended turns are remembered: what comes late of an older one goes unnoticed.
const FINISHED: usize = 256;

/// What a rollout says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    pub calls: BTreeMap<u64, Call>,
    /// Whether the turn never asks.
    pub approval: Approval,
    /// Without markers: where the conversation stands.
    pub inferred: Inferred,
    /// The newest instant.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub last_activity: Option<Timestamp>,
    /// The newest record.
    pub newest: Option<Place>,
    /// The oldest instant.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub first_activity: Option<Timestamp>,
    /// The limits, as last told.
    pub limits: Vec<Limit>,
    /// The folder of the newest turn.
    pub cwd: Option<PathBuf>,
    /// A record of an ended turn after its end.
    pub late: Option<Place>,
    /// The latest checks.
    pub checks: Latest,
    /// What was spent.
    pub ledger: Ledger,
    /// A user's message was seen: the turn's beginning, where turns aren't marked.
    pub(super) asked: bool,
    pub(super) finished: VecDeque<u64>,
    pub(super) failed: Option<ErrorClass>,
    /// Commands that went on after their call was answered, by their process.
    pub(super) running: BTreeMap<i64, (u64, check::Kind)>,
    pub(super) counted: Counted,
    pub(super) pace: Pace,
    /// The turn that tokens are counted for.
    pub(super) turn: Option<u64>,
    /// How many turns were begun.
    pub(super) begun: u64,
}

/// Whose thread it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Owner {
    /// The thread's id.
    pub id: Option<String>,
    /// By whom it was started.
    pub kind: Kind,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub started_at: Option<Timestamp>,
    /// Where.
    pub cwd: Option<PathBuf>,
    /// The branch it began on.
    pub branch: Option<String>,
    /// The address of the remote repository.
    pub remote: Option<String>,
    /// Whether its version marks turns; `None` where the version isn't told.
    pub marks: Option<bool>,
    /// What it has of another thread's history.
    pub history: History,
}

/// What a thread has of another thread's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum History {
    /// Nothing.
    Own,
    /// Its counts go on from another thread's, nothing is copied.
    Continued,
    /// It may begin with a copy of this thread's records.
    Copied(Option<String>),
}

/// How far tokens are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// Nothing was told yet.
    #[default]
    Nothing,
    /// The total, as last told.
    UpTo(Tokens),
}

/// An open turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpenTurn {
    /// Its id.
    pub id: Option<String>,
    /// Where it began.
    pub place: Place,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub at: Option<Timestamp>,
}

/// An ended turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub at: Option<Timestamp>,
}

/// A call without a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// Whether it asks the user.
    pub question: bool,
    /// Whether it wants more than the sandbox gives.
    pub escalated: bool,
    /// The check that it is; of a call that goes on with a command, that command's.
    pub check: Option<(u64, check::Kind)>,
    /// Where.
    pub place: Place,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::optional")]
    pub at: Option<Timestamp>,
}

/// Whether Codex may ask for approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Approval {
    /// It may, or that isn't told.
    #[default]
    MayAsk,
    /// It never does.
    Never,
}

/// Where an unmarked conversation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Whether the newest turn is this one.
    pub fn knows(&self, turn: &str) -> bool {
        let open = self.open.as_ref().and_then(|open| open.id.as_deref());
        open.or_else(|| self.ended.as_ref()?.id.as_deref()) == Some(turn)
    }

    pub(super) fn is_finished(&self, turn: u64) -> bool {
        self.finished.contains(&turn)
    }

    pub(super) fn finish(&mut self, turn: u64) {
        self.finished.push_back(turn);
        if self.finished.len() > FINISHED {
            self.finished.pop_front();
        }
    }
}
