//! Step: no id of a document, a channel or a ticket in somebody's tools.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::gate;
use super::pattern::compile;
use crate::tier::TierKind;

pub(super) static DOC_ID: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?-u:(?:\b|_)(?:0B[A-Za-z0-9_-]{20,}|[CDGTU]0[A-Z0-9]{7,9}(?:/p[0-9]{10,})?\b",
        r"|(?:app|tbl|rec|viw)[A-Za-z0-9]{14}\b|t-[0-9]{10,}-[a-z0-9]+|00[0-9A-Za-z]{2}g0000[A-Za-z0-9]{6,9}\b",
        r"|uXjV[A-Za-z0-9_-]{6,9}=|(?i:page_?id|file_?id|doc_?id|sourcedoc)[=:][A-Za-z0-9%-]{6,}",
        r"|(?i:ticket|case|incident) #?[0-9]{5,}",
        r"|(?i:asana|trello|zendesk|figma|notion|miro|confluence|airtable)(?: [a-z]{3,8}){0,2} [A-Za-z0-9]{8,}))",
    ))
});

/// The key of an issue in a tracker. The showcase alone refuses it: it names a project, and says nothing of it.
static ISSUE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?-u:(?:\b|_)([A-Z][A-Z0-9]{1,9})-[0-9]{2,6}\b)"));

/// Names of standards and algorithms, which are written like issues.
const STANDARDS: [&str; 22] = [
    "AES", "BLAKE2", "CP", "CVE", "CWE", "ECMA", "ED", "GPT", "HTTP", "IEEE", "ISO", "KOI8", "LATIN", "MD",
    "PEP", "RFC", "RSA", "SHA", "SHA3", "UTC", "UTF", "WCAG",
];

/// The first id of a text.
pub(super) fn find(text: &str, tier: TierKind) -> Option<Range<usize>> {
    let found = gate::doc_id(text)
        .then(|| DOC_ID.find_iter(text))
        .into_iter()
        .flatten()
        .find(|id| is_drawn(id.as_str()));
    let found = found.map(|id| id.range());
    match tier {
        TierKind::Local => found,
        TierKind::Showcase => found.or_else(|| {
            let mut issues = ISSUE.captures_iter(text);
            issues.find_map(|issue| {
                let name = issue.get(1)?;
                (!STANDARDS.contains(&name.as_str())).then(|| name.range())
            })
        }),
    }
}

/// Whether an id looks drawn: it has a digit, or changes between cases more often than words do.
fn is_drawn(id: &str) -> bool {
    let last = id.rsplit(' ').next().unwrap_or(id);
    let turns = last.as_bytes().windows(2).filter(|pair| {
        pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
            || pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase()
    });
    let most = if last.len() <= 8 { 3 } else { 6 };
    id.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=') || turns.count() >= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found() {
        for text in [
            "update doc pageId=047414506",
            "in C0TIOXNQ6OD",
            "evt_t-20260232283823-g3age",
            "asana task 1275775630384844",
            "out:ticket #746563",
            "miro uXjVxxxxxx1=",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn an_issue_is_refused_in_the_showcase_alone() {
        assert_eq!(find("blocked by PHX-7595", TierKind::Local), None);
        assert_eq!(find("blocked by PHX-7595", TierKind::Showcase), Some(11..14));
    }

    #[test]
    fn standards_and_prose_pass() {
        for text in [
            "RFC-9110, UTF-16, CVE-2026-12345 and SHA-256",
            "application20260101",
            "the notion of progress",
            "case 12",
            "GPT-54",
            "2026-11-30",
            "the P1 ticket is blocked",
            "apply the recommendations2",
        ] {
            assert_eq!(find(text, TierKind::Showcase), None, "{text}");
        }
    }
}
