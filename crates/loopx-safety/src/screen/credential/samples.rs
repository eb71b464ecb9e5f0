//! Samples of every kind of the table, made when the tests run: right ones, and ones that are almost right.

use super::issued::find;
use super::kind::{Alphabet, Kind, Mark, Part, Sum, base62};
use super::kinds::KINDS;

/// Numbers that look drawn, the same at each run.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((number ^ (number >> 31)) % below as u64).unwrap()
    }

    /// Characters of an alphabet: letters and digits, so that no sign of it looks like an end.
    fn run(&mut self, alphabet: Alphabet, len: usize) -> String {
        let all: Vec<u8> =
            (0..128).filter(|byte| alphabet.has(*byte) && byte.is_ascii_alphanumeric()).collect();
        (0..len).map(|_| char::from(all[self.next(all.len())])).collect()
    }
}

/// The lengths of a run that are tried: the least, the most, and one between.
fn length(lengths: &std::ops::RangeInclusive<usize>, which: usize) -> usize {
    let most = (*lengths.end()).min(lengths.start() + 40);
    [*lengths.start(), most, lengths.start().midpoint(most)][which]
}

/// The bodies of a kind, its parts apart.
fn body(kind: &Kind, draw: &mut Draw, which: usize) -> Vec<String> {
    let part = |part: Part| match part {
        Part::Literal(literal) => literal.to_owned(),
        Part::Run(alphabet, lengths) => draw.run(alphabet, length(&lengths, which)),
    };
    let mut parts: Vec<String> = kind.parts().into_iter().map(part).collect();
    if let (Some(Sum::Crc32Base62), Some(last)) = (kind.sum, parts.last_mut()) {
        last.truncate(last.len() - 6);
        let sum = base62(crc32fast::hash(last.as_bytes()));
        last.push_str(&sum);
    }
    parts
}

/// A text with a token in it.
fn told(kind: &Kind, mark: &str, body: &str) -> String {
    match kind.mark {
        Mark::Begins(_) => format!("see {mark}{body} there"),
        Mark::Named(_) => format!("{mark}_id = \"{body}\""),
    }
}

fn is_found(text: &str) -> bool {
    find(text).is_some()
}

#[test]
fn every_kind_is_found_at_each_of_its_lengths() {
    let mut draw = Draw(1);
    for kind in KINDS {
        for mark in kind.marks() {
            for which in 0..3 {
                // What is drawn may look like a sample by chance: then another is drawn.
                let found =
                    (0..8).any(|_| is_found(&told(kind, mark, &body(kind, &mut draw, which).concat())));
                assert!(found, "{} {which}", kind.name);
            }
        }
    }
}

/// A kind by itself: others may have the same mark.
fn is_this(kind: &Kind, text: &str) -> bool {
    super::issued::find_kinds(text).any(|(_, found)| found.name == kind.name)
}

#[test]
fn a_body_that_is_too_short_is_no_token_of_the_kind() {
    let mut draw = Draw(2);
    for kind in KINDS {
        let parts = kind.parts();
        let Some(at) = parts.iter().rposition(|part| matches!(part, Part::Run(..))) else { continue };
        let mut body = body(kind, &mut draw, 0);
        body[at].pop();
        for mark in kind.marks() {
            assert!(!is_this(kind, &told(kind, mark, &body.concat())), "{}", kind.name);
        }
    }
}

#[test]
fn a_character_of_another_alphabet_ends_a_token() {
    let mut draw = Draw(3);
    for kind in KINDS {
        let parts = kind.parts();
        let Some(at) = parts.iter().rposition(|part| matches!(part, Part::Run(..))) else { continue };
        let mut body = body(kind, &mut draw, 0);
        // The first character, so that what follows is too short: no alphabet has it.
        body[at].replace_range(..1, "\u{b7}");
        for mark in kind.marks() {
            assert!(!is_this(kind, &told(kind, mark, &body.concat())), "{}", kind.name);
        }
    }
}

#[test]
fn a_wrong_checksum_or_mark_is_no_token_of_the_kind() {
    let mut draw = Draw(4);
    for kind in KINDS {
        let mut body = body(kind, &mut draw, 0).concat();
        for mark in kind.marks() {
            if kind.sum.is_some() {
                let last = if body.ends_with('0') { "1" } else { "0" };
                body.replace_range(body.len() - 1.., last);
                assert!(!is_this(kind, &told(kind, mark, &body)), "{}", kind.name);
            }
            let last = mark.rfind(|c: char| c.is_ascii_alphanumeric()).unwrap_or(0);
            let other = format!("{}\u{b7}{}", &mark[..last], &mark[last + 1..]);
            assert!(!is_this(kind, &told(kind, &other, &body)), "{}", kind.name);
        }
    }
}

#[test]
fn names_are_unique_and_every_mark_builds() {
    let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), KINDS.len());
    assert!(KINDS.iter().all(|kind| kind.marks().all(|mark| !mark.is_empty())));
    assert!(KINDS.len() > 300);
}
