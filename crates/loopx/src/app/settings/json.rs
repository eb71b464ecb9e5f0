//! JSON with or without comments: what is put in goes between what is there, in the file's own manner.

mod put;
mod take;

use std::collections::BTreeSet;

use jsonc_parser::ast::{Object, StringLit, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

pub use put::{put_around, put_element, put_member, put_root};
pub use take::take;

use super::{Fault, Position};

/// A text and what it says.
pub struct Document<'a> {
    text: &'a str,
    root: Option<Value<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    /// Reads a text: JSON, and comments where there are any.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: false,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &collect, &options)
            .map_err(|error| Fault::at(text, error.range().start, "no JSON"))?;
        if parsed.value.is_some() {
            strict(text, parsed.tokens.as_deref().unwrap_or_default())?;
        }
        Ok(Self { text, root: parsed.value, tokens: parsed.tokens.unwrap_or_default() })
    }

    /// Whether it says nothing at all.
    pub fn is_blank(&self) -> bool {
        self.root.is_none()
    }

    /// The object of the document, each name in it once.
    pub fn object(&self) -> Result<&Object<'a>, Fault> {
        match &self.root {
            Some(Value::Object(object)) => self.unique(object),
            Some(other) => Err(Fault::at(self.text, other.start(), "no object")),
            None => Err(Fault::whole("nothing in it")),
        }
    }

    /// An object whose names are each there once: which of two counts, only the runtime knows.
    pub fn unique<'b>(&self, object: &'b Object<'a>) -> Result<&'b Object<'a>, Fault> {
        let mut seen = BTreeSet::new();
        match object.properties.iter().find(|property| !seen.insert(property.name.as_str())) {
            Some(twice) => Err(Fault::at(self.text, twice.range.start, "the same name a second time")),
            None => Ok(object),
        }
    }

    /// The place of a byte.
    pub fn position(&self, at: usize) -> Position {
        Position::of(self.text, at)
    }

    /// What stands at a path of names.
    pub fn at(&self, path: &[String]) -> Option<&Value<'a>> {
        path.iter().try_fold(self.root.as_ref()?, |value, name| Some(&value.as_object()?.get(name)?.value))
    }

    /// The text of a range.
    fn span(&self, range: Range) -> &'a str {
        self.text.get(range.start..range.end).unwrap_or_default()
    }

    /// The last token before a byte.
    fn token_before(&self, at: usize) -> Option<&TokenAndRange<'a>> {
        self.tokens.iter().rev().find(|token| token.range.end <= at)
    }

    /// The first token from a byte on that is no comment.
    fn next_token(&self, at: usize) -> Option<&TokenAndRange<'a>> {
        self.tokens.iter().find(|token| token.range.start >= at && !is_comment(&token.token))
    }

    /// The last token before a byte that is no comment.
    fn previous_token(&self, at: usize) -> Option<&TokenAndRange<'a>> {
        self.tokens.iter().rev().find(|token| token.range.end <= at && !is_comment(&token.token))
    }

    /// Whether somebody wrote a comment there.
    fn has_comment(&self, range: Range) -> bool {
        let inside =
            |token: &&TokenAndRange<'_>| range.start <= token.range.start && token.range.end <= range.end;
        self.tokens.iter().filter(inside).any(|token| is_comment(&token.token))
    }
}

/// Refuses what the parser lets pass and no runtime does: control characters, escapes of no kind and the like.
fn strict(text: &str, tokens: &[TokenAndRange<'_>]) -> Result<(), Fault> {
    let mut bytes = text.as_bytes().to_vec();
    let comments = tokens.iter().filter(|token| is_comment(&token.token)).map(Ranged::range);
    for range in comments {
        let comment = bytes.get_mut(range.start..range.end).unwrap_or_default();
        comment.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes) else { return Ok(()) };
    let line = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    // At the byte that is wrong, or behind the last one that is right.
    let mut at = (line + error.column().saturating_sub(1)).min(text.len());
    let behind = bytes.get(at..).unwrap_or_default();
    if let Some(more) = behind.iter().take(2).position(u8::is_ascii_control)
        && error.to_string().starts_with("control character")
    {
        return Err(Fault::at(text, at + more, "a control character"));
    }
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Err(Fault::at(text, at, "no JSON"))
}

const fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// A list or an object, as far as something is put in or taken out of it.
struct Container {
    range: Range,
    children: Vec<Range>,
}

impl Container {
    fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self {
                range: object.range,
                children: object.properties.iter().map(|property| property.range).collect(),
            }),
            Value::Array(array) => Some(Self {
                range: array.range,
                children: array.elements.iter().map(jsonc_parser::common::Ranged::range).collect(),
            }),
            Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => None,
        }
    }
}

/// Whether two values say the same, however they are written.
pub fn same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::StringLit(one), Value::StringLit(other)) => one.value == other.value,
        (Value::NumberLit(one), Value::NumberLit(other)) => one.value == other.value,
        (Value::BooleanLit(one), Value::BooleanLit(other)) => one.value == other.value,
        (Value::NullKeyword(_), Value::NullKeyword(_)) => true,
        (Value::Array(one), Value::Array(other)) => {
            one.elements.len() == other.elements.len()
                && one.elements.iter().zip(&other.elements).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                other.get(property.name.as_str()).is_some_and(|there| same(&property.value, &there.value))
            };
            one.properties.len() == other.properties.len() && one.properties.iter().all(has)
        }
        (
            Value::StringLit(_)
            | Value::NumberLit(_)
            | Value::BooleanLit(_)
            | Value::NullKeyword(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => false,
    }
}

/// The text of a literal between its quotes, and where it begins.
fn inside<'a>(document: &Document<'a>, literal: &StringLit<'_>) -> (usize, &'a str) {
    let span = document.span(literal.range);
    (literal.range.start + 1, span.get(1..span.len().saturating_sub(1)).unwrap_or_default())
}

#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
