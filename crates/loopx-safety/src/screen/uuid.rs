//! Step: no UUID. Our own ids are written in base32.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::gate;
use super::pattern::compile;
use crate::tier::TierKind;

pub(super) static UUID: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}"));

/// The first UUID of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    gate::UUID_PARTS.runs(text, gate::UUID_LEN).find_map(|run| {
        let found = UUID.find(&text[run.clone()])?;
        Some(run.start + found.start()..run.start + found.end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_found_in_either_case() {
        for text in ["65026ddb-fe8d-47d1-aacd-3248a271c8ed", "see 65026DDB-FE8D-47D1-AACD-3248A271C8ED."] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
        assert_eq!(find("65026ddb-fe8d-47d1", TierKind::Local), None);
    }
}
