//! A value that is set to a name such as `password`, `token` or `api_key`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::pattern::compile;

static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)(?P<name>(?:pass(?:word|wd|phrase|code)|\bpass|pwd|secret|token|credentials?|bearer",
        r"|(?:api|access|private|secret|client|account|auth|license|encryption|signing|master|service|app|consumer)",
        r"[_ .-]?(?:key|id|secret|auth)|_key|_auth|\bkey|\bauth|\bpat|_pat|cookie|session_?id)[a-z0-9_.-]{0,20})",
        r#"["'`\])>]{0,3}\s{0,3}(?P<sign>:=|=>|=|:|\|\|)[=>]?\s{0,3}["'`(\[{<]{0,3}(?P<value>[^\s"'`,;()\[\]{}<>]+)"#,
    ))
});

/// What is written where the value is left out.
const PLACEHOLDERS: &[&str] = &[
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
];

/// The first value that is set to such a name.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    ASSIGNED.captures_iter(text).find_map(|found| {
        let (name, sign, value) = (found.name("name")?, found.name("sign")?, found.name("value")?);
        is_secret(&name.as_str().to_ascii_lowercase(), sign.as_str(), value.as_str()).then(|| value.range())
    })
}

fn is_secret(name: &str, sign: &str, value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let lower = value.to_ascii_lowercase();
    if PLACEHOLDERS.contains(&lower.as_str())
        || value.starts_with(['$', '%', '*'])
        || lower.starts_with("xxx")
    {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let others = value.len() - letters - digits;
    let is_password = ["pass", "pwd", "secret"].iter().any(|word| name.contains(word));
    let tight = sign.starts_with('=') || sign == ":=";
    if letters == 0 && others == 0 {
        // A count of tokens, an id; a password may be a number.
        return is_password && digits >= 4;
    }
    let is_mixed = digits > 0 && letters > 0 || others > 0 && digits > 0;
    match (is_password, tight) {
        (true, true) => value.len() >= 4,
        (true, false) => value.len() >= 6 && (is_mixed || others > 0 && letters > 0 && !is_words(value)),
        (false, _) => value.len() >= 10 && is_mixed && digits >= 2 && !is_words(value),
    }
}

/// Words joined by `-`, `_`, `.` or `/`: a name, not a value.
fn is_words(value: &str) -> bool {
    value.split(['-', '_', '.', '/']).all(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && (digits == 0 || digits == part.len() && digits <= 8)
    })
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
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
