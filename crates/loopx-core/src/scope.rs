//! Project-relative globs: what a goal allows and a todo touches.

use std::fmt;

use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

/// One project-relative glob. `*` and `?` stay within a folder, `**` crosses folders.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "PublicText", into = "PublicText")]
#[schemars(with = "PublicText")]
pub struct Glob(PublicText);

/// Why a text is no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// It leaves the project.
    #[error("a scope stays inside the project: no leading '/', no '..'")]
    Outside,
    /// Not a glob.
    #[error("not a glob: unbalanced brackets or braces, or white space at an end")]
    Malformed,
}

impl Glob {
    /// Parses a glob.
    pub fn parse(text: PublicText) -> Result<Self, ScopeError> {
        let glob = text.as_str();
        if leaves_the_project(glob) {
            return Err(ScopeError::Outside);
        }
        if glob.trim() != glob || globset::GlobBuilder::new(glob).literal_separator(true).build().is_err() {
            return Err(ScopeError::Malformed);
        }
        Ok(Self(text))
    }

    /// What stands where a glob stood that can't be read: it lies in no scope but one of everything.
    pub(crate) fn unreadable() -> Self {
        Self(PublicText::purged())
    }

    /// The glob as written.
    pub fn as_text(&self) -> &PublicText {
        &self.0
    }

    /// Whether everything this glob can name lies inside `other`. Decided part by part; where it can't be
    /// decided, the answer is no.
    pub fn lies_in(&self, other: &Self) -> bool {
        let inner: Vec<&str> =
            self.0.as_str().split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let outer: Vec<&str> =
            other.0.as_str().split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        covers(&outer, &inner)
    }
}

fn leaves_the_project(glob: &str) -> bool {
    glob.starts_with('/') || glob.contains('\\') || glob.split('/').any(|part| part == "..")
}

/// Whether the parts of `outer` match every path that the parts of `inner` match. Told from the ends, each pair of
/// places once: a row of `**` makes it no longer.
fn covers(outer: &[&str], inner: &[&str]) -> bool {
    // Whether the rest of `outer` covers the rest of `inner` from each place on.
    let mut rest = vec![false; inner.len()];
    rest.push(true);
    for (at, out) in outer.iter().enumerate().rev() {
        let mut longer = vec![false; rest.len()];
        for from in (0..rest.len()).rev() {
            longer[from] = match (*out, inner.get(from)) {
                ("**", part) if at + 1 == outer.len() => part.is_some(),
                ("**", part) => rest[from] || part.is_some() && longer[from + 1],
                (_, None | Some(&"**")) => false,
                (out, Some(part)) => rest[from + 1] && part_covers(out, part),
            };
        }
        rest = longer;
    }
    rest[0]
}

fn part_covers(outer: &str, inner: &str) -> bool {
    if outer == inner || outer == "*" {
        return true;
    }
    let magic = |part: &str| part.contains(['*', '?', '[', '{']);
    if magic(inner) {
        return false;
    }
    globset::GlobBuilder::new(outer)
        .literal_separator(true)
        .build()
        .is_ok_and(|glob| glob.compile_matcher().is_match(inner))
}

/// As it comes out of a log: what [`Glob::parse`] took was a glob, so that only its reach is looked at again.
impl TryFrom<PublicText> for Glob {
    type Error = ScopeError;
    fn try_from(text: PublicText) -> Result<Self, ScopeError> {
        if leaves_the_project(text.as_str()) { Err(ScopeError::Outside) } else { Ok(Self(text)) }
    }
}

impl From<Glob> for PublicText {
    fn from(glob: Glob) -> Self {
        glob.0
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> Glob {
        Glob::parse(PublicText::new(text).expect("clean")).expect("a glob")
    }

    #[test]
    fn inclusion() {
        for (inner, outer, lies) in [
            ("src/main.rs", "src/**", true),
            ("src/main.rs", "src/*.rs", true),
            ("src/a/b.rs", "src/*", false),
            ("src/**", "src/**", true),
            ("src/**", "src/*", false),
            ("docs/a.md", "src/**", false),
            ("src/a/**", "src/**", true),
            ("src/a/**/x.rs", "src/**", true),
            ("src", "src/**", false),
            ("a", "**", true),
            ("a/*.rs", "a/*", true),
            ("a/*", "a/*.rs", false),
            ("**/x", "**/x", true),
            ("a/**/b/c", "**/**/c", true),
            ("a/b", "**/a", false),
            (".", ".", true),
            ("a", ".", false),
        ] {
            assert_eq!(glob(inner).lies_in(&glob(outer)), lies, "{inner} in {outer}");
        }
    }

    #[test]
    fn a_row_of_wildcards_does_not_hold_up_the_answer() {
        let (inner, outer) = (format!("{}a", "**/".repeat(70)), format!("{}b", "**/".repeat(70)));
        assert!(!glob(&inner).lies_in(&glob(&outer)));
        assert!(glob(&inner).lies_in(&glob(&inner)));
    }

    #[test]
    fn outside_is_refused() {
        for text in ["../x", "src/[a"] {
            assert!(Glob::parse(PublicText::new(text).expect("clean")).is_err(), "{text}");
        }
    }
}
