//! Handles: how we name a runtime's thing without its name.
//!
//! A handle is a prefix and 26 base32 digits (128 bits) of a BLAKE3 keyed hash over kind, install id, runtime and
//! native id. The key is random and local, so that a guessable native id can't be tried out against the handle.

mod key;

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::base32;
use crate::refusal::{Class, Refusal};
pub use key::{InstallKey, NewInstall};

/// What a handle names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleKind {
    /// A session of a runtime.
    Session,
    /// One record or happening of a session.
    Event,
    /// What came of a run.
    Outcome,
    /// A runtime's file.
    File,
    /// A project folder.
    Folder,
}

impl HandleKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Session, Self::Event, Self::Outcome, Self::File, Self::Folder];

    /// The part before the `_`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Session => "ses",
            Self::Event => "evt",
            Self::Outcome => "out",
            Self::File => "fil",
            Self::Folder => "fol",
        }
    }

    /// BLAKE3's context string of the key of this kind. Part of the format: a change renames every handle.
    const fn context(self) -> &'static str {
        match self {
            Self::Session => "loopx.dev 2026-11-30 handle v1 session",
            Self::Event => "loopx.dev 2026-11-30 handle v1 event",
            Self::Outcome => "loopx.dev 2026-11-30 handle v1 outcome",
            Self::File => "loopx.dev 2026-11-30 handle v1 file",
            Self::Folder => "loopx.dev 2026-11-30 handle v1 folder",
        }
    }
}

/// An opaque name of a runtime's thing, such as `ses_` and 26 base32 digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    kind: HandleKind,
    body: [u8; base32::LEN_128],
}

impl Handle {
    /// Reads a handle. Anything but a known prefix and 26 base32 digits is refused.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let refused = || Refusal::at(Class::Handle, text, 0..text.len());
        let (prefix, body) = text.split_once('_').ok_or_else(refused)?;
        let kind = HandleKind::ALL.into_iter().find(|kind| kind.prefix() == prefix).ok_or_else(refused)?;
        let body: [u8; base32::LEN_128] = body.as_bytes().try_into().map_err(|_| refused())?;
        if body.iter().all(|&byte| base32::is_digit(byte)) { Ok(Self { kind, body }) } else { Err(refused()) }
    }

    /// What it names.
    pub const fn kind(&self) -> HandleKind {
        self.kind
    }

    /// The digits after the `_`.
    pub fn digits(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}_{}", self.kind.prefix(), self.digits()))
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({self})")
    }
}

impl FromStr for Handle {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        Self::parse(text)
    }
}

impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Handle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl JsonSchema for Handle {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Handle".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An opaque name of a runtime's thing.",
            "type": "string",
            "pattern": "^(ses|evt|out|fil)_[0-9a-hjkmnp-tv-z]{26}$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> InstallKey {
        InstallKey::from_bytes([7; 32], "0123456789abcdef")
    }

    #[test]
    fn a_handle_is_stable_and_round_trips() {
        for kind in HandleKind::ALL {
            let handle = key().handle(kind, "codex_exec", "native");
            assert_eq!(handle, key().handle(kind, "codex_exec", "native"));
            let text = handle.to_string();
            assert_eq!(text.len(), 30);
            assert_eq!(Handle::parse(&text).unwrap(), handle);
            let json = serde_json::to_string(&handle).unwrap();
            assert_eq!(serde_json::from_str::<Handle>(&json).unwrap(), handle);
        }
    }

    #[test]
    fn what_we_did_not_mint_is_refused_without_an_echo() {
        for text in ["", "ses_", "ses", "run_00000000000000000000000000", "ses_0000000000000000000000000i"] {
            let refusal = Handle::parse(text).unwrap_err();
            assert_eq!(refusal.class, Class::Handle);
        }
        let error = serde_json::from_str::<Handle>("\"canary\"").unwrap_err().to_string();
        assert!(!error.contains("canary"));
    }
}
