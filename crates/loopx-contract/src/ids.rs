//! Identifiers: the join keys of a handoff.
//!
//! Ids that LoopX mints are a prefix and a short sortable suffix; any id of the contract's shape parses, so that
//! `todo_123` is as good as a minted one. Slugs and references are screened like any other public text.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use loopx_safety::{Refusal, TierKind, screen};
use serde::{Deserialize, Serialize};

/// What an identifier names; used in errors and refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    /// A goal slug.
    Goal,
    /// An agent slug.
    Agent,
    /// A runtime family.
    Runtime,
    /// A todo.
    Todo,
    /// A gate.
    Gate,
    /// A run.
    Run,
    /// A reward.
    Reward,
    /// A handoff.
    Handoff,
    /// A reference to something of a runtime's.
    Reference,
}

impl IdKind {
    /// The word for people, lower case.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Goal => "goal id",
            Self::Agent => "agent id",
            Self::Runtime => "runtime id",
            Self::Todo => "todo id",
            Self::Gate => "gate id",
            Self::Run => "run id",
            Self::Reward => "reward id",
            Self::Handoff => "handoff id",
            Self::Reference => "reference",
        }
    }
}

/// Why a string is no identifier. Never holds the string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Wrong alphabet or shape.
    #[error("malformed {}: {want}", kind.word())]
    Malformed {
        /// What was being parsed.
        kind: IdKind,
        /// The shape it must have.
        want: &'static str,
    },
    /// Empty or over the length.
    #[error("{} of {length} characters: 1 to {max} are allowed", kind.word())]
    Length {
        /// What was being parsed.
        kind: IdKind,
        /// Its length in characters.
        length: usize,
        /// The most allowed.
        max: usize,
    },
    /// The screen refused it.
    #[error("{} refused: {refusal}", kind.word())]
    Unsafe {
        /// What was being parsed.
        kind: IdKind,
        /// What the screen said.
        refusal: Refusal,
    },
}

fn bounded(kind: IdKind, text: &str, max: usize) -> Result<(), IdError> {
    let length = text.chars().count();
    if length == 0 || length > max {
        return Err(IdError::Length { kind, length, max });
    }
    Ok(())
}

fn screened(kind: IdKind, text: &str, max: usize) -> Result<(), IdError> {
    screen(text, TierKind::Local, max).map_err(|refusal| IdError::Unsafe { kind, refusal })
}

/// The sortable part of an id LoopX mints: 80 bits of a UUID v7 (its 48 bits of milliseconds, then 32 random
/// ones), in 16 characters of base32 without look-alike letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suffix(String);

impl Suffix {
    /// Takes the time and the first random bits of a UUID v7.
    pub fn from_uuid(id: uuid::Uuid) -> Self {
        let id = id.as_u128();
        let time = id >> 80;
        let random_a = (id >> 64) & 0xfff;
        let random_b = (id >> 42) & 0xf_ffff;
        let bits = time << 32 | random_a << 20 | random_b;
        Self(loopx_safety::base32::encode(&bits.to_be_bytes()[6..]))
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! string_type {
    ($(#[$doc:meta])* $name:ident, $kind:expr, $max:expr, $pattern:literal, $parse:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(try_from = "String")]
        #[schemars(with = "String", extend("pattern" = $pattern, "maxLength" = $max))]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses and screens.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                $parse($kind, text, $max)?;
                Ok(Self(text.into()))
            }

            /// The characters.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                $parse($kind, &text, $max)?;
                Ok(Self(text.into()))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.as_str().to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

fn slug(kind: IdKind, text: &str, max: usize) -> Result<(), IdError> {
    bounded(kind, text, max)?;
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphanumeric());
    if !first || !bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')) {
        return Err(IdError::Malformed {
            kind,
            want: "a letter or digit, then letters, digits, '_', '.' or '-'",
        });
    }
    screened(kind, text, max)
}

fn runtime(kind: IdKind, text: &str, max: usize) -> Result<(), IdError> {
    bounded(kind, text, max)?;
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_lowercase());
    if !first || !bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
        return Err(IdError::Malformed {
            kind,
            want: "a lower-case letter, then lower-case letters, digits or '_'",
        });
    }
    screened(kind, text, max)
}

fn reference(kind: IdKind, text: &str, max: usize) -> Result<(), IdError> {
    bounded(kind, text, max)?;
    if text.chars().any(char::is_whitespace) {
        return Err(IdError::Malformed { kind, want: "no white space" });
    }
    screened(kind, text, max)
}

