//! Texts that passed the whole screen lately: the same few are asked about over and over, and the answer is the same.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::text::ACTION_MAX;
use crate::tier::TierKind;

/// How many are kept for a tier, by each thread.
const MOST: usize = 2_048;

/// The longest that is kept, in bytes: whole files are screened too.
const LONGEST: usize = ACTION_MAX;

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
    text.len() <= LONGEST && PASSED.with_borrow_mut(|passed| passed.at(tier).contains(text))
}

/// This has passed.
pub(super) fn put(text: &str, tier: TierKind) {
    if text.len() > LONGEST {
        return;
    }
    PASSED.with_borrow_mut(|passed| {
        let passed = passed.at(tier);
        if passed.len() >= MOST {
            passed.clear();
        }
        passed.insert(text.into());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_was_kept() {
        for (length, is_kept) in [(LONGEST, true), (LONGEST + 1, false)] {
            let text = "a".repeat(length);
            put(&text, TierKind::Local);
            assert_eq!(has(&text, TierKind::Local), is_kept);
        }
        for number in 0..MOST * 3 {
            put(&number.to_string(), TierKind::Showcase);
        }
        assert!(PASSED.with_borrow(|passed| passed.showcase.len() <= MOST));
    }
}
