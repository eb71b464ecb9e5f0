//! The key that signs a goal's decisions: its public half, as it stands in the log.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

/// An ed25519 public key; 64 hexadecimal digits in JSON. Checked for its length alone: the store verifies with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AuthorityKey([u8; 32]);

/// A text that is no public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 64 lower-case hexadecimal digits")]
pub struct NotAKey;

impl AuthorityKey {
    /// The key of these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Its first digits in two groups, to be compared by eye.
    pub fn short(&self) -> String {
        let text = self.to_string();
        format!("{}-{}", &text[..8], &text[8..16])
    }
}

impl fmt::Display for AuthorityKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for AuthorityKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "AuthorityKey({self})")
    }
}

impl From<AuthorityKey> for String {
    fn from(key: AuthorityKey) -> Self {
        let mut text = Self::with_capacity(64);
        let _never_fails = write!(text, "{key}");
        text
    }
}

impl TryFrom<String> for AuthorityKey {
    type Error = NotAKey;

    fn try_from(text: String) -> Result<Self, NotAKey> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(NotAKey);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| NotAKey)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| NotAKey)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_as_it_was_written() {
        let key = AuthorityKey::new(std::array::from_fn(|at| u8::try_from(at * 7).expect("small")));
        let text = serde_json::to_string(&key).expect("written");
        assert_eq!(serde_json::from_str::<AuthorityKey>(&text).expect("read"), key);
        for wrong in [text.to_uppercase(), text.replace('0', ""), text.replace('0', "g")] {
            assert!(serde_json::from_str::<AuthorityKey>(&wrong).is_err(), "{wrong}");
        }
    }
}
