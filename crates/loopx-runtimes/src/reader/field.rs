//! Tolerant fields: a value of the wrong type is no value, and the record lives on.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A field as it stands in the line, not looked at.
pub type Raw<'a> = Option<&'a RawValue>;

/// A JSON object, its fields as they stand.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    // An array would also fill a struct, by position.
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

/// The object in a field.
pub fn nested<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    object(raw?.get())
}

/// The string in a field.
pub fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let json = raw?.get();
    let body = json.strip_prefix('"')?.strip_suffix('"')?;
    if body.contains('\\') {
        serde_json::from_str(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(body))
    }
}

/// The string in a field, where it isn't empty.
pub fn word(raw: Raw<'_>) -> Option<String> {
    text(raw).filter(|text| !text.is_empty()).map(Cow::into_owned)
}

/// The whole number in a field, be it written as a number or as a string.
pub fn integer(raw: Raw<'_>) -> Option<i64> {
    let json = raw?.get();
    json.trim_matches('"').parse().ok()
}

/// The number in a field in hundredths.
pub fn hundredths(raw: Raw<'_>) -> Option<u32> {
    let value: f64 = raw?.get().trim_matches('"').parse().ok()?;
    let scaled = (value * 100.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..=f64::from(u32::MAX)).contains(&scaled).then_some(scaled as u32)
}

/// Whether a field is the literal `true`.
pub fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// The instant in a field, RFC 3339.
pub fn instant(raw: Raw<'_>) -> Option<Timestamp> {
    text(raw)?.parse().ok()
}

/// The instant in a field, seconds since the epoch.
pub fn epoch_seconds(raw: Raw<'_>) -> Option<Timestamp> {
    Timestamp::from_second(integer(raw)?).ok()
}

/// The instant in a field, milliseconds since the epoch.
pub fn epoch_millis(raw: Raw<'_>) -> Option<Timestamp> {
    Timestamp::from_millisecond(integer(raw)?).ok()
}
