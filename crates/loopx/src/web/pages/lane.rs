//! One lane: its first screen in full, and why it is so.

use loopx_contract::TodoId;
use loopx_core::first_screen::Why;
use maud::{Markup, html};

use super::parts::{fact, linked};
use super::{Shell, first};
use crate::app::board::{Board, Card};
use crate::app::overview::Held;
use crate::app::reading;
use crate::web::feed::Cursor;

/// The page.
pub fn page(board: &Board, card: &Card<'_>, why: &Why, cursor: Cursor) -> Markup {
    let goal_id = card.goal();
    let projection = &card.decision.projection;
    let screen = &projection.first_screen;
    let (row, lacking) = (why.decision.row, &why.decision.lacking);
    let title = |id: &TodoId| match board.world.goals.get(goal_id) {
        Some(Held::State(state)) => state.todos.get(id).map(|todo| todo.title.to_string()),
        Some(Held::Damaged(_)) | None => None,
    };
    let todo = |id: Option<&TodoId>| {
        html! {
            @match id {
                Some(id) => { (title(id).unwrap_or_default()) " " (linked(goal_id, id.as_str())) },
                None => "none",
            }
        }
    };
    let main = html! {
        nav.trail aria-label="Where this is" { a href="/" { "All lanes" } " / " a href={ "/goals/" (goal_id) } { (goal_id) } " / " (card.agent()) }
        h1 { (goal_id) " / " (card.agent()) }
        ol { (first::lane(&board.world, card)) }
        dl.facts.full {
            (fact("your todo", todo(screen.open_user_todo.as_ref())))
            (fact("agent's todo", todo(screen.first_executable_agent_todo.as_ref())))
            (fact("gate (contract)", html! { code { (screen.gate_state.word()) } }))
            (fact("quota (contract)", html! { code { (screen.quota_state.word()) } }))
            (fact("session", html! {
                @match card.session_name() {
                    Some((runtime, session)) => {
                        (runtime) " " a.id href={ "/sessions/" (session.to_string()) } { (session.to_string()) }
                    }
                    None => "none is attached: one that begins in a bound folder is seen by itself",
                }
            }))
        }
        section.why {
            h2 { "Why" }
            p { "Row " (row.number()) ", " code { (row.name()) } ": " (row.holds_when()) "." }
            ul {
                @for fact in &why.facts { li { b { "because of " } (linked(goal_id, &reading::fact(fact, &board.world))) } }
                @for fact in &why.shared { li { b { "as well as " } (linked(goal_id, &reading::fact(fact, &board.world))) } }
                @for word in lacking { li.lacking { b { "lacking " } (reading::spoken(word)) } }
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
    Shell { goal: Some(goal_id), ..Shell::of(&title, main) }.following(board, cursor).page()
}
