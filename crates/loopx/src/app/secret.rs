//! Secrets that are given away once, and the digests that are kept of them.

use loopx_safety::base32;
use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// A digest of a secret: a secret itself is kept by whoever shows it. Nothing leads back from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(blake3::Hash);

impl Digest {
    /// Of a secret. Comparing digests takes the same time whatever they are.
    pub fn of(secret: &str) -> Self {
        Self(blake3::hash(secret.as_bytes()))
    }

    /// Of a secret that is good in one place alone.
    pub fn of_one(place: &str, secret: &str) -> Self {
        Self::of(&format!("{place}/{secret}"))
    }

    /// As bytes, to be told from others by.
    pub const fn bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.to_hex().as_str())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        blake3::Hash::from_hex(hex).map(Self).map_err(serde::de::Error::custom)
    }
}

/// 32 bytes that nobody can guess, as letters and digits.
pub fn draw() -> Result<String, CliError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|_| CliError::internal("failed to draw a code: the system gives no random numbers"))?;
    Ok(base32::encode(&bytes))
}
