//! Tokens whose kind is in the table: the right mark, the right characters, the right length, the right checksum.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::super::gate;
use super::kind::{Kind, Mark, Part, is_summed, measure};
use super::kinds::KINDS;
use super::service;

/// The length of the shortest token that begins with a mark, but for those that have a sign of their own.
const SHORTEST: usize = 13;
/// What stands between a name and its value.
const SIGNS: &[u8] = b"=:>|,(?";
/// How far behind a name its value begins at most, in bytes.
const NEAR: usize = 48;
/// How far before a value it is looked for a word that says that it is one, in bytes.
const AROUND: usize = 64;

/// The kinds by their marks.
struct Table {
    search: AhoCorasick,
    /// The kind of each mark.
    of: Vec<usize>,
    parts: Vec<Vec<Part>>,
}

impl Table {
    #[expect(clippy::expect_used, reason = "the marks are constants: the test of the table builds them")]
    fn of(wanted: fn(Mark) -> bool) -> Self {
        let kinds = || KINDS.iter().enumerate().filter(|(_, kind)| wanted(kind.mark));
        let marks: Vec<&str> = kinds().flat_map(|(_, kind)| kind.marks()).collect();
        Self {
            search: AhoCorasick::builder()
                .ascii_case_insensitive(wanted(Mark::Named("")))
                .build(marks)
                .expect("the marks of the credentials build"),
            of: kinds().flat_map(|(at, kind)| kind.marks().map(move |_| at)).collect(),
            parts: KINDS.iter().map(Kind::parts).collect(),
        }
    }

    /// Each place where a mark ends, with its kind.
    fn marks<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, &'static Kind, &'t [Part])> {
        self.search.find_overlapping_iter(text).filter_map(|mark| {
            let at = *self.of.get(mark.pattern().as_usize())?;
            Some((mark.range(), KINDS.get(at)?, self.parts.get(at)?.as_slice()))
        })
    }
}

static BEGINNINGS: LazyLock<Table> = LazyLock::new(|| Table::of(|mark| matches!(mark, Mark::Begins(_))));
static NAMES: LazyLock<Table> = LazyLock::new(|| Table::of(|mark| matches!(mark, Mark::Named(_))));

/// The first token of a kind of the table.
///
/// The tables are large: they are made for a text alone that may hold one.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let found = if may_begin(text) { begun(text).next() } else { None };
    let found = found.or_else(|| if gate::secret_name(text) { named(text).next() } else { None });
    found.map(|(at, _)| at).or_else(|| if gate::secret_name(text) { service::find(text) } else { None })
}

/// Whether a text has a run as long as a token, or one of the signs of those that are short.
fn may_begin(text: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=".contains(byte);
    // Long words have small letters alone behind their first one.
    let is_drawn = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    let is_long = |run: &[u8]| run.len() >= SHORTEST && run.iter().skip(1).any(is_drawn);
    text.as_bytes().split(|byte| !is_part(byte)).any(is_long)
        || ["://", "$", "-----", "-u ", "--user "].iter().any(|sign| text.contains(sign))
}

/// Every token with its kind.
pub(super) fn find_kinds(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    begun(text).chain(named(text))
}

fn begun(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    BEGINNINGS.marks(text).filter_map(|(mark, kind, parts)| {
        let before = text.as_bytes().get(mark.start.wrapping_sub(1));
        let first = text.as_bytes().get(mark.start)?;
        if first.is_ascii_alphanumeric()
            && before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
        {
            return None;
        }
        let end = mark.end + measure(parts, text.as_bytes().get(mark.end..)?)?;
        let body = text.get(mark.end..end)?;
        let summed = kind.sum.is_none_or(|sum| is_summed(sum, body));
        (summed && !is_sample(body)).then_some((mark.start..end, kind))
    })
}

/// What is set to a name has a sign between.
fn named(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    let signed = text.bytes().any(|byte| SIGNS.contains(&byte));
    signed.then(|| called(text)).into_iter().flatten()
}

fn called(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    NAMES.marks(text).filter_map(|(mark, kind, parts)| {
        let from = value_after(text, mark.end, false)?;
        let end = from + measure(parts, text.as_bytes().get(from..)?)?;
        if text.as_bytes().get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-;".contains(byte))
        {
            return None;
        }
        let around = text.get(text.floor_char_boundary(from.saturating_sub(AROUND))..from)?;
        let value = text.get(from..end)?;
        (says_secret(around) && !is_sample(value) && is_random(value)).then_some((from..end, kind))
    })
}

/// Where the value begins that is set to the name at whose end `at` stands.
///
/// A space is sign enough where `spaced`.
pub(super) fn value_after(text: &str, at: usize, spaced: bool) -> Option<usize> {
    let bytes = text.as_bytes().get(at..)?;
    let is_part = |byte: &&u8| is_name(**byte) && !(spaced && **byte == b' ');
    let name = bytes.iter().take(NEAR).take_while(is_part).count();
    let rest = bytes.get(name..)?;
    let quotes = |from: usize| {
        rest.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| b" \t\"'`]".contains(byte)).count())
    };
    let before = quotes(0);
    let sign = rest.get(before..)?.iter().take(3).take_while(|byte| SIGNS.contains(byte)).count();
    if sign == 0 && !(spaced && before > 0) {
        return None;
    }
    let open = |byte: &&u8| b" \t\"'`=[({".contains(byte);
    let behind = rest.get(before + sign..)?.iter().take(6).take_while(open).count();
    Some(at + name + before + sign + behind)
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ')
}

/// Whether a name says that its value is a secret or an id.
fn says_secret(name: &str) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = [
            "key", "token", "secret", "pass", "pwd", "auth", "cred", "api", "client", "bearer", "id", "dsn",
            "pat", "license", "jwt", "session", "access",
        ];
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
    });
    WORDS.as_ref().is_none_or(|words| words.is_match(name))
}

/// Whether a value stands in for one: a run of one character, few different ones, or a word that says so.
pub(super) fn is_sample(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    let different = seen.iter().filter(|seen| **seen).count();
    let lower = value.to_ascii_lowercase();
    bytes.windows(5).any(|run| run[0].is_ascii_alphanumeric() && run.iter().all(|byte| *byte == run[0]))
        || bytes.len() >= 16 && different < 7
        || lower.ends_with(":password")
        || [
            "example",
            "redacted",
            "placeholder",
            "xxxx",
            "your_",
            "your-",
            "...",
            ":pass@",
            ":password@",
            ":secret@",
            ":$",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether a value looks drawn, not written: letters and digits, no words joined.
fn is_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    digits > 0 && (letters > 0 || digits >= 10)
}
