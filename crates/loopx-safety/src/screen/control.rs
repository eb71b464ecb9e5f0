//! Step: no character that breaks the line, can't be seen, or means something else elsewhere.

use crate::refusal::{Class, Refusal};

/// Refuses line breaks, then C0/C1, bidi, zero-width, tag, private-use and default-ignorable characters.
pub(super) fn check(text: &str) -> Result<(), Refusal> {
    let mut next = 0;
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
    while let Some(skipped) = text.as_bytes().iter().skip(next).position(|byte| !is_plain(byte)) {
        let (before, rest) = text.split_at(next + skipped);
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { break };
        next = before.len() + c.len_utf8();
        let class = match c {
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Class::MultiLine,
            _ if c.is_control() => Class::Control,
            _ if is_invisible(c) && !is_joined(before.chars().next_back(), c, chars.next()) => Class::Control,
            _ => continue,
        };
        return Err(Refusal::at(class, text, before.len()..next));
    }
    Ok(())
}

/// Whether a character can't be seen, or is private: Unicode's default-ignorable, format, private-use and
/// noncharacter code points.
pub(crate) const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}'
    )
}

/// Joiners inside the scripts that need them, and the signs that make a symbol an emoji.
fn is_joined(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{200c}' | '\u{200d}' if is_joining_script(before) => after.is_some_and(is_joining_script),
        '\u{200d}' => (is_symbol(before) || before == '\u{fe0f}') && after.is_some_and(is_symbol),
        '\u{fe0e}' | '\u{fe0f}' => is_symbol(before),
        _ => false,
    }
}

/// Arabic and the Indic scripts.
const fn is_joining_script(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6d3}' | '\u{750}'..='\u{77f}' | '\u{900}'..='\u{dff}')
}

const fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Option<Class> {
        check(text).err().map(|refusal| refusal.class)
    }

    #[test]
    fn what_cannot_be_seen_is_refused() {
        for c in [
            '\0', '\t', '\u{1b}', '\u{7f}', '\u{9b}', '\u{ad}', '\u{200b}', '\u{200d}', '\u{202e}',
            '\u{2066}',
        ] {
            assert_eq!(class(&format!("a{c}b")), Some(Class::Control), "{c:?}");
        }
        for c in ['\u{e000}', '\u{e0041}', '\u{fe0f}', '\u{feff}', '\u{f0000}', '\u{3164}', '\u{34f}'] {
            assert_eq!(class(&format!("a{c}b")), Some(Class::Control), "{c:?}");
        }
        for c in ['\n', '\r', '\u{2028}', '\u{85}'] {
            assert_eq!(class(&format!("a{c}b")), Some(Class::MultiLine), "{c:?}");
        }
    }

    #[test]
    fn scripts_and_emoji_keep_their_joiners() {
        for text in ["⚠\u{fe0f} late", "👩\u{200d}💻", "می\u{200c}شود", "±é日本 “quoted” … ✅"]
        {
            assert_eq!(class(text), None, "{text}");
        }
    }
}
