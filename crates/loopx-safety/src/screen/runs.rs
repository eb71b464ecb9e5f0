//! Runs of bytes of a kind: the tokens that the steps look at.

use std::ops::Range;

/// A kind of byte.
pub(super) struct Bytes([bool; 256]);

impl Bytes {
    /// Letters and digits of ASCII, and these.
    pub(super) const fn alphanumeric_or(others: &[u8]) -> Self {
        let mut is_one = Self::these(others);
        let mut byte = 0_u8;
        while byte < 128 {
            is_one.0[byte as usize] |= byte.is_ascii_alphanumeric();
            byte += 1;
        }
        is_one
    }

    /// Hexadecimal digits, and these.
    pub(super) const fn hex_or(others: &[u8]) -> Self {
        let mut is_one = Self::these(others);
        let mut byte = 0_u8;
        while byte < 128 {
            is_one.0[byte as usize] |= byte.is_ascii_hexdigit();
            byte += 1;
        }
        is_one
    }

    /// All that can be seen, of ASCII.
    pub(super) const fn visible() -> Self {
        let mut is_one = Self::these(b"");
        let mut byte = b'!';
        while byte <= b'~' {
            is_one.0[byte as usize] = true;
            byte += 1;
        }
        is_one
    }

    /// All but these.
    pub(super) const fn all_but(others: &[u8]) -> Self {
        let mut is_one = Self::these(others);
        let mut byte = 0;
        while byte < is_one.0.len() {
            is_one.0[byte] = !is_one.0[byte];
            byte += 1;
        }
        is_one
    }

    /// Digits.
    pub(super) const fn digits() -> Self {
        Self::these(b"0123456789")
    }

    /// These alone.
    const fn these(bytes: &[u8]) -> Self {
        let mut is_one = [false; 256];
        let mut at = 0;
        while at < bytes.len() {
            is_one[bytes[at] as usize] = true;
            at += 1;
        }
        Self(is_one)
    }

    /// Whether a byte is one.
    pub(super) const fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }

    /// The runs of a text of at least so many of them.
    ///
    /// Most runs are too short: of each only its last bytes are looked at, and no byte of a text more than twice.
    pub(super) fn runs(&'static self, text: &str, least: usize) -> impl Iterator<Item = Range<usize>> {
        let bytes = text.as_bytes();
        let mut start = 0;
        std::iter::from_fn(move || {
            loop {
                let window = bytes.get(start..start + least)?;
                if let Some(border) = window.iter().rposition(|byte| !self.has(*byte)) {
                    start += border + 1;
                    continue;
                }
                let after = bytes.get(start + least..)?;
                let more = after.iter().position(|byte| !self.has(*byte)).unwrap_or(after.len());
                let run = start..start + least + more;
                start = run.end;
                return Some(run);
            }
        })
    }

    /// The runs of a text that hold a sign, which is one of them.
    pub(super) fn around(&'static self, text: &str, sign: u8) -> impl Iterator<Item = Range<usize>> {
        let bytes = text.as_bytes();
        let mut end = 0;
        text.match_indices(char::from(sign)).filter_map(move |(at, _)| {
            // Another of the same run was there before.
            let before = bytes.get(end..at)?;
            let start =
                before.iter().rposition(|byte| !self.has(*byte)).map_or(end, |border| end + border + 1);
            let after = bytes.get(at..)?;
            end = at + after.iter().position(|byte| !self.has(*byte)).unwrap_or(after.len());
            Some(start..end)
        })
    }

    /// Whether a text has a run of at least so many.
    pub(super) fn run_in(&'static self, text: &str, least: usize) -> bool {
        self.runs(text, least).next().is_some()
    }
}

/// Where the first byte beyond ASCII stands.
pub(super) fn first_wide(bytes: &[u8]) -> Option<usize> {
    let chunk = bytes.chunks(CHUNK).position(|chunk| !chunk.is_ascii())? * CHUNK;
    bytes.get(chunk..)?.iter().position(|byte| !byte.is_ascii()).map(|at| chunk + at)
}

/// So many bytes are looked at in one.
const CHUNK: usize = 64;

/// What tokens are made of: letters, digits and the signs of the base64 alphabets.
pub(super) static TOKEN: Bytes = Bytes::alphanumeric_or(b"_-+/=");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    static PARTS: Bytes = Bytes::alphanumeric_or(b"-");

    proptest! {
        #[test]
        fn every_long_run_is_found_and_no_other(text in "[a-c. é-]{0,60}", least in 1_usize..9) {
            let found: Vec<&str> = PARTS.runs(&text, least).map(|run| &text[run]).collect();
            let split = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            prop_assert_eq!(found, split.filter(|run| run.len() >= least).collect::<Vec<_>>());
        }
    }
}
