//! Letters of one script among those of another, and words that look like words of another.
//!
//! A word is of one script, or of those that are written together: UTS 39, "highly restrictive". Beyond that, Latin
//! may stand in one word with scripts that put no space before it and have no letter that looks like a Latin one.

use std::ops::Range;

use unicode_script::{Script, ScriptExtension, UnicodeScript as _};

use super::runs::first_wide;

/// Written in one word with Latin: `APIを`, `الـAPI`, `ใช้API`.
const WITH_LATIN: [Script; 24] = [
    Script::Arabic,
    Script::Bengali,
    Script::Bopomofo,
    Script::Devanagari,
    Script::Ethiopic,
    Script::Gujarati,
    Script::Gurmukhi,
    Script::Han,
    Script::Hangul,
    Script::Hebrew,
    Script::Hiragana,
    Script::Kannada,
    Script::Katakana,
    Script::Khmer,
    Script::Lao,
    Script::Malayalam,
    Script::Mongolian,
    Script::Myanmar,
    Script::Oriya,
    Script::Sinhala,
    Script::Tamil,
    Script::Telugu,
    Script::Thai,
    Script::Tibetan,
];

/// Written in one word with each other.
const TOGETHER: [&[Script]; 3] = [
    &[Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Han, Script::Hangul],
    &[Script::Han, Script::Bopomofo],
];

/// The first word of more scripts than are written together. One Greek letter that looks like none of
/// them may stand among Latin ones: `Δt`.
pub(super) fn find_mixed(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    text.split_inclusive(|c: char| !c.is_alphanumeric()).find_map(|word| {
        let range = at..at + word.len();
        at = range.end;
        is_mixed(word).then_some(range)
    })
}

fn is_mixed(word: &str) -> bool {
    // Latin alone, and with the characters of China and Japan: most words by far.
    let is_plain =
        |c: char| matches!(c, '\0'..='\u{24f}' | '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    if word.chars().all(is_plain) {
        return false;
    }
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let greek = letters().filter(|c| c.script() == Script::Greek).count();
    // A sign of a formula, and no letter that looks like a Latin one.
    let is_sign = greek == 1 && !word.chars().any(|c| LOOK_ALIKE.contains(c));
    let is_latin = letters().any(|c| c.script() == Script::Latin);
    // What remains is of scripts that are not Latin; a sign that many scripts share is of all of them.
    let others = || {
        letters()
            .map(|c| c.script_extension())
            .filter(|scripts| !scripts.contains_script(Script::Latin) && !scripts.is_common())
            .filter(|scripts| !(is_sign && scripts.contains_script(Script::Greek)))
    };
    let several = others().reduce(ScriptExtension::intersection).is_some_and(ScriptExtension::is_empty);
    let fits = |set: &[Script]| others().all(|scripts| set.iter().any(|one| scripts.contains_script(*one)));
    several && !TOGETHER.iter().any(|set| fits(set)) || is_latin && !fits(&WITH_LATIN)
}

/// Letters of Cyrillic and Greek that look like Latin ones.
const LOOK_ALIKE: &str = "АВЕКМНОРСТХУІЈЅҮԌԚԜӀасеорхуіјѕһԁԛԝүӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχϲϳ";

/// The shortest word that is taken for another: letters stand alone in formulas.
const LEAST: usize = 3;

/// The first word that is put together from look-alikes, in a text whose other words are Latin.
pub(super) fn find_look_alike(text: &str) -> Option<Range<usize>> {
    first_wide(text.as_bytes())?;
    let is_foreign = |c: char| matches!(c, '\u{370}'..='\u{52f}');
    // One letter that looks like none: it is what it looks like.
    if text.chars().any(|c| is_foreign(c) && !LOOK_ALIKE.contains(c))
        || !text.chars().any(|c| c.is_ascii_alphabetic())
    {
        return None;
    }
    let mut at = 0;
    text.split_inclusive(|c: char| !c.is_alphanumeric()).find_map(|word| {
        let range = at..at + word.len();
        at = range.end;
        (word.chars().filter(|c| is_foreign(*c)).count() >= LEAST).then_some(range)
    })
}
