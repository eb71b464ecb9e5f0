//! One goal: its lanes, what is to be done, decided and handed over, and what was done.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::gate::{Gate, GateStanding};
use loopx_core::todo::Todo;
use maud::{Markup, html};

use super::parts::{fact, time};
use super::{Shell, first, forms};
use crate::app::GoalView;
use crate::app::board::Board;
use crate::app::overview::Held;
use crate::app::placing::Place;
use crate::app::reading;
use crate::web::feed::Cursor;

/// How many of a kind are shown: nobody reads more on one page.
const SHOWN: usize = 200;

/// How many runs are shown, the latest first.
const RUNS: usize = 20;

/// The page.
pub fn page(board: &Board, goal: &GoalView, cursor: Cursor, charts: &Markup) -> Markup {
    let goal_id = &goal.id;
    let now = board.overview.now;
    let cards = board.cards_of(goal);
    let main = html! {
        nav.trail aria-label="Where this is" { a href="/" { "All lanes" } " / " (goal.id) }
        h1 { (goal.id) }
        @match board.world.goals.get(&goal.id) {
            Some(Held::State(state)) => (head(state)),
            Some(Held::Damaged(code)) => p.failure { "Its log is damaged (" (code) "): nothing of it is shown. "
                code { "loopx doctor" } " says more." },
            None => {}
        }
        section.group {
            h2 { "Lanes " span.count { (cards.len()) } }
            ol { @for card in &cards { (first::lane(card)) } }
        }
        @if let Some(Held::State(state)) = board.world.goals.get(&goal.id) {
            (gates(&goal.id, state, &board.zone, now))
            (todos(&goal.id, state, now))
            (handoffs(&goal.id, state, now))
            (runs(&goal.id, state))
            (quota(&goal.id, state))
        }
        (sessions(board, goal))
        (charts)
    };
    let title = format!("{} · LoopX", goal.id);
    Shell { title: &title, cursor: Some(cursor), goal: Some(goal_id), main }.page()
}

fn head(state: &State) -> Markup {
    let Some(goal) = &state.goal else { return html! {} };
    html! {
        p.next { (goal.objective) }
        dl.facts {
            (fact("state", html! { (goal.state.word()) }))
            (fact("decisions need", html! { (goal.proof.word()) }))
            (fact("revision", html! { (state.revision) }))
        }
    }
}

/// A list of one kind; it says how many there are, and what is there where there are none.
fn list(heading: &str, count: usize, none: &str, rows: &Markup) -> Markup {
    html! {
        section.list {
            h2 { (heading) " " span.count { (count) } }
            @if count == 0 { p.since { (none) } } @else { table { tbody { (rows) } } }
            @if count > SHOWN { p.since { (count - SHOWN) " more: the command line lists them all" } }
        }
    }
}

fn gates(id: &GoalId, state: &State, zone: &TimeZone, now: Timestamp) -> Markup {
    let mut gates: Vec<&Gate> =
        state.gates.values().filter(|gate| gate.standing(now) != GateStanding::Withdrawn).collect();
    gates.sort_by_key(|gate| (reading::gate::rank(gate.standing(now)), gate.actor, gate.created_at));
    let rows = html! {
        @for gate in gates.iter().take(SHOWN) {
            tr #(gate.id) {
                th scope="row" { (gate.question) br; span.id { (gate.id) } }
                td { (reading::standing(gate.standing(now))) }
                td {
                    (reading::gate::actor_word(gate)) " decides; covers " (reading::covers(&gate.covers)) "; asked "
                    (time(gate.created_at)) " "
                    (reading::gate::decision(gate, zone, now))
                    @if gate.standing(now) == GateStanding::Requested { (forms::gate(id, gate)) }
                }
            }
        }
    };
    list("Gates", gates.len(), "Nothing waits for a decision.", &rows)
}

