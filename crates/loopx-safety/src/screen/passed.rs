//! Texts that passed the whole screen lately: the same few are asked about over and over, and the answer is the same.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::tier::TierKind;

/// How many are kept for a tier, by each thread.
const MOST: usize = 2_048;

thread_local! {
    static PASSED: RefCell<Passed> = RefCell::default();
}

#[derive(Default)]
struct Passed {
    local: HashSet<Box<str>>,
    showcase: HashSet<Box<str>>,
}

impl Passed {
    fn at(&mut self, tier: TierKind) -> &mut HashSet<Box<str>> {
        match tier {
            TierKind::Local => &mut self.local,
            TierKind::Showcase => &mut self.showcase,
        }
    }
}

/// Whether this passed, whatever its length.
pub(super) fn has(text: &str, tier: TierKind) -> bool {
    PASSED.with_borrow_mut(|passed| passed.at(tier).contains(text))
}

/// This has passed.
pub(super) fn put(text: &str, tier: TierKind) {
    PASSED.with_borrow_mut(|passed| {
        let passed = passed.at(tier);
        if passed.len() >= MOST {
            passed.clear();
        }
        passed.insert(text.into());
    });
}
