//! Step: no mail address, no `user@host`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::pattern::compile;
use crate::tier::TierKind;

static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        // A dotted host whose last part is a word: `pkg@1.2.3` is a version.
        r"[^\s@(<\[=,;:]@(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]+",
        r"|[^\s@(<\[=,;:]@(?:\[|localhost\b)",
        // What scp and git write.
        r"|[^\s@(<\[=,;:]@[A-Za-z0-9._-]+:[A-Za-z0-9._/~-]",
    ))
});

static SPELLED: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)\S+\s*[\[({<]\s*at\s*[\])}>]\s*[a-z0-9-]+",
        r"|\S+\s+at\s+[a-z0-9-]+(?:\s+dot\s+[a-z0-9-]+)*\s+dot\s+(?:com|org|net|io|dev|co|ai|edu|gov|info|[a-z]{2})\b",
    ))
});

/// The first mail address of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    if let Some(found) = text.contains('@').then(|| MAIL.find(text)).flatten() {
        let start = text[..found.start()].rfind(char::is_whitespace).map_or(0, |space| space + 1);
        // A white space of more than one byte would leave us inside of it.
        let start = if text.is_char_boundary(start) { start } else { found.start() };
        return Some(start..found.end());
    }
    text.contains("dot").then(|| SPELLED.find(text)).flatten().map(|found| found.range())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found() {
        for text in [
            "bob@corp.acme.internal",
            "Bob <bob@x.example>",
            "o'neil@a.co",
            "李明@例子.公司",
            "x@[10.0.0.1]",
            "x@localhost",
            "git@host:a/b.git",
            "bob at acme dot com",
            "bob [at] acme [dot] com",
            "\"quoted name\"@a.example",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn versions_and_mentions_pass() {
        for text in [
            "checkout@v4",
            "pkg@1.2.3",
            "gitleaks@latest",
            "@scope/pkg",
            "ask @bob",
            "meet at the dot",
            "x @ y",
        ] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
