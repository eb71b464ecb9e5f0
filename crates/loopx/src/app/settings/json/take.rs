//! Taking out: the exact bytes where they stand as they were written; else the white space before them goes too.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::Token;

use super::{Document, same};
use crate::app::settings::{Fault, Piece, Site, Taken, without};

/// What is to be taken out of a text with a piece, in ascending order, and what becomes of it.
pub fn take(text: &str, piece: &Piece) -> Result<(Vec<Range<usize>>, Taken), Fault> {
    let document = Document::parse(text)?;
    let found = match &piece.place {
        Site::Root => root(&document, piece),
        Site::Member { path, name } => member(&document, piece, path, name),
        Site::Element { path } => element(&document, piece, path),
        Site::Around { path } => around(&document, piece, path),
        Site::Line { .. } | Site::First { .. } => Found::Not(Taken::Gone),
    };
    match found {
        Found::Not(taken) => Ok((Vec::new(), taken)),
        Found::At(ranges) => {
            let out = without(text, &ranges);
            // What can't be read afterwards is not handed out.
            Document::parse(&out).map_err(|_| Fault::whole("what is ours can't be taken out of it"))?;
            Ok((ranges, Taken::Out))
        }
    }
}

/// What is to be taken out, in ascending order.
enum Found {
    At(Vec<Range<usize>>),
    Not(Taken),
}

fn root(document: &Document<'_>, piece: &Piece) -> Found {
    let Some(value) = &document.root else { return Found::Not(Taken::Gone) };
    let Value::Object(object) = value else { return Found::Not(Taken::Gone) };
    if !object.properties.is_empty() || document.has_comment(object.range) {
        return Found::Not(Taken::InUse);
    }
    let (mut from, mut to) = (object.range.start, object.range.end);
    if document.text[..from].ends_with(&piece.lead) {
        from -= piece.lead.len();
    }
    if document.text[to..].starts_with(&piece.tail) {
        to += piece.tail.len();
    }
    Found::At(std::iter::once(from..to).collect())
}

fn member(document: &Document<'_>, piece: &Piece, path: &[String], name: &str) -> Found {
    let Some(Value::Object(object)) = document.at(path) else { return Found::Not(Taken::Gone) };
    let Some(property) = object.get(name) else { return Found::Not(Taken::Gone) };
    let name = [name.to_owned()];
    let text = format!("{{{}}}", piece.body);
    let Ok(written) = Document::parse(&text) else { return Found::Not(Taken::Gone) };
    let Some(wanted) = written.at(&name) else { return Found::Not(Taken::Gone) };
    let is_exact = document.span(property.range) == piece.body;
    if is_exact || same(&property.value, wanted) && !document.has_comment(property.range) {
        return Found::At(child(document, piece, property.range.start..property.range.end));
    }
    let is_container = matches!(
        (&property.value, wanted),
        (Value::Object(_), Value::Object(_)) | (Value::Array(_), Value::Array(_))
    );
    Found::Not(match (is_empty(wanted), is_container) {
        (true, true) => Taken::InUse,
        // In its place stands something else, and nothing of ours is in it.
        (true, false) => Taken::Gone,
        (false, _) => Taken::Changed(property.range.start),
    })
}

fn is_empty(value: &Value<'_>) -> bool {
    super::Container::of(value).is_some_and(|container| container.children.is_empty())
}

fn element(document: &Document<'_>, piece: &Piece, path: &[String]) -> Found {
    let Some(Value::Array(list)) = document.at(path) else { return Found::Not(Taken::Gone) };
    let Ok(written) = Document::parse(&piece.body) else { return Found::Not(Taken::Gone) };
    let Some(wanted) = &written.root else { return Found::Not(Taken::Gone) };
    let exact = list.elements.iter().rev().find(|element| document.span(element.range()) == piece.body);
    let alike = || {
        let ours = |element: &&Value<'_>| same(element, wanted) && !document.has_comment(element.range());
        list.elements.iter().rev().find(ours)
    };
    match exact.or_else(alike) {
        Some(found) => Found::At(child(document, piece, found.start()..found.end())),
        None => Found::Not(Taken::Gone),
    }
}

fn around(document: &Document<'_>, piece: &Piece, path: &[String]) -> Found {
    let Some(Value::StringLit(literal)) = document.at(path) else { return Found::Not(Taken::Gone) };
    let (start, inside) = super::inside(document, literal);
    let end = start + inside.len();
    let rest = inside.strip_prefix(piece.lead.as_str());
    let lead = wrapped(inside, &piece.lead).map(|at| start + at..start + at + piece.lead.len());
    match lead.filter(|lead| inside.ends_with(&piece.tail) && lead.end <= end - piece.tail.len()) {
        // Each tail is as long as the other, and the same.
        Some(lead) => Found::At(vec![lead, end - piece.tail.len()..end]),
        None if rest.is_some() => Found::Not(Taken::Changed(literal.range.start)),
        None => Found::Not(Taken::Gone),
    }
}

/// Where the words of ours begin: at the beginning, or behind what another LoopX has put around them, whose words end
/// as ours do.
fn wrapped(inside: &str, lead: &str) -> Option<usize> {
    let at = inside.find(lead)?;
    let before = inside.get(..at)?;
    let end = lead.rfind(" hook ").and_then(|from| lead.get(from..)).unwrap_or(lead);
    (before.is_empty() || before.ends_with(end)).then_some(at)
}

/// The bytes of a child, of the comma that goes with it, and of the white space that is ours.
fn child(document: &Document<'_>, piece: &Piece, range: Range<usize>) -> Vec<Range<usize>> {
    let text = document.text;
    let is_comma = |token: &Token<'_>| matches!(token, Token::Comma);
    let following = document.next_token(range.end).filter(|next| is_comma(&next.token));
    let following = following.map(|next| next.range.start..next.range.end);
    let preceding = document
        .previous_token(range.start)
        .filter(|previous| is_comma(&previous.token) && following.is_none())
        .map(|previous| previous.range.start..previous.range.end);
    let anchor = document.token_before(range.start);
    let end = anchor.map_or(0, |anchor| anchor.range.end);
    let blank = &text[end..range.start];
    let is_exact = blank == piece.lead;
    // Somebody laid it out anew: all of the white space, but for the line end that a comment needs.
    let ends_comment = anchor.is_some_and(|anchor| matches!(anchor.token, Token::CommentLine(_)));
    let kept = if ends_comment && !is_exact { blank.find('\n').map_or(0, |at| at + 1) } else { 0 };
    let from = end + kept;
    let behind = &text[range.end..];
    let is_alone = is_exact && following.is_none() && preceding.is_none() && behind.starts_with(&piece.tail);
    let to = if is_alone { range.end + piece.tail.len() } else { range.end };
    preceding.into_iter().chain(std::iter::once(from..to)).chain(following).collect()
}
