//! Putting in: a member, an element, or a text around another one.

use std::io::{self, Write};

use jsonc_parser::ast::Value;
use jsonc_parser::tokens::Token;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{Container, Document};
use crate::app::settings::{Before, Fault, Piece, Site, newline, with};

/// What is indented in a file that does not say by how much.
const UNIT: &str = "  ";

/// How a text is laid out.
struct Manner<'a> {
    newline: &'static str,
    unit: &'a str,
    /// Whether all of it stands on one line.
    flat: bool,
}

impl<'a> Manner<'a> {
    fn of(document: &Document<'a>) -> Self {
        let text = document.text;
        let root = document.root.as_ref().and_then(Container::of);
        let first = root.as_ref().and_then(|root| root.children.first());
        let unit = first.and_then(|first| indentation(text, first.start)).filter(|unit| !unit.is_empty());
        let flat = root
            .as_ref()
            .is_some_and(|root| !root.children.is_empty() && !document.span(root.range).contains('\n'));
        Self { newline: newline(text), unit: unit.unwrap_or(UNIT), flat }
    }

    /// A value as text, on one line.
    fn write(&self, value: &impl Serialize) -> Result<String, Fault> {
        let failed = Fault::whole("it can't be written as JSON");
        let mut bytes = Vec::new();
        let written = if self.flat {
            value.serialize(&mut Serializer::new(&mut bytes))
        } else {
            value.serialize(&mut Serializer::with_formatter(&mut bytes, Spaced::default()))
        };
        written.ok().and_then(|()| String::from_utf8(bytes).ok()).ok_or(failed)
    }
}

/// JSON on one line, with spaces where people put them.
#[derive(Default)]
struct Spaced {
    /// Whether something stands in the object that ends next.
    filled: bool,
}

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b" " } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.filled = false;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.filled { b" }" } else { b"}" })
    }
}

/// The white space before a byte, where nothing else stands before it on its line.
fn indentation(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = &before[before.rfind('\n')? + 1..];
    line.chars().all(|c| c == ' ' || c == '\t').then_some(line)
}

/// The white space that the line of a byte begins with.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Puts an empty object into a text that says nothing.
pub fn put_root(text: &str) -> (String, Piece) {
    let newline = newline(text);
    let open = !text.is_empty() && !text.ends_with('\n');
    let lead = if open { newline } else { "" };
    let piece = Piece {
        place: Site::Root,
        lead: lead.to_owned(),
        body: "{}".to_owned(),
        tail: newline.to_owned(),
        before: Before::Nothing,
    };
    (format!("{text}{lead}{{}}{newline}"), piece)
}

/// Puts a member behind all others of the object at a path.
pub fn put_member(
    text: &str,
    path: &[String],
    name: &str,
    value: &impl Serialize,
) -> Result<(String, Piece), Fault> {
    let document = Document::parse(text)?;
    let object = document.at(path).filter(|value| matches!(value, Value::Object(_)));
    let object = object.and_then(Container::of).ok_or(Fault::whole("no object"))?;
    let place = Site::Member { path: path.to_vec(), name: name.to_owned() };
    put(&document, &object, place, |manner| {
        let colon = if manner.flat { ":" } else { ": " };
        Ok(format!("{}{colon}{}", manner.write(&name)?, manner.write(value)?))
    })
}

/// Puts an element behind all others of the list at a path.
pub fn put_element(text: &str, path: &[String], value: &impl Serialize) -> Result<(String, Piece), Fault> {
    let document = Document::parse(text)?;
    let list = document.at(path).filter(|value| matches!(value, Value::Array(_)));
    let list = list.and_then(Container::of).ok_or(Fault::whole("no list"))?;
    let place = Site::Element { path: path.to_vec() };
    put(&document, &list, place, |manner| manner.write(value))
}

/// Puts texts before and behind what stands inside the quotes at a path. What stands there stays as it is written.
pub fn put_around(text: &str, path: &[String], before: &str, behind: &str) -> Result<(String, Piece), Fault> {
    let document = Document::parse(text)?;
    let Some(Value::StringLit(literal)) = document.at(path) else { return Err(Fault::whole("no text")) };
    let (start, inside) = super::inside(&document, literal);
    let escaped = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
    };
    let (lead, tail) = (escaped(before), escaped(behind));
    let out = with(text, &[(start, &lead), (start + inside.len(), &tail)]);
    let place = Site::Around { path: path.to_vec() };
    Ok((out, Piece { place, lead, body: String::new(), tail, before: Before::Nothing }))
}

/// Puts what is written behind all that is in a container, comments too.
fn put(
    document: &Document<'_>,
    container: &Container,
    place: Site,
    write: impl Fn(&Manner<'_>) -> Result<String, Fault>,
) -> Result<(String, Piece), Fault> {
    let text = document.text;
    let manner = Manner::of(document);
    let close = container.range.end.saturating_sub(1);
    let anchor = document.token_before(close).ok_or(Fault::whole("no JSON"))?;
    let at = anchor.range.end;
    let rest = text.get(at..close).unwrap_or_default();
    let first = container.children.first();
    let begins_line = first
        .is_none_or(|first| text.get(container.range.start..first.start).unwrap_or_default().contains('\n'));
    // Behind a comment that goes on to the end of its line, a line is begun whatever the manner.
    let many = !manner.flat && begins_line || matches!(anchor.token, Token::CommentLine(_));
    let base = line_indent(text, container.range.start);
    let indent = first
        .and_then(|first| indentation(text, first.start))
        .map_or_else(|| format!("{base}{}", manner.unit), str::to_owned);
    let body = write(&manner)?;
    let lead = match (many, first) {
        (true, _) => format!("{}{indent}", manner.newline),
        (false, Some(_)) if !manner.flat => " ".to_owned(),
        (false, _) => String::new(),
    };
    let tail = if many && first.is_none() && !rest.contains('\n') {
        format!("{}{base}", manner.newline)
    } else {
        String::new()
    };
    // A comma belongs right behind what it is behind of, before any comment.
    let last = container.children.last().map(|last| last.end);
    let comma =
        last.filter(|last| document.next_token(*last).is_none_or(|next| !matches!(next.token, Token::Comma)));
    let before = match (first, comma) {
        (None, _) => Before::Nothing,
        (Some(_), None) => Before::Theirs,
        (Some(_), Some(_)) => Before::OurComma,
    };
    let piece = Piece { place, lead, body, tail, before };
    let ours = format!("{}{}{}", piece.lead, piece.body, piece.tail);
    let mut pieces = Vec::new();
    pieces.extend(comma.map(|comma| (comma, ",")));
    pieces.push((at, ours.as_str()));
    Ok((with(text, &pieces), piece))
}