fn todos(id: &GoalId, state: &State, now: Timestamp) -> Markup {
    let mut todos: Vec<&Todo> =
        state.todos.values().filter(|todo| reading::todo::is_ahead(todo, state, now)).collect();
    todos.sort_by_key(|todo| reading::todo::order(todo, state, now));
    let rows = html! {
        @for todo in todos.iter().take(SHOWN) {
            tr #(todo.id) {
                th scope="row" { (todo.title) br; span.id { (todo.id) } }
                td { (format!("{:?}", todo.priority)) " " (reading::todo::audience_word(todo)) }
                td {
                    (reading::todo::state_word(todo, state, now))
                    @for note in reading::todo::notes(todo, state, now) { "; " (note) }
                    @if !todo.is_agents() && todo.linked_gate().is_none() && state.is_open(todo, now) {
                        (forms::todo(id, todo))
                    }
                }
            }
        }
    };
    html! { (list("Todos", todos.len(), "Nothing is to be done.", &rows)) (forms::add(id)) }
}

fn handoffs(id: &GoalId, state: &State, now: Timestamp) -> Markup {
    let mut handoffs: Vec<_> = state.handoffs.values().collect();
    handoffs.sort_by_key(|handoff| reading::handoff::rank(handoff, now));
    let rows = html! {
        @for handoff in handoffs.iter().take(SHOWN) {
            tr #(handoff.id) {
                th scope="row" { (handoff.next_action) br; span.id { (handoff.id) " over " (handoff.todo) } }
                td { (reading::handoff::state_word(handoff, now)) }
                td {
                    (handoff.from) " → " (reading::handoff::receiver(handoff))
                    @if handoff.is_offered(now) { (forms::handoff(id, state, handoff)) }
                }
            }
        }
    };
    list("Handoffs", handoffs.len(), "Nothing is handed over.", &rows)
}

fn runs(id: &GoalId, state: &State) -> Markup {
    let mut runs: Vec<_> = state.runs.values().collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.revision));
    let rows = html! {
        @for run in runs.iter().take(RUNS) {
            tr #(run.id) {
                th scope="row" {
                    @if let Some(summary) = &run.summary { (summary) " " }
                    (reading::run::check(run)) br; span.id { (run.id) }
                }
                td { (reading::run::kind_word(run)) }
                td { (run.agent) ", " (time(run.at)) (forms::run(id, run)) }
            }
        }
    };
    list("Runs", runs.len(), "No run was recorded.", &rows)
}

fn quota(id: &GoalId, state: &State) -> Markup {
    let Some(goal) = &state.goal else { return html! {} };
    let rows = html! {
        tr { th scope="row" { "the goal" } td { (reading::quota::in_words(&goal.quota)) (forms::limit(id, "")) } td { (forms::pause(id, goal.state)) } }
        @for (lane, agent) in &state.agents {
            tr {
                th scope="row" { (lane) }
                td { (reading::quota::in_words(&agent.quota)) (forms::limit(id, lane.as_str())) }
                td { (forms::pause_lane(id, lane.as_str(), agent.state)) }
            }
        }
    };
    html! { section.list { h2 { "Quota and pause" } table { tbody { (rows) } } } }
}

fn sessions(board: &Board, goal: &GoalView) -> Markup {
    let of_goal = |place: &Place| match place {
        Place::Lane(of, _) | Place::Goal(of) => *of == goal.id,
        Place::Nowhere => false,
    };
    let sessions: Vec<_> = board.overview.sessions.iter().filter(|view| of_goal(&view.place)).collect();
    let rows = html! {
        @for view in sessions.iter().take(SHOWN) {
            @let facts = &view.facts;
            tr {
                th scope="row" {
                    (facts.runtime_id) br;
                    a.id href={ "/sessions/" (facts.session_id.to_string()) } { (facts.session_id.to_string()) }
                }
                td { (facts.state.word()) }
                td {
                    "by " (facts.tier.word()) ": " (facts.rule.words())
                    @if let Some(at) = facts.last_activity { "; last heard " (time(at)) }
                }
            }
        }
    };
    list("Sessions", sessions.len(), "No session belongs to it.", &rows)
}
