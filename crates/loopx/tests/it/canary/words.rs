//! Canaries: made from a counter, unique per place, of a form that survives as a name and an id.

use std::collections::BTreeSet;

/// One planted string.
pub struct Canary {
    /// It.
    pub text: String,
    /// Where it was planted: a recording and a field's path, or a thing of the machine.
    pub place: String,
    /// What kind of place that is.
    pub kind: Kind,
}

/// What kind of place a canary was planted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something a session said or was told.
    Said,
    /// An id of the runtime, a folder or a branch: what the index may hold.
    Indexed,
    /// In the path of the folder that a person bound: what the store keeps as a pointer.
    Bound,
}

/// All that were planted.
#[derive(Default)]
pub struct Canaries {
    planted: Vec<Canary>,
    seen: BTreeSet<String>,
}

impl Canaries {
    /// A word: 16 lowercase letters and digits, a letter first.
    pub fn word(&mut self, kind: Kind, place: &str) -> String {
        self.plant(kind, place, |noise| {
            let mut text = String::from(char::from(b'a' + noise.below(26)));
            text.extend(
                (1..16).map(|_| {
                    char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[usize::from(noise.below(36))])
                }),
            );
            text
        })
    }

    /// Something of the form of a UUID.
    pub fn uuid(&mut self, kind: Kind, place: &str) -> String {
        self.plant(kind, place, |noise| {
            let hex = noise.hex();
            format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
        })
    }

    /// 32 hex digits.
    pub fn hex(&mut self, kind: Kind, place: &str) -> String {
        self.plant(kind, place, Noise::hex)
    }

    /// All of them.
    pub fn planted(&self) -> &[Canary] {
        &self.planted
    }

    fn plant(&mut self, kind: Kind, place: &str, make: impl Fn(&mut Noise) -> String) -> String {
        let text = make(&mut Noise(0x6c6f_6f70 ^ (self.planted.len() as u64) << 20));
        assert!(self.seen.insert(text.clone()), "two canaries are the same");
        self.planted.push(Canary { text: text.clone(), place: place.to_owned(), kind });
        text
    }
}

/// Splitmix64.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u8) -> u8 {
        u8::try_from(self.next() % u64::from(end)).expect("a byte")
    }

    fn hex(&mut self) -> String {
        format!("{:016x}{:016x}", self.next(), self.next())
    }
}
