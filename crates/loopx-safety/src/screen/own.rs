//! What we write ourselves into every sentence: ids that we minted, instants, and markers of what was taken out. They
//! say nothing, and they are left out of the search before a step looks for tokens, numbers and addresses.

use std::borrow::Cow;

use super::entropy::OWN_PREFIXES;
use crate::base32;
use crate::refusal::Class;

/// Lengths of what follows the prefix of an id of ours: a minted suffix, a handle.
const BODIES: [usize; 2] = [16, base32::LEN_128];

/// The length of the shortest of ours, `run_` with a suffix or an instant, and of the longest.
const SHORTEST: usize = 20;
const LONGEST: usize = 5 + base32::LEN_128;

/// The shape of an instant in UTC to the second: `d` stands for a digit.
const INSTANT: &[u8; 20] = b"dddd-dd-ddTdd:dd:ddZ";

/// The same text with spaces where our own ids and instants stand, each a whole word. Every other byte keeps its
/// place.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    // An id has its `_`, an instant its `T`, a marker its bracket.
    if !text.bytes().any(|byte| matches!(byte, b'_' | b'T' | b'[')) {
        return Cow::Borrowed(text);
    }
    let mut masked: Option<String> = None;
    let mut at = 0;
    for word in text.split([' ', ',', ';', '(', ')', '`', '"']) {
        let trimmed = word.trim_end_matches([':', '.']);
        if is_own(trimmed) {
            let masked = masked.get_or_insert_with(|| text.to_owned());
            masked.replace_range(at..at + trimmed.len(), &" ".repeat(trimmed.len()));
        }
        // Every separator is one byte long.
        at += word.len() + 1;
    }
    masked.map_or(Cow::Borrowed(text), Cow::Owned)
}

fn is_own(word: &str) -> bool {
    let class = word.strip_prefix("[redacted:").and_then(|rest| rest.strip_suffix(']'));
    if class.is_some_and(|class| Class::ALL.iter().any(|known| known.as_str() == class)) {
        return true;
    }
    if !(SHORTEST..=LONGEST).contains(&word.len()) {
        return false;
    }
    let id = OWN_PREFIXES.iter().any(|prefix| {
        word.strip_prefix(prefix).is_some_and(|body| BODIES.contains(&body.len()) && base32::is_base32(body))
    });
    let shaped =
        |(byte, shape): (&u8, &u8)| if *shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
    id || word.len() == INSTANT.len() && word.as_bytes().iter().zip(INSTANT).all(shaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_ids_and_instants_are_left_out_and_nothing_else() {
        let id = format!("todo_{}", "0123456789abcdef");
        let text = format!("leave {id} to ash, lease ends 2026-11-29T23:31:11Z");
        assert_eq!(masked(&text), format!("leave {} to ash, lease ends {}", " ".repeat(21), " ".repeat(20)));
        for text in [
            format!("{id}x"),
            format!("see/{id}"),
            format!("{id}.example"),
            format!("key={id}"),
            "todo_123 at 2026-11-29".to_owned(),
            "2026-11-29T23:31:11Zz".to_owned(),
        ] {
            assert_eq!(masked(&text), text);
        }
    }
}
