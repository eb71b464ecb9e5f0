//! What would be recorded, what was, and who may.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::Event;
use loopx_store::Receipt;
use maud::{Markup, html};
use serde_json::Value;

use super::Shell;
use super::parts::{fact, linked, sentence};
use crate::app::acting::Asked;
use crate::app::reading;
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
    /// Why it can't be confirmed here, where it needs a person.
    pub lacking: Option<&'static str>,
}

/// The page that asks for a confirmation.
pub fn preview(preview: &Preview) -> Markup {
    let Preview { goal, words, events, asked, key, seen, lacking } = preview;
    let back = format!("/goals/{goal}");
    let main = html! {
        nav.trail aria-label="Where this is" { a href="/" { "All lanes" } " / " a href=(back) { (goal) } " / confirm" }
        h1 { "Confirm" }
        p.next { (linked(goal, words)) }
        @if let Some(why) = lacking {
            p.failure { "This needs a person's proof, and " (why) ". Nothing is recorded before." }
            (code_form(Some(goal)))
        } @else if !events.is_empty() {
            form.confirm action={ (back) "/confirm" } method="post" {
                @for (name, value) in asked.fields().filter(|(name, _)| ![KEY, SEEN].contains(name)) {
                    input type="hidden" name=(name) value=(value);
                }
                input type="hidden" name=(KEY) value=(key);
                input type="hidden" name=(SEEN) value=(seen);
                button autofocus { "Confirm" }
                a.button href=(back) { "Leave it" }
            }
        }
        @if events.is_empty() { p { "It is so already: nothing would be recorded." } p { a.button href=(back) { "Leave it" } } }
        @else {
            h2 { "What is recorded then" }
            p.since { "What is new gets its id and its time when it is recorded." }
            ol.events {
                @for event in events { li { (recorded(goal, event)) } }
            }
        }
        @if lacking.is_some() { p { a.button href=(back) { "Leave it" } } }
    };
    Shell { goal: Some(goal), ..Shell::of("Confirm · LoopX", main) }.page()
}

/// An event, field by field, and as it stands in the log.
fn recorded(goal: &GoalId, event: &Event) -> Markup {
    let fields = match serde_json::to_value(event) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    html! {
        h3 { (reading::spoken(event.name())) }
        dl.facts.full {
            @for (name, value) in fields.iter().filter(|(name, _)| *name != "type") {
                (fact(&reading::spoken(name), shown(goal, value)))
            }
        }
        details { summary { "As it stands in the log" } pre { (serde_json::to_string_pretty(event).unwrap_or_default()) } }
    }
}

/// A value of an event, as it is read.
fn shown(goal: &GoalId, value: &Value) -> Markup {
    match value {
        Value::Null => html! { "–" },
        Value::Bool(true) => html! { "yes" },
        Value::Bool(false) => html! { "no" },
        Value::Number(number) => html! { (number) },
        Value::String(text) => match text.parse::<Timestamp>() {
            Ok(at) => html! { time datetime=(at) data-clock { (text) } },
            Err(_) => linked(goal, text),
        },
        Value::Array(values) if values.is_empty() => html! { "none" },
        Value::Array(values) => html! { ul { @for value in values { li { (shown(goal, value)) } } } },
        Value::Object(fields) => html! {
            ul { @for (name, value) in fields { li { (reading::spoken(name)) ": " (shown(goal, value)) } } }
        },
    }
}

/// The page that says what was recorded.
pub fn receipt(receipt: &Receipt, words: &str, undoes: bool) -> Markup {
    let back = format!("/goals/{}", receipt.goal);
    let main = html! {
        h1 { "Recorded" }
        p.next { (linked(&receipt.goal, words)) }
        p.since {
            "At revision " (receipt.revision) " of " (receipt.goal)
            @if receipt.replayed { ", as was already recorded" }
            @if receipt.events.is_empty() { "; it was so already" }
        }
        ul { @for recorded in &receipt.events { li { (reading::spoken(recorded.event.name())) } } }
        form.confirm action={ (back) "/preview" } method="post" {
            input type="hidden" name="act" value="undo";
            a.button autofocus href="/" { "All lanes" }
            a.button href=(back) { "The goal" }
            @if undoes { button.quiet { "Undo …" } }
        }
    };
    Shell::of("Recorded · LoopX", main).page()
}

/// The page that says that nothing was recorded.
pub fn failed(error: &CliError, goal: Option<&str>) -> Markup {
    let main = html! {
        h1 { "Nothing was recorded" }
        p.failure role="alert" { (sentence(&error.message)) }
        @if let Some(hint) = &error.hint { p { (sentence(hint)) } }
        p {
            a.button href="/" { "All lanes" }
            @if let Some(goal) = goal { " " a.button href={ "/goals/" (goal) } { "The goal" } }
        }
    };
    Shell::of("Nothing was recorded · LoopX", main).page()
}

/// The page on who may decide.
pub fn pairing(paired: bool, has_terminal: bool) -> Markup {
    let main = html! {
        h1 { @if paired { "This browser is paired" } @else { "This browser reads" } }
        @if paired {
            p { "It may decide in your name, and is paired no more once it has decided nothing for an hour." }
        } @else if has_terminal {
            p { "To decide here:" }
            ol.guide {
                li { "Press Enter in the terminal of " code { "loopx serve" } "." }
                li { "Type back there the code that it asks for: it proves that you are at that terminal." }
                li { "Type here the code that it shows then. It is good for five minutes." }
            }
            (code_form(None))
        } @else {
            p { "It can't be paired: " code { "loopx serve" } " runs without a terminal of yours. Start it in one, "
                "or decide there: " code { "loopx gate list" } "." }
        }
        p { a href="/" { "All lanes" } }
    };
    Shell::of("Pairing · LoopX", main).page()
}

/// Pairs; what was looked at is the goal that it leads back to.
fn code_form(goal: Option<&GoalId>) -> Markup {
    html! {
        form.pair action="/pair" method="post" {
            label for="code" { "Code that the terminal of " code { "loopx serve" } " shows once Enter is pressed there " }
            input #code name="code" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="16" required;
            @if let Some(goal) = goal { input type="hidden" name="goal" value=(goal); }
            button { "Pair this browser" }
        }
    }
}
