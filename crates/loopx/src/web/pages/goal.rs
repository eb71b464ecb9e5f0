//! One goal: its lanes, what is to be done, decided and handed over, and what was done.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::first_screen::instant;
use loopx_core::gate::{Gate, GateStanding};
use loopx_core::todo::Todo;
use maud::{Markup, html};

use super::parts::{command, fact, linked, time};
use super::{Shell, first, forms};
use crate::app::GoalView;
use crate::app::board::{Board, Card};
use crate::app::lately::Lately;
use crate::app::overview::Held;
use crate::app::placing::Place;
use crate::app::reading;
use crate::web::feed::Cursor;

/// How many of a kind are shown: nobody reads more on one page.
const SHOWN: usize = 200;

/// How many runs are shown, the latest first.
const RUNS: usize = 20;

/// The page.
pub fn page(
    board: &Board,
    goal: &GoalView,
    lately: Option<&Lately>,
    charts: &Markup,
    cursor: Cursor,
) -> Markup {
    let goal_id = &goal.id;
    let now = board.overview.now;
    let cards = board.cards_of(goal);
    let lanes = state_of(board, goal_id).map_or(cards.len(), |state| state.agents.iter().count());
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
            h2 { "Lanes " span.count { (lanes) } }
            @if lanes == 0 { p.since { "No agent works on it yet. Give it a lane:" } (command(&format!("loopx agent add codex -g {goal_id}"))) }
            (first::list(&board.world, &cards.iter().collect::<Vec<_>>()))
        }
        @if let Some(Held::State(state)) = board.world.goals.get(&goal.id) {
            (gates(&goal.id, state, now))
            (todos(&goal.id, state, &cards, now))
            @match lately {
                Some(lately) => { (handoffs(&goal.id, lately, now)) (runs(&goal.id, lately)) }
                None => p.failure { "Handoffs and runs can't be read at the moment: load the page again." },
            }
            (quota(&goal.id, state))
        }
        (sessions(board, goal))
        (charts)
    };
    let title = format!("{} · LoopX", goal.id);
    Shell { goal: Some(goal_id), ..Shell::of(&title, main) }.following(board, cursor).page()
}

fn state_of<'a>(board: &'a Board, goal: &GoalId) -> Option<&'a State> {
    match board.world.goals.get(goal)? {
        Held::State(state) => Some(state),
        Held::Damaged(_) => None,
    }
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

/// A list of one kind; it says how many there are, what is there where there are none, and where the rest is.
struct List<'a> {
    id: &'a str,
    heading: &'a str,
    /// What each column holds.
    columns: [&'a str; 3],
    count: usize,
    shown: usize,
    none: Markup,
    /// The command that lists all of them.
    all: String,
    rows: Markup,
}

impl List<'_> {
    fn section(&self) -> Markup {
        let Self { id, heading, columns, count, shown, none, all, rows } = self;
        html! {
            section.list id=(id) {
                h2 { (heading) " " span.count { (count) } }
                @if *count == 0 { p.since { (none) } } @else {
                    table {
                        thead { tr { @for column in columns { th scope="col" { (column) } } } }
                        tbody { (rows) }
                    }
                }
                @if count > shown {
                    p.since { "These are the first " (shown) ". " (count - shown) " more are not shown: " code { (all) } " lists all." }
                }
            }
        }
    }
}

fn gates(id: &GoalId, state: &State, now: Timestamp) -> Markup {
    let mut gates: Vec<&Gate> =
        state.gates.values().filter(|gate| gate.standing(now) != GateStanding::Withdrawn).collect();
    gates.sort_by_key(|gate| (reading::gate::rank(gate.standing(now)), gate.actor, gate.created_at));
    let rows = html! {
        @for gate in gates.iter().take(SHOWN) {
            @let is_open = gate.standing(now) == GateStanding::Requested;
            tr id=(gate.id) .on-you[is_open] {
                th scope="row" { (gate.question) " " span.id { (gate.id) } }
                td { (reading::standing(gate.standing(now))) }
                td {
                    @if is_open { (forms::gate(id, gate)) }
                    span.since {
                        (reading::gate::actor_word(gate)) " decides; covers " (linked(id, &reading::covers(&gate.covers))) "; asked "
                        @if let Some(agent) = &gate.asked_by { "by " (agent) " " }
                        (time(gate.created_at))
                        @let decision = reading::gate::decision_with(gate, now, instant);
                        @if !decision.is_empty() { "; " (linked(id, &decision)) }
                        @if let Some(at) = gate.decided_at { " " (time(at)) }
                    }
                }
            }
        }
    };
    List {
        id: "gates",
        heading: "Gates",
        columns: ["Question", "Stands", "Who decides, and what it covers"],
        count: gates.len(),
        shown: SHOWN,
        none: html! { "Nothing waits for a decision." },
        all: format!("loopx gate list --all -g {id}"),
        rows,
    }
    .section()
}

