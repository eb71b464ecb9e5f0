//! Tolerant fields: a value of the wrong type is no value, and the record lives on.
//!
//! They deserialize from any format; the skimmer gives them what it skipped nothing of, `serde_json` is what they are
//! compared with.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::skim;

/// Any value that is neither array nor object; those are skipped.
#[derive(Clone, Debug, PartialEq)]
enum Scalar<'a> {
    Null,
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(Cow<'a, str>),
    Other,
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Integer(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Scalar::Other, Scalar::Integer))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(inside).map(|_| Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(inside).map(|_| Scalar::Other)
    }
}

/// A short string: a type, an id, a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Text<'a> {
    /// It isn't there, or null.
    #[default]
    Absent,
    /// It is of another type.
    Other,
    /// The string.
    Word(Cow<'a, str>),
}

impl Text<'_> {
    /// The string, where there is one.
    pub fn get(&self) -> Option<&str> {
        match self {
            Self::Word(text) => Some(text),
            Self::Absent | Self::Other => None,
        }
    }

    /// Whether the field says anything, be it of another type.
    pub const fn is_present(&self) -> bool {
        !matches!(self, Self::Absent)
    }

    /// The string, where it isn't empty.
    pub fn word(&self) -> Option<&str> {
        self.get().filter(|text| !text.is_empty())
    }

    /// Whether it is this very word.
    pub fn is(&self, word: &str) -> bool {
        self.get() == Some(word)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Scalar::deserialize(from).map(|value| match value {
            Scalar::Text(text) => Self::Word(text),
            Scalar::Null => Self::Absent,
            Scalar::Flag(_) | Scalar::Integer(_) | Scalar::Number(_) | Scalar::Other => Self::Other,
        })
    }
}

/// The literal `true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Scalar::deserialize(from).map(|value| Self(value == Scalar::Flag(true)))
    }
}

/// Whether a field says anything: it is there, and it isn't null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present(pub bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Object::<IgnoredAny>::deserialize(from).map(|object| Self(object.present))
    }
}

/// A whole number, be it written as a number or as a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integer(pub Option<i64>);

impl Integer {
    /// It as a count: negative ones are none.
    pub fn count(self) -> Option<u64> {
        self.0.and_then(|number| number.try_into().ok())
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Scalar::deserialize(from).map(|value| {
            Self(match value {
                Scalar::Integer(number) => Some(number),
                Scalar::Number(number) => whole(number),
                Scalar::Text(text) => text.parse().ok(),
                Scalar::Null | Scalar::Flag(_) | Scalar::Other => None,
            })
        })
    }
}

/// A number without a fraction, as far as a float holds whole numbers exactly.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// A number in hundredths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hundredths(pub Option<u32>);

impl<'de> Deserialize<'de> for Hundredths {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Scalar::deserialize(from).map(|value| {
            #[expect(clippy::cast_precision_loss, reason = "percents are small")]
            let number = match value {
                Scalar::Integer(number) => Some(number as f64),
                Scalar::Number(number) => Some(number),
                Scalar::Text(text) => text.parse().ok(),
                Scalar::Null | Scalar::Flag(_) | Scalar::Other => None,
            };
            let scaled = number.map(|number| (number * 100.0).round());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range is checked"
            )]
            Self(
                scaled
                    .filter(|scaled| (0.0..=f64::from(u32::MAX)).contains(scaled))
                    .map(|scaled| scaled as u32),
            )
        })
    }
}

/// An instant, RFC 3339, to the microsecond: that is how precisely folds are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instant(pub Option<Timestamp>);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let instant = |text: &str| {
            let exact: Timestamp = text.parse().ok()?;
            Timestamp::from_microsecond(exact.as_microsecond()).ok()
        };
        Text::deserialize(from).map(|text| Self(text.get().and_then(instant)))
    }
}

/// The instant so many seconds after the epoch.
pub fn epoch_seconds(seconds: Integer) -> Option<Timestamp> {
    Timestamp::from_second(seconds.0?).ok()
}

/// The instant so many milliseconds after the epoch.
pub fn epoch_millis(millis: Integer) -> Option<Timestamp> {
    Timestamp::from_millisecond(millis.0?).ok()
}

