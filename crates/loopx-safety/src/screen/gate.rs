//! What a text must have for a step's pattern to match at all: cheap and exact, so that a pattern is compiled only for
//! a text that may hold what it looks for. A test holds each gate against its pattern.

use super::runs::Bytes;
use super::wordlist::{Case, WordList};

static ALPHANUMERIC: Bytes = Bytes::alphanumeric_or(b"");
static DIGITS: Bytes = Bytes::digits();

/// Letters beyond ASCII that are another case of `s` and `k`.
const FOLDED: [char; 2] = ['ſ', '\u{212a}'];

/// Whether a text has one of these words, in any case.
fn has(words: &WordList, text: &str) -> bool {
    words.is_in(text) || FOLDED.into_iter().any(|folded| text.contains(folded))
}

static SECRETS: WordList = WordList::new(
    Case::Any,
    &[
        "pass",
        "pswd",
        "pwd",
        "pw",
        "secret",
        "token",
        "credential",
        "bearer",
        "private",
        "access",
        "key",
        "auth",
        "pat",
        "cookie",
        "sessionid",
        "session_id",
        "api",
        "clientid",
        "client_id",
        "appid",
        "app_id",
        "salt",
        "_id",
        "accountid",
        "applicationid",
        "botid",
        "projectid",
        "sideid",
        "tenantid",
    ],
);

static SPOKEN: WordList = WordList::new(
    Case::Any,
    &["$", "password", "identified", "securestring", "bearer", "basic", "authorization:"],
);

static ADDRESSES: WordList = WordList::new(
    Case::Any,
    &[
        "//",
        "\\/",
        "%2f",
        "www.",
        "mailto:",
        "data:",
        "javascript:",
        "vscode:",
        "ssh:",
        "tel:",
        "urn:",
        "hxx",
        "h**",
    ],
);

/// Whether a text has one of these few, in any case.
fn has_any(text: &str, words: &[&str]) -> bool {
    let text = text.as_bytes();
    words.iter().any(|word| {
        let word = word.as_bytes();
        text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
    })
}

fn count(text: &str, is_one: impl Fn(u8) -> bool) -> usize {
    text.bytes().filter(|byte| is_one(*byte)).count()
}

/// Encoded characters.
pub(super) fn encoded(text: &str) -> bool {
    let follows = |sign, is_one: fn(&u8) -> bool| {
        text.match_indices(sign).any(|(at, _)| text.as_bytes().get(at + 1).is_some_and(is_one))
    };
    follows('%', u8::is_ascii_hexdigit)
        || follows('\\', |byte| matches!(byte.to_ascii_lowercase(), b'u' | b'x' | b'0'..=b'7' | b'\\' | b':'))
        || text.contains("&#")
        || text.contains("//:")
        || text.contains(".pbz")
        || text.contains("://") && has_any(text, &["uggc"])
}

/// Names of secrets.
pub(super) fn secret_name(text: &str) -> bool {
    has(&SECRETS, text)
}

/// Runs that are a token by their length alone: letters and digits, a token in parts, a UUID.
pub(super) fn long_runs(text: &str) -> bool {
    static DOTTED: Bytes = Bytes::alphanumeric_or(b"_-.");
    ALPHANUMERIC.run_in(text, 17) || DOTTED.run_in(text, 58) || uuid(text)
}

/// Secrets that are told by the word before them.
pub(super) fn spoken(text: &str) -> bool {
    has(&SPOKEN, text)
}

/// Addresses of pages.
pub(super) fn url(text: &str) -> bool {
    has(&ADDRESSES, text)
}

/// UUIDs.
pub(super) fn uuid(text: &str) -> bool {
    UUID_PARTS.run_in(text, UUID_LEN)
}

/// What UUIDs are written with, and how long they are.
pub(super) static UUID_PARTS: Bytes = Bytes::hex_or(b"-_");
pub(super) const UUID_LEN: usize = 36;

/// IP and hardware addresses.
pub(super) fn address(text: &str) -> bool {
    count(text, |byte| byte == b'.') >= 3
        || count(text, |byte| matches!(byte, b':' | b'-')) >= 5
        || DIGITS.run_in(text, 9)
        || has_any(text, &["0x", "ip-"])
}

/// Ids of documents and messages.
pub(super) fn doc_id(text: &str) -> bool {
    ALPHANUMERIC
        .runs(text, 8)
        .any(|run| run.len() >= 17 || text[run].bytes().any(|byte| byte.is_ascii_digit()))
        || DIGITS.run_in(text, 5)
        || text.contains('=')
        || text.contains("0B")
        || text.contains(':') && has_any(text, &["id:", "sourcedoc:"])
}

/// Mark-up and transcript.
pub(super) fn markup(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'<' | b'"'))
        || text.contains("```")
        || text.contains("INST]")
        || text.starts_with("Human: ")
        || text.starts_with("Assistant: ")
        || text.contains("panicked at ")
}

