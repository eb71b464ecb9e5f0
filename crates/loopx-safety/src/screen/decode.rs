//! Step: nothing that is refused once it is decoded: escapes and entities over the whole text, base64 and hexadecimal
//! token by token, and what comes out of them again.

use std::borrow::Cow;
use std::ops::Range;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};

use super::refuse_decoded;
use super::runs::TOKEN;
use crate::tier::TierKind;
use crate::words::PrivateWords;

/// How many encodings inside one another are followed.
pub(super) const DEEPEST: u8 = 5;
/// The least length of a token that is decoded: what is shorter can't hold anything.
const LEAST: usize = 8;
/// The longest token that is decoded. Longer ones are refused as tokens.
const LONGEST: usize = 4096;

/// The first part that is refused once it is decoded.
pub(super) fn find(text: &str, tier: TierKind, depth: u8) -> Option<Range<usize>> {
    find_decoded(text, depth, &|plain| refuse_decoded(plain, tier, depth + 1))
}

/// The first part in which one of these words stands once it is decoded.
pub(super) fn find_word(text: &str, words: &PrivateWords, depth: u8) -> Option<Range<usize>> {
    find_decoded(text, depth, &|plain| {
        words.find(plain).is_some() || find_word(plain, words, depth + 1).is_some()
    })
}

fn find_decoded(text: &str, depth: u8, is_refused: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    if depth >= DEEPEST {
        return None;
    }
    if let Cow::Owned(plain) = unescaped(text)
        && is_refused(&plain)
    {
        return Some(0..text.len());
    }
    TOKEN.runs(text, LEAST).filter(|run| run.len() <= LONGEST).find(|run| {
        let token = text.as_bytes().get(run.clone()).unwrap_or_default();
        // A name that it is set to, and a path that it ends, are none of it.
        let rest = |sign: u8| {
            let at = token.trim_ascii_end().iter().rposition(|byte| *byte != b'=').unwrap_or_default();
            let cut = token.get(..at)?.iter().rposition(|byte| *byte == sign)?;
            token.get(cut + 1..).filter(|rest| rest.len() >= LEAST)
        };
        [Some(token), rest(b'='), rest(b'/')]
            .into_iter()
            .flatten()
            .any(|token| decodings(token).any(|plain| is_refused(&plain)))
    })
}

/// What a token may stand for: text only.
fn decodings(run: &[u8]) -> impl Iterator<Item = String> {
    let end = run.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    let body = run.get(..end).unwrap_or_default();
    let alphabet =
        if body.iter().any(|byte| b"-_".contains(byte)) { &BASE64URL_NOPAD } else { &BASE64_NOPAD };
    let base64 = may_be_base64(body).then(|| alphabet.decode(whole(body)));
    let hex = body.iter().all(u8::is_ascii_hexdigit).then(|| HEXLOWER_PERMISSIVE.decode(body));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok().map(on_one_line).filter(|plain| is_text(plain));
    [base64, hex].into_iter().filter_map(move |decoded| text(decoded?.ok()?))
}

/// What programs that encode are given most often ends in a line break.
fn on_one_line(plain: String) -> String {
    if !plain.contains(is_break) {
        return plain;
    }
    plain.trim_end_matches(is_break).replace(is_break, " ")
}

const fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | '\0')
}

/// Whether what came out is a text: no control characters, and most of it ASCII, as paths, hosts and secrets are.
fn is_text(plain: &str) -> bool {
    let ascii = plain.bytes().filter(u8::is_ascii).count();
    !plain.chars().any(char::is_control) && ascii * 4 >= plain.chars().count() * 3
}

/// Whether a token can be the base64 of a text: the first of four characters is the upper six bits of a byte. No text
/// has bytes below a space there but for line breaks, and one in the middle of a character only after another byte of
/// that character, whose highest bit the third of the four before holds.
fn may_be_base64(body: &[u8]) -> bool {
    let mut is_after_wide = false;
    body.chunks(4).all(|group| {
        let fits = match group.first() {
            // Line breaks and tabs.
            Some(b'C' | b'D') => true,
            Some(b'A'..=b'H') => false,
            Some(b'g'..=b'v') => is_after_wide,
            _ => true,
        };
        is_after_wide = group.get(2).is_some_and(|third| digit(*third) & 2 != 0);
        fits
    })
}

/// The six bits that a character of base64 stands for.
const fn digit(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    }
}

/// As much of a token as is whole: one character too many holds nothing.
fn whole(body: &[u8]) -> &[u8] {
    if body.len() % 4 == 1 { body.get(..body.len() - 1).unwrap_or_default() } else { body }
}

/// A text with its escapes decoded, once: `%2f`, `\u002f`, `\u{2f}`, `\x2f`, `&#47;`, `&#x2f;`, `&sol;`.
fn unescaped(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut plain, mut copied, mut at) = (Vec::new(), 0, 0);
    while let Some(sign) = bytes.iter().skip(at).position(|byte| matches!(byte, b'%' | b'\\' | b'&')) {
        at += sign;
        let rest = text.get(at..).unwrap_or_default();
        let decoded = match bytes.get(at) {
            Some(b'%') => byte_of(rest.get(1..3)).map(|byte| (vec![byte], 3)),
            Some(b'\\') => escape(rest),
            _ => entity(rest),
        };
        let Some((decoded, len)) = decoded else {
            at += 1;
            continue;
        };
        plain.extend(bytes.get(copied..at).unwrap_or_default());
        plain.extend(decoded);
        at += len;
        copied = at;
    }
    if plain.is_empty() {
        return Cow::Borrowed(text);
    }
    plain.extend(bytes.get(copied..).unwrap_or_default());
    // What is no text is left out: one such byte must not hide all others.
    Cow::Owned(plain.utf8_chunks().map(|chunk| chunk.valid()).collect())
}

