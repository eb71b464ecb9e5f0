//! Step: no address with a scheme, nor one that goes without but starts like one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::gate;
use super::pattern::compile;
use crate::tier::TierKind;

pub(super) static URL: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)[a-z][a-z0-9+.-]*(?::|%3a)(?://|%2f%2f|\\/\\/)[^\s`'\x22)]\S*",
        r"|\bwww\.[^\s.]\S*",
        r"|(?:^|[\s(<\[=\x22'`])//[^\s/]+\.[^\s]+",
        r"|\b(?:mailto|data|javascript|vscode|ssh|tel|urn):[a-z0-9+]+[/@:;,][^\s]+",
        r"|\bh(?:xx|\*\*)ps?\b\S+",
    ))
});

/// The first address of a text. A file's is left to the paths.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    if gate::url(text) { URL.find(text).map(|found| found.range()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found() {
        for text in [
            "https://a.example/x",
            "(via HTTPS://A.EXAMPLE)",
            "postgres://db:5432/x",
            "www.example.com",
            "see //docs.internal/x",
            "https%3A%2F%2Fa.example%2Fx",
            "hxxps://a[.]b",
            "mailto:a@b.example",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn colons_and_slashes_are_no_address() {
        for text in ["std::fmt", "12:30", "note: the `https://` prefix", "// comment", "a: b/c", "src//main"]
        {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
