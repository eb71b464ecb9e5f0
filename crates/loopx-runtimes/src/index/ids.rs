//! Maps whose keys are hashes already.

use std::hash::{BuildHasherDefault, Hasher};

/// Takes a key for its own hash.
pub type ById = BuildHasherDefault<Itself>;

/// A hasher that gives back what it was given.
#[derive(Default)]
pub struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write_i64(&mut self, key: i64) {
        self.0 = key.cast_unsigned();
    }
}
