//! The first screen: who needs me?

use loopx_contract::{Mode, WaitingOn};
use loopx_core::quota::Frees;
use maud::{Markup, html};

use super::Shell;
use super::parts::{fact, time, whom};
use crate::app::board::{Board, Card};
use crate::app::placing::Place;
use crate::app::reading::{self, BY_ATTENTION, Reading, heading};
use crate::error::CliError;
use crate::web::feed::Cursor;

/// What names a lane among all.
pub fn key(card: &Card<'_>) -> String {
    format!("{}/{}", card.goal(), card.agent())
}

/// What orders lanes that wait on the same.
pub fn order(card: &Card<'_>) -> String {
    format!("{:02} {}", card.decision.row.number(), key(card))
}

/// The page.
pub fn page(board: &Board, cursor: Cursor, failure: Option<&CliError>) -> Markup {
    let cards = board.cards();
    let on_you = cards.iter().filter(|card| card.waiting_on() == WaitingOn::User).count();
    let count = board.prompts().count();
    let title = if on_you + count > 0 { format!("({}) LoopX", on_you + count) } else { "LoopX".to_owned() };
    let main = html! {
        h1 #headline aria-live="polite" { (reading::headline(on_you, count)) }
        @if let Some(failure) = failure {
            p.failure role="alert" { "The last look failed: " (failure.message) ". What stands here is older." }
        }
        @if cards.is_empty() { (empty()) }
        div #groups {
            @for group in BY_ATTENTION {
                @let lanes: Vec<&Card<'_>> = cards.iter().filter(|card| card.waiting_on() == group).collect();
                section.group data-whom=(group.word()) hidden[lanes.is_empty()] {
                    h2 { (heading(group)) " " span.count { (lanes.len()) } }
                    ol { @for card in lanes { (lane(card)) } }
                }
            }
        }
        (prompts(board))
    };
    Shell { title: &title, cursor: Some(cursor), goal: None, main }.page()
}

/// One lane. What grows older by itself is not in it: it changes when the lane does.
pub fn lane(card: &Card<'_>) -> Markup {
    html! {
        li.lane data-key=(key(card)) data-order=(order(card)) data-whom=(card.waiting_on().word()) tabindex="-1" {
            p.who { (whom(card.waiting_on(), card.reading())) " " a.name href={ "/goals/" (card.goal()) "/" (card.agent()) } { b { (card.goal()) } " / " (card.agent()) } }
            p.next { (card.next_action()) }
            @if let Some(since) = card.since() { p.since { "since " (time(since)) } }
            dl.facts { (facts(card)) }
        }
    }
}

/// What stands beside the answer.
pub fn facts(card: &Card<'_>) -> Markup {
    let screen = &card.decision.projection.first_screen;
    let missing = card.missing();
    html! {
        (fact("gate", html! { (screen.gate_state.word()) }))
        (fact("quota", html! {
            (screen.quota_state.word())
            @match card.decision.frees {
                Some(Frees::At(at)) => { ", frees " (time(at)) }
                Some(Frees::Never) => ", the limit is 0",
                None => {}
            }
        }))
        (fact("validation", html! { (card.validation()) }))
        (fact("evidence", html! {
            @match card.tier() { Some(tier) => (tier.word()), None => "no session" }
            @if !missing.is_empty() { ", missing " (missing.join(", ")) }
        }))
        (fact("boundary", html! {
            @match screen.boundary.mode {
                Mode::ReadOnlyProjection => "read only",
                Mode::ControlledWriteback => "controlled writeback",
            }
            "; " (screen.boundary.stop_condition.as_str())
        }))
    }
}

/// Sessions that ask a person something and belong to no lane.
pub fn prompts(board: &Board) -> Markup {
    let prompts: Vec<_> = board.prompts().collect();
    html! {
        div #prompts data-count=(prompts.len()) {
        @if !prompts.is_empty() {
            section.group data-whom="user" {
                h2 { "Prompts in no lane " span.count { (prompts.len()) } }
                ol {
                    @for view in prompts {
                        li.lane data-whom="user" {
                            p.who {
                                (whom(view.waiting_on, Reading::of(view.waiting_on))) " "
                                span.name { (view.facts.runtime_id) " " (view.facts.session_id.to_string()) }
                            }
                            p.next { (view.facts.state.word()) }
                            @if let Some(since) = view.facts.since { p.since { "since " (time(since)) } }
                            @match &view.place {
                                Place::Goal(goal) | Place::Lane(goal, _) => p.since { "of goal " (goal) ", in no lane" },
                                Place::Nowhere => p.since { "of no goal: " code { "loopx bind" } " gives it one" },
                            }
                        }
                    }
                }
            }
        }
        }
    }
}

/// What to do first, where there is nothing yet.
fn empty() -> Markup {
    html! {
        section.empty {
            h2 { "No goal yet" }
            p { "In a project's folder:" }
            pre { "loopx init" }
            p { "adds a goal with a lane for the agents that work there, and this page shows whom each waits on. "
                "To look around first: " code { "loopx demo" } "." }
        }
    }
}