string_type! {
    /// A stable goal: a slug, never `.` or `..`.
    GoalId, IdKind::Goal, 120, "^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$", slug
}
string_type! {
    /// A registered lane, automation or human: a slug.
    AgentId, IdKind::Agent, 120, "^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$", slug
}
string_type! {
    /// A public-safe runtime family; an open vocabulary.
    RuntimeId, IdKind::Runtime, 64, "^[a-z][a-z0-9_]{0,63}$", runtime
}
string_type! {
    /// A reference to something of a runtime's: an opaque handle, never evidence.
    Ref, IdKind::Reference, 64, "^\\S{1,64}$", reference
}

/// Characters of a minted suffix.
const MINTED: usize = 16;

macro_rules! minted {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $kind:expr, $pattern:literal, $check:ident) => {
        fn $check(kind: IdKind, text: &str, max: usize) -> Result<(), IdError> {
            bounded(kind, text, max)?;
            let rest = text.strip_prefix($prefix).unwrap_or_default();
            if rest.is_empty() || !rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
                return Err(IdError::Malformed { kind, want: concat!("'", $prefix, "' and letters, digits, '_' or '-'") });
            }
            // What we minted says nothing: a time and 32 random bits.
            if rest.len() == MINTED && loopx_safety::base32::is_base32(rest) {
                return Ok(());
            }
            screened(kind, text, max)
        }

        string_type! { $(#[$doc])* $name, $kind, 64, $pattern, $check }

        impl $name {
            /// What every id of this kind starts with.
            pub const PREFIX: &'static str = $prefix;

            /// An id of our own.
            pub fn mint(suffix: &Suffix) -> Self {
                Self(format!("{}{}", $prefix, suffix.as_str()).into())
            }
        }
    };
}

minted! {
    /// A todo.
    TodoId, "todo_", IdKind::Todo, "^todo_[A-Za-z0-9_-]+$", todo_id
}
minted! {
    /// A gate: a decision somebody must take.
    GateId, "gate_", IdKind::Gate, "^gate_[A-Za-z0-9_-]+$", gate_id
}
minted! {
    /// One entry of run history.
    RunId, "run_", IdKind::Run, "^run_[A-Za-z0-9_-]+$", run_id
}
minted! {
    /// A person's judgement of one run.
    RewardId, "rew_", IdKind::Reward, "^rew_[A-Za-z0-9_-]+$", reward_id
}
minted! {
    /// A handoff between lanes.
    HandoffId, "hof_", IdKind::Handoff, "^hof_[A-Za-z0-9_-]+$", handoff_id
}

impl From<loopx_safety::Handle> for Ref {
    fn from(handle: loopx_safety::Handle) -> Self {
        Self(handle.to_string().into())
    }
}

impl RuntimeId {
    /// A worker of the user's own.
    pub const CUSTOM_WORKER: &str = "custom_worker";

    /// The runtimes of the contract's vocabulary that are not the user's own; it is open, and any other word may be one.
    pub const BUILT_IN: [&str; 14] = [
        "codex_cli_tui",
        "codex_exec",
        "codex_vscode",
        "claude_code",
        "cursor_ide",
        "cursor_cli",
        "gemini_cli",
        "opencode",
        "copilot_cli",
        "pi",
        "goose",
        "amp",
        "crush",
        "aider",
    ];

    /// The runtime of a projection with no session attached.
    pub fn none() -> Self {
        Self("none".into())
    }

    /// Whether the word is a runtime's that is not the user's own, the word of its family, or the one for no runtime.
    pub fn is_built_in(&self) -> bool {
        matches!(self.as_str(), "none" | "codex" | "claude" | "cursor" | "gemini" | "copilot")
            || Self::BUILT_IN.contains(&self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minted_ids_sort_by_time() {
        let suffix =
            |ms| Suffix::from_uuid(uuid::Builder::from_unix_timestamp_millis(ms, &[7; 10]).into_uuid());
        let (early, late) =
            (TodoId::mint(&suffix(1_795_995_000_000)), TodoId::mint(&suffix(1_795_995_000_001)));
        assert!(early < late);
        assert_eq!(early.as_str().len(), "todo_".len() + 16);
        assert_eq!(TodoId::parse(early.as_str()).as_ref(), Ok(&early));
    }

    #[test]
    fn shapes_of_the_contract_parse() {
        assert!(TodoId::parse("todo_123").is_ok());
        assert!(Ref::parse("public-safe-session-handle").is_ok());
        assert!(GoalId::parse("loopx-meta").is_ok());
        assert!(RuntimeId::parse("codex_cli_tui").is_ok());
    }

    #[test]
    fn malformed_ids_are_refused() {
        for text in ["", ".", "..", "a b", "-a", "a/b", "é", &"a".repeat(121)] {
            assert!(GoalId::parse(text).is_err(), "{text:?}");
        }
        for text in ["todo_", "todo", "gate_1", "todo_a b", "todo_é"] {
            assert!(TodoId::parse(text).is_err(), "{text:?}");
        }
        assert!(GoalId::parse(&format!("gh{}_{}", 'p', "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")).is_err());
    }
}
