//! What a person needs to find a thing, and how any text is made safe to print.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::path::Path;

use crate::handle::Handle;
use crate::screen::control::is_invisible;

/// Words for the person at the terminal that no document may hold: it can't be serialized.
///
/// Three things get in: what the caller typed, a file of our own relative to its base folder, and a runtime's file by
/// its handle. Each is escaped when it is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic(String);

impl Diagnostic {
    /// An echo of what the caller typed in this very call.
    pub fn typed(text: &str) -> Self {
        Self(escape(text).into_owned())
    }

    /// One of our own files, relative to its base folder, which goes by a name such as `state`.
    pub fn own_file(base_name: &'static str, base: &Path, file: &Path) -> Self {
        match file.strip_prefix(base) {
            Ok(rest) if rest.as_os_str().is_empty() => Self(base_name.to_owned()),
            Ok(rest) => Self(format!("{base_name}/{}", escape(&rest.to_string_lossy()))),
            Err(_) => Self(format!("a file outside {base_name}")),
        }
    }

    /// A runtime's file: what kind of file it is, in our own words, and its handle.
    pub fn runtime_file(kind: &'static str, handle: Handle) -> Self {
        Self(format!("{kind} {handle}"))
    }

    /// The words, safe for one terminal line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Makes any text safe for one line of a terminal: what can't be seen is shown as `\u{..}`.
///
/// Every writer calls it, for errors and logs too.
pub fn escape(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_unsafe(c) {
            // Writing to a String can't fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Makes a JSON document safe to print: what can't be seen stands as its escape in its texts, which says the same.
///
/// Line breaks between its parts stay: JSON lets no other such character stand outside of a text.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c != '\n' && is_unsafe(c);
    let Some(first) = json.find(is_unsafe) else { return Cow::Borrowed(json) };
    let mut out = String::with_capacity(json.len() + 16);
    out.push_str(&json[..first]);
    for c in json[first..].chars() {
        if is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Emoji and the scripts that need joiners keep them: they move no cursor and turn no text around.
fn is_unsafe(c: char) -> bool {
    c.is_control() || (is_invisible(c) && !matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::{HandleKind, InstallKey};

    #[test]
    fn escape_shows_what_moves_or_hides() {
        assert_eq!(escape("plain ±é 日本"), "plain ±é 日本");
        assert_eq!(escape("a\u{1b}[2Jb\rc\nd"), "a\\u{1b}[2Jb\\u{d}c\\u{a}d");
        assert_eq!(escape("\u{202e}x\u{9b}y\u{e0041}"), "\\u{202e}x\\u{9b}y\\u{e0041}");
        assert!(matches!(escape("same"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_says_the_same_without_what_moves_or_hides() {
        let said = "a\u{1b}[2J\u{7f}\u{9b}b\u{202e}\u{e0041} é 日本";
        let json = serde_json::to_string_pretty(&[said]).unwrap();
        let safe = escape_json(&json);
        assert!(!safe.contains(|c| c != '\n' && is_unsafe(c)), "{safe:?}");
        assert!(
            safe.contains("\\u009b") && safe.contains("\\udb40\\udc41") && safe.contains("é 日本"),
            "{safe}"
        );
        assert_eq!(serde_json::from_str::<[String; 1]>(&safe).unwrap()[0], said);
        assert!(matches!(escape_json("[\n  \"same\"\n]"), Cow::Borrowed(_)));
    }

    #[test]
    fn own_files_are_relative_to_their_base() {
        let base = Path::new("/base/loopx");
        let name = |file: &str| Diagnostic::own_file("state", base, Path::new(file)).to_string();
        assert_eq!(name("/base/loopx/events.db"), "state/events.db");
        assert_eq!(name("/base/loopx"), "state");
        assert_eq!(name("/elsewhere/x"), "a file outside state");
    }

    #[test]
    fn a_runtimes_file_goes_by_its_handle() {
        let handle = InstallKey::from_bytes([1; 32], "i").handle(HandleKind::File, "codex_exec", "native");
        assert_eq!(Diagnostic::runtime_file("rollout", handle).as_str(), format!("rollout {handle}"));
        assert_eq!(Diagnostic::typed("go\nal").as_str(), "go\\u{a}al");
    }
}
