//! Step: nothing in disguise: full-width and styled letters, look-alikes of another script, encoded characters, a
//! token that is cut in pieces.

use std::iter::once;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkd_quick};

use super::pattern::compile;
use super::runs::first_wide;
use super::scripts::{find_look_alike, find_mixed};
use super::{gate, host};
use crate::tier::TierKind;

/// Three encoded characters in a row, or one that is encoded twice.
pub(super) static ENCODED: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?i)(?:\\{1,2}u\{?[0-9a-f]{4}\}?){3}|(?:\\{1,2}x[0-9a-f]{2}){3}|(?:\\[0-7]{3}){3}",
        r"|(?:&#x?[0-9a-f]{1,6};?){3}|(?:%[0-9a-f]{2}){3}|%25[0-9a-f]{2}",
        // Written backwards, or thirteen letters on.
        r"|//:s?ptth|\\:[a-z](?:$|\s)|\buggcf?://|\.pbz\b",
    ))
});

/// The first disguise of a text.
pub(super) fn find(text: &str, _: TierKind) -> Option<Range<usize>> {
    let in_wide = |find: fn(&str) -> Option<Range<usize>>| {
        wide(text).find_map(|part| {
            let found = find(text.get(part.clone())?)?;
            Some(part.start + found.start..part.start + found.end)
        })
    };
    let encoded = || if gate::encoded(text) { ENCODED.find(text).map(|found| found.range()) } else { None };
    in_wide(find_styled)
        .or_else(|| in_wide(find_pile))
        .or_else(|| in_wide(find_mixed))
        .or_else(|| find_look_alike(text))
        .or_else(encoded)
        .or_else(|| find_pieces(text))
        .or_else(|| find_scattered(text))
}

/// The parts of a text that have characters beyond ASCII: with the letters and digits around them, and with one more
/// character, where the last word ends.
fn wide(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| !byte.is_ascii() || byte.is_ascii_alphanumeric();
    let mut end = 0;
    std::iter::from_fn(move || {
        let first = end + first_wide(bytes.get(end..)?)?;
        let before = bytes.get(end..first)?.iter().rposition(|byte| !is_part(byte));
        let start = before.map_or(end, |before| end + before + 1);
        let behind = bytes.get(first..)?.iter().position(|byte| !is_part(byte));
        end = behind.map_or(bytes.len(), |behind| first + behind + 1);
        Some(start..end)
    })
}

/// The first character that stands for a plainer one.
fn find_styled(text: &str) -> Option<Range<usize>> {
    let (at, c) =
        text.char_indices().find(|&(at, c)| !c.is_ascii() && is_styled(c) && !is_fraction(text, at, c))?;
    Some(at..at + c.len_utf8())
}

/// Whether it is the slash of a fraction, which `½` is in its plain form.
fn is_fraction(text: &str, at: usize, c: char) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    c == '⁄' && at > 0 && digit(bytes.get(at - 1)) && digit(bytes.get(at + c.len_utf8()))
}

/// Whether a character stands for a plainer one (NFKC changes it where NFC does not), but for what people write.
fn is_styled(c: char) -> bool {
    matches!(c, '⁄' | '∕' | '⧸' | '⧹' | '╱' | '╲' | '⟋' | '⟍' | '∖')
        // Small capitals, letters in boxes, marks that strike out or underline.
        || matches!(c, '\u{1d00}'..='\u{1d2b}' | 'ʙ' | 'ɢ' | 'ʜ' | 'ɪ' | 'ʟ' | 'ɴ' | 'ʀ' | 'ʏ' | 'ꜰ' | 'ꜱ')
        || matches!(c, '\u{1f150}'..='\u{1f189}' | '\u{331}'..='\u{338}' | '\u{20d0}'..='\u{20e2}')
        || is_nfkd_quick(once(c)) != IsNormalized::Yes && !is_written(c) && once(c).nfkd().ne(once(c).nfd())
}

/// Signs of ordinary writing that NFKC would change: spaces, powers, fractions, and full-width punctuation as in
/// Chinese and Japanese sentences.
const fn is_written(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{e33}' | '\u{eb3}' | '\u{2011}' | '\u{202f}' | '\u{3000}' | '…' | '™' | 'ª' | 'º' | '²' | '³' | '¹' | '№' | '¼'..='¾' | 'µ' | 'ℹ'
            | '①'..='⑳' | '⁺' | '⁻' | '℃' | '℉' | '⅐'..='⅟' | '₀'..='₉' | '⁰'..='⁹' | '‼' | '⁉' | '´' | '¨' | '¯' | '¸' | '！' | '（' | '）' | '，'
            | '：' | '；' | '？' | '～' | '％' | '＋' | '［' | '］' | '｛' | '｝' | '｜' | '＝' | '＆'
    )
}

/// How many marks no script stacks on one letter (UTS 39, 5.4): more would run over the lines above and below.
const PILE: usize = 5;

