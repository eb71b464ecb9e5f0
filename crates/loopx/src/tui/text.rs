//! Texts in columns of a terminal: a wide character takes two of them.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    // Most texts: nothing of them has to be looked up.
    if text.is_ascii() { text.len() } else { text.width() }
}

/// As much of a text as so many columns hold; what was cut ends in `…`.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if let Some(kept) = columns.checked_sub(1).and_then(|kept| text.get(..kept)).filter(|_| text.is_ascii()) {
        return format!("{kept}…");
    }
    let (mut out, mut taken) = (String::new(), 0);
    for sign in text.graphemes(true) {
        let wide = width(sign);
        if taken + wide + 1 > columns {
            break;
        }
        out.push_str(sign);
        taken += wide;
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// The same, filled up to exactly so many columns.
pub fn fit(text: &str, columns: usize) -> String {
    let cut = cut(text, columns);
    let left = columns.saturating_sub(width(&cut));
    cut + &" ".repeat(left)
}

/// The lines of a text in so many columns: broken between words, and within one that is longer than a line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    if width(text) <= columns {
        return vec![text.to_owned()];
    }
    let (mut lines, mut line, mut taken) = (Vec::new(), String::new(), 0);
    for word in text.split_word_bounds() {
        let wide = width(word);
        if taken + wide > columns && taken > 0 {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            taken = 0;
            if word.trim().is_empty() {
                continue;
            }
        }
        for sign in word.graphemes(true) {
            let wide = width(sign);
            if taken + wide > columns {
                lines.push(std::mem::take(&mut line));
                taken = 0;
            }
            line.push_str(sign);
            taken += wide;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A sentence for one line among many: of an id only its end is left, which tells it from others.
pub fn brief(text: &str) -> String {
    const KEPT: usize = 4;
    let mut out = String::new();
    for piece in text.split_inclusive(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_')) {
        let word = piece.trim_end_matches(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'));
        let minted = word.split_once('_').filter(|(kind, suffix)| {
            ["gate", "todo", "run", "hof", "ses", "rwd", "event", "outcome"].contains(kind)
                && suffix.len() >= 16
                && suffix.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
        });
        match minted.and_then(|(kind, suffix)| Some((kind, suffix.get(suffix.len() - KEPT..)?))) {
            Some((kind, end)) => {
                out += kind;
                out += "…";
                out += end;
                out += piece.get(word.len()..).unwrap_or_default();
            }
            None => out += piece,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_character_was_counted_as_one_column() {
        assert_eq!(cut("界界界界", 5), "界界…");
        assert_eq!(cut("界界界界", 4), "界…");
        assert_eq!(cut("界界界界", 8), "界界界界");
        assert_eq!(fit("界", 4), "界  ");
        assert_eq!(fit("ab", 1), "…");
        assert_eq!(cut("ab", 0), "");
        assert_eq!(
            (cut("abcd", 3), cut("abcd", 4), cut("a界cd", 3)),
            ("ab…".into(), "abcd".into(), "a…".into())
        );
        // One that is joined of several is never torn.
        assert_eq!(cut("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3), "👩‍👩‍👧‍👦…");
    }

    #[test]
    fn no_line_is_wider_than_its_columns() {
        let long = "界".repeat(240);
        for text in ["one two three", "a-very-long-word-without-any-end", &long, "", "é́́ x"] {
            for columns in 0..12 {
                let lines = wrap(text, columns);
                assert!(
                    lines.iter().all(|line| width(line) <= columns.max(2)),
                    "{text} in {columns}: {lines:?}"
                );
                let words = |text: &str| text.replace(' ', "");
                assert_eq!(words(&lines.concat()), words(text));
            }
        }
    }

    #[test]
    fn an_id_hid_what_was_asked() {
        let brief = brief("decide gate_06h2vvrzs0mh8nhp: may it go out? (todo_06h2vvrzs0mh8nhp), run_it");
        assert_eq!(brief, "decide gate…8nhp: may it go out? (todo…8nhp), run_it");
    }
}
