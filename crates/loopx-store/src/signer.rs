//! Who signs decisions.

use loopx_core::AuthorityKey;

/// A key that was opened, to sign decisions with. The store holds no private key and asks for none.
pub trait Signer {
    /// Its public half, as it stands in the logs.
    fn public_key(&self) -> AuthorityKey;

    /// The ed25519 signature of a message.
    fn sign(&self, message: &[u8]) -> [u8; 64];
}
