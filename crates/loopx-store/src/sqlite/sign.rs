//! Signatures of decisions: made in the transaction that records them, checked whenever a goal is verified.
//!
//! What is signed is the event's checksum. That covers the goal, revision, instant, actor and body with its texts'
//! commitments, so that a purge keeps it valid; and everything before the event, so that one signed decision keeps the
//! whole history up to it from being written anew.

use ed25519_dalek::{Signature, VerifyingKey};
use loopx_core::{AuthorityKey, Event, Recorded, State, needs_signature};

use super::chain::Hash;
use super::fault::Fault;
use crate::damage::DamageCode;
use crate::signer::Signer;

/// What sets this message apart from any other that a key may sign.
const PURPOSE: &[u8; 24] = b"loopx.dev decision sig 1";

/// A signature as it is stored.
pub(crate) type Signed = [u8; 64];

fn message(hash: &Hash) -> [u8; 56] {
    let mut message = [0; 56];
    let (purpose, rest) = message.split_at_mut(PURPOSE.len());
    purpose.copy_from_slice(PURPOSE);
    rest.copy_from_slice(hash);
    message
}

/// The key that signs here, given the state before the event: the goal's, or the first one itself.
pub(crate) fn key_for(state: &State, recorded: &Recorded) -> Option<AuthorityKey> {
    let in_force = state.goal.as_ref().and_then(|goal| goal.authority_key);
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other event names a key")]
    match &recorded.event {
        Event::AuthorityLocked { public_key } => in_force.or(Some(*public_key)),
        _ => in_force,
    }
}

/// The signature of an event, if it is to have one. False if it is and the signer is not the one who can.
pub(crate) fn sign(
    state: &State,
    recorded: &Recorded,
    hash: &Hash,
    signer: Option<&dyn Signer>,
) -> Result<Option<Signed>, NotSigned> {
    let key = key_for(state, recorded);
    match signer.filter(|signer| key == Some(signer.public_key())) {
        Some(signer) => Ok(Some(signer.sign(&message(hash)))),
        None => match key {
            Some(key) if needs_signature(state, recorded) => Err(NotSigned(key)),
            Some(_) | None => Ok(None),
        },
    }
}

/// The key that should have signed.
pub(crate) struct NotSigned(pub(crate) AuthorityKey);

/// Checks the signature of an event that lies in the log, given the state before it.
pub(crate) fn check(
    state: &State,
    recorded: &Recorded,
    hash: &Hash,
    signature: Option<&Signed>,
) -> Result<(), Fault> {
    let valid = |key: &AuthorityKey, signature: &Signed| {
        VerifyingKey::from_bytes(key.bytes())
            .and_then(|key| key.verify_strict(&message(hash), &Signature::from_bytes(signature)))
            .is_ok()
    };
    let sound = match (key_for(state, recorded), signature) {
        (Some(key), Some(signature)) => valid(&key, signature),
        (Some(_), None) => !needs_signature(state, recorded),
        (None, Some(_)) => false,
        (None, None) => true,
    };
    if sound { Ok(()) } else { Err(Fault::Damaged(DamageCode::UnsignedDecision)) }
}
