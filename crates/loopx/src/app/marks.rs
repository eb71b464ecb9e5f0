//! How far each locked goal's log went when it was last signed, kept in `authority.json` and signed as a whole: so a
//! log that was written anew without its lock, or cut off, is told from the one that was signed.

use std::collections::BTreeMap;

use ed25519_dalek::{Signature, VerifyingKey};
use loopx_contract::GoalId;
use loopx_core::AuthorityKey;
use loopx_store::{Signer, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::app::keyring::{hex, unhex};

/// What sets this message apart from any other that a key may sign.
const PURPOSE: &[u8] = b"loopx.dev locked marks 1";

/// The goals that are locked here.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Marks {
    goals: BTreeMap<GoalId, Mark>,
    /// By the newest key, in hexadecimal; none while there is no mark.
    signature: Option<String>,
}

/// The last event of a goal that was signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    revision: u64,
    /// Its checksum, in hexadecimal.
    hash: String,
}

impl Marks {
    /// Whether this key signed them; none are signed by anybody.
    pub fn are_signed_by(&self, key: &AuthorityKey) -> bool {
        let Some(signature) = &self.signature else { return self.goals.is_empty() };
        let signature = unhex(signature).and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        let valid = |signature: [u8; 64]| {
            let key = VerifyingKey::from_bytes(key.bytes()).ok()?;
            key.verify_strict(&self.message(), &Signature::from_bytes(&signature)).ok()
        };
        signature.and_then(valid).is_some()
    }

    /// The marked goals whose log here is not the one that was signed.
    pub fn differ(&self, store: &mut dyn Store) -> Result<Vec<GoalId>, StoreError> {
        let mut differ = Vec::new();
        for goal in self.goals.keys() {
            if !self.agrees(goal, store)? {
                differ.push(goal.clone());
            }
        }
        Ok(differ)
    }

    /// Whether a goal's log is the one that was signed, as far as it was; one without a mark is.
    pub fn agrees(&self, goal: &GoalId, store: &mut dyn Store) -> Result<bool, StoreError> {
        let Some(mark) = self.goals.get(goal) else { return Ok(true) };
        match store.checksum(goal, mark.revision) {
            Ok(hash) => Ok(hash.is_some_and(|hash| hex(&hash) == mark.hash)),
            // What is damaged is said of it already.
            Err(StoreError::Damaged(_)) => Ok(true),
            Err(StoreError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Marks how far a goal's log goes.
    pub fn set(&mut self, goal: &GoalId, revision: u64, hash: &[u8; 32]) {
        self.goals.insert(goal.clone(), Mark { revision, hash: hex(hash) });
    }

    /// Forgets these goals.
    pub fn forget(&mut self, goals: &[GoalId]) {
        self.goals.retain(|goal, _| !goals.contains(goal));
    }

    /// Signs them anew.
    pub fn sign(&mut self, signer: &dyn Signer) {
        self.signature = Some(hex(&signer.sign(&self.message())));
    }

    fn message(&self) -> Vec<u8> {
        let mut message = PURPOSE.to_vec();
        for (goal, mark) in &self.goals {
            message.extend(format!("\0{goal}\0{}\0{}", mark.revision, mark.hash).bytes());
        }
        message
    }
}
