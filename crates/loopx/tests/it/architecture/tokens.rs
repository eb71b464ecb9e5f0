//! Just enough Rust to see what a file names: words, lifetimes and marks, and the paths they make. Comments, strings and
//! characters are left out, for they may speak of anything.

/// A word or a mark, and the line it stands on, from 1.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A path as it is written, a `use` tree taken apart.
pub(super) struct Named {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
    /// How many modules of this file it stands in.
    pub(super) inline: usize,
    by: By,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Use,
    Path,
}

impl Named {
    /// The segments, without the star or `self` that ends a `use`.
    pub(super) fn words(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.segments.iter().map(String::as_str).collect();
        if self.by == By::Use && matches!(words.last(), Some(&("*" | "self"))) {
            words.pop();
        }
        words
    }

    /// Whether it names the thing or what is in it, or brings in a module of `std` through which it can be named.
    pub(super) fn reaches(&self, thing: &[&str]) -> bool {
        let words = self.words();
        words.starts_with(thing)
            || (self.by == By::Use && words.first() == Some(&"std") && thing.starts_with(&words))
    }
}

/// The words and marks of a text; `::` is one mark.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let (mut found, mut line, mut start) = (Vec::new(), 1, 0);
    while start < chars.len() {
        let mut word = None;
        let end = match (at(start), at(start + 1)) {
            ('/', '/') => start + chars[start..].iter().take_while(|c| **c != '\n').count(),
            ('/', '*') => after_comment(&chars, start),
            ('"', _) => after_quoted(&chars, start + 1, '"'),
            ('\'', '\\') => after_quoted(&chars, start + 1, '\''),
            ('\'', _) if at(start + 2) == '\'' => start + 3,
            ('\'', _) => {
                let end = after_word(&chars, start + 1);
                word = Some(chars[start..end].iter().collect());
                end
            }
            (':', ':') => {
                word = Some("::".to_owned());
                start + 2
            }
            (first, _) if is_word(first) => {
                let end = after_word(&chars, start);
                let text: String = chars[start..end].iter().collect();
                let hashes = chars[end..].iter().take_while(|c| **c == '#').count();
                if ["r", "br", "cr"].contains(&text.as_str()) && at(end + hashes) == '"' {
                    after_raw(&chars, end + hashes + 1, hashes)
                } else {
                    word = Some(text);
                    end
                }
            }
            (mark, _) => {
                if !mark.is_whitespace() {
                    word = Some(mark.to_string());
                }
                start + 1
            }
        };
        found.extend(word.map(|text| Token { text, line }));
        let end = end.min(chars.len());
        line += chars[start..end].iter().filter(|c| **c == '\n').count();
        start = end;
    }
    found
}

/// Every path of a text, those of `use` trees in full.
pub(super) fn paths(tokens: &[Token]) -> Vec<Named> {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let (mut found, mut modules, mut depth, mut index) = (Vec::new(), Vec::new(), 0_usize, 0);
    while index < tokens.len() {
        match text(index) {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if modules.last() == Some(&depth) {
                    modules.pop();
                }
            }
            "mod" if text(index + 2) == "{" => modules.push(depth),
            "use" => {
                let first = found.len();
                index = take_tree(tokens, index + 1, &[], &mut found);
                found[first..].iter_mut().for_each(|path| path.inline = modules.len());
                continue;
            }
            word if word.starts_with(is_word) => {
                let (line, mut segments) = (tokens[index].line, vec![word.to_owned()]);
                while text(index + 1) == "::" && text(index + 2).starts_with(is_word) {
                    index += 2;
                    segments.push(text(index).to_owned());
                }
                found.push(Named { segments, line, inline: modules.len(), by: By::Path });
            }
            _ => {}
        }
        index += 1;
    }
    found
}

/// The functions that are tests.
pub(super) fn test_names(tokens: &[Token]) -> Vec<String> {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let marked = texts.windows(4).enumerate().filter(|(_, four)| *four == ["#", "[", "test", "]"]);
    marked
        .filter_map(|(index, _)| {
            let after = texts[index..].iter().position(|text| *text == "fn")?;
            texts.get(index + after + 1).map(|name| (*name).to_owned())
        })
        .collect()
}

/// Takes one branch of a `use` tree; answers with where it ends.
fn take_tree(tokens: &[Token], mut index: usize, over: &[String], found: &mut Vec<Named>) -> usize {
    let mut segments = over.to_vec();
    while let Some(token) = tokens.get(index) {
        match token.text.as_str() {
            "::" => index += 1,
            "{" => {
                index += 1;
                while tokens.get(index).is_some_and(|token| token.text != "}") {
                    let next = take_tree(tokens, index, &segments, found);
                    index = next + usize::from(tokens.get(next).is_some_and(|token| token.text == ","));
                }
                return index + 1;
            }
            word if word == "*" || word.starts_with(is_word) => {
                segments.push(word.to_owned());
                index += 1;
                let next = tokens.get(index).map_or("", |token| token.text.as_str());
                if next != "::" {
                    found.push(Named { segments, line: token.line, inline: 0, by: By::Use });
                    return if next == "as" { index + 2 } else { index };
                }
            }
            // `use<'a>` in a signature.
            _ => return index + 1,
        }
    }
    index
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn after_word(chars: &[char], start: usize) -> usize {
    start + chars[start..].iter().take_while(|c| is_word(**c)).count()
}

fn after_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut index) = (0_usize, start);
    while index < chars.len() {
        match chars[index..] {
            ['/', '*', ..] => (depth, index) = (depth + 1, index + 2),
            ['*', '/', ..] => (depth, index) = (depth - 1, index + 2),
            _ => index += 1,
        }
        if depth == 0 {
            break;
        }
    }
    index
}

fn after_quoted(chars: &[char], start: usize, quote: char) -> usize {
    let mut index = start;
    while index < chars.len() && chars[index] != quote {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

fn after_raw(chars: &[char], start: usize, hashes: usize) -> usize {
    let mut index = start;
    while index < chars.len() {
        let closes = chars[index] == '"' && chars[index + 1..].iter().take(hashes).all(|c| *c == '#');
        if closes && chars.len() - index > hashes {
            return index + 1 + hashes;
        }
        index += 1;
    }
    index
}

#[test]
fn words_are_seen_and_what_is_only_said_is_not() {
    let text = "r#\"a \" b\"# \"c \\\" d\" /* e /* f */ g */ '\\'' 'h' 'i: // j\nb\"k\" l::m";
    let seen: Vec<_> = tokens(text).into_iter().map(|token| (token.text, token.line)).collect();
    let expected = [("'i", 1), (":", 1), ("b", 2), ("l", 2), ("::", 2), ("m", 2)];
    assert_eq!(seen, expected.map(|(text, line)| (text.to_owned(), line)));
}

#[test]
fn a_use_tree_is_taken_apart() {
    let found =
        paths(&tokens("use ::a::{self, b::{c as d, e::*}, f}; mod m { use super::g; fn h() { i::j(); } } k"));
    let seen: Vec<_> = found.iter().map(|path| (path.segments.join("::"), path.inline)).collect();
    let expected = ["a::self", "a::b::c", "a::b::e::*", "a::f", "m", "super::g", "fn", "h", "i::j", "k"];
    let deep = ["m", "super::g", "fn", "h", "i::j"];
    assert_eq!(seen, expected.map(|path| (path.to_owned(), usize::from(deep.contains(&path)))));
}
