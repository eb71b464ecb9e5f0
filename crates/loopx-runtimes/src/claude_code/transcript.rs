//! What a transcript says, as far as it was folded.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::SessionState;

use crate::evidence::Weight;
use crate::reader::Place;

/// What a transcript says.
#[derive(Clone, Debug, Default)]
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
    pub calls: BTreeMap<String, Call>,
    /// Whether tools may ask.
    pub asking: Asking,
    /// The newest instant.
    pub last_activity: Option<Timestamp>,
    /// The oldest instant.
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
    pub limited_at: Option<Timestamp>,
    pub(super) group: Option<String>,
    pub(super) launched: Vec<String>,
    pub(super) pending: i64,
    pub(super) queued: u32,
    pub(super) marked: bool,
}

/// A call without a result.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Whether it asks the user and can't run.
    pub question: bool,
    /// Where.
    pub place: Place,
    /// When.
    pub at: Option<Timestamp>,
}

/// Whether tools may ask for permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// They may, or that isn't told.
    #[default]
    May,
    /// They never do.
    Never,
}

/// How the last turn stands.
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// When.
    pub at: Option<Timestamp>,
    /// The response has no reason to end yet: a marker of the turn's end completes it.
    pub unended: bool,
}

/// An ended turn.
#[derive(Clone, Debug)]
pub struct Closed {
    /// How.
    pub state: SessionState,
    /// Whether hooks may still carry it on.
    pub weight: Weight,
    /// Where.
    pub place: Place,
    /// When.
    pub at: Option<Timestamp>,
}

impl Transcript {
    /// How a closed turn reads once what goes on behind it is counted.
    pub fn closed_state(&self, closed: &Closed) -> SessionState {
        let behind = self.pending > 0 || !self.launched.is_empty() || self.queued > 0;
        if closed.state == SessionState::Idle && behind { SessionState::Background } else { closed.state }
    }
}
