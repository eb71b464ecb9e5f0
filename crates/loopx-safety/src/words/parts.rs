//! A text's words in parts, in a spelling that is the same for all that read alike.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

/// The parts of a text in order, each with its bytes: cut at signs and spaces, between letters and digits, and where a
/// capital begins a word: `HTTPServer2` is `http`, `server`, `2`.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, c)| !is_part(*c)).is_some() {}
        let (start, first) = rest.next()?;
        let (mut end, mut before) = (start + first.len_utf8(), first);
        while let Some(&(at, c)) = rest.peek()
            && is_part(c)
            && !begins(before, c, text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next()))
        {
            (end, before) = (at + c.len_utf8(), if is_mark(c) { before } else { c });
            rest.next();
        }
        Some((start..end, folded(text.get(start..end).unwrap_or_default())))
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// A mark over or under a letter.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Whether a part begins at this character.
fn begins(before: char, c: char, next: Option<char>) -> bool {
    if is_mark(c) {
        return false;
    }
    before.is_numeric() != c.is_numeric()
        || before.is_lowercase() && c.is_uppercase()
        || before.is_uppercase() && c.is_uppercase() && next.is_some_and(char::is_lowercase)
}

/// In small letters without marks, each letter as the one it is read as.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_mark(*c)).flat_map(char::to_lowercase).filter(|c| !is_mark(*c)) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ı' => out.push('i'),
            'ł' => out.push('l'),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ħ' => out.push('h'),
            'ς' => out.push('σ'),
            c => out.push(c),
        }
    }
    out
}

/// Whether it is of a script that writes no spaces, or glues its particles to words: Thai to Khmer, kana, Han, Hangul.
pub(super) const fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{2fff}'
        | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
