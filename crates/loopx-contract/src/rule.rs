//! The rules that give a session's state: which one did is part of the facts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which rule gave a session's state. With the tier it says what the state rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A command runs inside the session.
    CallsIn,
    /// A live source says that it works.
    Works,
    /// A live source says that it waits for the user.
    Asks,
    /// A live source says that no turn is open.
    NoTurn,
    /// A live source says that the session is over.
    Over,
    /// The file has a turn open, and no call.
    TurnOpen,
    /// A call is open, and whether it asks or runs is not told.
    CallOpen,
    /// A call is open that can't ask.
    NeverAsks,
    /// A question is open, and a question can't run.
    QuestionOpen,
    /// The file has the turn ended.
    TurnEnded,
    /// The turn's end is inferred, as this version marks none.
    EndInferred,
    /// A command came after the turn's end, which may have begun another.
    CommandAfterEnd,
    /// The newest record is lost.
    RecordLost,
    /// Nothing says how the session stands.
    NothingTold,
    /// Its turn ended, and a session that it started works.
    ChildWorks,
    /// Its turn ended, and whether a session that it started works or asks is not told.
    ChildOpen,
    /// Nothing works or asks without a process: it is gone, or unproved for too long.
    NoProcess,
}

impl Rule {
    /// The rule in a reader's words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::CallsIn => "a command runs inside it",
            Self::Works => "it is said to work",
            Self::Asks => "it is said to wait for the user",
            Self::NoTurn => "it is said to have no turn open",
            Self::Over => "it is said to be over",
            Self::TurnOpen => "a turn is open, and no call",
            Self::CallOpen => "a call is open that may ask or run",
            Self::NeverAsks => "a call is open that can't ask",
            Self::QuestionOpen => "a question is open",
            Self::TurnEnded => "the turn ended",
            Self::EndInferred => "the turn seems to have ended",
            Self::CommandAfterEnd => "a command came after the turn's end",
            Self::RecordLost => "the newest record is lost",
            Self::NothingTold => "nothing says how it stands",
            Self::ChildWorks => "the turn ended, and a session that it started works",
            Self::ChildOpen => "the turn ended, and a session that it started may work or ask",
            Self::NoProcess => "no process is proved to work on it",
        }
    }

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CallsIn => "calls_in",
            Self::Works => "works",
            Self::Asks => "asks",
            Self::NoTurn => "no_turn",
            Self::Over => "over",
            Self::TurnOpen => "turn_open",
            Self::CallOpen => "call_open",
            Self::NeverAsks => "never_asks",
            Self::QuestionOpen => "question_open",
            Self::TurnEnded => "turn_ended",
            Self::EndInferred => "end_inferred",
            Self::CommandAfterEnd => "command_after_end",
            Self::RecordLost => "record_lost",
            Self::NothingTold => "nothing_told",
            Self::ChildWorks => "child_works",
            Self::ChildOpen => "child_open",
            Self::NoProcess => "no_process",
        }
    }
}
