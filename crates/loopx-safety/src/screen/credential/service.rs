//! Secrets of services whose form the table does not know: a service's name, a word that says that a secret follows, and
//! a value that nobody has typed. Behind the name of a vendor whose keys bear no mark the value alone is enough.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input};

use super::super::gate;
use super::super::runs::Bytes;
use super::issued::{is_sample, near_values, value_after};
use super::kind::{Kind, Mark};
use super::kinds::KINDS;
use super::vendors::{self, VENDORS};

/// How far before such a word a service's name begins at most, in bytes.
const BEFORE: usize = 32;
/// How far behind a vendor's name its value begins at most, in bytes.
const BEHIND: usize = 48;
/// The least length of a value that nobody has typed.
const LEAST: usize = 16;
/// From this length on it needs no more than a few digits.
const LONG: usize = 20;
/// How long a UUID is.
const UUID: usize = 36;
/// The least number of digits in it.
const DIGITS: usize = 3;
/// What it is made of.
static VALUE: Bytes = Bytes::alphanumeric_or(b"_-");
/// The same and what else base64 is made of.
static BASE64: Bytes = Bytes::alphanumeric_or(b"_-+/=.");

/// Words that say that a secret follows.
const SECRETS: [&str; 9] =
    ["key", "token", "secret", "password", "passwd", "access", "auth", "credential", "private"];

/// Words that name no service.
const PLAIN: [&str; 61] = [
    "access",
    "account",
    "admin",
    "api",
    "app",
    "application",
    "auth",
    "authorization",
    "bearer",
    "cache",
    "client",
    "code",
    "commit",
    "config",
    "const",
    "credential",
    "credentials",
    "data",
    "default",
    "dev",
    "env",
    "export",
    "file",
    "for",
    "foreign",
    "global",
    "hash",
    "header",
    "http",
    "id",
    "index",
    "key",
    "keys",
    "let",
    "license",
    "local",
    "master",
    "my",
    "name",
    "new",
    "non",
    "not",
    "oauth",
    "object",
    "passwd",
    "password",
    "primary",
    "private",
    "prod",
    "public",
    "secret",
    "server",
    "service",
    "session",
    "set",
    "string",
    "test",
    "the",
    "token",
    "user",
    "var",
];

static WORDS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(SECRETS).ok());

/// The vendors of the table whose tokens bear a mark: what is theirs begins with it.
static MARKED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let marked = KINDS.iter().filter(|kind| matches!(kind.mark, Mark::Begins(_)));
    let names = marked.filter_map(|kind| kind.name.split('-').next());
    names
        .filter(|name| [PLAIN.as_slice(), &FORMS, VENDORS].iter().all(|others| !others.contains(name)))
        .collect()
});

/// The other vendors of the table: what is theirs may have other forms than stand there, but for separators.
static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| KINDS.iter().filter_map(|kind| kind.name.split('-').next()).collect());

/// First words of kinds that are forms of everybody's.
const FORMS: [&str; 6] = ["basic", "connection", "curl", "shared", "signed", "webhook"];

/// Words that stand between a vendor's name and its value.
const JOINING: [&str; 30] = [
    "access",
    "account",
    "api",
    "app",
    "auth",
    "bearer",
    "client",
    "code",
    "credentials",
    "credential",
    "dev",
    "id",
    "is",
    "key",
    "keys",
    "live",
    "oauth",
    "password",
    "pat",
    "personal",
    "private",
    "prod",
    "production",
    "secret",
    "service",
    "test",
    "tkn",
    "tokens",
    "token",
    "user",
];

/// The first secret of a service whose tokens bear no mark.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let says_secret = LazyCell::new(|| gate::secret_name(text));
    parts(text).find_map(|part| {
        let named = vendors_in(text, part.clone()).find_map(|name| behind(text, name));
        named.or_else(|| if *says_secret { spoken(text, part) } else { None })
    })
}

/// The parts of a text that may hold a name and a value behind it.
fn parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_mark = |byte: &u8| matches!(byte, b'-' | b'_');
    let may_be = move |_: &[u8], value: &[u8]| {
        let longest = value.split(is_mark).map(<[u8]>::len).max().unwrap_or(0);
        let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
        digits >= DIGITS && (value.len() >= UUID || longest >= LEAST) || longest >= LONG && is_one_case(value)
    };
    near_values(text, (&VALUE, LEAST), may_be)
}

/// The names of vendors that begin in a part of a text, each at the beginning of a word.
fn vendors_in(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    static WORD: Bytes = Bytes::alphanumeric_or(b"");
    let bytes = text.as_bytes();
    let begins = move |at: &usize| WORD.has(bytes[*at]) && (*at == 0 || !WORD.has(bytes[at - 1]));
    part.filter(begins).filter_map(move |at| Some(at..at + vendors::name_len(bytes.get(at..)?)?))
}

