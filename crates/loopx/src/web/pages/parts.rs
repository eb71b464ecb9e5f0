//! What several pages show alike.

use jiff::Timestamp;
use loopx_contract::{GoalId, WaitingOn};
use loopx_core::first_screen::instant;
use maud::{Markup, html};

use crate::app::reading::Reading;

/// What an instant in a text looks like.
const INSTANT: &str = "0000-00-00T00:00:00Z";

/// Whom something waits on: by shape, word and colour.
pub fn whom(waiting_on: WaitingOn, reading: Reading) -> Markup {
    let Reading { shape, word, .. } = reading;
    html! { span.whom data-whom=(waiting_on.word()) { span.shape aria-hidden="true" { (shape) } (word) } }
}

/// An instant. A script says how long ago it was.
pub fn time(at: Timestamp) -> Markup {
    html! { time datetime=(instant(at)) { (instant(at)) } }
}

/// Since when something is so. A script says for how long.
pub fn since(at: Timestamp) -> Markup {
    html! { span.since { span.word { "since " } time datetime=(instant(at)) data-for { (instant(at)) } } }
}

/// A fact with its name.
#[expect(clippy::needless_pass_by_value, reason = "it is made in place")]
pub fn fact(name: &str, value: Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// A line to type at a terminal.
pub fn command(line: &str) -> Markup {
    html! { pre.command { code { (line) } } }
}

/// A sentence in which what stands in backticks is to be typed.
pub fn sentence(text: &str) -> Markup {
    let Some((before, typed, after)) = typed(text) else { return html! { (text) } };
    html! { (before) code { (typed) } (sentence(after)) }
}

/// A sentence about a goal: the ids in it lead to what they name, its instants are read as a clock, what stands in backticks
/// is to be typed.
pub fn linked(goal: &GoalId, text: &str) -> Markup {
    let Some((before, typed, after)) = typed(text) else { return plain(goal, text) };
    html! { (plain(goal, before)) code { (typed) } (linked(goal, after)) }
}

/// What stands in the first backticks, with what is around it.
fn typed(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (typed, after) = rest.split_once('`')?;
    Some((before, typed, after))
}

fn plain(goal: &GoalId, text: &str) -> Markup {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-:".contains(letter);
    let mut parts: Vec<(&str, Markup)> = Vec::new();
    // What was read up to here is said, what was read up to there is no word that leads anywhere.
    let (mut said, mut read) = (0, 0);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    while read < text.len() {
        let begin = read + part(read, text.len()).find(is_word).unwrap_or(text.len() - read);
        let rest = part(begin, text.len());
        let end = begin + rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
        if let Some(led) = led(goal, part(begin, end)) {
            parts.push((part(said, begin), led));
            said = end;
        }
        read = end;
    }
    html! { @for (before, led) in &parts { (before) (led) } (part(said, text.len())) }
}

/// A word of such a sentence, where it leads somewhere or is an instant.
fn led(goal: &GoalId, word: &str) -> Option<Markup> {
    if is_instant(word) {
        return Some(html! { time datetime=(word) data-clock { (word) } });
    }
    let bare = word.trim_end_matches(':');
    let after = word.get(bare.len()..).unwrap_or_default();
    let (kind, name) = bare.split_once('_')?;
    let is_name = name.len() >= 16 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match kind {
        "ses" if is_name => Some(html! { a.id href={ "/sessions/" (bare) } { (bare) } (after) }),
        "gate" | "todo" | "run" | "hof" if is_name => {
            Some(html! { a.id href={ "/goals/" (goal) "#" (bare) } { (bare) } (after) })
        }
        _ => None,
    }
}

fn is_instant(word: &str) -> bool {
    word.len() == INSTANT.len()
        && word
            .bytes()
            .zip(INSTANT.bytes())
            .all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { byte == like })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_leads_to_what_it_names_and_says_nothing_else() {
        let goal = GoalId::parse("pilot").expect("an id");
        for (text, shown) in [
            ("plain <b> words", "plain &lt;b&gt; words"),
            (
                "decide gate_06h2wwdz0mh0d7q7: may it?",
                "decide <a class=\"id\" href=\"/goals/pilot#gate_06h2wwdz0mh0d7q7\">gate_06h2wwdz0mh0d7q7</a>: may it?",
            ),
            (
                "in ses_44dnsa3rm0kk1d2n077nv0p1mm, so",
                "in <a class=\"id\" href=\"/sessions/ses_44dnsa3rm0kk1d2n077nv0p1mm\">ses_44dnsa3rm0kk1d2n077nv0p1mm</a>, so",
            ),
            (
                "before 2026-11-29T23:31:00Z, é",
                "before <time datetime=\"2026-11-29T23:31:00Z\" data-clock>2026-11-29T23:31:00Z</time>, é",
            ),
            ("run `loopx agent add <NAME>` `", "run <code>loopx agent add &lt;NAME&gt;</code> `"),
            ("gate_short and todo_<>", "gate_short and todo_&lt;&gt;"),
            ("", ""),
        ] {
            assert_eq!(linked(&goal, text).into_string(), shown);
        }
    }
}
