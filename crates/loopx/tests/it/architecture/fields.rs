//! The fields of every type that can be written as JSON, as they stand in the sources.

use std::collections::BTreeMap;

use super::project::Source;
use super::tokens::{Token, tokens};

/// A struct or enum that derives `Serialize`.
pub(super) struct Written {
    /// Its name; `$name` inside a macro.
    pub(super) name: String,
    /// The file it stands in, from the root.
    pub(super) path: String,
    /// Its generic types, by name.
    generics: Vec<String>,
    /// Its fields, those of all variants of an enum.
    pub(super) fields: Vec<Field>,
}

/// A field that is written.
pub(super) struct Field {
    /// `field` or `0`, in a variant `Variant.field`.
    pub(super) name: String,
    /// The words and marks of its type.
    pub(super) of: Vec<String>,
    /// The line it stands on, from 1.
    pub(super) line: usize,
}

impl Field {
    /// The names of the types it is made of, without generic ones; a word of our own, `&'static str`, is none.
    pub(super) fn names<'a>(&'a self, written: &'a Written) -> Vec<&'a str> {
        let mut found = Vec::new();
        for (index, word) in self.of.iter().enumerate() {
            let ours = word == "str" && index > 0 && self.of[index - 1] == "'static";
            let step = self.of.get(index + 1).is_some_and(|next| next == "::");
            let constant = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            if !ours
                && !step
                && !constant
                && word.starts_with(char::is_alphabetic)
                && !written.generics.contains(word)
            {
                found.push(word.as_str());
            }
        }
        // A byte is no text, many are.
        if self.of.iter().any(|word| matches!(word.as_str(), "[" | "Vec" | "Box")) {
            found.retain(|name| *name != "u8");
            if self.of.iter().any(|word| word == "u8") {
                found.push("bytes");
            }
        }
        found
    }
}

/// Every type of a source that derives `Serialize`, outside of its tests.
pub(super) fn written(source: &Source) -> Vec<Written> {
    let tokens = tokens(&source.text);
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let (mut found, mut marked, mut index) = (Vec::new(), false, 0);
    while index < tokens.len() {
        match text(index) {
            "#" if text(index + 1) == "[" => {
                let end = closing(&tokens, index + 1);
                let inside: Vec<&str> = (index + 2..end).map(text).collect();
                if inside == ["cfg", "(", "test", ")"] && text(end + 1) == "mod" {
                    break;
                }
                marked |= inside.first() == Some(&"derive") && inside.contains(&"Serialize");
                index = end + 1;
            }
            "struct" | "enum" if marked => {
                let (one, end) = item(source, &tokens, index);
                found.push(one);
                marked = false;
                index = end;
            }
            "pub" | "(" | ")" | "crate" | "super" | "in" | "::" => index += 1,
            _ => {
                marked = false;
                index += 1;
            }
        }
    }
    found
}

/// The types that write themselves: `impl Serialize for Name`.
pub(super) fn by_hand(source: &Source) -> Vec<String> {
    let tokens = tokens(&source.text);
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    for index in 0..tokens.len() {
        if text(index) == "Serialize" && text(index + 1) == "for" {
            let name = (index + 2..).map(text).take_while(|word| !matches!(*word, "<" | "{" | "" | "where"));
            found.extend(name.last().map(str::to_owned));
        }
    }
    found
}

/// The types that are another by name: `type Name = …;`.
pub(super) fn aliases(source: &Source) -> BTreeMap<String, Vec<String>> {
    let tokens = tokens(&source.text);
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut found = BTreeMap::new();
    for index in 0..tokens.len() {
        let before = index.checked_sub(1).map_or("", text);
        if text(index) != "type" || !matches!(before, "" | "pub" | ")" | ";" | "}" | "]") {
            continue;
        }
        let past = if text(index + 2) == "<" { closing(&tokens, index + 2) } else { index + 1 };
        let generics: Vec<&str> = (index + 2..past).map(text).collect();
        let of = (past + 1..tokens.len()).map(text).skip(1).take_while(|word| *word != ";");
        let of = of.filter(|word| !generics.contains(word) || word.len() > 1).map(str::to_owned).collect();
        found.insert(text(index + 1).to_owned(), of);
    }
    found
}

