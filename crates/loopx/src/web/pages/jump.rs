//! All there is to go to and to do: a plain list, from which the palette is made.

use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::gate::GateStanding;
use maud::{Markup, html};

use super::Shell;
use crate::app::SessionView;
use crate::app::board::{Board, Card};
use crate::app::overview::Held;
use crate::app::reading;
use crate::web::feed::Cursor;

/// The most of a kind on one goal.
const SHOWN: usize = 50;

/// One place, and what is there.
struct Way {
    /// What kind of thing is there.
    kind: &'static str,
    href: String,
    name: String,
    /// What else tells it from others.
    more: String,
}

impl Way {
    fn new(
        kind: &'static str,
        href: impl Into<String>,
        name: impl Into<String>,
        more: impl Into<String>,
    ) -> Self {
        Self { kind, href: href.into(), name: name.into(), more: more.into() }
    }
}

/// The page.
pub fn page(board: &Board, cursor: Cursor) -> Markup {
    let groups = [
        ("Views", views()),
        ("Acts", acts(board)),
        ("Lanes", lanes(board)),
        ("Goals", goals(board)),
        ("Sessions", sessions(board)),
    ];
    let main = html! {
        h1 { "Go to" }
        @for (heading, ways) in groups.iter().filter(|(_, ways)| !ways.is_empty()) {
            section.ways {
                h2 { (heading) " " span.count { (ways.len()) } }
                ul { @for way in ways {
                    li { a data-kind=(way.kind) href=(way.href) { (way.name) } @if !way.more.is_empty() { " " span.since { (way.more) } } }
                } }
            }
        }
    };
    Shell::of("Go to · LoopX", main).following(board, cursor).page()
}

fn views() -> Vec<Way> {
    vec![
        Way::new("view", "/", "All lanes", "who needs me?"),
        Way::new("view", "/charts", "Charts", "where the time went, runs, quota"),
        Way::new("view", "/history", "History", "the first screen as it was"),
        Way::new("view", "/pair", "Pairing", "let this browser decide"),
    ]
}

fn lanes(board: &Board) -> Vec<Way> {
    let way = |card: &Card<'_>| {
        let (goal, agent) = (card.goal(), card.agent());
        Way::new("lane", format!("/goals/{goal}/{agent}"), format!("{goal} / {agent}"), card.reading().word)
    };
    board.cards().iter().map(way).collect()
}

fn goals(board: &Board) -> Vec<Way> {
    let objective = |goal: &GoalId| match board.world.goals.get(goal) {
        Some(Held::State(state)) => state.goal.as_ref().map(|goal| goal.objective.to_string()),
        Some(Held::Damaged(_)) | None => None,
    };
    let way = |id: &GoalId| {
        Way::new("goal", format!("/goals/{id}"), id.as_str(), objective(id).unwrap_or_default())
    };
    board.overview.goals.iter().map(|goal| way(&goal.id)).collect()
}

fn sessions(board: &Board) -> Vec<Way> {
    let mut sessions: Vec<_> = board.overview.sessions.iter().collect();
    sessions.sort_by_key(|view| (view.waiting_on.attention(), std::cmp::Reverse(view.facts.last_activity)));
    let way = |view: &&SessionView| {
        let session = view.facts.session_id.to_string();
        let name = format!("{} {session}", view.facts.runtime_id);
        Way::new("session", format!("/sessions/{session}"), name, reading::session::state(view.facts.state))
    };
    sessions.iter().map(way).collect()
}

/// What can be done, goal by goal; what waits on the person first.
fn acts(board: &Board) -> Vec<Way> {
    let states: Vec<(&GoalId, &State)> = board
        .overview
        .goals
        .iter()
        .filter_map(|goal| match board.world.goals.get(&goal.id) {
            Some(Held::State(state)) => Some((&goal.id, &**state)),
            Some(Held::Damaged(_)) | None => None,
        })
        .collect();
    let now = board.overview.now;
    let mut acts = Vec::new();
    for (goal, state) in &states {
        let open = state.gates.values().filter(|gate| gate.standing(now) == GateStanding::Requested);
        acts.extend(open.take(SHOWN).map(|gate| {
            Way::new(
                "act",
                format!("/goals/{goal}#{}", gate.id),
                format!("Decide: {}", gate.question),
                goal.as_str(),
            )
        }));
        let owed = state
            .todos
            .values()
            .filter(|todo| !todo.is_agents() && todo.linked_gate().is_none() && state.is_open(todo, now));
        acts.extend(owed.take(SHOWN).map(|todo| {
            Way::new(
                "act",
                format!("/goals/{goal}#{}", todo.id),
                format!("Do: {}", todo.title),
                goal.as_str(),
            )
        }));
        let offered = state.handoffs.values().filter(|handoff| handoff.is_offered(now));
        acts.extend(offered.take(SHOWN).map(|handoff| {
            let name = format!("Accept a handoff: {}", handoff.next_action);
            Way::new("act", format!("/goals/{goal}#{}", handoff.id), name, goal.as_str())
        }));
    }
    for (goal, state) in &states {
        acts.push(Way::new("act", format!("/goals/{goal}#add"), "Add a todo", goal.as_str()));
        acts.push(Way::new(
            "act",
            format!("/goals/{goal}#quota"),
            "Set limits, pause, let go on",
            goal.as_str(),
        ));
        if state.runs.values().next().is_some() {
            acts.push(Way::new("act", format!("/goals/{goal}#runs"), "Judge a run", goal.as_str()));
        }
    }
    acts
}
