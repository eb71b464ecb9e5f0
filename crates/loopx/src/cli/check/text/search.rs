//! All that the screen refuses in a piece of text. The screen itself stops at the first thing of the first class: what
//! it finds is blanked, and it looks again. So an exception for one thing never hides another on its line.

use std::ops::Range;

use loopx_safety::{Class, PrivateWords, Refusal, Step, screen_with};

use super::piece::{OVERLAP, Shared, next_char};

/// How long the windows are in which a refused piece is gone through, in bytes.
const WINDOW: usize = 2048;

/// How many things are told apart in one window.
const MOST: usize = 128;

/// What stands where something was taken out: no space, or the word after a secret would be taken for its value.
const BLANK: char = '*';

/// What was found in a piece.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of the text.
    pub refusals: Vec<Refusal>,
    /// Columns that were not searched to the end.
    pub crowded: Vec<Range<usize>>,
}

/// Finds it.
pub fn all(text: &str, shared: Shared, words: &PrivateWords) -> Found {
    let mut found = Found::default();
    let Some(first) = refused(text, words) else { return found };
    for window in windows(text, shared) {
        window.search(words, &mut found);
    }
    // What only the whole shows.
    let is_known = found.refusals.iter().any(|one| overlap(&one.columns, &first.columns));
    if !is_known && !is_cut(&first.columns, shared, || text.chars().count()) {
        found.refusals.push(first);
    }
    found.refusals = merged(found.refusals);
    found
}

/// An empty line is fine.
fn refused(text: &str, words: &PrivateWords) -> Option<Refusal> {
    screen_with(text, words.tier(), usize::MAX, words).err().filter(|refusal| refusal.class != Class::Empty)
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// A part of a piece.
struct Window<'a> {
    text: &'a str,
    /// Characters before it.
    before: usize,
    shared: Shared,
}

fn windows(text: &str, shared: Shared) -> Vec<Window<'_>> {
    let bytes = text.as_bytes();
    let mut windows = Vec::new();
    let (mut start, mut before, mut common) = (0, 0, shared.before);
    loop {
        let rest = bytes.len() - start;
        if rest <= WINDOW {
            let shared = Shared { before: common, ..shared };
            windows.push(Window { text: &text[start..], before, shared });
            return windows;
        }
        let end = next_char(bytes, start + WINDOW);
        let next = next_char(bytes, end - OVERLAP);
        let after = text[next..end].chars().count();
        let shared = Shared { before: common, after };
        windows.push(Window { text: &text[start..end], before, shared });
        before += text[start..next].chars().count();
        (start, common) = (next, after);
    }
}

impl Window<'_> {
    fn search(&self, words: &PrivateWords, found: &mut Found) {
        let mut rest = Rest::of(self.text);
        for _ in 0..MOST {
            let Some(refusal) = refused(&rest.text(), words) else { return };
            let Some(taken) = rest.take(&refusal, words) else { break };
            for Refusal { class, columns } in taken {
                if !is_cut(&columns, self.shared, || rest.width) {
                    let columns = columns.start + self.before..columns.end + self.before;
                    found.refusals.push(Refusal { class, columns });
                }
            }
        }
        found.crowded.push(self.before + 1..self.before + 1 + rest.width);
    }
}

/// Whether a neighbour sees this whole and with more around it: what a cut makes of half a word is no finding.
fn is_cut(columns: &Range<usize>, shared: Shared, width: impl Fn() -> usize) -> bool {
    let Shared { before, after } = shared;
    let (start, end) = (columns.start - 1, columns.end - 1);
    let earlier = start < before / 2 && end <= before;
    let later = || end >= width() && start >= width() - after;
    earlier || after > 0 && later()
}

/// A text of which parts were taken out, each character with its column.
struct Rest {
    chars: Vec<(usize, char)>,
    width: usize,
}

impl Rest {
    fn of(text: &str) -> Self {
        let chars: Vec<_> = (1..).zip(text.chars()).collect();
        Self { width: chars.len(), chars }
    }

    fn text(&self) -> String {
        self.chars.iter().map(|(_, c)| c).collect()
    }

    /// Takes it out and gives its columns in the whole, with the random token in it, if there is one; `None` where
    /// there was nothing left to take.
    fn take(&mut self, refusal: &Refusal, words: &PrivateWords) -> Option<Vec<Refusal>> {
        let at = refusal.columns.start - 1..(refusal.columns.end - 1).min(self.chars.len());
        let at = narrowed(self.chars.get(at.clone())?, refusal.class, words)
            .map_or(at.clone(), |within| at.start + within.start..at.start + within.end);
        let part = self.chars.get_mut(at.clone())?;
        let columns = part.first()?.0..part.last()?.0 + 1;
        if part.iter().all(|(_, c)| *c == BLANK) {
            return None;
        }
        let mut taken = vec![Refusal { class: refusal.class, columns }];
        if is_place(refusal.class) {
            taken.extend(token_in(part, words));
        }
        if refusal.class == Class::Control {
            // What it splits is put together again.
            self.chars.drain(at);
        } else {
            for (_, c) in part {
                *c = BLANK;
            }
        }
        Some(taken)
    }
}

/// Whether it is where something lies: the screen names it to the next space, whatever else stands there.
const fn is_place(class: Class) -> bool {
    matches!(class, Class::Path | Class::Url | Class::Host)
}

/// Where the thing is in a part that holds more: in compact JSON the screen may name all up to the next space.
fn narrowed(part: &[(usize, char)], class: Class, words: &PrivateWords) -> Option<Range<usize>> {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ',' | ';' | '{' | '}');
    let mut start = 0;
    for word in part.split(|(_, c)| is_end(*c)) {
        let text: String = word.iter().map(|(_, c)| c).collect();
        if word.len() < part.len()
            && let Some(refusal) = refused(&text, words)
            && refusal.class == class
        {
            return Some(start + refusal.columns.start - 1..start + refusal.columns.end - 1);
        }
        start += word.len() + 1;
    }
    None
}

/// The random-looking token in it, which an exception for a link must not hide.
fn token_in(part: &[(usize, char)], words: &PrivateWords) -> Option<Refusal> {
    let text: String = part.iter().map(|(_, c)| c).collect();
    let Refusal { class, columns } = Step::Entropy.find(&text, words.tier(), usize::MAX)?;
    let (first, last) = (part.get(columns.start - 1)?, part.get(columns.end.checked_sub(2)?)?);
    Some(Refusal { class, columns: first.0..last.0 + 1 })
}

/// In order, with what two windows saw of one thing put together, and the tail of an address with its head.
fn merged(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    refusals.sort_by_key(|refusal| (refusal.columns.start, refusal.columns.end));
    let mut kept: Vec<Refusal> = Vec::new();
    for refusal in refusals {
        match kept.last_mut() {
            Some(last) if is_same(last, &refusal) => {
                last.columns.end = last.columns.end.max(refusal.columns.end);
            }
            Some(_) | None => kept.push(refusal),
        }
    }
    kept
}

fn is_same(last: &Refusal, next: &Refusal) -> bool {
    let overlaps = next.columns.start < last.columns.end && next.class == last.class;
    let touches = next.columns.start == last.columns.end && is_place(last.class) && is_place(next.class);
    overlaps || touches
}