/// The types that macros make of one field, `$name`, by the name each is given first.
pub(super) fn made_by(source: &Source, macros: &[&str]) -> Vec<String> {
    let tokens = tokens(&source.text);
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let calls = (0..tokens.len()).filter(|at| macros.contains(&text(*at)) && text(at + 1) == "!");
    calls.map(|at| text(at + 3).to_owned()).filter(|name| name.starts_with(char::is_uppercase)).collect()
}

fn item(source: &Source, tokens: &[Token], start: usize) -> (Written, usize) {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut index = start + 1;
    let mut name = text(index).to_owned();
    if name == "$" {
        index += 1;
        name = format!("${}", text(index));
    }
    index += 1;
    let mut generics = Vec::new();
    if text(index) == "<" {
        let end = closing(tokens, index);
        let starts = (index + 1..end).filter(|at| matches!(text(at - 1), "<" | ","));
        generics.extend(starts.map(|at| text(at).to_owned()));
        index = end + 1;
    }
    while !matches!(text(index), "{" | "(" | ";" | "") {
        index += 1;
    }
    let mut fields = Vec::new();
    let end = closing(tokens, index);
    match text(start) {
        "enum" => variants(tokens, index, end, &mut fields),
        _ if text(index) == ";" => {}
        _ => of_body(tokens, index, end, "", &mut fields),
    }
    (Written { name, path: source.path.clone(), generics, fields }, end + 1)
}

fn variants(tokens: &[Token], open: usize, end: usize, fields: &mut Vec<Field>) {
    for (start, stop) in parts(tokens, open + 1, end) {
        let (at, skipped) = after_marks(tokens, start);
        let name = &tokens[at].text;
        let body = at + 1;
        if !skipped && body < stop && matches!(tokens[body].text.as_str(), "{" | "(") {
            of_body(tokens, body, closing(tokens, body), &format!("{name}."), fields);
        }
    }
}

fn of_body(tokens: &[Token], open: usize, end: usize, before: &str, fields: &mut Vec<Field>) {
    let named = tokens[open].text == "{";
    for (place, (start, stop)) in parts(tokens, open + 1, end).into_iter().enumerate() {
        let (mut at, skipped) = after_marks(tokens, start);
        if skipped {
            continue;
        }
        if tokens[at].text == "pub" {
            at += 1;
            if tokens[at].text == "(" {
                at = closing(tokens, at) + 1;
            }
        }
        let (name, of) = if named { (tokens[at].text.clone(), at + 2) } else { (place.to_string(), at) };
        let of = tokens[of..stop].iter().map(|token| token.text.clone()).collect();
        fields.push(Field { name: format!("{before}{name}"), of, line: tokens[at].line });
    }
}

/// Where what stands behind the attributes begins, and whether they say that it is not written.
fn after_marks(tokens: &[Token], mut at: usize) -> (usize, bool) {
    let mut skipped = false;
    while tokens[at].text == "#" {
        let end = closing(tokens, at + 1);
        skipped |=
            tokens[at..end].iter().any(|token| matches!(token.text.as_str(), "skip" | "skip_serializing"));
        at = end + 1;
    }
    (at, skipped)
}

/// The parts between commas that stand in no further brackets.
fn parts(tokens: &[Token], start: usize, end: usize) -> Vec<(usize, usize)> {
    let (mut found, mut from, mut at) = (Vec::new(), start, start);
    while at < end {
        match tokens[at].text.as_str() {
            "," => {
                found.push((from, at));
                from = at + 1;
                at += 1;
            }
            "(" | "[" | "{" | "<" => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    if from < end {
        found.push((from, end));
    }
    found
}

/// Where a bracket closes; the last token, if it does not.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" | "<" => depth += 1,
            // `->` and `=>` close nothing.
            ">" if matches!(tokens[index - 1].text.as_str(), "-" | "=") => {}
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    tokens.len().saturating_sub(1)
}
