//! Step: no long token that looks random, whoever issued it.

use std::ops::Range;

use super::runs::TOKEN;
use crate::base32;
use crate::tier::TierKind;

/// A hexadecimal token from this length on is a digest, a key or an id.
const HEX_LEN: usize = 32;

/// The length of a git hash, which may also be the whole text.
const SHA_LEN: usize = 40;

/// The length from which a token of three classes is judged.
const MIXED_LEN: usize = 16;

/// How far before a hash its word may stand, in bytes: as far as a text of ours is long.
const BEFORE: usize = 240;

/// Words before a hash that make it one of ours to say.
const HASH_WORDS: [&str; 12] = [
    "commit",
    "sha",
    "sha1",
    "sha256",
    "blake3",
    "digest",
    "hash",
    "checksum",
    "fingerprint",
    "etag",
    "revision",
    "rev",
];

/// Prefixes of the ids we mint.
pub(super) const OWN_PREFIXES: [&str; 10] =
    ["todo_", "gate_", "run_", "rew_", "hof_", "ses_", "evt_", "out_", "fil_", "fol_"];

/// The first random-looking token of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    for Range { start: at, end } in TOKEN.runs(text, MIXED_LEN) {
        let run = &text[at..end];
        let is_bare_sha =
            run.len() == SHA_LEN && run.len() == text.len() && run.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_own_id(run) && !is_bare_sha && is_random(run, &text[..at]) {
            return Some(at..end);
        }
    }
    None
}

fn is_own_id(run: &str) -> bool {
    if is_ulid(run) || ["sha256-", "sha384-", "sha512-"].iter().any(|integrity| run.starts_with(integrity)) {
        return true;
    }
    OWN_PREFIXES.iter().any(|prefix| {
        run.strip_prefix(prefix).is_some_and(|body| body.len() <= base32::LEN_128 && base32::is_base32(body))
    })
}

/// A sortable id of this age: it tells a time and nothing else.
fn is_ulid(run: &str) -> bool {
    run.len() == base32::LEN_128
        && run.starts_with("01")
        && run.bytes().all(|byte| !byte.is_ascii_lowercase() && base32::is_digit(byte.to_ascii_lowercase()))
}

fn is_random(run: &str, before: &str) -> bool {
    let longest_hex = run.split(|c: char| !c.is_ascii_hexdigit()).max_by_key(|part| part.len()).unwrap_or("");
    if longest_hex.len() >= HEX_LEN {
        return !(matches!(longest_hex.len(), 40 | 64)
            && longest_hex.len() + 8 > run.len()
            && is_hash(run, before));
    }
    // A path and words joined by signs are judged part by part; base64 has no part that is a word.
    run.split(['/', '-', '_', '=']).any(|part| {
        part.len() >= MIXED_LEN
            && if is_hex(part) { is_printable(part) } else { is_mixed(part) || is_blob(part) }
    }) || run.len() >= HEX_LEN && is_mixed(run) && !run.split(['/', '-', '_', '=']).all(is_wordy)
}

/// A hash stands after one of the words.
fn is_hash(run: &str, before: &str) -> bool {
    let run = run.to_ascii_lowercase();
    let near = before.len().saturating_sub(BEFORE);
    let before = before[before.ceil_char_boundary(near)..].to_ascii_lowercase();
    let mut words = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    HASH_WORDS.iter().any(|word| run.starts_with(word)) || words.any(|word| HASH_WORDS.contains(&word))
}

/// Letters of both cases and digits, changing often; or letters of one case and digits, changing very often.
fn is_mixed(part: &str) -> bool {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = part.as_bytes();
    let seen = bytes.iter().fold([0; 4], |mut seen, &byte| {
        seen[class(byte)] += 1;
        seen
    });
    // A capital before small letters starts a word and counts for nothing.
    let is_change =
        |pair: &&[u8]| !matches!((class(pair[0]), class(pair[1])), (a, b) if a == b || (a, b) == (1, 0));
    let changes = bytes.windows(2).filter(is_change).count();
    match seen {
        [0, 0, ..] => false,
        [lower, upper, digits, _] if lower > 0 && upper > 0 && digits > 1 => changes * 4 >= bytes.len(),
        [lower, upper, 0, _] if lower > 0 && upper > 0 && bytes.len() >= 24 => changes * 5 >= bytes.len(),
        [_, _, digits, _] => digits > 3 && changes * 3 >= bytes.len(),
    }
}

/// A shortened hash, as ids of many systems end in.
fn is_hex(part: &str) -> bool {
    part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Hexadecimal digits that spell text.
fn is_printable(hex: &str) -> bool {
    hex.len().is_multiple_of(2)
        && hex.as_bytes().chunks(2).all(|pair| matches!(pair[0], b'2'..=b'6' | b'7') && *pair != *b"7f")
        && hex.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Longer than a word can be.
fn is_blob(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let upper = part.bytes().filter(u8::is_ascii_uppercase).count();
    part.len() >= 24 && digits >= 3 && digits < part.len()
        || part.len() >= 26 && (upper == 0 || upper == part.len())
}

/// A word, a number, a word with a number at its end, or a size such as `480b`.
fn is_wordy(part: &str) -> bool {
    if part.len() <= 4 && !part.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return true;
    }
    let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let rest = word.get(1..).unwrap_or_default();
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (rest.bytes().all(|byte| byte.is_ascii_lowercase())
            || word.bytes().all(|byte| byte.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_tokens_are_found() {
        for text in [
            "0a1b2c3d".repeat(4),
            format!("key {}", "0a1b2c3d".repeat(8)),
            format!("see {}", "aB3xK9mQ2z".repeat(4)),
            format!("out_{}", "a1b2c3d4".repeat(6)),
        ] {
            assert!(find(&text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn hashes_ids_and_names_pass() {
        let sha = "0a1b2c3d".repeat(5);
        for text in [
            format!("pushed commit {sha} to main"),
            format!("sha256:{}", "0a1b2c3d".repeat(8)),
            format!("ses_{}", "0a1b2c3d4e5f6g7h8j9k0m1n2p"),
            "session-runtime-loopx-projection-v0".to_owned(),
            "claude-sonnet-4-20250514".to_owned(),
            "qwen3-coder-480b-a35b-instruct-2507".to_owned(),
            "crates/loopx-safety/src/screen/credential".to_owned(),
            "01JENHBXB2ADAJRQM7VA43TZ7Q".to_owned(),
            "ChaCha20LegacyCore and InPassportRecognizer".to_owned(),
        ] {
            assert_eq!(find(&text, TierKind::Local), None, "{text}");
        }
    }
}
