//! The skimmer: one JSON record, visited at the keys that are wanted, everything else skipped at the speed of memory.
//!
//! A pull parser in the shape of a serde [`Deserializer`], so that records are ordinary derived structs. It takes what
//! `serde_json` takes and gives the same fields. Two differences, both on the lenient side: bytes of a string that
//! aren't UTF-8 are replaced, and escapes inside a string that nobody asked for are not looked at.

mod text;

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

pub use text::decoded;

/// The newtype by which a field asks for a string as it stands, escapes and all.
pub const RAW: &str = "$loopx::raw";

/// The bytes are no record: not JSON, or not of the shape that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the record: it is not JSON of the format")]
pub struct Bad;

impl de::Error for Bad {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Reads one object, and nothing behind it.
pub fn object<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Bad> {
    let mut skim = Skim { bytes, at: 0 };
    // An array would also fill a struct, by position.
    if skim.peek()? != b'{' {
        return Err(Bad);
    }
    let value = T::deserialize(&mut skim)?;
    skim.space();
    if skim.at == bytes.len() { Ok(value) } else { Err(Bad) }
}

/// A place in a record.
struct Skim<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Skim<'a> {
    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next byte that is no white space, not taken.
    fn peek(&mut self) -> Result<u8, Bad> {
        self.space();
        self.bytes.get(self.at).copied().ok_or(Bad)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Bad> {
        if self.peek()? == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(Bad)
        }
    }

    /// The body of the string that stands here, if it is short and has no escapes; else nothing is taken.
    fn short(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?.strip_prefix(b"\"")?;
        let body = rest.get(..text::near(rest)?)?;
        self.at += body.len() + 2;
        Some(body)
    }

    /// The body of the string that stands here.
    fn string(&mut self) -> Result<&'a [u8], Bad> {
        self.expect(b'"')?;
        let rest = self.bytes.get(self.at..).ok_or(Bad)?;
        let len = text::end(rest).ok_or(Bad)?;
        self.at += len + 1;
        rest.get(..len).ok_or(Bad)
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Bad> {
        let found = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        self.at += word.len();
        if found { Ok(()) } else { Err(Bad) }
    }

    /// The number that stands here.
    fn number(&mut self) -> Result<&'a [u8], Bad> {
        let from = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(Bad),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.bytes.get(from..self.at).ok_or(Bad)
    }

    fn digits(&mut self) -> Result<(), Bad> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err(Bad) }
    }

    /// Skips a value of any depth, without recursion.
    fn skip(&mut self) -> Result<(), Bad> {
        let mut nest = Nest::default();
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    self.at += 1;
                    if self.peek()? != b'}' {
                        nest.enter(true);
                        self.key()?;
                        continue;
                    }
                    self.at += 1;
                }
                b'[' => {
                    self.at += 1;
                    if self.peek()? != b']' {
                        nest.enter(false);
                        continue;
                    }
                    self.at += 1;
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => {
                    self.number()?;
                }
            }
            // A value is over: what holds it goes on or ends too.
            loop {
                let Some(in_object) = nest.top() else { return Ok(()) };
                match (self.peek()?, in_object) {
                    (b',', true) => {
                        self.at += 1;
                        self.key()?;
                        break;
                    }
                    (b',', false) => {
                        self.at += 1;
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        nest.leave();
                    }
                    _ => return Err(Bad),
                }
            }
        }
    }

    /// Skips a key and its colon.
    fn key(&mut self) -> Result<(), Bad> {
        self.string()?;
        self.expect(b':')
    }
}

/// What a skipped value is nested in: a bit a level, an object or an array.
#[derive(Default)]
struct Nest {
    bits: u64,
    depth: usize,
    outer: Vec<u64>,
}

impl Nest {
    fn enter(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(object);
        self.depth += 1;
    }

    fn top(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.bits & 1 == 1)
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.bits = if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.pop().unwrap_or_default()
        } else {
            self.bits >> 1
        };
    }
}

impl<'de> Deserializer<'de> for &mut Skim<'de> {
    type Error = Bad;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Bad> {
        match self.peek()? {
            b'"' => {
                let text = match self.short() {
                    Some(short) => text::lossy(short),
                    None => text::text(self.string()?)?,
                };
                match text {
                    Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                    Cow::Owned(text) => visitor.visit_string(text),
                }
            }
            b'{' => {
                self.at += 1;
                visitor.visit_map(Inside { skim: self, first: true })
            }
            b'[' => {
                self.at += 1;
                visitor.visit_seq(Inside { skim: self, first: true })
            }
            b't' => self.word(b"true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word(b"false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word(b"null").and_then(|()| visitor.visit_unit()),
            _ => {
                let digits = self.number()?;
                let digits = std::str::from_utf8(digits).map_err(|_| Bad)?;
                if let Ok(number) = digits.parse() {
                    return visitor.visit_i64(number);
                }
                let number: f64 = digits.parse().map_err(|_| Bad)?;
                if number.is_finite() { visitor.visit_f64(number) } else { Err(Bad) }
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Bad> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Bad> {
        if name != RAW {
            return visitor.visit_newtype_struct(self);
        }
        if self.peek()? == b'"' {
            return visitor.visit_borrowed_bytes(self.string()?);
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Bad> {
        if self.peek()? == b'n' {
            self.word(b"null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct enum identifier
    }
}

/// The inside of an object or of an array.
struct Inside<'s, 'a> {
    skim: &'s mut Skim<'a>,
    first: bool,
}

impl Inside<'_, '_> {
    /// Whether something comes, the comma before it taken.
    fn more(&mut self, end: u8) -> Result<bool, Bad> {
        let byte = self.skim.peek()?;
        if byte == end {
            self.skim.at += 1;
            return Ok(false);
        }
        if !std::mem::take(&mut self.first) {
            self.skim.expect(b',')?;
        }
        Ok(true)
    }
}

impl<'de> MapAccess<'de> for Inside<'_, 'de> {
    type Error = Bad;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Bad> {
        if !self.more(b'}')? {
            return Ok(None);
        }
        let (body, plain) = match self.skim.short() {
            Some(short) => (short, true),
            None => self.skim.string().map(|body| (body, text::is_plain(body)))?,
        };
        self.skim.expect(b':')?;
        seed.deserialize(Key { body, plain }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Bad> {
        seed.deserialize(&mut *self.skim)
    }
}

impl<'de> SeqAccess<'de> for Inside<'_, 'de> {
    type Error = Bad;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Bad> {
        if !self.more(b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.skim).map(Some)
    }
}

/// A key: compared as bytes, decoded only where it has escapes.
struct Key<'a> {
    body: &'a [u8],
    plain: bool,
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Bad;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Bad> {
        if !self.plain {
            return visitor.visit_str(&text::text(self.body)?);
        }
        visitor.visit_borrowed_bytes(self.body)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
