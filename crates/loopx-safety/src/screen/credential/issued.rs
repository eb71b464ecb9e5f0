//! Tokens whose kind is in the table: the right mark, the right characters, the right length, the right checksum.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input};

use super::super::gate;
use super::super::runs::Bytes;
use super::kind::{Alphabet, Kind, Mark, Part, is_summed, measure};
use super::kinds::KINDS;
use super::service;

/// The length of the shortest token that begins with a mark, but for those that have a sign of their own.
const SHORTEST: usize = 13;
/// What stands between a name and its value.
const SIGNS: &[u8] = b"=:>|,(?";
/// What may stand before such a sign, and behind it.
const QUOTES: &[u8] = b" \t\"'`]";
const OPEN: &[u8] = b" \t\"'`=[({";
/// The least length of what is set to a name, and the most of the name, in bytes.
const LEAST: usize = 8;
const NAME: usize = 34;
/// How far behind a name its value begins at most, in bytes.
const NEAR: usize = 48;
/// How far before a value it is looked for a word that says that it is one, in bytes.
const AROUND: usize = 64;

/// The kinds of one sort, by their marks.
struct Table {
    /// Each mark with the place of its kind.
    marks: Vec<(&'static str, usize)>,
    parts: Vec<Vec<Part>>,
}

impl Table {
    fn of(wanted: fn(Mark) -> bool) -> Self {
        let kinds = KINDS.iter().enumerate().filter(|(_, kind)| wanted(kind.mark));
        let marks = kinds.flat_map(|(at, kind)| kind.marks().map(move |mark| (mark, at))).collect();
        Self { marks, parts: KINDS.iter().map(Kind::parts).collect() }
    }

    /// The kind of the nth mark, and its parts.
    fn kind(&self, nth: usize) -> Option<(&'static Kind, &[Part])> {
        let (_, at) = *self.marks.get(nth)?;
        Some((KINDS.get(at)?, self.parts.get(at)?))
    }
}

/// The kinds that begin with a mark, by their first bytes: few places of a text have those of any.
struct Beginnings {
    /// In the order of their marks.
    table: Table,
    /// The first two bytes of each.
    heads: Vec<u16>,
    /// What the first three bytes of some mark come to, and whether that mark is no longer.
    firsts: Vec<Option<Short>>,
    /// What the first four bytes of some mark come to.
    fours: Vec<bool>,
}

/// Whether some mark with the same first three bytes ends there.
type Short = bool;

impl Beginnings {
    fn new() -> Self {
        let mut table = Table::of(|mark| matches!(mark, Mark::Begins(_)));
        table.marks.sort_unstable();
        let (mut firsts, mut fours) = (vec![None; 1 << FIRSTS_BITS], vec![false; 1 << FIRSTS_BITS]);
        for (mark, _) in &table.marks {
            let mark = mark.as_bytes();
            // Behind a mark of two bytes stands any third one.
            let third = mark.get(2).map_or(0..=u8::MAX, |third| *third..=*third);
            third.for_each(|third| {
                let first = &mut firsts[place(&[mark, &[third]].concat(), 3)];
                *first = Some(first.unwrap_or_default() || mark.len() <= 3);
            });
            fours[place(mark, 4)] = true;
        }
        let heads = table.marks.iter().map(|(mark, _)| head(mark.as_bytes())).collect();
        Self { table, heads, firsts, fours }
    }

    /// Whether some mark may stand at the beginning of a text.
    fn may_begin(&self, text: &[u8]) -> bool {
        // Many words begin with three letters of a mark, few with four.
        self.firsts[place(text, 3)].is_some_and(|short| short || self.fours[place(text, 4)])
    }

    /// How long each mark is that stands at the beginning of a text, its kind and the parts of that.
    fn of<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, &'static Kind, &'t [Part])> {
        let head = head(text);
        let first = self.heads.partition_point(|other| *other < head);
        let same = self.heads.iter().skip(first).take_while(move |other| **other == head).count();
        (first..first + same).filter_map(move |nth| {
            let (mark, _) = *self.table.marks.get(nth)?;
            let (kind, parts) = self.table.kind(nth).filter(|_| text.starts_with(mark.as_bytes()))?;
            Some((mark.len(), kind, parts))
        })
    }
}

fn head(text: &[u8]) -> u16 {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    u16::from_be_bytes([byte(0), byte(1)])
}

/// How many bits of the first bytes are kept.
const FIRSTS_BITS: u32 = 15;

/// What the first three or four bytes of a text come to.
fn place(text: &[u8], len: usize) -> usize {
    let some = text.iter().take(len).fold(0, |some: u32, byte| some << 8 | u32::from(*byte));
    (some.wrapping_mul(0x9e37_79b1) >> (u32::BITS - FIRSTS_BITS)) as usize
}

/// The kinds that a name gives away.
struct Names {
    table: Table,
    search: AhoCorasick,
}

impl Names {
    #[expect(clippy::expect_used, reason = "the names are constants: the test of the table builds them")]
    fn new() -> Self {
        let table = Table::of(|mark| matches!(mark, Mark::Named(_)));
        let names = table.marks.iter().map(|(name, _)| name);
        let search = AhoCorasick::builder().ascii_case_insensitive(true).build(names);
        Self { search: search.expect("the names of the credentials build"), table }
    }
}

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(Beginnings::new);
static NAMES: LazyLock<Names> = LazyLock::new(Names::new);