/// The value that stands behind the name of a vendor.
fn behind(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let from = value_behind(text, name.end)?;
    let is_known = KNOWN.contains(text.get(name)?.to_ascii_lowercase().as_str());
    let drawn = value_at(text, from, if is_known { LONG } else { LEAST });
    let value = drawn.or_else(|| one_case_at(text, from))?;
    (!is_known || is_plain(text.get(value.clone())?)).then_some(value)
}

/// Where the first word behind a place begins that does no more than join a name and its value.
fn value_behind(text: &str, from: usize) -> Option<usize> {
    let near = text.get(from..text.floor_char_boundary(from + BEHIND))?;
    let mut at = 0;
    loop {
        let rest = near.get(at..)?;
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
        if !joins(word) {
            // A longer name than the vendor's is another name, and `_` alone joins a mark and what follows it.
            return near.get(..at).is_some_and(|gap| !gap.is_empty() && gap != "_").then_some(from + at);
        }
        let behind = rest.get(word.len()..)?;
        let sign = behind.find(|c: char| c.is_ascii_alphanumeric())?;
        if behind.get(..sign)?.contains(['\n', '\r']) {
            return None;
        }
        at += word.len() + sign;
    }
}

/// Whether a word is made of such that join.
fn joins(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let starts =
            |other: &&&str| rest.get(..other.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(other));
        let Some(joined) = JOINING.iter().filter(starts).map(|joining| joining.len()).max() else {
            return false;
        };
        rest = rest.get(joined..).unwrap_or_default();
    }
    true
}

/// What stands behind a word that says that a secret follows, and before it a service's name.
fn spoken(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let words = WORDS.as_ref()?;
    words.find_iter(Input::new(text).range(part)).find_map(|word| {
        let from = text.floor_char_boundary(word.start().saturating_sub(BEFORE));
        let before = text.get(from..word.start())?;
        let name = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || "_-. ".contains(c))).next()?;
        // The word ends here: a keyframe is no key.
        let after = text.get(word.end()..)?;
        let goes_on = after.strip_prefix('s').unwrap_or(after).starts_with(|c: char| c.is_ascii_lowercase());
        let names_an_id = ["id", "Id", "ID", "_id", "-id", "_ID"]
            .iter()
            .any(|id| after.starts_with(id) || after.starts_with(&format!("s{id}")));
        if goes_on || names_an_id || !is_service(name) {
            return None;
        }
        let set = || value_at(text, value_after(text, word.end(), true)?, LONG);
        let joined = || after.starts_with('-').then(|| value_at(text, word.end() + 1, LONG)).flatten();
        let value = set().or_else(joined)?;
        (!names_known(name) || is_plain(text.get(value.clone())?)).then_some(value)
    })
}

/// The value that begins at a place, if it was drawn. Behind a mark of the table that kind's form counts.
fn value_at(text: &str, from: usize, least: usize) -> Option<Range<usize>> {
    let (before, rest) = text.split_at_checked(from)?;
    if own_marks().any(|mark| before.ends_with(mark)) {
        return None;
    }
    let len = |kind: &Bytes| rest.bytes().take_while(|byte| kind.has(*byte)).count();
    let (short, long) = (len(&VALUE), len(&BASE64));
    let (value, base64) = (rest.get(..short)?, rest.get(..long)?);
    let ends = !rest.get(short..)?.starts_with(['.', '/', '(', ':', '=', '+']);
    let after = !rest.get(long..)?.starts_with(['(', ':']);
    if ends && is_drawn(value, least) {
        return Some(from..from + short);
    }
    (after && is_base64(base64)).then_some(from..from + long)
}

/// The value that begins at a place, if it is longer than any word, of one case and nothing else.
fn one_case_at(text: &str, from: usize) -> Option<Range<usize>> {
    let (_, rest) = text.split_at_checked(from)?;
    let len = rest.bytes().take_while(|byte| BASE64.has(*byte)).count();
    let value = rest.get(..len)?;
    (len >= LONG && is_one_case(value.as_bytes()) && !is_sample(value)).then_some(from..from + len)
}

/// Whether all are small letters, or capitals, or digits.
fn is_one_case(value: &[u8]) -> bool {
    [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit]
        .into_iter()
        .any(|is_one| value.iter().all(is_one))
}

/// Whether a name has a word of a service's own, and of none whose tokens bear a mark.
fn is_service(name: &str) -> bool {
    let mut own = false;
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= 3) {
        let word = word.to_ascii_lowercase();
        if is_marked(&word) {
            return false;
        }
        own |= !PLAIN.contains(&word.as_str());
    }
    own
}

