//! The search: every canary in every form it may come out in, by one automaton.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::words::{Canaries, Canary};

/// The shortest piece of a canary that counts, in bytes.
pub const PIECE: usize = 12;

/// A form that a canary may come out in. Case is never looked at, so upper case is no form of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// As it is, in either case, or a piece of it.
    Plain,
    /// In full-width letters, which NFKC makes plain.
    FullWidth,
    /// In base64, wherever the group of three begins.
    Base64,
    /// In hex digits.
    Hex,
    /// In percent escapes.
    Percent,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Plain, Self::FullWidth, Self::Base64, Self::Hex, Self::Percent];

    /// A text in this form. What depends on the bytes around it is left out.
    pub fn of(self, text: &str) -> Vec<String> {
        match self {
            Self::Plain => vec![text.to_owned()],
            Self::FullWidth => vec![full_width(text), full_width(&text.to_uppercase())],
            Self::Base64 => (0..3).map(|before| base64_within(text.as_bytes(), before)).collect(),
            Self::Hex => vec![text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))],
            Self::Percent => {
                vec![text.bytes().fold(String::new(), |hex, byte| hex + &format!("%{byte:02x}"))]
            }
        }
    }
}

fn full_width(text: &str) -> String {
    let wide = |letter: char| match letter {
        '!'..='~' => char::from_u32(u32::from(letter) + 0xfee0).unwrap_or(letter),
        _ => letter,
    };
    text.chars().map(wide).collect()
}

/// Base64 without padding.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        let digits = (0..=group.len()).map(|at| DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
        text.extend(digits.map(char::from));
    }
    text
}

/// What base64 makes of these bytes with so many before them, without the digits that other bytes have a part in.
fn base64_within(bytes: &[u8], before: usize) -> String {
    let text = base64(&[&vec![0; before], bytes].concat());
    let first = (before * 8).div_ceil(6);
    let last = (before + bytes.len()) * 8 / 6;
    text[first..last].to_owned()
}

/// What came out where it must not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    /// Through which door.
    pub door: String,
    /// In which output of it.
    pub output: String,
    /// Where it was planted: never its text.
    pub place: String,
    /// In which form it came out.
    pub form: Form,
}

impl Leak {
    /// What came out through a door, in an output.
    pub fn new(door: &str, output: &str, place: &str, form: Form) -> Self {
        Self { door: door.to_owned(), output: output.to_owned(), place: place.to_owned(), form }
    }
}

impl Display for Leak {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { door, output, place, form } = self;
        write!(to, "{door}: {output}: {place}, {form:?}")
    }
}

/// A searcher for some canaries.
pub struct Search<'c> {
    canaries: &'c Canaries,
    automaton: AhoCorasick,
    /// For each pattern: which canary, in which form.
    means: Vec<(usize, Form)>,
}

impl<'c> Search<'c> {
    pub fn new(canaries: &'c Canaries) -> Self {
        let (mut patterns, mut means) = (Vec::new(), Vec::new());
        for (at, canary) in canaries.planted().iter().enumerate() {
            let text = &canary.text;
            let starts = text.len() - PIECE;
            for form in Form::ALL {
                // Any piece as it is; in the other forms each piece in turn, and what is left at the end.
                let step = if form == Form::Plain { 1 } else { PIECE };
                for start in (0..starts).step_by(step).chain([starts]) {
                    for pattern in form.of(&text[start..start + PIECE]) {
                        patterns.push(pattern);
                        means.push((at, form));
                    }
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .build(patterns)
            .expect("an automaton");
        Self { canaries, automaton, means }
    }

    /// Which canaries are in these bytes, in which forms.
    pub fn find(&self, bytes: &[u8]) -> Vec<(&'c Canary, Form)> {
        let found = self.automaton.find_overlapping_iter(bytes);
        let found: BTreeSet<(usize, Form)> = found.map(|one| self.means[one.pattern().as_usize()]).collect();
        found.into_iter().map(|(at, form)| (&self.canaries.planted()[at], form)).collect()
    }
}
