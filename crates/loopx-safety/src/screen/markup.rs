//! Step: no mark-up of a transcript or of a tool: such a line was copied out of a session.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::gate;
use super::pattern::compile;
use crate::tier::TierKind;

pub(super) static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"</?(?:[a-z]+:)?(?:thinking|invoke|parameter|[a-z]{3,}[_-][a-z_-]{3,})(?:\s[^>]*)?>|<\|[a-z_]+\|>|\[/?INST\]|<</?SYS>>",
        r#"|"(?:role|type|message|tool_name|tool_input|tool_use_id)"\s*:\s*["\[{]|```|^(?:Human|Assistant): |panicked at "#,
    ))
});

/// The first piece of mark-up of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    if gate::markup(text) { MARKUP.find(text).map(|found| found.range()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_found() {
        for text in [
            "<system-reminder>x</system-reminder>",
            "<thinking>so",
            "{\"role\": \"user\"}",
            "[INST] x",
            "<|im_start|>",
            "```rust",
            "Human: go on",
            "<invoke name=\"Bash\">",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn code_words_pass() {
        for text in [
            "Option<T>",
            "<b>bold</b>",
            "`code`",
            "[P1] go on",
            "the `type` field",
            "a < b_c > d",
            "<name>",
            "User: approve",
        ] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
