//! Text inside the log. It is marked in the event's JSON, so that a store can keep it apart and purge it.

use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

/// A text an operator or agent gave to us, as it stands in an event: `{"text": …}`.
///
/// A store may move the inner string into a table of its own and put it back before it reads the event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogText {
    /// The screened text.
    pub text: PublicText,
}

impl From<PublicText> for LogText {
    fn from(text: PublicText) -> Self {
        Self { text }
    }
}

/// Texts, as they stand in an event.
pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a PublicText>) -> Vec<LogText> {
    texts.into_iter().cloned().map(LogText::from).collect()
}
