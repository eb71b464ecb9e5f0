//! How much is tried, and what came of it.

use super::case::Case;

/// Whether everything is tried, or a part of it.
#[expect(clippy::disallowed_methods, reason = "a test may be asked to try everything")]
pub fn is_full() -> bool {
    std::env::var("LOOPX_CORRUPTION").is_ok_and(|how| how == "full")
}

/// What a test tries.
pub struct Trial {
    name: &'static str,
    every: usize,
    seen: usize,
    tried: usize,
    wrong: Vec<String>,
}

impl Trial {
    /// Tries one of so many, or all of them where that was asked for.
    pub fn new(name: &'static str, every: usize) -> Self {
        Self { name, every: if is_full() { 1 } else { every }, seen: 0, tried: 0, wrong: Vec::new() }
    }

    /// Whether the next one is tried.
    pub fn takes(&mut self) -> bool {
        self.seen += 1;
        let taken = self.seen.is_multiple_of(self.every);
        self.tried += usize::from(taken);
        taken
    }

    /// Notes what is wrong with one.
    pub fn note(&mut self, case: &Case, what: impl FnOnce() -> String, wrong: &[String]) {
        if !wrong.is_empty() {
            self.wrong.push(format!("{}, {}: {}", case.name, what(), wrong.join("; ")));
        }
    }

    /// All were tried.
    #[expect(clippy::print_stdout, reason = "how much was tried is the result")]
    pub fn end(self) {
        println!("{}: {} of {} tried, {} wrong", self.name, self.tried, self.seen, self.wrong.len());
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(self.tried > 0, "nothing was tried");
    }
}

/// Seeded chance.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % end as u64).unwrap()
    }
}