/// The first token of a kind of the table.
///
/// The tables are large: they are made for a text alone that may hold one.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let is_drawn = may_begin(text);
    let found = if is_drawn { begun(text).next() } else { None };
    // What is set to a name has a digit, and to look for one is cheaper than to look for names.
    let may_be_named = || text.bytes().any(|byte| byte.is_ascii_digit()) && gate::secret_name(text);
    let found = found.or_else(|| if may_be_named() { named(text).next() } else { None });
    found.map(|(at, _)| at).or_else(|| if is_drawn { service::find(text) } else { None })
}

/// Whether a text has a run as long as a token, or one of the signs of those that are short.
fn may_begin(text: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=".contains(byte);
    // Long words have small letters alone behind their first one.
    let is_drawn = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    let is_long = |run: &[u8]| run.len() >= SHORTEST && run.iter().skip(1).any(is_drawn);
    text.as_bytes().split(|byte| !is_part(byte)).any(is_long)
        || ["://", "$", "-----", "-u ", "--user ", "arn:", ";Pwd=", ";pwd=", ";PWD="]
            .iter()
            .any(|sign| text.contains(sign))
}

/// Every token with its kind.
pub(super) fn find_kinds(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    begun(text).chain(named(text))
}

fn begun(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    static WORD: Bytes = Bytes::alphanumeric_or(b"");
    static BEFORE: Bytes = Bytes::alphanumeric_or(b".");
    let (bytes, table) = (text.as_bytes(), &*BEGINNINGS);
    let goes_on = |at: usize| at > 0 && WORD.has(bytes[at]) && BEFORE.has(bytes[at - 1]);
    let begins = (0..bytes.len()).filter(move |at| !goes_on(*at) && table.may_begin(&bytes[*at..]));
    let marks = begins.flat_map(move |at| {
        table.of(&bytes[at..]).map(move |(len, kind, parts)| (at..at + len, kind, parts))
    });
    marks.filter_map(move |(mark, kind, parts)| {
        let end = mark.end + measure(parts, bytes.get(mark.end..)?)?;
        let body = text.get(mark.end..end)?;
        let summed = kind.sum.is_none_or(|sum| is_summed(sum, body));
        (summed && !is_sample(body)).then_some((mark.start..end, kind))
    })
}

fn named(text: &str) -> impl Iterator<Item = (Range<usize>, &'static Kind)> {
    static VISIBLE: Bytes = Bytes::visible();
    let is_sign = |byte: &u8| SIGNS.contains(byte);
    let may_be = move |before: &[u8], value: &[u8]| {
        value.iter().any(u8::is_ascii_digit) && before.iter().chain(value).any(is_sign)
    };
    let marks = near_values(text, (&VISIBLE, LEAST), may_be).flat_map(move |part| {
        let names = &*NAMES;
        let found = names.search.find_overlapping_iter(Input::new(text).range(part));
        found.filter_map(|name| Some((name.end(), names.table.kind(name.pattern().as_usize())?)))
    });
    marks.filter_map(move |(end, (kind, parts))| {
        let from = value_after(text, end, false)?;
        let end = from + measure(parts, text.as_bytes().get(from..)?)?;
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        // A password before `;` is one of an address of a database, if a login stands there: see the other list.
        let is_password = matches!(parts.last(), Some(Part::Run(Alphabet::Sign, _)));
        if text.as_bytes().get(end).is_some_and(|byte| goes_on(byte) || is_password && *byte == b';') {
            return None;
        }
        let around = text.get(text.floor_char_boundary(from.saturating_sub(AROUND))..from)?;
        let value = text.get(from..end)?;
        (says_secret(around) && !is_sample(value) && is_random(value)).then_some((from..end, kind))
    })
}

/// The parts of a text where a name may stand that a value is set to.
///
/// A value is a run of so many bytes of a kind; of it, and of what stands between it and a name, is told whether it may
/// be one.
pub(super) fn near_values<'t>(
    text: &'t str,
    (kind, least): (&'static Bytes, usize),
    may_be: impl Fn(&[u8], &[u8]) -> bool + 't,
) -> impl Iterator<Item = Range<usize>> + 't {
    let bytes = text.as_bytes();
    let is_between = |byte: &u8| SIGNS.contains(byte) || OPEN.contains(byte) || QUOTES.contains(byte);
    let mut done: usize = 0;
    kind.runs(text, least).filter_map(move |run| {
        let before = bytes.get(done..run.start)?;
        let name = before.iter().rposition(|byte| !is_between(byte)).map_or(0, |at| at + 1);
        if !may_be(before.get(name..)?, bytes.get(run.clone())?) {
            return None;
        }
        // What was looked at before is so again as far as a name may reach out of it.
        let start = (done + name).saturating_sub(NEAR + NAME).max(done.saturating_sub(NAME));
        done = run.end;
        Some(start..done)
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
        rest.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| QUOTES.contains(byte)).count())
    };
    let before = quotes(0);
    let sign = rest.get(before..)?.iter().take(3).take_while(|byte| SIGNS.contains(byte)).count();
    if sign == 0 && !(spaced && before > 0) {
        return None;
    }
    let behind = rest.get(before + sign..)?.iter().take(6).take_while(|byte| OPEN.contains(byte)).count();
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
            "pat", "license", "jwt", "session", "access", "user", "login",
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
            "invalid",
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
