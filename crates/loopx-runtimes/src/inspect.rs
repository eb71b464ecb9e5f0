//! A close look at one file: the verdict, and the lines it rests on, by number.

use std::path::Path;

use jiff::Timestamp;
use loopx_contract::{SessionFacts, SessionState};
use loopx_safety::InstallKey;

use crate::reader::Place;
use crate::{Runtime, SkipKind, Sources, claude_code, codex};

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A session.
    Session(Box<SessionFacts>),
    /// A session that another session started, or a helper of the runtime.
    Child,
    /// No session.
    NotASession,
}

impl Verdict {
    /// The state's word; `child` and `not_a_session` beside the contract's.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Session(facts) => facts.state.word(),
            Self::Child => "child",
            Self::NotASession => "not_a_session",
        }
    }
}

/// The verdict on one file and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// What the file is.
    pub verdict: Verdict,
    /// The lines that decide, in file order; empty for a file that is too long to number.
    pub evidence: Vec<LineEvidence>,
}

/// What a range of lines says. Never their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineEvidence {
    /// The first line, from 1.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// What they say.
    pub what: Finding,
}

impl LineEvidence {
    pub(crate) const fn at(place: Place, what: Finding) -> Self {
        Self { first: place.line, last: place.line, what }
    }
}

/// What a line can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// Names the session.
    SessionMeta,
    /// Begins a turn.
    TurnStarted,
    /// Ends a turn.
    TurnFinished,
    /// Ends a turn in an error.
    TurnFailed,
    /// Ends a turn at the runtime's limit.
    LimitReached,
    /// Ends a turn by the user's hand.
    TurnInterrupted,
    /// Takes turns back.
    RolledBack,
    /// A tool call without a result.
    OpenCall,
    /// A question without an answer.
    OpenQuestion,
    /// The newest step of an open turn.
    TurnStep,
    /// A record of a turn that had ended before.
    LateRecord,
}

impl Finding {
    /// How a turn's end reads.
    pub(crate) const fn of_end(state: SessionState) -> Self {
        match state {
            SessionState::RateLimited => Self::LimitReached,
            SessionState::Errored => Self::TurnFailed,
            SessionState::Interrupted => Self::TurnInterrupted,
            SessionState::Idle
            | SessionState::Background
            | SessionState::Running
            | SessionState::WaitingPermission
            | SessionState::WaitingAnswer
            | SessionState::Ended
            | SessionState::Unknown => Self::TurnFinished,
        }
    }

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SessionMeta => "session_meta",
            Self::TurnStarted => "turn_started",
            Self::TurnFinished => "turn_finished",
            Self::TurnFailed => "turn_failed",
            Self::LimitReached => "limit_reached",
            Self::TurnInterrupted => "turn_interrupted",
            Self::RolledBack => "rolled_back",
            Self::OpenCall => "open_call",
            Self::OpenQuestion => "open_question",
            Self::TurnStep => "turn_step",
            Self::LateRecord => "late_record",
        }
    }
}

/// Why a file could not be looked at. Never holds its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the session file: {}", kind.word())]
pub struct InspectError {
    /// The kind of trouble.
    pub kind: SkipKind,
}

impl From<SkipKind> for InspectError {
    fn from(kind: SkipKind) -> Self {
        Self { kind }
    }
}

/// Looks closely at one file. With `live`, the live signals that stand beside it in those sources count too.
pub fn inspect(
    path: &Path,
    runtime: Runtime,
    key: &InstallKey,
    now: Timestamp,
    live: Option<&Sources>,
) -> Result<Inspection, InspectError> {
    match runtime {
        Runtime::Codex => codex::inspect(path, key, now, live),
        Runtime::ClaudeCode => claude_code::inspect(path, key, now, live),
    }
}
