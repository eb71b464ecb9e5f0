//! Taking out of a text what may not be said, where its giver asks for that.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::refusal::{Class, Refusal};
use crate::screen::screen_with;
use crate::text::{PublicText, TEXT_MAX};
use crate::tier::{Local, Tier, TierKind};
use crate::words::PrivateWords;

/// So many times its length may a text have before things are taken out of it.
const LONGER: usize = 16;

/// A text out of which things were taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<T: Tier = Local, const MAX: usize = TEXT_MAX> {
    /// What is left, with `[redacted:<class>]` where something stood.
    pub text: PublicText<T, MAX>,
    /// How many things of each class were taken out.
    pub counts: BTreeMap<Class, usize>,
}

impl<T: Tier, const MAX: usize> PublicText<T, MAX> {
    /// Takes out what is refused, each with all that stands around it up to a space, and of several lines all but the
    /// first. Refused still is what is empty, or too long afterwards.
    pub fn redacted(text: &str, words: &PrivateWords) -> Result<Redacted<T, MAX>, Refusal> {
        let text = text.trim();
        if text.chars().count() > MAX.saturating_mul(LONGER) {
            return Err(screen_with(text, T::KIND, MAX, words)
                .err()
                .unwrap_or(Refusal { class: Class::TooLong, columns: MAX + 1..MAX + 2 }));
        }
        let (text, counts) = taken_out(text.to_owned(), T::KIND, words)?;
        Ok(Redacted { text: Self::without(&text, words)?, counts })
    }
}

/// Whether something was taken out of a text.
pub(crate) fn is_redacted(text: &str) -> bool {
    text.contains("[redacted:")
}

/// What stands in the place of a thing of this class.
pub(crate) fn marker(class: Class) -> String {
    format!("[redacted:{class}]")
}

fn taken_out(
    mut text: String,
    tier: TierKind,
    words: &PrivateWords,
) -> Result<(String, BTreeMap<Class, usize>), Refusal> {
    let mut counts = BTreeMap::new();
    while let Err(refusal) = screen_with(&text, tier, usize::MAX, words) {
        let at = widened(&text, &refusal);
        let marker = marker(refusal.class);
        let left = Class::ALL
            .iter()
            .fold(text[at.clone()].to_owned(), |left, class| left.replace(&self::marker(*class), ""));
        // Nothing to take out: going on would never end.
        if left.trim().is_empty() {
            return Err(refusal);
        }
        text.replace_range(at, &marker);
        *counts.entry(refusal.class).or_default() += 1;
    }
    Ok((text, counts))
}

/// The refused bytes with the rest of their words: a piece of a secret is one too. Behind a line break nobody can tell
/// what goes on with what stood before it.
fn widened(text: &str, refusal: &Refusal) -> Range<usize> {
    let byte = |column: usize| text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
    let (start, end) = (byte(refusal.columns.start), byte(refusal.columns.end));
    let before = text.get(..start).unwrap_or_default();
    let start = before.trim_end_matches(|c: char| !c.is_whitespace()).len();
    if refusal.class == Class::MultiLine {
        return start..text.len();
    }
    let after = text.get(end..).unwrap_or_default();
    let rest = after.trim_start_matches(|c: char| !c.is_whitespace());
    let mut end = text.len() - rest.len();
    if refusal.class == Class::Path {
        end += goes_on(rest);
    }
    start..end
}

