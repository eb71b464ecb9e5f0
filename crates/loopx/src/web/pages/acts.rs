//! What would be recorded, what was, and who may.

use loopx_contract::GoalId;
use loopx_core::Event;
use loopx_store::Receipt;
use maud::{Markup, html};

use super::Shell;
use crate::app::acting::Asked;
use crate::error::CliError;
use crate::web::acts::{KEY, SEEN};

/// What would be recorded.
pub struct Preview {
    /// On which goal.
    pub goal: GoalId,
    /// In words.
    pub words: String,
    /// Event by event.
    pub events: Vec<Event>,
    /// What was asked for, to be asked for again.
    pub asked: Asked,
    /// What names this confirmation.
    pub key: String,
    /// What stands there now, as a digest.
    pub seen: String,
    /// Whether it needs a person, and this browser is not paired.
    pub lacks_person: bool,
}

/// The page that asks for a confirmation.
pub fn preview(preview: &Preview) -> Markup {
    let Preview { goal, words, events, asked, key, seen, lacks_person } = preview;
    let back = format!("/goals/{goal}");
    let main = html! {
        h1 { "Confirm" }
        p.next { (words) }
        @if events.is_empty() { p { "It is so already: nothing would be recorded." } }
        @else {
            h2 { "What is recorded then" }
            ol.events {
                @for event in events {
                    li { b { (event.name()) } pre { (serde_json::to_string_pretty(event).unwrap_or_default()) } }
                }
            }
        }
        @if *lacks_person {
            p.failure { "This needs a person's proof, and this browser is not paired." }
            (code_form())
        } @else if !events.is_empty() {
            form.confirm action={ (back) "/confirm" } method="post" {
                @for (name, value) in asked.fields().filter(|(name, _)| ![KEY, SEEN].contains(name)) {
                    input type="hidden" name=(name) value=(value);
                }
                input type="hidden" name=(KEY) value=(key);
                input type="hidden" name=(SEEN) value=(seen);
                button autofocus { "Confirm" }
            }
        }
        p { a href=(back) { "Leave it" } }
    };
    Shell { title: "Confirm · LoopX", cursor: None, goal: None, main }.page()
}

/// The page that says what was recorded.
pub fn receipt(receipt: &Receipt, words: &str) -> Markup {
    let back = format!("/goals/{}", receipt.goal);
    let main = html! {
        h1 { "Recorded" }
        p.next { (words) }
        p.since {
            "At revision " (receipt.revision) " of " (receipt.goal)
            @if receipt.replayed { ", as was already recorded" }
            @if receipt.events.is_empty() { "; it was so already" }
        }
        ul { @for recorded in &receipt.events { li { (recorded.event.name()) } } }
        p { a href=(back) { "Back to the goal" } }
        form action={ (back) "/preview" } method="post" {
            input type="hidden" name="act" value="undo";
            button.quiet { "Undo …" }
        }
    };
    Shell { title: "Recorded · LoopX", cursor: None, goal: None, main }.page()
}

/// The page that says that nothing was recorded.
pub fn failed(error: &CliError) -> Markup {
    let main = html! {
        h1 { "Nothing was recorded" }
        p.failure role="alert" { (error.message) }
        @if let Some(hint) = &error.hint { p { (hint) } }
        p { a href="/" { "All lanes" } }
    };
    Shell { title: "Nothing was recorded · LoopX", cursor: None, goal: None, main }.page()
}

/// The page on who may decide.
pub fn pairing(paired: bool, has_terminal: bool) -> Markup {
    let main = html! {
        h1 { @if paired { "This browser is paired" } @else { "This browser reads" } }
        @if paired {
            p { "It may decide in your name, and is paired no more once it has decided nothing for an hour." }
        } @else if has_terminal {
            p { "To decide here, press Enter in the terminal of " code { "loopx serve" } ", and type its code:" }
            (code_form())
        } @else {
            p { "It can't be paired: " code { "loopx serve" } " runs without a terminal of yours. Start it in one, "
                "or decide there: " code { "loopx gate list" } "." }
        }
        p { a href="/" { "All lanes" } }
    };
    Shell { title: "Pairing · LoopX", cursor: None, goal: None, main }.page()
}

fn code_form() -> Markup {
    html! {
        form.pair action="/pair" method="post" {
            label for="code" { "Code from the terminal of " code { "loopx serve" } ": press Enter there" }
            input #code name="code" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="16" required;
            button { "Pair this browser" }
        }
    }
}
