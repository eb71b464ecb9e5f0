//! JSON into values, within limits, and with every repeated key noticed.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How many values one document may hold.
const MAX_VALUES: usize = 1_000_000;

/// The message of an error of ours, told apart by its category.
const TOO_MANY: &str = "too many values";

/// A value, and how many keys were repeated in it.
pub(super) struct Parsed {
    pub value: Value,
    pub repeated: usize,
}

/// Why bytes are no JSON, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub line: usize,
    pub column: usize,
    pub cause: Cause,
}

/// What is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Syntax,
    Ends,
    Deep,
    Large,
}

/// Parses one JSON value with nothing after it.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, Malformed> {
    let mut count = Count { values: 0, repeated: 0 };
    let mut source = serde_json::Deserializer::from_slice(bytes);
    let value = count.deserialize(&mut source).and_then(|value| source.end().map(|()| value));
    match value {
        Ok(value) => Ok(Parsed { value, repeated: count.repeated }),
        Err(error) => Err(Malformed { line: error.line(), column: error.column(), cause: cause(&error) }),
    }
}

/// The message of a syntax error can hold no part of the document, but is not shown all the same.
fn cause(error: &serde_json::Error) -> Cause {
    use serde_json::error::Category;
    match error.classify() {
        Category::Eof => Cause::Ends,
        Category::Data => Cause::Large,
        Category::Syntax | Category::Io if error.to_string().starts_with("recursion limit") => Cause::Deep,
        Category::Syntax | Category::Io => Cause::Syntax,
    }
}

struct Count {
    values: usize,
    repeated: usize,
}

impl<'de> DeserializeSeed<'de> for &mut Count {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(D::Error::custom(TOO_MANY));
        }
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Count {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(&mut *self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(&mut *self)?;
            if object.insert(key, value).is_some() {
                self.repeated += 1;
            }
        }
        Ok(Value::Object(object))
    }
}
