//! One session, from facts alone.

use loopx_contract::{Check, Limit};
use maud::{Markup, html};

use super::Shell;
use super::parts::{fact, time, whom};
use crate::app::SessionView;
use crate::app::board::Board;
use crate::app::placing::Place;
use crate::app::reading::{self, Reading, session};
use crate::web::feed::Cursor;

/// The page.
pub fn page(board: &Board, view: &SessionView, cursor: Cursor, line: &Markup) -> Markup {
    let facts = &view.facts;
    let goal = match &view.place {
        Place::Lane(goal, _) | Place::Goal(goal) => Some(goal),
        Place::Nowhere => None,
    };
    let main = html! {
        nav.trail aria-label="Where this is" {
            a href="/" { "All lanes" }
            @match &view.place {
                Place::Lane(goal, agent) => {
                    " / " a href={ "/goals/" (goal) } { (goal) } " / " a href={ "/goals/" (goal) "/" (agent) } { (agent) }
                }
                Place::Goal(goal) => { " / " a href={ "/goals/" (goal) } { (goal) } }
                Place::Nowhere => {}
            }
        }
        h1 { (whom(view.waiting_on, Reading::of(view.waiting_on))) " " (session::state(facts.state)) }
        p.id { (facts.runtime_id) " " (facts.session_id.to_string()) }
        dl.facts.full {
            (fact("rests on", html! { (session::tier(facts.tier)) ": " (facts.rule.words()) }))
            (fact("process", html! { (session::liveness(facts.liveness)) }))
            (fact("turn", html! { (session::turn(facts.turn)) }))
            @if let Some(at) = facts.started_at { (fact("began", time(at))) }
            @if let Some(at) = facts.since { (fact("so since", time(at))) }
            @if let Some(at) = facts.last_activity { (fact("last heard", time(at))) }
            @if facts.children > 0 { (fact("started", html! { (facts.children) " other sessions" })) }
            (fact("missing", html! {
                @if facts.missing.is_empty() { "nothing" } @else {
                    ul { @for missing in &facts.missing { li { (session::missing(*missing)) } } }
                }
            }))
            @if !facts.hints.is_empty() {
                (fact("points to", html! { ul { @for hint in &facts.hints { li { (session::hint(*hint)) } } } }))
            }
            @if view.place == Place::Nowhere {
                (fact("of no goal", html! { code { "loopx bind " (facts.session_id.to_string()) " --goal GOAL --agent AGENT" } }))
            }
            (fact("looked at", time(board.overview.now)))
        }
        (line)
        @if !facts.checks.is_empty() {
            section.list { h2 { "Checks" } table { tbody { @for check in &facts.checks { (checked(check)) } } } }
        }
        @if !facts.limits.is_empty() {
            section.list { h2 { "The runtime's windows" } table { tbody { @for limit in &facts.limits { (limited(limit)) } } } }
        }
        @if let Some(usage) = &facts.usage {
            section.list {
                h2 { "Spent" }
                p { (usage.turns) " turns, " (usage.input_tokens) " tokens in (" (usage.cached_input_tokens) " cached), "
                    (usage.output_tokens) " out" }
            }
        }
    };
    Shell { goal, ..Shell::of("Session · LoopX", main) }.following(board, cursor).page()
}

fn checked(check: &Check) -> Markup {
    html! {
        tr {
            th scope="row" { (session::check_label(check.label)) }
            td {
                (session::check(check))
            }
            td { @if let Some(at) = check.at { (time(at)) } }
        }
    }
}

fn limited(limit: &Limit) -> Markup {
    html! {
        tr {
            th scope="row" { (session::window(limit.window))
                @if let Some(minutes) = limit.window_minutes { ", of " (reading::quota::length(minutes)) }
            }
            td {
                @if let Some(used) = limit.used_basis_points { (used / 100) " % used" } @else { "how much is used is not told" }
                @if limit.reached { ", reached" }
            }
            td { @if let Some(at) = limit.resets_at { "resets " (time(at)) } @else { "when it resets is not told" } }
        }
    }
}
