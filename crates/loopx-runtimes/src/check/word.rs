//! One word of a command, and its text without quotes.

use std::borrow::Cow;

/// A word as it stands in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// As written.
    pub(super) raw: &'a str,
    /// Whether it holds quotes or backslashes that are the shell's.
    pub(super) quoted: bool,
}

impl<'a> Word<'a> {
    /// A word that went through no shell.
    pub(super) fn literal(raw: &'a str) -> Self {
        Self { raw, quoted: false }
    }

    /// Whether it is this word of the shell's own, which quotes would make an ordinary one.
    pub(super) fn is(&self, reserved: &str) -> bool {
        !self.quoted && self.raw == reserved
    }

    /// Whether it sets a variable: `NAME=value`.
    pub(super) fn assigns(&self) -> bool {
        let name = self.raw.trim_start_matches(['"', '\'']);
        let end = name.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        let Some(end) = end.filter(|&end| end > 0 && !name.as_bytes()[0].is_ascii_digit()) else {
            return false;
        };
        let rest = &name.as_bytes()[end..];
        rest.starts_with(b"=") || rest.starts_with(b"+=") || rest.starts_with(b"[")
    }

    /// Its text without the quotes. What the shell would put in stays as written, so it equals no name.
    pub(super) fn text(&self) -> Cow<'a, str> {
        if !self.quoted {
            return Cow::Borrowed(self.raw);
        }
        whole(self.raw).map_or_else(|| Cow::Owned(unquoted(self.raw)), Cow::Borrowed)
    }
}

/// The inside of a word that is one pair of quotes around plain text.
fn whole(raw: &str) -> Option<&str> {
    let (quote, inside) = (raw.chars().next()?, raw.get(1..raw.len() - 1)?);
    let plain = match quote {
        '\'' => !inside.contains('\''),
        '"' => !inside.contains(['"', '\\']),
        _ => false,
    };
    (plain && raw.len() > 1 && raw.ends_with(quote)).then_some(inside)
}

fn unquoted(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    let mut double = false;
    while let Some(at) = rest.find(['\'', '"', '\\']) {
        text.push_str(&rest[..at]);
        let (mark, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = match mark {
            b'\'' if !double => {
                let end = after.find('\'').unwrap_or(after.len());
                text.push_str(&after[..end]);
                after.get(end + 1..).unwrap_or_default()
            }
            b'"' => {
                double = !double;
                after
            }
            b'\\' => {
                let next = after.chars().next();
                if let Some(next) = next.filter(|&next| next != '\n') {
                    if double && !matches!(next, '$' | '`' | '"' | '\\') {
                        text.push('\\');
                    }
                    text.push(next);
                }
                next.and_then(|next| after.get(next.len_utf8()..)).unwrap_or_default()
            }
            _ => {
                text.push(char::from(mark));
                after
            }
        };
    }
    text.push_str(rest);
    text
}