/// Whether a name has a vendor of the table.
fn names_known(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    words.any(|word| KNOWN.contains(word.as_str()) && !PLAIN.contains(&word.as_str()))
}

/// Whether a value is of letters and digits alone, or a UUID.
fn is_plain(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric()) || is_uuid(value)
}

fn is_uuid(value: &str) -> bool {
    value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

fn is_marked(word: &str) -> bool {
    MARKED.iter().any(|known| word == *known || known.len() > 3 && word.contains(known))
}

/// Whether a value was drawn: letters and digits change often, and no words are joined.
fn is_drawn(value: &str, least: usize) -> bool {
    let bytes = value.as_bytes();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let changes = bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    let longest = value.split(['-', '_']).map(str::len).max().unwrap_or(0);
    let long = longest >= LONG && digits >= DIGITS;
    let short = longest >= least && digits > DIGITS && changes >= DIGITS;
    // Hexadecimal digits are written in one case.
    let has = |is_one: fn(&u8) -> bool| value.bytes().any(|byte| is_one(&byte));
    let is_mixed = value.bytes().all(|byte| byte.is_ascii_hexdigit())
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase);
    letters >= 3
        && !is_mixed
        && (long || short || is_uuid(value) && digits > DIGITS)
        && !is_sample(value)
        && !value.contains("--")
        && !begins_like_another(value)
}

/// Whether a value is long and of all sorts of characters.
fn is_base64(value: &str) -> bool {
    let count = |is_one: fn(&u8) -> bool| value.bytes().filter(is_one).count();
    let is_padded = value.ends_with('=') && value.len() >= LONG && value.len().is_multiple_of(4);
    (value.len() >= 2 * LONG || is_padded)
        && count(u8::is_ascii_digit) >= DIGITS
        && count(u8::is_ascii_uppercase) > DIGITS
        && count(u8::is_ascii_lowercase) > DIGITS
        && value.split(['/', '.', '+']).any(|part| part.len() >= LEAST)
        && !is_sample(value)
        && !begins_like_another(value)
}

/// Whether a value has the mark of a kind of the table: then that kind's form counts.
fn begins_like_another(value: &str) -> bool {
    own_marks().any(|mark| value.starts_with(mark))
}

/// The marks of the table but for those that are words with which anybody begins a key.
fn own_marks() -> impl Iterator<Item = &'static str> {
    let marks = KINDS.iter().filter(|kind| matches!(kind.mark, Mark::Begins(_))).flat_map(Kind::marks);
    let is_word = |mark: &str| JOINING.contains(&mark.trim_end_matches(['_', '-', ' ']));
    marks.filter(move |mark| !is_word(mark) && (mark.len() > 3 || mark.len() == 3 && mark.ends_with('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_any_service_is_found() {
        let value = "a1B2c3D4e5K6".repeat(2);
        for text in [
            format!("walkmeter_api_key = {value}"),
            format!("walkmeter SECRET {value}"),
            format!("\"walkmeterToken\": \"{value}\""),
            format!("walkmeter-token 1a2b3c4d-e89b-12d3-a456-42f6789{}", "01234"),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_value_beside_a_vendor_is_found() {
        let value = "a1B2c3D4e5K6".repeat(2);
        for text in [
            format!("shipengine {value}"),
            format!("ShipEngine = \"{value}\""),
            format!("shipengineSECRET-{value}"),
            format!("shipengine access token: {}", "qwertyuiop".repeat(3)),
            format!("shipengine_key={}", &value[..16]),
            format!("shipengine_key={value}+/{value}=="),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_vendor_beside_something_else_passes() {
        let value = "a1B2c3D4e5K6".repeat(2);
        for text in [
            format!("shipengine build of {value}"),
            format!("shipengines {value}"),
            format!("myshipengine {value}"),
            format!("shipengine_{value}"),
            format!("shipengine {}", &value[..14]),
            "shipengine ShipEngineClientConfiguration".to_owned(),
            "shipengine 2026-11-30T12-00-00".to_owned(),
        ] {
            assert_eq!(find(&text), None, "{text}");
        }
    }

    #[test]
    fn what_names_no_service_or_no_value_passes() {
        let value = "a1B2c3D4e5K6".repeat(2);
        for text in [
            format!("token = {value}"),
            format!("stripe_api_key = {value}"),
            "keyboard token for the walkmeter".to_owned(),
            "walkmeter_api_key = settings.walkmeter.key_from_environment_2".to_owned(),
            "walkmeter key 12345678901234567890".to_owned(),
        ] {
            assert_eq!(find(&text), None, "{text}");
        }
    }
}
