//! The local secret behind the handles.

use std::fmt;

use super::{Handle, HandleKind};
use crate::base32;
use crate::private::Private;

/// The local secret that handles are made with: 32 bytes and a random install id. Reading
/// and keeping them is the caller's.
#[derive(Clone)]
pub struct InstallKey {
    keys: [[u8; 32]; HandleKind::ALL.len()],
    install_id: String,
}

/// What a new installation has to keep, in a file that only its owner may read.
#[derive(Debug, Clone)]
pub struct NewInstall {
    /// The secret of [`InstallKey::from_bytes`].
    pub key: Private<[u8; 32]>,
    /// 16 base32 digits, random: host names change in containers and say who one is.
    pub install_id: String,
}

impl InstallKey {
    /// A key out of its stored parts.
    pub fn from_bytes(bytes: [u8; 32], install_id: &str) -> Self {
        let keys = HandleKind::ALL.map(|kind| blake3::derive_key(kind.context(), &bytes));
        Self { keys, install_id: install_id.to_owned() }
    }

    /// The parts of a new key, from the operating system's randomness. Fails only where that does.
    pub fn generate() -> Result<NewInstall, getrandom::Error> {
        let mut key = [0; 32];
        let mut id = [0; 10];
        getrandom::fill(&mut key)?;
        getrandom::fill(&mut id)?;
        Ok(NewInstall { key: Private::new(key), install_id: base32::encode(&id) })
    }

    /// The handle of a runtime's thing: the same for the same four parts, and telling nothing about them.
    pub fn handle(&self, kind: HandleKind, runtime: &str, native: &str) -> Handle {
        let mut hasher = blake3::Hasher::new_keyed(&self.keys[kind as usize]);
        for field in [self.install_id.as_str(), runtime, native] {
            // The length first, or ("ab", "c") and ("a", "bc") would be one thing.
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field.as_bytes());
        }
        let mut bits = [0; 16];
        hasher.finalize_xof().fill(&mut bits);
        let mut body = [b'0'; base32::LEN_128];
        for (to, from) in body.iter_mut().zip(base32::encode(&bits).bytes()) {
            *to = from;
        }
        Handle { kind, body }
    }
}

impl From<NewInstall> for InstallKey {
    fn from(new: NewInstall) -> Self {
        Self::from_bytes(new.key.into_exposed(), &new.install_id)
    }
}

impl fmt::Debug for InstallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstallKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> InstallKey {
        InstallKey::from_bytes([7; 32], "0123456789abcdef")
    }

    #[test]
    fn every_part_changes_the_handle() {
        let base = key().handle(HandleKind::Session, "ab", "c");
        let others = [
            key().handle(HandleKind::Event, "ab", "c"),
            key().handle(HandleKind::Session, "a", "bc"),
            key().handle(HandleKind::Session, "ab", "d"),
            InstallKey::from_bytes([7; 32], "other").handle(HandleKind::Session, "ab", "c"),
            InstallKey::from_bytes([8; 32], "0123456789abcdef").handle(HandleKind::Session, "ab", "c"),
        ];
        for other in others {
            assert_ne!(base.digits(), other.digits());
        }
    }

    #[test]
    fn debug_of_the_key_is_a_constant() {
        assert_eq!(format!("{:?}", key()), "InstallKey(..)");
        let new = InstallKey::generate().unwrap();
        assert_eq!(new.install_id.len(), base32::LEN_80);
        assert!(format!("{new:?}").contains("Private(..)"));
        assert_ne!(new.key.expose(), &[0; 32]);
    }
}
