//! One lane: its first screen in full, and why it is so.

use loopx_core::first_screen::Why;
use maud::{Markup, html};

use super::parts::{fact, time, whom};
use super::{Shell, first};
use crate::app::board::{Board, Card};
use crate::app::reading;
use crate::web::feed::Cursor;

/// The page.
pub fn page(board: &Board, card: &Card<'_>, why: &Why, cursor: Cursor) -> Markup {
    let goal_id = card.goal();
    let projection = &card.decision.projection;
    let screen = &projection.first_screen;
    let (row, lacking) = (why.decision.row, &why.decision.lacking);
    let dash = "–".to_owned();
    let main = html! {
        nav.trail aria-label="Where this is" { a href="/" { "All lanes" } " / " a href={ "/goals/" (card.goal()) } { (card.goal()) } " / " (card.agent()) }
        h1 { (whom(card.waiting_on(), card.reading())) }
        p.next { (card.next_action()) }
        @if let Some(since) = card.since() { p.since { "since " (time(since)) } }
        dl.facts.full {
            (fact("your todo", html! { (screen.open_user_todo.as_ref().map_or(dash.clone(), ToString::to_string)) }))
            (fact("agent's todo", html! {
                (screen.first_executable_agent_todo.as_ref().map_or(dash.clone(), ToString::to_string))
            }))
            (first::facts(card))
            (fact("session", html! {
                @match card.session_name() {
                    Some((runtime, session)) => {
                        (runtime) " " a href={ "/sessions/" (session.to_string()) } { (session.to_string()) }
                    }
                    None => (dash),
                }
            }))
        }
        section.why {
            h2 { "Why" }
            p { "Row " (row.number()) ", " code { (row.name()) } ": " (row.holds_when()) "." }
            ul {
                @for fact in &why.facts { li { b { "because of " } (reading::fact(fact, &board.world)) } }
                @for fact in &why.shared { li { b { "as well as " } (reading::fact(fact, &board.world)) } }
                @for word in lacking { li.lacking { b { "lacking " } (word) } }
            }
            @if !why.passed.is_empty() {
                details {
                    summary { "The rows before it, none of which holds" }
                    ol.rows { @for row in &why.passed { li { code { (row.name()) } ": " (row.holds_when()) } } }
                }
            }
        }
    };
    let title = format!("{} / {} · LoopX", card.goal(), card.agent());
    Shell { title: &title, cursor: Some(cursor), goal: Some(goal_id), main }.page()
}
