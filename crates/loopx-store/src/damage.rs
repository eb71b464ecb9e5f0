//! What can be wrong with a store, and the one way out of it.

use loopx_contract::GoalId;
use serde::{Deserialize, Serialize};

/// A part of the store that can't be trusted. Its goal is closed for reading and writing; others go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// Whose log; none: the store as a whole.
    pub goal: Option<GoalId>,
    /// What is wrong.
    pub code: DamageCode,
}

/// What is wrong with a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DamageCode {
    /// The file is gone, though the seal says that there was one.
    MissingFile,
    /// The file is not a database of ours.
    NotADatabase,
    /// The database can't be read there.
    Unreadable,
    /// An event's checksum does not follow from the one before it.
    ChainBroken,
    /// An event is missing.
    EventMissing,
    /// A text is not the one that the event was written with, or is gone without a purge.
    TextChanged,
    /// An event can't be understood.
    UnknownEvent,
    /// What is kept ready to read differs from the log.
    RowsDiffer,
    /// The idempotency keys differ from what was written.
    KeysDiffer,
    /// The goal's head differs from its log.
    HeadDiffers,
    /// A decision is not signed by the key that its goal names.
    UnsignedDecision,
    /// The log is shorter than, or other than, the one that was last seen.
    RolledBack,
}

impl DamageCode {
    /// Its name in `--json`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::MissingFile => "missing_file",
            Self::NotADatabase => "not_a_database",
            Self::Unreadable => "unreadable",
            Self::ChainBroken => "chain_broken",
            Self::EventMissing => "event_missing",
            Self::TextChanged => "text_changed",
            Self::UnknownEvent => "unknown_event",
            Self::RowsDiffer => "rows_differ",
            Self::KeysDiffer => "keys_differ",
            Self::HeadDiffers => "head_differs",
            Self::UnsignedDecision => "unsigned_decision",
            Self::RolledBack => "rolled_back",
        }
    }

    /// What that means, for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::MissingFile => "the database file is gone",
            Self::NotADatabase => "the file is not a database of LoopX",
            Self::Unreadable => "the database can't be read there",
            Self::ChainBroken => "an event was changed after it was written",
            Self::EventMissing => "an event is missing from the log",
            Self::TextChanged => "a text was changed or removed after it was written",
            Self::UnknownEvent => "an event can't be understood by this version",
            Self::RowsDiffer => "what is kept ready to read differs from the log",
            Self::KeysDiffer => "idempotency keys were changed after they were written",
            Self::HeadDiffers => "the goal's head differs from its log",
            Self::UnsignedDecision => "a decision is not signed by the goal's key: LoopX did not write it",
            Self::RolledBack => "the log is older than the one that was last seen",
        }
    }
}

impl Damage {
    /// The one way out, as a command. Files are named relative to the base folder.
    pub fn way_out(&self) -> String {
        match self.code {
            DamageCode::RolledBack => {
                "put the newer copy back with `loopx restore FILE`; if this older copy is meant, \
                 accept it: `rm seal.json`"
                    .to_owned()
            }
            DamageCode::RowsDiffer => {
                "the log itself is sound: rebuild from it with `loopx doctor --rebuild`".to_owned()
            }
            DamageCode::UnknownEvent => "upgrade loopx, then `loopx doctor`".to_owned(),
            DamageCode::MissingFile | DamageCode::NotADatabase => {
                "put a backup back: `loopx restore FILE`; without one, start over: `rm seal.json`".to_owned()
            }
            DamageCode::Unreadable
            | DamageCode::ChainBroken
            | DamageCode::EventMissing
            | DamageCode::TextChanged
            | DamageCode::KeysDiffer
            | DamageCode::HeadDiffers
            | DamageCode::UnsignedDecision => {
                "put a backup back: `loopx restore FILE`; without one, save the sound goals: \
                 `loopx export > sound.jsonl`, then import them into a new folder"
                    .to_owned()
            }
        }
    }
}
