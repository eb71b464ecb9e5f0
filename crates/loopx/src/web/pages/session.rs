//! One session, from facts alone.

use loopx_contract::{Check, Limit, MissingFact};
use maud::{Markup, html};

use super::Shell;
use super::parts::{fact, time, whom};
use crate::app::SessionView;
use crate::app::board::Board;
use crate::app::placing::Place;
use crate::app::reading::Reading;
use crate::web::feed::Cursor;

/// The page.
pub fn page(board: &Board, view: &SessionView, cursor: Cursor, line: &Markup) -> Markup {
    let facts = &view.facts;
    let goal = match &view.place {
        Place::Lane(goal, _) | Place::Goal(goal) => Some(goal),
        Place::Nowhere => None,
    };
    let missing: Vec<&str> = facts.missing.iter().copied().map(MissingFact::word).collect();
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
        h1 { (whom(view.waiting_on, Reading::of(view.waiting_on))) " " (facts.state.word()) }
        p.id { (facts.session_id.to_string()) }
        dl.facts.full {
            (fact("runtime", html! { (facts.runtime_id) }))
            (fact("by", html! { (facts.tier.word()) ": " (facts.rule.words()) }))
            @if let Some(at) = facts.started_at { (fact("began", time(at))) }
            @if let Some(at) = facts.since { (fact("so since", time(at))) }
            @if let Some(at) = facts.last_activity { (fact("last heard", time(at))) }
            (fact("missing", html! { @if missing.is_empty() { "nothing" } @else { (missing.join(", ")) } }))
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
    Shell { title: "Session · LoopX", cursor: Some(cursor), goal, main }.page()
}

fn checked(check: &Check) -> Markup {
    html! {
        tr {
            th scope="row" { (format!("{:?}", check.label).to_lowercase()) }
            td {
                (format!("{:?}", check.outcome).to_lowercase())
                @if let Some(code) = check.exit_code { ", exit " (code) }
            }
            td { @if let Some(at) = check.at { (time(at)) } }
        }
    }
}

fn limited(limit: &Limit) -> Markup {
    html! {
        tr {
            th scope="row" { (format!("{:?}", limit.window).to_lowercase()) }
            td {
                @if let Some(used) = limit.used_basis_points { (used / 100) " % used" } @else { "not said how much is used" }
                @if limit.reached { ", reached" }
            }
            td { @if let Some(at) = limit.resets_at { "resets " (time(at)) } }
        }
    }
}
