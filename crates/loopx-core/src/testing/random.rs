//! Seeded chance: `SplitMix64`.

use loopx_contract::Suffix;

use crate::command::IdSource;

/// A seeded source of chance and of ids. Ids of one source sort in the order in which they were minted.
#[derive(Clone, Debug)]
pub struct Seeded {
    state: u64,
    minted: u64,
}

impl Seeded {
    /// The source of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed, minted: 0 }
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.bits() % end }
    }

    /// Yes in so many of a hundred cases.
    pub const fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of several, if there is one.
    pub fn pick<T: Clone>(&mut self, among: &[T]) -> Option<T> {
        let at = self.below(among.len() as u64);
        among.get(usize::try_from(at).unwrap_or_default()).cloned()
    }
}

impl IdSource for Seeded {
    fn suffix(&mut self) -> Suffix {
        self.minted += 1;
        let millis = 1_796_000_000_000 + self.minted;
        let bytes = self.bits().to_be_bytes();
        let mut random = [0; 10];
        random[..8].copy_from_slice(&bytes);
        Suffix::from_uuid(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }
}
