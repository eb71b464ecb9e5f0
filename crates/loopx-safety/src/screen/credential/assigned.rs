//! A value that is set to a name such as `password`, `token` or `api_key`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::gate;
use super::super::pattern::compile;

/// A name that says its value is secret, up to its end.
pub(in crate::screen) static NAME: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)(?:pass(?:word|wd|phrase|code)?|pswd|pwd|(?-u:\b)pw|_pw|secret|token|credentials?|bearer|private|(?-u:\b)access",
        r"|_?key|_auth|(?-u:\b)auth|(?-u:\b)_?pat(?-u:\b)|cookie|session_?id|api|client_?id|app_?id|(?:account|application|bot|project|side|tenant)_?id|salt)[a-z0-9_.-]{0,20}",
    ))
});

/// What is written where the value is left out.
const PLACEHOLDERS: [&str; 14] = [
    "none",
    "null",
    "nil",
    "true",
    "false",
    "redacted",
    "required",
    "optional",
    "missing",
    "unset",
    "empty",
    "undefined",
    "str",
    "string",
];

/// By so many of its bytes a value is judged: in a long one there may be names all over.
const LONGEST: usize = 512;

/// How a value is joined to its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `=`: code, a shell, a configuration.
    Equals,
    /// `:` and quotes, or a comma between quotes.
    Quoted,
    /// `:` as in prose.
    Colon,
    /// A space.
    Space,
}

/// The first value that is set to such a name.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    if !gate::secret_name(text) {
        return None;
    }
    NAME.find_iter(text).find_map(|name| {
        let (sign, value) = value_after(&text[name.end()..])?;
        is_secret(&name.as_str().to_ascii_lowercase(), sign, value).then(|| {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            start..start + value_len(&text[start..])
        })
    })
}

/// How a value is joined to the name before it, and the value.
fn value_after(rest: &str) -> Option<(Sign, &str)> {
    let bare = rest.trim_start_matches(['"', '\'', '`', ']', ')', '>']);
    let after = bare.trim_start();
    let signed = after.trim_start_matches(['=', ':', '?', '!', '>', '|', ',']);
    let sign = &after[..after.len() - signed.len()];
    let inner = signed.trim_start();
    // The letter before a string of Python.
    let inner =
        inner.strip_prefix(['b', 'u', 'r']).filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(inner);
    let value = inner.trim_start_matches(['"', '\'', '`', '(', '[', '{', '<']);
    let quoted = inner[..inner.len() - value.len()].contains(['"', '\'', '`']);
    let end = value_len(&value[..value.floor_char_boundary(LONGEST)]);
    let sign = match sign {
        "" if after.len() == bare.len() && !quoted => return None,
        sign if sign.contains('=') => Sign::Equals,
        _ if quoted => Sign::Quoted,
        sign if sign.contains(':') => Sign::Colon,
        _ => Sign::Space,
    };
    (end > 0).then(|| (sign, &value[..end]))
}

/// How long the value is at the beginning of a text.
fn value_len(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || "\"'`,;()[]{}<>".contains(c)).unwrap_or(text.len())
}

fn is_secret(name: &str, sign: Sign, value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let lower = value.to_ascii_lowercase();
    if PLACEHOLDERS.contains(&lower.as_str())
        || value.starts_with(['$', '%', '*', '/'])
        || lower.starts_with("xxx")
    {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let others = value.len() - letters - digits;
    let is_password = ["password", "passwd", "pswd", "pwd", "secret", "passphrase", "_pass"]
        .iter()
        .any(|word| name.contains(word));
    if letters == 0 && others == 0 {
        // A count of tokens, a time; a password may be a number, and an id is long.
        return is_password && sign != Sign::Space && digits >= 4 || digits >= 14;
    }
    let is_mixed = digits > 0 && letters > 0;
    let is_odd = is_mixed && digits >= 2 && !is_words(value);
    let is_run = value.len() >= 12 && is_mixed && others == 0 && !is_numbered(value);
    let is_blob = letters >= 20 && others == 0 || digits >= 4 && letters >= 8 && others == 0;
    match sign {
        Sign::Equals if is_password => value.len() >= 4,
        Sign::Quoted if is_password => {
            value.len() >= 6 && !is_words(value) || value.len() >= 8 && letters == value.len()
        }
        Sign::Colon if is_password => {
            value.len() >= 6 && (is_mixed || others > 0) && !is_words(value) || is_blob
        }
        Sign::Equals | Sign::Quoted | Sign::Colon => value.len() >= 8 && is_odd || is_run || is_blob,
        Sign::Space => value.len() >= 8 && is_odd && !is_name(value) || is_blob,
    }
}

/// Words and numbers joined by `-`, `_`, `.` or `/`: a name, not a value.
fn is_words(value: &str) -> bool {
    value.split(['-', '_', '.', '/', ':', '+']).all(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        let short = part.len() <= 4 && !part.bytes().any(|byte| byte.is_ascii_uppercase());
        part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && (digits == 0 || short || digits == part.len() && digits <= 8)
    })
}

/// A word with a number at its end.
fn is_numbered(value: &str) -> bool {
    value.trim_end_matches(|c: char| c.is_ascii_digit()).bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A date, a file name, a call: what prose has after such a word.
fn is_name(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit()) && value.contains([':', '.'])
        || value.contains("::")
        || value
            .rsplit_once('.')
            .is_some_and(|(_, end)| end.len() <= 4 && end.bytes().all(|b| b.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        let value = format!("{}{}", "hun", "ter2x9");
        for text in [
            format!("password={value}"),
            format!("DB_PASSWORD: \"{value}\""),
            format!("token: {value}{value}"),
            format!("api_key => '{value}-{value}'"),
            format!("client.secret := {value}"),
            format!("--password {value}{value}"),
            format!("set(\"API_TOKEN\", \"{value}{value}\")"),
            format!("PW:{value}#4!"),
            format!("password:!{value}"),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn prose_and_counts_pass() {
        for text in [
            "token usage 12k",
            "password reset page works",
            "password: none required",
            "secret: redacted",
            "max_tokens=12000",
            "secret: the rule detects things",
            "tokens: 12000",
            "key: value",
            "token: claude-opus-4",
            "password=$PASSWORD",
            "auth: retry-policy",
            "session_id: todo_not_found",
            "api 2026-11-30T12:30:00Z",
            "keyboard navigation2 works",
            "private notes moved to sprint-2026-11",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