fn byte_of(digits: Option<&str>) -> Option<u8> {
    u8::from_str_radix(digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?, 16).ok()
}

fn char_of(digits: &str, radix: u32) -> Option<Vec<u8>> {
    let is_digit = |c: char| c.is_digit(radix);
    let code = u32::from_str_radix(digits.contains(is_digit).then_some(digits)?, radix).ok()?;
    char::from_u32(code).map(|c| c.to_string().into_bytes())
}

fn escape(text: &str) -> Option<(Vec<u8>, usize)> {
    if let Some(digits) = text.strip_prefix("\\u{") {
        let end = digits.bytes().take(7).position(|byte| byte == b'}')?;
        return Some((char_of(digits.get(..end)?, 16)?, end + 4));
    }
    match text.as_bytes().get(1)? {
        b'u' => Some((char_of(text.get(2..6)?, 16)?, 6)),
        b'x' => Some((char_of(text.get(2..4)?, 16)?, 4)),
        b'/' => Some((b"/".to_vec(), 2)),
        _ => None,
    }
}

fn entity(text: &str) -> Option<(Vec<u8>, usize)> {
    let end = text.bytes().take(11).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let bytes = match name {
        "sol" => b"/".to_vec(),
        "bsol" => b"\\".to_vec(),
        "colon" => b":".to_vec(),
        "period" => b".".to_vec(),
        "commat" => b"@".to_vec(),
        "amp" => b"&".to_vec(),
        "lt" => b"<".to_vec(),
        "gt" => b">".to_vec(),
        "quot" => b"\"".to_vec(),
        "equals" => b"=".to_vec(),
        _ => {
            let digits = name.strip_prefix('#')?;
            match digits.strip_prefix(['x', 'X']) {
                Some(digits) => char_of(digits, 16)?,
                None => char_of(digits, 10)?,
            }
        }
    };
    Some((bytes, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::{BASE64, HEXLOWER};

    fn is_found(text: &str) -> bool {
        find(text, TierKind::Local, 0).is_some()
    }

    #[test]
    fn what_is_encoded_is_refused_as_what_it_stands_for() {
        let path = format!("{}/ann/x", "/home");
        for text in [
            format!("see {}", BASE64.encode(path.as_bytes())),
            format!("see {}", BASE64_NOPAD.encode(path.as_bytes())),
            format!("see {}", HEXLOWER.encode(path.as_bytes())),
            path.replace('/', "&#47;"),
            path.replace('/', "&sol;"),
            path.replace('/', "\\u002f"),
            path.replace('/', "\\u{2f}"),
            path.replace('/', "\\x2f"),
            path.replace('/', "%2F"),
        ] {
            assert!(is_found(&text), "{text}");
        }
    }

    #[test]
    fn base64_of_wide_characters_is_decoded_though_it_is_all_small_letters_where_the_bytes_begin() {
        let hidden = "l\u{202e}ient\u{4cc}W";
        let token = BASE64_NOPAD.encode(hidden.as_bytes());
        assert!(token.bytes().step_by(4).all(|byte| byte.is_ascii_lowercase()), "{token}");
        assert!(is_found(&token), "{token}");
    }

    #[test]
    fn a_line_break_at_the_end_hid_what_was_encoded() {
        let path = format!("{}/ann\n", "/home");
        let mail = format!("ann{}corp.example\r\n", '@');
        for plain in [path, mail, "10.0.0.1\n".to_owned()] {
            let token = data_encoding::BASE64.encode(plain.as_bytes());
            for text in [token.clone(), format!("k={token}"), format!("x/{token}")] {
                assert!(is_found(&text), "{text}");
            }
            assert!(is_found(&data_encoding::HEXLOWER.encode(plain.as_bytes())), "{plain}");
        }
    }

    #[test]
    fn one_escape_that_is_no_text_hid_all_others() {
        let path = "%2fhome%2fann%2fnotes";
        for text in [format!("{path} %ff"), format!("%c3 {path}"), path.replace("ann", "a%80nn")] {
            assert!(is_found(&text), "{text}");
        }
        assert!(!is_found("%ff of it"));
    }

    #[test]
    fn what_is_decoded_is_looked_at_in_its_plain_form_too() {
        // With its sign as a plain letter it is a mail address.
        let hidden = "write to b\u{ba}b@acme.example";
        let escaped = hidden.chars().flat_map(char::escape_unicode).collect::<String>();
        assert!(is_found(&escaped));
        let plain: String = "gl\u{ba}x".into();
        assert!(!is_found(&plain));
    }

    #[test]
    fn encodings_are_followed_five_deep() {
        let mut text = format!("{}/ann/x", "/home");
        for depth in 1..=DEEPEST {
            text = if depth % 2 == 0 {
                HEXLOWER.encode(text.as_bytes())
            } else {
                BASE64.encode(text.as_bytes())
            };
            assert!(is_found(&text), "{depth}");
        }
        assert_eq!(find(&text, TierKind::Local, DEEPEST), None);
    }

    #[test]
    fn what_stands_for_nothing_passes() {
        for text in [
            "internationalization of the documentation",
            "100 % of R&D; a\\b and x\\y",
            "commit 7fae2d4019e617627341070933f44fd0f86815e4",
            "2026113012 and 41424344",
            "cGxhaW4gd29yZHM=",
            "fish&chips; &amp; more",
        ] {
            assert!(!is_found(text), "{text}");
        }
    }
}
