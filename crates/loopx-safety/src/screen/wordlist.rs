//! Words that are looked for all at once, with nothing to build first: a short text costs a look at each of its bytes.

/// Whether a capital is as good as a small letter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// It is.
    Any,
    /// It is not.
    Exact,
}

/// The words, and for each byte at one of their first three places a bit for each that may have it there. Words whose
/// numbers differ by 64 share a bit.
pub(super) struct WordList {
    words: &'static [&'static str],
    case: Case,
    places: [[u64; 256]; PLACES],
}

const PLACES: usize = 3;
const BITS: usize = 64;

impl WordList {
    /// A list, made when the program is compiled.
    pub(super) const fn new(case: Case, words: &'static [&'static str]) -> Self {
        let mut places = [[0; 256]; PLACES];
        let mut nth = 0;
        while nth < words.len() {
            let (word, bit) = (words[nth].as_bytes(), 1 << (nth % BITS));
            let mut at = 0;
            while at < PLACES {
                let mut byte: u8 = 0;
                loop {
                    // Behind the end of a short word stands anything.
                    if at >= word.len() || is_same(case, word[at], byte) {
                        places[at][byte as usize] |= bit;
                    }
                    if byte == u8::MAX {
                        break;
                    }
                    byte += 1;
                }
                at += 1;
            }
            nth += 1;
        }
        Self { words, case, places }
    }

    /// Whether one of them is in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        (0..bytes.len()).any(|at| {
            // A byte that no text has stands behind the end.
            let byte = |place: usize| usize::from(bytes.get(at + place).copied().unwrap_or(u8::MAX));
            let bits = self.places[0][byte(0)] & self.places[1][byte(1)] & self.places[2][byte(2)];
            bits != 0 && self.begins(&bytes[at..], bits)
        })
    }

    fn begins(&self, text: &[u8], bits: u64) -> bool {
        let may_be = |nth: &usize| bits >> (nth % BITS) & 1 == 1;
        (0..self.words.len()).filter(may_be).any(|nth| {
            let word = self.words[nth].as_bytes();
            text.get(..word.len()).is_some_and(|text| match self.case {
                Case::Any => text.eq_ignore_ascii_case(word),
                Case::Exact => text == word,
            })
        })
    }
}

const fn is_same(case: Case, one: u8, other: u8) -> bool {
    one == other || matches!(case, Case::Any) && one.eq_ignore_ascii_case(&other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: &[&str] = &["$", "pw", "key", "Token", "eyJ", "_id"];
    static ANY: WordList = WordList::new(Case::Any, WORDS);
    static EXACT: WordList = WordList::new(Case::Exact, WORDS);

    proptest! {
        #[test]
        fn a_word_is_found_wherever_it_stands(text in "([a-zé ]|[$pPwWkKeEyY_iIdD]|pw|key|[tT]oken){0,8}") {
            let lower = text.to_ascii_lowercase();
            prop_assert_eq!(EXACT.is_in(&text), WORDS.iter().any(|word| text.contains(word)));
            prop_assert_eq!(ANY.is_in(&text), WORDS.iter().any(|word| lower.contains(&word.to_ascii_lowercase())));
        }
    }
}
