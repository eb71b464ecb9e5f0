//! What we write ourselves into every sentence: ids that we minted, instants, and markers of what was taken out. They
//! say nothing, and they are left out of the search before a step looks for tokens, numbers and addresses.

use std::borrow::Cow;
use std::ops::Range;

use super::entropy::OWN_PREFIXES;
use crate::base32;
use crate::refusal::Class;

/// Lengths of what follows the prefix of an id of ours: a minted suffix, a handle.
const BODIES: [usize; 2] = [16, base32::LEN_128];

/// One more than the longest of them.
const LONGEST: usize = base32::LEN_128 + 1;

/// The shape of an instant in UTC to the second: `d` stands for a digit.
const INSTANT: &[u8; 20] = b"dddd-dd-ddTdd:dd:ddZ";
/// Where its `T` stands.
const INSTANT_T: usize = 10;

/// How a marker of what was taken out begins.
const MARKER: &str = "[redacted:";

/// As many as the longest of ours has characters.
const SPACES: &str = "                                ";

/// The same text with spaces where our own ids and instants stand, each a whole word. Every other byte keeps its
/// place.
pub(super) fn masked(text: Cow<'_, str>) -> Cow<'_, str> {
    let found: Vec<Range<usize>> = own(&text).collect();
    if found.is_empty() {
        return text;
    }
    let mut masked = text.into_owned();
    for word in found {
        masked.replace_range(word.clone(), SPACES.get(..word.len()).unwrap_or_default());
    }
    Cow::Owned(masked)
}

/// Where ours stand. An id has its `_`, an instant its `T`, a marker its beginning.
fn own(text: &str) -> impl Iterator<Item = Range<usize>> {
    let ids = text.match_indices('_').filter_map(|(at, _)| {
        let before = text.get(..=at)?;
        let prefix = OWN_PREFIXES.iter().find(|prefix| before.ends_with(**prefix))?;
        let body = text.get(at + 1..)?;
        let len = body.bytes().take(LONGEST).take_while(|byte| base32::is_digit(*byte)).count();
        BODIES.contains(&len).then(|| at + 1 - prefix.len()..at + 1 + len)
    });
    let instants = text.match_indices('T').filter_map(|(at, _)| {
        let start = at.checked_sub(INSTANT_T)?;
        let word = start..start + INSTANT.len();
        let shaped =
            |(byte, shape): (&u8, &u8)| if *shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
        text.as_bytes().get(word.clone())?.iter().zip(INSTANT).all(shaped).then_some(word)
    });
    let markers = text.match_indices(MARKER).filter_map(|(at, _)| {
        let class = text.get(at + MARKER.len()..)?;
        let len = class.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_').count();
        let (class, end) = class.split_at_checked(len)?;
        let known = Class::ALL.iter().any(|known| known.as_str() == class);
        (known && end.starts_with(']')).then_some(at..at + MARKER.len() + len + 1)
    });
    ids.chain(instants).chain(markers).filter(|word| is_whole(text, word))
}

/// Whether a word begins and ends there: colons and full stops may follow it.
fn is_whole(text: &str, word: &Range<usize>) -> bool {
    let is_border = |byte: &u8| b" ,;()`\"".contains(byte);
    let (before, after) = (text.as_bytes().get(..word.start), text.as_bytes().get(word.end..));
    before.and_then(<[u8]>::last).is_none_or(is_border)
        && after.and_then(|after| after.iter().find(|byte| !b":.".contains(byte))).is_none_or(is_border)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_ids_and_instants_are_left_out_and_nothing_else() {
        let id = format!("todo_{}", "0123456789abcdef");
        let text = format!("leave {id} to ash, lease ends 2026-11-29T23:31:11Z");
        assert_eq!(
            masked(text.as_str().into()),
            format!("leave {} to ash, lease ends {}", " ".repeat(21), " ".repeat(20))
        );
        for text in [
            format!("{id}x"),
            format!("see/{id}"),
            format!("{id}.example"),
            format!("key={id}"),
            "todo_123 at 2026-11-29".to_owned(),
            "2026-11-29T23:31:11Zz".to_owned(),
        ] {
            assert_eq!(masked(text.as_str().into()), text);
        }
    }
}
