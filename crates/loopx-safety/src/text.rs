//! Text that may be said: made only by a constructor that screens.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::redact::is_redacted;
use crate::refusal::Refusal;
use crate::screen::{screen, screen_with};
use crate::tier::{Local, Showcase, Tier};
use crate::words::PrivateWords;

/// How many characters a text holds.
pub const TEXT_MAX: usize = 240;

/// How many characters a next action holds.
pub const ACTION_MAX: usize = 400;

/// What stands where a purged text stood.
const PURGED: &str = "[purged]";

/// One line of at most `MAX` characters that passed the screen of its tier.
///
/// Reading it back screens again, so a file that was edited by hand can't slip past; what a store has just compared
/// with its checksum, where such an edit shows, is read as it is ([`stored::proved`]). A local text does not turn into a
/// showcase text but by `PublicText::<Showcase>::new`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicText<T: Tier = Local, const MAX: usize = TEXT_MAX> {
    text: Arc<str>,
    tier: PhantomData<T>,
}

/// A text as long as a next action may be.
pub type ActionText<T = Local> = PublicText<T, ACTION_MAX>;

impl<T: Tier, const MAX: usize> PublicText<T, MAX> {
    /// Screens a text and takes it as it is, never rewritten.
    pub fn new(text: &str) -> Result<Self, Refusal> {
        screen(text, T::KIND, MAX)?;
        Ok(Self::screened(text.into()))
    }

    /// The same without the white space around it, and refused where one of these words is in it.
    pub fn without(text: &str, words: &PrivateWords) -> Result<Self, Refusal> {
        let text = text.trim();
        screen_with(text, T::KIND, MAX, words)?;
        Ok(Self::screened(text.into()))
    }

    /// The marker of a text that its owner has purged.
    pub fn purged() -> Self {
        Self::screened(PURGED.into())
    }

    /// Whether it is the marker of a purged text.
    pub fn is_purged(&self) -> bool {
        &*self.text == PURGED
    }

    /// Whether something was taken out of it.
    pub fn is_redacted(&self) -> bool {
        is_redacted(&self.text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    const fn screened(text: Arc<str>) -> Self {
        Self { text, tier: PhantomData }
    }
}

impl<T: Tier> From<PublicText<T, TEXT_MAX>> for PublicText<T, ACTION_MAX> {
    fn from(text: PublicText<T, TEXT_MAX>) -> Self {
        Self::screened(text.text)
    }
}

impl<const MAX: usize> From<PublicText<Showcase, MAX>> for PublicText<Local, MAX> {
    /// What the whole world may see may be seen here.
    fn from(text: PublicText<Showcase, MAX>) -> Self {
        Self::screened(text.text)
    }
}

impl<T: Tier, const MAX: usize> FromStr for PublicText<T, MAX> {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        Self::new(text)
    }
}

impl<T: Tier, const MAX: usize> TryFrom<&str> for PublicText<T, MAX> {
    type Error = Refusal;

    fn try_from(text: &str) -> Result<Self, Refusal> {
        Self::new(text)
    }
}

impl<T: Tier, const MAX: usize> TryFrom<String> for PublicText<T, MAX> {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        screen(&text, T::KIND, MAX)?;
        Ok(Self::screened(text.into()))
    }
}

impl<T: Tier, const MAX: usize> AsRef<str> for PublicText<T, MAX> {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl<T: Tier, const MAX: usize> fmt::Display for PublicText<T, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl<T: Tier, const MAX: usize> fmt::Debug for PublicText<T, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl<T: Tier, const MAX: usize> Serialize for PublicText<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de, T: Tier, const MAX: usize> Deserialize<'de> for PublicText<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if stored::is_proved() && !text.is_empty() {
            return Ok(Self::screened(text.into()));
        }
        text.try_into().map_err(de::Error::custom)
    }
}

/// Texts that a store reads back after it compared their checksum.
pub mod stored {
    use std::cell::Cell;

    thread_local! {
        static PROVED: Cell<bool> = const { Cell::new(false) };
    }

    /// Whether what is read right now was screened when it was written, and was not changed since.
    pub(super) fn is_proved() -> bool {
        PROVED.get()
    }

    /// Reads without a second screening. Only for bytes whose checksum was compared just before: what was edited by
    /// hand differs there and never comes this far. What goes out is screened again all the same.
    pub fn proved<T>(read: impl FnOnce() -> T) -> T {
        struct Before(bool);
        impl Drop for Before {
            fn drop(&mut self) {
                PROVED.set(self.0);
            }
        }
        let _before = Before(PROVED.replace(true));
        read()
    }
}

impl<T: Tier, const MAX: usize> JsonSchema for PublicText<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("PublicText{MAX}").into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::PublicText<{:?}, {MAX}>", module_path!(), T::KIND).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Class;
    use crate::tier::TierKind;

    #[test]
    fn only_proved_bytes_are_read_without_a_screen() {
        let unsafe_text = format!("\"see {}/x\"", "/home");
        let read = || serde_json::from_str::<PublicText>(&unsafe_text);
        assert!(read().is_err());
        assert!(stored::proved(read).is_ok());
        assert!(read().is_err(), "it counts no longer than the read");
        assert!(stored::proved(|| serde_json::from_str::<PublicText>("\"\"")).is_err(), "empty is no text");
        let _unwound = std::panic::catch_unwind(|| stored::proved(|| panic!("while reading")));
        assert!(read().is_err(), "nor does it outlive a panic");
    }

    #[test]
    fn a_text_is_kept_as_it_is() {
        let text: PublicText = " fix ±é 日本 ".parse().unwrap();
        assert_eq!(text.as_str(), " fix ±é 日本 ");
        let none = PrivateWords::none(TierKind::Local);
        assert_eq!(PublicText::<Local>::without(" fix ", &none).unwrap().to_string(), "fix");
        assert_eq!(format!("{text:?}"), "\" fix ±é 日本 \"");
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert!(PublicText::<Local>::new(&"é ".repeat(120)).is_ok());
        let refusal = PublicText::<Local>::new(&"é ".repeat(121)).unwrap_err();
        assert_eq!((refusal.class, refusal.columns), (Class::TooLong, 241..243));
        assert!(ActionText::<Local>::new(&"é ".repeat(200)).is_ok());
    }

    #[test]
    fn the_purged_marker_reads_back() {
        let text = PublicText::<Showcase>::purged();
        assert!(text.is_purged());
        assert_eq!(PublicText::<Showcase>::new(text.as_str()).unwrap(), text);
        assert!(ActionText::from(PublicText::<Local>::from(text)).is_purged());
    }

    #[test]
    fn reading_back_screens_again_and_does_not_echo() {
        let error = serde_json::from_str::<PublicText>("\"see /home/canary/x\"").unwrap_err().to_string();
        assert!(error.starts_with("path at columns 5-18"), "{error}");
        assert!(!error.contains("canary"));
    }

    #[test]
    fn the_schema_tells_the_lengths() {
        let schema = serde_json::to_value(schemars::schema_for!(ActionText)).unwrap();
        assert_eq!(
            (&schema["type"], &schema["maxLength"], &schema["minLength"]),
            (&"string".into(), &400.into(), &1.into())
        );
    }
}
