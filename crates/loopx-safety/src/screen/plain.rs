//! The same text as others read it: composed, and with every sign in its plain form.

use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick, is_nfkc_quick};

use super::runs::first_wide;

/// How far around a changed character its text is looked at, in bytes: farther than any text of ours is long, so that
/// only of a longer one something is left out.
const AROUND: usize = 4 * 400;

/// A normal form of Unicode.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// NFC.
    Composed,
    /// NFKC.
    Plain,
}

impl Form {
    pub(super) const ALL: [Self; 2] = [Self::Composed, Self::Plain];

    fn of(self, text: &str) -> String {
        match self {
            Self::Composed => text.nfc().collect(),
            Self::Plain => text.nfkc().collect(),
        }
    }

    fn changes(self, text: &str) -> bool {
        match self {
            Self::Composed => is_nfc_quick(text.chars()) != IsNormalized::Yes && text.nfc().ne(text.chars()),
            Self::Plain => is_nfkc_quick(text.chars()) != IsNormalized::Yes && text.nfkc().ne(text.chars()),
        }
    }

    /// The parts of a text that are another in this form, in this form.
    pub(super) fn changed(self, text: &str) -> impl Iterator<Item = String> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let first = self.next(text, at..text.len())?;
            let before = text.get(at..text.floor_char_boundary(first.start.saturating_sub(AROUND)));
            let start = before.and_then(|before| before.rfind(' ')).map_or(at, |space| at + space);
            let mut end = first.end;
            let near = loop {
                let near = text.ceil_char_boundary(end.saturating_add(AROUND));
                let Some(next) = self.next(text, end..near) else { break near };
                end = next.end;
            };
            at = text.get(near..)?.find(' ').map_or(text.len(), |space| near + space);
            Some(self.of(text.get(start..at)?))
        })
    }

    /// The first piece that is another: characters beyond ASCII, and the one that they may be joined to. A character of
    /// ASCII never joins the one before it.
    fn next(self, text: &str, within: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let mut end = within.start;
        loop {
            let first = end + first_wide(bytes.get(end..within.end)?)?;
            end = bytes.get(first..)?.iter().position(u8::is_ascii).map_or(text.len(), |len| first + len);
            let piece = first.saturating_sub(1)..end;
            let piece = if text.is_char_boundary(piece.start) { piece } else { first..end };
            if self.changes(text.get(piece.clone())?) {
                return Some(piece);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_short_text_all_is_looked_at() {
        let text = "see n\u{30c}a and … here";
        assert_eq!(Form::Composed.changed(text).collect::<Vec<_>>(), ["see ňa and … here"]);
        assert_eq!(Form::Plain.changed(text).collect::<Vec<_>>(), ["see ňa and ... here"]);
        assert_eq!(Form::Plain.changed("公开 é").count(), 0);
    }

    #[test]
    fn of_a_long_text_each_changed_part_is_looked_at_once() {
        let words = "word ".repeat(1000);
        let text = format!("{words}a… b² {words}c™{words}");
        let parts: Vec<String> = Form::Plain.changed(&text).collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].contains(" a... b2 ") && parts[1].contains(" cTMword "));
        assert!(parts.iter().all(|part| part.len() < 2 * AROUND + 40));
    }
}
