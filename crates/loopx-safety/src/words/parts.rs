//! A text's words in parts: at signs and spaces, and where a capital follows a small letter.

use std::ops::Range;

/// The parts of a text in order, in small letters, each with its bytes.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, c)| !c.is_alphanumeric()).is_some() {}
        let (start, first) = rest.next()?;
        let (mut end, mut before) = (start + first.len_utf8(), first);
        while let Some((at, c)) =
            rest.next_if(|(_, c)| c.is_alphanumeric() && !(before.is_lowercase() && c.is_uppercase()))
        {
            (end, before) = (at + c.len_utf8(), c);
        }
        Some((start..end, text.get(start..end).unwrap_or_default().to_lowercase()))
    })
}

/// Whether it is of a script that writes no spaces, or glues its particles to words: Thai to Khmer, kana, Han, Hangul.
pub(super) const fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{2fff}'
        | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
