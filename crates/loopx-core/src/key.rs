//! The caller's own names for a command and for a turn, and the name of a command in the log.
//!
//! Each is screened when it is made and when it is read back, for a log comes from elsewhere too: all three are shown.

use std::fmt;

use loopx_contract::{IdError, IdKind};
use loopx_safety::{Local, PublicText};
use serde::{Deserialize, Serialize};

/// The longest key, in characters.
pub const KEY_MAX: usize = 128;

/// The longest name of a command, in characters.
const NAME_MAX: usize = 40;

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "PublicText<Local, KEY_MAX>")]
        pub struct $name(PublicText<Local, KEY_MAX>);

        impl $name {
            /// Parses and screens: 1 to 128 characters, no white space or control characters.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                let kind = IdKind::Reference;
                let length = text.chars().count();
                if length == 0 || length > KEY_MAX {
                    return Err(IdError::Length { kind, length, max: KEY_MAX });
                }
                no_space(text)?;
                PublicText::new(text).map(Self).map_err(|refusal| IdError::Unsafe { kind, refusal })
            }

            /// The characters.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl TryFrom<PublicText<Local, KEY_MAX>> for $name {
            type Error = IdError;
            fn try_from(text: PublicText<Local, KEY_MAX>) -> Result<Self, IdError> {
                no_space(text.as_str())?;
                Ok(Self(text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

key! {
    /// The caller's name for one command: a retry with the same key is the same command.
    IdempotencyKey
}
key! {
    /// A turn key: a retry of the same spend is the same spend.
    TurnKey
}

fn no_space(text: &str) -> Result<(), IdError> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let (kind, want) = (IdKind::Reference, "no white space or control characters");
        return Err(IdError::Malformed { kind, want });
    }
    Ok(())
}

/// The name of a command, as on the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PublicText<Local, NAME_MAX>")]
pub struct CommandName(PublicText<Local, NAME_MAX>);

impl CommandName {
    /// The characters.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl From<&'static str> for CommandName {
    /// A name of our own; the tests of names find one that can't be said.
    fn from(name: &'static str) -> Self {
        Self(PublicText::new(name).unwrap_or_else(|_| PublicText::purged()))
    }
}

impl TryFrom<PublicText<Local, NAME_MAX>> for CommandName {
    type Error = IdError;
    fn try_from(text: PublicText<Local, NAME_MAX>) -> Result<Self, IdError> {
        let shaped = text.as_str().bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b' ' | b'-'));
        if shaped || text.is_purged() {
            return Ok(Self(text));
        }
        Err(IdError::Malformed { kind: IdKind::Reference, want: "lower-case letters, spaces and '-'" })
    }
}

impl fmt::Display for CommandName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: serde::de::DeserializeOwned>(text: &str) -> bool {
        serde_json::from_value::<T>(text.into()).is_ok()
    }

    #[test]
    fn a_key_of_a_foreign_log_is_screened_as_if_it_was_typed() {
        let path = format!("{}/x/y", "/home");
        for text in ["turn-1", "é", "2026-11-30T10:00"] {
            assert!(TurnKey::parse(text).is_ok() && read::<TurnKey>(text), "{text}");
            assert!(IdempotencyKey::parse(text).is_ok() && read::<IdempotencyKey>(text), "{text}");
        }
        for text in ["", "a b", "a\tb", "a\u{1b}b", "a\u{202e}b", &path, &"a".repeat(129)] {
            assert!(TurnKey::parse(text).is_err() && !read::<TurnKey>(text), "{text:?}");
            assert!(IdempotencyKey::parse(text).is_err() && !read::<IdempotencyKey>(text), "{text:?}");
        }
    }

    #[test]
    fn a_name_of_a_foreign_log_is_no_room_for_a_text() {
        for text in ["todo add", "next --claim", "purge", "handoff follow-up"] {
            assert_eq!(CommandName::from(text).as_str(), text);
            assert!(read::<CommandName>(text), "{text}");
        }
        for text in ["", "Todo", "see acme.example.org", "a\nb", "é", &"a".repeat(41)] {
            assert!(!read::<CommandName>(text), "{text:?}");
        }
    }
}