/// Absolute paths: one begins at a slash that no part of a path stands before, at a home, a variable or a drive, or
/// goes up.
pub(super) fn absolute_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize| match at.checked_sub(1).map(|before| bytes[before]) {
        None => true,
        Some(before) => {
            !(before.is_ascii_alphanumeric() || matches!(before, b'.' | b')' | b']' | b'}' | b'*'))
        }
    };
    let slash = (0..bytes.len()).any(|at| bytes[at] == b'/' && begins(at));
    slash
        || TOPMOST.iter().any(|top| text.contains(top))
        || bytes.iter().any(|byte| matches!(byte, b'\\' | b'~' | b'%' | b'$'))
        || text.contains(":/")
        || text.contains("../..")
        || text.contains("//")
}

/// Folders right under the root, which are no project's.
const TOPMOST: [&str; 11] = [
    "/Users/",
    "/etc/",
    "/home/",
    "/mnt/",
    "/opt/",
    "/private/",
    "/root/",
    "/srv/",
    "/tmp/",
    "/usr/",
    "/var/",
];

/// Home paths with their slashes turned to dashes.
pub(super) fn path_slug(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize| at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'-');
    (0..bytes.len()).any(|at| bytes[at] == b'-' && begins(at))
        || text.contains("--")
        || text.contains("_-")
        || (text.contains('_') && text.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::super::credential::{NAME, PROVIDERS, may_be_issued};
    use super::super::{disguise, doc_id as doc, ip, markup as mark, path, url as page, uuid as unique};
    use super::*;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;
    use regex::Regex;

    type Gate = (&'static str, fn(&str) -> bool, fn() -> &'static Regex);

    const GATES: [Gate; 10] = [
        ("encoded", encoded, || &disguise::ENCODED),
        ("secret_name", secret_name, || &NAME),
        ("issued", may_be_issued, || &PROVIDERS),
        ("url", url, || &page::URL),
        ("uuid", uuid, || &unique::UUID),
        ("address", address, || &ip::V4),
        ("doc_id", doc_id, || &doc::DOC_ID),
        ("markup", markup, || &mark::MARKUP),
        ("absolute_path", absolute_path, || &path::ABSOLUTE),
        ("path_slug", path_slug, || &path::SLUG),
    ];

    /// A document's id needs a digit or `=` to count.
    fn counts(name: &str, found: &str) -> bool {
        name != "doc_id" || found.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=')
    }

    fn holds(text: &str) {
        for (name, gate, pattern) in GATES {
            let found = pattern().find_iter(text).any(|found| counts(name, found.as_str()));
            assert!(
                !found || gate(text),
                "the gate {name} is shut before a text that its pattern matches: {text:?}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn no_gate_is_shut_before_a_match(text in r"([a-fA-Z0-9_:./\\~%$=@<>+&# -]|home|http|www|key|token|data|sk-|gh|eyJ|T0|rec|é){0,40}") {
            holds(&text);
        }
    }

    #[test]
    fn no_gate_is_shut_before_what_a_pattern_itself_spells() {
        for (name, _, pattern) in GATES {
            // Each alternative for itself: one that can't be spelled must not hide the others.
            let mut spelled = 0;
            for part in alternatives(pattern().as_str()) {
                let Ok(strategy) = proptest::string::string_regex(&plain(&part)) else { continue };
                let mut runner = proptest::test_runner::TestRunner::deterministic();
                for _ in 0..40 {
                    let text = strategy.new_tree(&mut runner).expect("a text").current();
                    holds(&text);
                    spelled += usize::from(pattern().is_match(&text));
                }
            }
            assert!(spelled > 20, "{name}: only {spelled} texts were spelled");
        }
    }

    /// The alternatives of a pattern, split where no bracket is open.
    fn alternatives(pattern: &str) -> Vec<String> {
        let (mut depth, mut class, mut escaped) = (0, false, false);
        let mut parts = vec![String::new()];
        // What begins all of the credentials' patterns says only what stands before them.
        let pattern = pattern.replacen("(?:^|[^A-Za-z0-9])(?:", "", 1);
        for c in pattern.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' if !class => class = true,
                ']' if class => class = false,
                '(' if !class => depth += 1,
                ')' if !class => depth -= 1,
                '|' if !class && depth <= 0 => {
                    parts.push(String::new());
                    continue;
                }
                _ => {}
            }
            if let Some(part) = parts.last_mut() {
                part.push(c);
            }
        }
        parts
    }

    /// A pattern without what a generator of texts can't make: word boundaries, beginnings and ends.
    fn plain(pattern: &str) -> String {
        let pattern = pattern.replace(r"(?-u:\b)", "").replace(r"\b", "").replace("(?-u:", "(?:");
        pattern.replace("(?:^|", "(?:").replace("|$)", ")").replace('^', "").replace("[ ", "[^ ")
    }
}