/// How far a path goes on behind a space, in bytes: names in it may have spaces in them. What has a separator is more of
/// it, and so is what has the ending of a file behind a part that has none.
fn goes_on(rest: &str) -> usize {
    let (mut end, mut at) = (0, 0);
    for word in rest.split_inclusive(char::is_whitespace) {
        let name = word.trim_end();
        at += word.len();
        if name.is_empty() {
            continue;
        }
        let before = rest.get(..end).and_then(|taken| taken.rsplit(['/', '\\']).next()).unwrap_or_default();
        let is_ending = end > 0 && !before.contains('.') && name.trim_end_matches(['.', ',']).contains('.');
        if !name.contains(['/', '\\']) && !is_ending {
            break;
        }
        end = at - (word.len() - name.len());
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{PrivateWord, WordKind};

    fn redact(text: &str) -> Result<(String, Vec<(Class, usize)>), Refusal> {
        let words = [PrivateWord::new(WordKind::Term, "borealis")];
        let words = PrivateWords::new(TierKind::Local, &words);
        let redacted = PublicText::<Local>::redacted(text, &words)?;
        Ok((redacted.text.to_string(), redacted.counts.into_iter().collect()))
    }

    #[test]
    fn what_is_refused_gives_way_to_its_class() {
        let path = format!("{}/ann/notes.txt", "/home");
        let mail = format!("ann{}corp.example", '@');
        for (text, left, counts) in [
            ("fix the build".to_owned(), "fix the build", vec![]),
            (format!("see {path} and ask"), "see [redacted:path] and ask", vec![(Class::Path, 1)]),
            (format!("see ({path}), {path}"), "see [redacted:path]", vec![(Class::Path, 1)]),
            (
                format!("ask {mail} about {path}"),
                "ask [redacted:mail] about [redacted:path]",
                vec![(Class::Path, 1), (Class::Mail, 1)],
            ),
            (
                "ship Borealis now".to_owned(),
                "ship [redacted:private_word] now",
                vec![(Class::PrivateWord, 1)],
            ),
            (
                format!("password: {}", "hunter2.Xq"),
                "password: [redacted:credential]",
                vec![(Class::Credential, 1)],
            ),
        ] {
            let (redacted, found) = redact(&text).unwrap();
            assert_eq!(redacted, left);
            assert_eq!(found, counts, "{redacted}");
        }
    }

    #[test]
    fn half_a_secret_is_never_left() {
        let secret = format!("{}_{}", "ghp", "a1B2c3D4".repeat(5));
        let (head, tail) = secret.split_at(20);
        for broken in [format!("use {head}\n{tail} now"), format!("use {head}\u{200b}{tail} now")] {
            let (left, counts) = redact(&broken).unwrap();
            assert!(!left.contains(&head[..8]) && !left.contains(&tail[..8]), "{left}");
            assert_eq!(counts.len(), 1, "{left}");
        }
    }

    #[test]
    fn half_a_path_with_spaces_was_left() {
        for path in [
            format!("{}\\Ann Smith\\Plan X\\n.txt", "C:\\Users"),
            format!("{}/My Secret/plan.md", "/home/ann"),
        ] {
            let (left, _) = redact(&format!("read {path} first")).unwrap();
            assert_eq!(left, "read [redacted:path] first");
        }
        let (left, _) =
            redact(&format!("open {}/My Documents/plan final.md by Friday", "/home/ann")).unwrap();
        assert_eq!(left, "open [redacted:path] by Friday");
    }

    #[test]
    fn all_behind_a_path_was_taken_for_more_of_it() {
        for (given, left) in [
            (
                "send X/data to Bob and then restart nginx/php",
                "send [redacted:path] to Bob and then restart nginx/php",
            ),
            ("fix X/hosts and docs/readme.md please", "fix [redacted:path] and docs/readme.md please"),
            ("copy X/a, then run make deploy/prod", "copy [redacted:path] then run make deploy/prod"),
        ] {
            assert_eq!(redact(&given.replace('X', "/srv/x")).unwrap().0, left);
        }
    }

    #[test]
    fn what_is_left_is_said_as_it_is_again() {
        for class in Class::ALL {
            let text = format!("keep {} here", marker(class));
            assert_eq!(redact(&text).unwrap(), (text, vec![]), "{class}");
        }
    }

    #[test]
    fn empty_and_too_long_stay_refused() {
        assert_eq!(redact("  ").unwrap_err().class, Class::Empty);
        assert_eq!(redact(&"word ".repeat(60)).unwrap_err().class, Class::TooLong);
        assert_eq!(redact(&"word ".repeat(60_000)).unwrap_err().class, Class::TooLong);
        // Long only for what was taken out.
        let long = format!("see {}/ann/{} there", "/home", "notes/".repeat(60));
        assert_eq!(redact(&long).unwrap().0, "see [redacted:path] there");
    }
}