/// The first letter's pile of marks that is higher than any script needs.
fn find_pile(text: &str) -> Option<Range<usize>> {
    let (mut start, mut high) = (0, 0);
    for (at, c) in text.char_indices() {
        if canonical_combining_class(c) == 0 {
            (start, high) = (at + c.len_utf8(), 0);
            continue;
        }
        high += 1;
        if high == PILE {
            return Some(start..at + c.len_utf8());
        }
    }
    None
}

/// Three pieces in a row, each of a few characters, none of them a word and at most one a word with a number.
fn find_pieces(text: &str) -> Option<Range<usize>> {
    let (mut at, mut start) = (0, 0);
    let (mut row, mut odd) = (0, 0);
    for piece in text.as_bytes().split(|byte| *byte == b' ') {
        match kind_of(piece) {
            Piece::Odd => (row, odd) = (row + 1, odd + 1),
            Piece::Numbered => row += 1,
            Piece::Word => (row, odd) = (0, 0),
        }
        if row == 1 {
            start = at;
        }
        if row >= 3 && odd >= 2 {
            return Some(start..at + piece.len());
        }
        at += piece.len() + 1;
    }
    None
}

/// A host that is written with spaces inside.
fn find_scattered(text: &str) -> Option<Range<usize>> {
    if text.bytes().filter(|byte| *byte == b'.').count() < 2 {
        return None;
    }
    let is_piece = |piece: &&str| !piece.is_empty() && piece.len() <= 8;
    let has_dot = |piece: &&str| piece.trim_end_matches('.').contains('.');
    let pieces = || text.split(' ').take_while(is_piece);
    if pieces().nth(2).is_none() || pieces().filter(has_dot).nth(1).is_none() {
        return None;
    }
    let joined: String = pieces().collect();
    let len = joined.len() + pieces().count() - 1;
    (pieces().all(|piece| host::find(piece, TierKind::Local).is_none())
        && host::find(&joined, TierKind::Local).is_some())
    .then_some(0..len)
}

/// What a piece between two spaces looks like.
enum Piece {
    /// Five to eight characters that change between cases and digits in their midst.
    Odd,
    /// As long, with a number at its end.
    Numbered,
    /// Anything else.
    Word,
}

fn kind_of(bytes: &[u8]) -> Piece {
    if !(5..=8).contains(&bytes.len())
        || bytes.iter().all(|byte| !byte.is_ascii_digit() && !byte.is_ascii_uppercase())
        || bytes.iter().any(|byte| !byte.is_ascii_alphanumeric() && !b"_-.".contains(byte))
    {
        return Piece::Word;
    }
    let is_odd = |pair: &[u8]| {
        pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
            || pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    };
    // A number at the end makes no piece of a word.
    let word = bytes.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    if bytes[..word].windows(2).any(is_odd) {
        Piece::Odd
    } else if word < bytes.len() {
        Piece::Numbered
    } else {
        Piece::Word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_are_found() {
        for text in [
            "ＡＢＣ",
            "𝐬𝐤",
            "pаypal",
            "ask раура for it",
            "ΑΡΡ ΙΝΤΕ key",
            "paypօl",
            "bοrealis",
            "ʙᴏʀᴇᴀʟɪs",
            "🅱orealis",
            "b̶o̶r̶e̶a̶l̶i̶s̶",
            "аλφа",
            "a∕b",
            "\\u0041\\u004b\\u0049",
            "\\x41\\x4b\\x49",
            "&#x41;&#x4b;&#x49;",
            "%41%4b%49",
            "a%252Fb",
            "ﬁle",
            "k9Sryp SZhbUP iy8ttr",
            "k9Sryp SZh8UP Axep19",
            "gKmByy uRPcKG RyTjyj",
            "ab.co rp.exa mple.c om",
            "x/moc.elpmaxe//:sptth",
            "uggcf://rknzcyr",
            "a\u{300}\u{301}\u{302}\u{303}\u{304} piles up over its line",
        ] {
            assert!(find(text, TierKind::Local).is_some(), "{text}");
        }
    }

    #[test]
    fn what_people_write_passes() {
        for text in [
            "±é … ™ m² № 5 µs",
            "公开 Engine 重构：7 个合并 PR（完）",
            "проверить API",
            "Δt λ",
            "α, β and ρ",
            "½ done at 10⁻³ and 20 ℃",
            "1⁄2 done",
            "хор и нос",
            "الـAPI الجديد",
            "ใช้APIใหม่",
            "新しいAPIを使う",
            "새API로",
            "한국어 ニュース",
            "100 % of a & b",
            "naïve → done ①",
            "e\u{301}te\u{301}",
            "Tiếng Việt o\u{302}\u{323}",
            "שָׁלוֹם",
            "กำลังทดสอบ ที่นี่",
            "24\u{a0}h",
            "GitHub and OpenAI on macOS",
            "input2 output3 value4",
        ] {
            assert_eq!(find(text, TierKind::Local), None, "{text}");
        }
    }
}