/// A string of any length, not decoded until it is asked for. Two are equal that say the same.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// As it stands in the line, escapes and all.
    Raw(&'a [u8]),
    /// Decoded.
    Decoded(Cow<'a, str>),
}

impl Body<'_> {
    /// Its first bytes, at least so many where it has them.
    pub fn beginning(&self, wanted: usize) -> Cow<'_, str> {
        match self {
            Self::Raw(body) => skim::decoded(body, wanted),
            Self::Decoded(text) => {
                let cut = (wanted..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
                Cow::Borrowed(text.get(..cut).unwrap_or(text))
            }
        }
    }

    /// Its bytes, with their escapes where it has any.
    pub fn as_it_stands(&self) -> &[u8] {
        match self {
            Self::Raw(body) => body,
            Self::Decoded(text) => text.as_bytes(),
        }
    }

    /// All of it.
    pub fn whole(&self) -> Cow<'_, str> {
        self.beginning(usize::MAX)
    }
}

impl PartialEq for Body<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.whole() == other.whole()
    }
}

impl Eq for Body<'_> {}

/// A field that holds a string of any length, or a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content<'a, T> {
    /// Nothing that is known.
    #[default]
    Nothing,
    /// A string.
    Text(Body<'a>),
    /// A list.
    List(Vec<T>),
}

impl<T> Content<'_, T> {
    /// The elements, where it is a list.
    pub fn list(&self) -> &[T] {
        match self {
            Self::List(list) => list,
            Self::Nothing | Self::Text(_) => &[],
        }
    }

    /// The string, where it is one.
    pub fn body(&self) -> Option<&Body<'_>> {
        match self {
            Self::Text(body) => Some(body),
            Self::Nothing | Self::List(_) => None,
        }
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Content<'a, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_newtype_struct(skim::RAW, ContentVisitor(PhantomData))
    }
}

struct ContentVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ContentVisitor<T> {
    type Value = Content<'de, T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_borrowed_bytes<E: Error>(self, body: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Content::Text(Body::Raw(body)))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Body::Decoded(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Body::Decoded(Cow::Owned(text.to_owned()))))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut inside: A) -> Result<Self::Value, A::Error> {
        let Some(first) = inside.next_element()? else { return Ok(Content::List(Vec::new())) };
        // Most lists have one element, and elements are large.
        let mut list = vec![first];
        while let Some(element) = inside.next_element()? {
            list.push(element);
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(inside).map(|_| Content::Nothing)
    }
}

/// An object, where the field holds one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<T> {
    /// The object.
    pub object: Option<T>,
    /// Whether the field says anything, be it of another type: it is there, and it isn't null.
    pub present: bool,
}

impl<T> Object<T> {
    const OTHER: Self = Self { object: None, present: true };

    /// The object.
    pub const fn get(&self) -> Option<&T> {
        self.object.as_ref()
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self { object: None, present: false }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // A string in its place is not decoded.
        from.deserialize_newtype_struct(skim::RAW, ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(inside))
            .map(|object| Object { object: Some(object), present: true })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(inside).map(|_| Object::OTHER)
    }

    fn visit_bytes<E: de::Error>(self, _: &[u8]) -> Result<Self::Value, E> {
        Ok(Object::OTHER)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Object::default())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Object::OTHER)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Object::OTHER)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Object::OTHER)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Object::OTHER)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Object::OTHER)
    }
}

/// A word, or an object in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Either<'a, T> {
    /// Neither.
    #[default]
    Nothing,
    /// A word.
    Word(Cow<'a, str>),
    /// An object.
    Object(T),
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Either<'a, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(EitherVisitor(PhantomData))
    }
}

struct EitherVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EitherVisitor<T> {
    type Value = Either<'de, T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, word: &'de str) -> Result<Self::Value, E> {
        Ok(Either::Word(Cow::Borrowed(word)))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
        Ok(Either::Word(Cow::Owned(word.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(inside)).map(Either::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inside: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(inside).map(|_| Either::Nothing)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Either::Nothing)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Either::Nothing)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Either::Nothing)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Either::Nothing)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Either::Nothing)
    }
}
