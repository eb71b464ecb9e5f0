//! Secrets of services that the table does not know: a service's name, a word that says that a secret follows, and a
//! value that nobody has typed.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input};

use super::super::runs::Bytes;
use super::issued::{is_sample, near_values, value_after};
use super::kind::{Kind, Mark};
use super::kinds::KINDS;

/// How far before such a word a service's name begins at most, in bytes.
const BEFORE: usize = 32;
/// The least length of a value.
const LEAST: usize = 20;

/// The least number of digits in it.
const DIGITS: usize = 3;
/// What it is made of.
static VALUE: Bytes = Bytes::alphanumeric_or(b"_-");

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

/// The services of the table: what is theirs has the form that stands there.
static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| KINDS.iter().filter_map(|kind| kind.name.split('-').next()).collect());

/// The first secret of a service that the table does not know.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let words = WORDS.as_ref()?;
    let may_be = |_: &[u8], value: &[u8]| value.iter().filter(|byte| byte.is_ascii_digit()).count() >= DIGITS;
    let mut found = near_values(text, (&VALUE, LEAST), may_be)
        .flat_map(|part| words.find_iter(Input::new(text).range(part)));
    found.find_map(|word| {
        let from = text.floor_char_boundary(word.start().saturating_sub(BEFORE));
        let before = text.get(from..word.start())?;
        let name = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || "_-. ".contains(c))).next()?;
        // The word ends here: a keyframe is no key.
        let after = text.get(word.end()..)?;
        let goes_on = after.strip_prefix('s').unwrap_or(after).starts_with(|c: char| c.is_ascii_lowercase());
        let names_an_id = ["id", "Id", "ID", "_id", "-id", "_ID"]
            .iter()
            .any(|id| after.starts_with(id) || after.starts_with(&format!("s{id}")));
        if goes_on || names_an_id {
            return None;
        }
        let value = value_after(text, word.end(), true)?;
        let rest = text.get(value..)?;
        let len = rest.bytes().take_while(|byte| VALUE.has(*byte)).count();
        let drawn = rest.get(..len)?;
        let ends = !rest.get(len..)?.starts_with(['.', '/', '(', ':', '=']);
        (ends && is_service(name) && is_drawn(drawn)).then_some(value..value + len)
    })
}

/// Whether a name has a word of a service's own, and of none that the table knows.
fn is_service(name: &str) -> bool {
    let mut own = false;
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() >= 3) {
        let word = word.to_ascii_lowercase();
        if KNOWN.iter().any(|known| word == *known || known.len() > 3 && word.contains(known)) {
            return false;
        }
        own |= !PLAIN.contains(&word.as_str());
    }
    own
}

/// Whether a value was drawn: letters and digits change often, and no words are joined.
fn is_drawn(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let longest = value.split(['-', '_']).map(str::len).max().unwrap_or(0);
    let uuid = value.len() == 36
        && longest == 12
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    value.len() >= LEAST
        && digits >= DIGITS
        && letters >= 3
        && (uuid || longest >= LEAST)
        && !is_sample(value)
        && !value.contains("--")
        && !begins_like_another(value)
}

/// Whether a value has the mark of a kind of the table: then that kind's form counts.
fn begins_like_another(value: &str) -> bool {
    let marks = KINDS.iter().filter(|kind| matches!(kind.mark, Mark::Begins(_))).flat_map(Kind::marks);
    marks.filter(|mark| mark.len() > 4).any(|mark| value.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_any_service_is_found() {
        let value = "a1B2c3D4e5F6".repeat(2);
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
    fn what_names_no_service_or_no_value_passes() {
        let value = "a1B2c3D4e5F6".repeat(2);
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
