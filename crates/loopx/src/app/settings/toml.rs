//! TOML: a line of ours at the beginning, or elements of ours before those of a list that is there.

use std::ops::Range;

use toml_edit::{Array, Document, Item, Value};

use super::{Before, Fault, Piece, Site, Taken, newline, with, without};

/// A text and what it says.
pub fn parse(text: &str) -> Result<Document<String>, Fault> {
    Document::parse(text.to_owned()).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Fault::at(text, at, "no TOML")
    })
}

/// The texts of the list that a key of the document is set to; none where it is not set.
pub fn list(text: &str, name: &str) -> Result<Option<Vec<String>>, Fault> {
    let document = parse(text)?;
    let Some((_, array)) = find(text, &document, name)? else { return Ok(None) };
    let words = array.iter().map(Value::as_str).map(|word| word.map(str::to_owned));
    words.collect::<Option<Vec<_>>>().map(Some).ok_or_else(|| {
        let at = array.span().map_or(0, |span| span.start);
        Fault::at(text, at, "no list of texts")
    })
}

/// The texts of the list that a key of the document is set to, and the byte where it stands; none where it is no such
/// list.
pub fn list_at(text: &str, name: &str) -> Option<(usize, Vec<String>)> {
    let document = parse(text).ok()?;
    let (span, _) = find(text, &document, name).ok()??;
    Some((span.start, list(text, name).ok()??))
}

/// The list that a key is set to, and where it stands.
fn find<'a>(
    text: &str,
    document: &'a Document<String>,
    name: &str,
) -> Result<Option<(Range<usize>, &'a Array)>, Fault> {
    let Some(item) = document.get(name) else { return Ok(None) };
    let span = item.span().unwrap_or_default();
    match item {
        Item::Value(Value::Array(array)) => Ok(Some((span, array))),
        Item::None | Item::Value(_) | Item::Table(_) | Item::ArrayOfTables(_) => {
            Err(Fault::at(text, span.start, "no list"))
        }
    }
}

/// Texts as elements of a list.
fn elements(words: &[&str]) -> String {
    words.iter().map(|word| Value::from(*word).to_string().trim().to_owned()).collect::<Vec<_>>().join(", ")
}

/// Sets a key to a list, on a line of its own before all others.
pub fn put_line(text: &str, name: &str, words: &[&str]) -> Result<(String, Piece), Fault> {
    parse(text)?;
    let body = format!("{name} = [{}]{}", elements(words), newline(text));
    let out = with(text, &[(0, &body)]);
    let place = Site::Line { name: name.to_owned() };
    checked(out, Piece { place, lead: String::new(), body, tail: String::new(), before: Before::Nothing })
}

/// Puts elements before those of the list that a key is set to.
pub fn put_first(text: &str, name: &str, words: &[&str]) -> Result<(String, Piece), Fault> {
    let document = parse(text)?;
    let (span, array) = find(text, &document, name)?.ok_or(Fault::whole("no list"))?;
    let more = if array.is_empty() { "" } else { ", " };
    let body = format!("{}{more}", elements(words));
    let out = with(text, &[(span.start + 1, &body)]);
    let place = Site::First { name: name.to_owned() };
    checked(out, Piece { place, lead: String::new(), body, tail: String::new(), before: Before::Nothing })
}

fn checked(out: String, piece: Piece) -> Result<(String, Piece), Fault> {
    parse(&out)?;
    Ok((out, piece))
}

/// What is to be taken out of a text with a piece, in ascending order, and what becomes of it.
pub fn take(text: &str, piece: &Piece) -> Result<(Vec<Range<usize>>, Taken), Fault> {
    let document = parse(text)?;
    let name = match &piece.place {
        Site::Line { name } | Site::First { name } => name,
        Site::Root | Site::Member { .. } | Site::Element { .. } | Site::Around { .. } => {
            return Ok((Vec::new(), Taken::Gone));
        }
    };
    let Ok(Some((span, array))) = find(text, &document, name) else {
        return Ok((Vec::new(), Taken::Gone));
    };
    let from = if matches!(piece.place, Site::Line { .. }) {
        // From the beginning of its line.
        let line = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        (text[line..].starts_with(&piece.body)).then_some(line)
    } else {
        // At the beginning, or behind what another program has put before it.
        let starts = array.iter().filter_map(|value| Some(value.span()?.start));
        std::iter::once(span.start + 1).chain(starts).find(|at| text[*at..].starts_with(&piece.body))
    };
    if let Some(from) = from {
        let range = from..from + piece.body.len();
        parse(&without(text, std::slice::from_ref(&range)))
            .map_err(|_| Fault::whole("what is ours can't be taken out of it"))?;
        return Ok((vec![range], Taken::Out));
    }
    // Without one of our own texts in it, it is all theirs.
    let written = match &piece.place {
        Site::Line { .. } => list(&piece.body, name),
        Site::First { .. }
        | Site::Root
        | Site::Member { .. }
        | Site::Element { .. }
        | Site::Around { .. } => list(&format!("{name} = [{}]", piece.body), name),
    };
    let ours = written.ok().flatten().unwrap_or_default();
    let longest = ours.iter().max_by_key(|word| word.len());
    let is_ours =
        array.iter().any(|value| value.as_str().is_some() && value.as_str() == longest.map(String::as_str));
    let taken = if is_ours { Taken::Changed(span.start) } else { Taken::Gone };
    Ok((Vec::new(), taken))
}

#[cfg(test)]
mod tests;