fn todos(id: &GoalId, state: &State, cards: &[Card<'_>], now: Timestamp) -> Markup {
    let mut todos: Vec<&Todo> =
        state.todos.values().filter(|todo| reading::todo::is_ahead(todo, state, now)).collect();
    todos.sort_by_cached_key(|todo| reading::todo::order(todo, state, now));
    let rows = html! {
        @for todo in todos.iter().take(SHOWN) {
            tr id=(todo.id) .on-you[!todo.is_agents() && state.is_open(todo, now)] {
                th scope="row" { (todo.title) " " span.id { (todo.id) } }
                td { (reading::todo::priority_word(todo.priority)) " " (reading::todo::audience_word(todo)) }
                td {
                    (reading::todo::state_word(todo, state, now))
                    @for card in cards.iter().filter(|card| is_next(card, todo)) { "; " b { "next for " (card.agent()) } }
                    @for note in reading::todo::notes_with(todo, state, now, instant) { "; " (linked(id, &note)) }
                    @if !todo.is_agents() && state.is_open(todo, now) {
                        @match todo.linked_gate() {
                            Some(gate) => (forms::decide(id, gate)),
                            None => (forms::done(id, todo)),
                        }
                    }
                }
            }
        }
    };
    let list = List {
        id: "todos",
        heading: "Todos",
        columns: ["What is to be done", "How soon, whose", "Stands"],
        count: todos.len(),
        shown: SHOWN,
        none: html! { "Nothing is to be done. Add what is, here or at a terminal:" (command(&format!("loopx todo add \"what is to be done\" -g {id}"))) },
        all: format!("loopx todo list -g {id}"),
        rows,
    };
    html! { (list.section()) (forms::add(id)) }
}

/// Whether a lane would take this one up first.
fn is_next(card: &Card<'_>, todo: &Todo) -> bool {
    card.decision.projection.first_screen.first_executable_agent_todo.as_ref() == Some(&todo.id)
}

fn handoffs(id: &GoalId, lately: &Lately, now: Timestamp) -> Markup {
    let state = &lately.state;
    let mut handoffs: Vec<_> = state.handoffs.values().collect();
    handoffs
        .sort_by_key(|handoff| (reading::handoff::rank(handoff, now), std::cmp::Reverse(handoff.created_at)));
    let rows = html! {
        @for handoff in handoffs.iter().take(SHOWN) {
            tr id=(handoff.id) {
                th scope="row" { (handoff.next_action) " " span.id { (handoff.id) } }
                td { (reading::spoken(reading::handoff::state_word(handoff, now))) }
                td {
                    (handoff.from) " → " (reading::handoff::receiver(handoff)) ", over " (linked(id, handoff.todo.as_str()))
                    @if let Some(stop) = &handoff.stop_condition { "; stop: " (stop) }
                    @if handoff.is_offered(now) {
                        @if let Some(at) = handoff.expires_at { "; runs out " (time(at)) }
                        (forms::handoff(id, state, handoff))
                    }
                }
            }
        }
    };
    List {
        id: "handoffs",
        heading: "Handoffs",
        columns: ["What is next", "Stands", "From whom, to whom"],
        count: handoffs.len(),
        shown: SHOWN,
        none: html! { @if lately.is_all { "Nothing was handed over." } @else { "Nothing was handed over lately." } },
        all: format!("loopx handoff show -g {id}"),
        rows,
    }
    .section()
}

fn runs(id: &GoalId, lately: &Lately) -> Markup {
    let state = &lately.state;
    let mut runs: Vec<_> = state.runs.values().collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.revision));
    let rows = html! {
        @for run in runs.iter().take(RUNS) {
            tr id=(run.id) {
                th scope="row" {
                    @if let Some(summary) = &run.summary { (summary) " " }
                    (reading::run::check(run)) " " span.id { (run.id) }
                }
                td { (reading::run::kind_word(run)) }
                td {
                    (run.agent) ", " (time(run.at))
                    @for reward in state.rewards.values().filter(|reward| reward.run == run.id) {
                        "; judged " b { (reading::run::judgement_word(reward.judgement)) }
                        @if let Some(reason) = &reward.reason { ": " (reason) }
                    }
                    (forms::run(id, run))
                }
            }
        }
    };
    List {
        id: "runs",
        heading: "Runs",
        columns: ["What happened", "What it was", "Whose, when, and how it was judged"],
        count: runs.len(),
        shown: RUNS,
        none: html! { @if lately.is_all { "No run was recorded." } @else { "No run was recorded lately." } },
        all: format!("loopx run list -g {id}"),
        rows,
    }
    .section()
}

fn quota(id: &GoalId, state: &State) -> Markup {
    let Some(goal) = &state.goal else { return html! {} };
    let rows = html! {
        tr { th scope="row" { "the goal" } td { (reading::quota::in_words(&goal.quota)) (forms::limit(id, "", &goal.quota)) } td { (goal.state.word()) " " (forms::pause(id, goal.state)) } }
        @for (lane, agent) in &state.agents {
            tr {
                th scope="row" { (lane) }
                td { (reading::quota::in_words(&agent.quota)) (forms::limit(id, lane.as_str(), &agent.quota)) }
                td { (reading::agent_state(agent.state)) " " (forms::pause_lane(id, lane.as_str(), agent.state)) }
            }
        }
    };
    html! {
        section.list #quota {
            h2 { "Quota and pause" }
            table.wide { thead { tr { th scope="col" { "Whose" } th scope="col" { "Limit" } th scope="col" { "Stands" } } } tbody { (rows) } }
        }
    }
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
                    (facts.runtime_id) " "
                    a.id href={ "/sessions/" (facts.session_id.to_string()) } { (facts.session_id.to_string()) }
                }
                td { (reading::session::state(facts.state)) }
                td {
                    "by " (reading::session::tier(facts.tier)) ": " (facts.rule.words())
                    @if let Some(at) = facts.last_activity { "; last heard " (time(at)) }
                    @if let Place::Lane(_, agent) = &view.place { "; of lane " (agent) } @else { "; of no lane" }
                }
            }
        }
    };
    List {
        id: "sessions",
        heading: "Sessions",
        columns: ["Runtime and session", "State", "What it rests on"],
        count: sessions.len(),
        shown: SHOWN,
        none: html! { "No session belongs to it. One in a bound folder does, and " code { "loopx bind" } " gives it one." },
        all: "loopx sessions list --all".to_owned(),
        rows,
    }
    .section()
}
