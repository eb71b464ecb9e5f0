//! Why a text was refused: its class and where, never the text.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of thing the screen found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Nothing but white space.
    Empty,
    /// More characters than the field holds.
    TooLong,
    /// A line break.
    MultiLine,
    /// A control, invisible or private-use character.
    Control,
    /// An absolute or home path; in the showcase any path.
    Path,
    /// An address with a scheme, or one that starts with `www.` or `//`.
    Url,
    /// A host name.
    Host,
    /// A mail address, or `user@host`.
    Mail,
    /// An IP or hardware address.
    Ip,
    /// A UUID.
    Uuid,
    /// A token, key or password.
    Credential,
    /// A long random-looking token.
    HighEntropy,
    /// A look-alike, full-width or encoded spelling of something else.
    Disguised,
    /// A document's id.
    DocId,
    /// A private word of a session, or one of the operator's own.
    PrivateWord,
    /// Mark-up of a transcript or a tool.
    Markup,
    /// A handle that was not minted by us.
    Handle,
}

impl Class {
    /// Every class, in the order of the screen.
    pub const ALL: [Self; 17] = [
        Self::Empty,
        Self::TooLong,
        Self::MultiLine,
        Self::Control,
        Self::Path,
        Self::Url,
        Self::Host,
        Self::Mail,
        Self::Ip,
        Self::Uuid,
        Self::Credential,
        Self::HighEntropy,
        Self::Disguised,
        Self::DocId,
        Self::PrivateWord,
        Self::Markup,
        Self::Handle,
    ];

    /// The contract's word, equal to the serde name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::MultiLine => "multi_line",
            Self::Control => "control",
            Self::Path => "path",
            Self::Url => "url",
            Self::Host => "host",
            Self::Mail => "mail",
            Self::Ip => "ip",
            Self::Uuid => "uuid",
            Self::Credential => "credential",
            Self::HighEntropy => "high_entropy",
            Self::Disguised => "disguised",
            Self::DocId => "doc_id",
            Self::PrivateWord => "private_word",
            Self::Markup => "markup",
            Self::Handle => "handle",
        }
    }

    /// A short remedy: a fragment that completes "hint: …".
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Empty => "say something in it",
            Self::TooLong => "shorten it, and keep the detail in a file of the project",
            Self::MultiLine => "keep it to one line",
            Self::Control => "remove the invisible or control characters",
            Self::Path => "name the file relative to the project, or say what it is",
            Self::Url => "say what the link shows instead of the link",
            Self::Host => "name the service instead of its host",
            Self::Mail => "name the role instead of the address",
            Self::Ip => "name the machine's role instead of its address",
            Self::Uuid => "use the id that loopx shows for it",
            Self::Credential => "take the secret out, and rotate it if it was real",
            Self::HighEntropy => "name the thing in words; a commit hash goes right after the word commit",
            Self::Disguised => "write it with plain letters, not encoded or look-alike ones",
            Self::DocId => "name the document instead of its id",
            Self::PrivateWord => "leave the private name out",
            Self::Markup => "say it in a sentence of your own",
            Self::Handle => "copy the handle as loopx shows it",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal names the class and the columns; the text itself is in no message, log or document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// What was found.
    pub class: Class,
    /// Where: 1-based columns counted in characters, the end excluded.
    pub columns: Range<usize>,
}

impl Refusal {
    /// A refusal of the bytes `at` of `text`.
    pub(crate) fn at(class: Class, text: &str, at: Range<usize>) -> Self {
        debug_assert!(
            text.is_empty() || text.get(at.clone()).is_some_and(|part| !part.is_empty()),
            "no part"
        );
        let start = text.get(..at.start).unwrap_or(text).chars().count();
        let width = text.get(at).map_or(0, |part| part.chars().count()).max(1);
        Self { class, columns: start + 1..start + 1 + width }
    }

    /// A short remedy, by class.
    pub const fn hint(&self) -> &'static str {
        self.class.hint()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.columns.start;
        let last = self.columns.end.saturating_sub(1);
        if last > first {
            write!(f, "{} at columns {first}-{last}", self.class)
        } else {
            write!(f, "{} at column {first}", self.class)
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_class_and_columns_counted_in_characters() {
        let refusal = Refusal::at(Class::Credential, "äöü secret", 7..13);
        assert_eq!(refusal.to_string(), "credential at columns 5-10");
        assert_eq!(Refusal::at(Class::Empty, "", 0..0).to_string(), "empty at column 1");
    }

    #[test]
    fn serde_names_equal_the_words() {
        for class in Class::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
            assert!(!class.hint().is_empty());
        }
    }
}
