//! The first screen: who needs me?

use loopx_contract::GateId;
use loopx_core::agent::AgentState;
use loopx_core::gate::GateActor;
use loopx_core::goal::GoalState;
use loopx_core::quota::Frees;
use loopx_core::{Row, State};
use maud::{Markup, html};

use super::parts::{command, fact, linked, since, time, whom};
use super::{Shell, forms};
use crate::app::SessionView;
use crate::app::acting::rejected;
use crate::app::board::{Board, Card};
use crate::app::overview::{Held, World};
use crate::app::placing::Place;
use crate::app::reading::{self, BY_ATTENTION, Reading, heading};
use crate::error::CliError;
use crate::web::feed::Cursor;

/// How many todos that no lane asks for are shown.
const WISHES: usize = 20;

/// What names a lane among all.
pub fn key(card: &Card<'_>) -> String {
    format!("{}/{}", card.goal(), card.agent())
}

/// What orders lanes that wait on the same.
pub fn order(card: &Card<'_>) -> String {
    let ask = card.asks().first().map(ToString::to_string).unwrap_or_default();
    format!("{:02} {} {ask} {}", card.decision.row.number(), card.goal(), card.agent())
}

/// The page.
pub fn page(board: &Board, cursor: Cursor, failure: Option<&CliError>) -> Markup {
    let cards = board.cards();
    let waits = board.waits();
    let main = html! {
        h1 #headline data-waits[waits.count() > 0] aria-live="polite" { (reading::headline(waits)) }
        @if let Some(failure) = failure {
            p.failure role="alert" { "The last look failed: " (failure.message) ". What stands here is older." }
        }
        @if cards.is_empty() { (empty()) }
        div #screen {
            (prompts(board))
            div #groups {
                @for group in BY_ATTENTION {
                    @let lanes: Vec<&Card<'_>> = cards.iter().filter(|card| card.waiting_on() == group).collect();
                    section.group data-whom=(group.word()) hidden[lanes.is_empty()] {
                        h2 { (heading(group)) " " span.count { (lanes.len()) } }
                        (list(&board.world, &lanes))
                    }
                }
            }
            (wishes(board))
        }
    };
    Shell::of("LoopX", main).following(board, cursor).page()
}

/// Lanes, one below the other.
pub fn list(world: &World, lanes: &[&Card<'_>]) -> Markup {
    html! {
        ol {
            @for (at, card) in lanes.iter().enumerate() {
                @let above = at.checked_sub(1).and_then(|at| lanes.get(at));
                (row(world, card, above.is_some_and(|above| is_same(above, card))))
            }
        }
    }
}

/// The person's todos that no lane asks for.
pub fn wishes(board: &Board) -> Markup {
    let wishes: Vec<_> = board.wishes().collect();
    html! {
        div #wishes {
            @if !wishes.is_empty() {
                section.group data-whom="none" {
                    h2 { "Your other todos " span.count { (wishes.len()) } }
                    ol {
                        @for (goal, todo) in wishes.iter().take(WISHES) {
                            li.lane data-key={ (goal) "/" (todo.id) } data-whom="none" tabindex="-1" {
                                p.who { span.whom { "– todo" } " " a.name href={ "/goals/" (goal) } { b { (goal) } } }
                                p.next { (todo.title) }
                                p.age { (since(todo.created_at)) }
                                div.do { (forms::done(goal, todo)) }
                            }
                        }
                    }
                    @if wishes.len() > WISHES { p.since { "and " (wishes.len() - WISHES) " more: " code { "loopx todo list" } " of each goal lists them" } }
                }
            }
        }
    }
}

/// One lane. What grows older by itself is not in it: it changes when the lane does.
pub fn lane(world: &World, card: &Card<'_>) -> Markup {
    row(world, card, false)
}

/// Whether a lane asks for what the one above it asks for.
fn is_same(above: &Card<'_>, card: &Card<'_>) -> bool {
    let (asked, asks) = (above.asks(), card.asks());
    !asks.is_empty() && asked.first() == asks.first()
}

/// A lane below another one: what is the same is said once.
fn row(world: &World, card: &Card<'_>, is_same: bool) -> Markup {
    let acts = acts(world, card);
    let asks: Vec<String> = card.asks().iter().map(ToString::to_string).collect();
    html! {
        li.lane data-key=(key(card)) data-order=(order(card)) data-whom=(card.waiting_on().word()) data-asks=[(!asks.is_empty()).then(|| asks.join(" "))] data-same[is_same] tabindex="-1" {
            p.who {
                (whom(card.waiting_on(), card.reading())) " "
                a.name href={ "/goals/" (card.goal()) "/" (card.agent()) } { b { (card.goal()) } " / " (card.agent()) }
            }
            p.next { (next(card)) }
            @if !asks.is_empty() { p.same { "the same as above" } }
            p.age { @if let Some(at) = card.since() { (since(at)) } }
            @if let Some(acts) = acts { div.do { (acts) } }
            dl.facts { (facts(card)) }
        }
    }
}

/// What is next for a lane.
pub fn next(card: &Card<'_>) -> Markup {
    linked(card.goal(), card.decision.projection.first_screen.next_action.as_str())
}

/// What a person can do at once about what a lane waits for.
fn acts(world: &World, card: &Card<'_>) -> Option<Markup> {
    let goal_id = card.goal();
    let Some(Held::State(state)) = world.goals.get(goal_id) else { return None };
    match card.decision.row {
        Row::Prompt | Row::Held | Row::Asked => {
            let screen = &card.decision.projection.first_screen;
            let Some(todo) = &screen.open_user_todo else {
                return controllers_gate(screen.next_action.as_str(), state)
                    .map(|id| forms::decide(goal_id, id));
            };
            let todo = state.todos.get(todo)?;
            Some(match todo.linked_gate() {
                Some(gate) => forms::decide(goal_id, gate),
                None => forms::done(goal_id, todo),
            })
        }
        Row::Paused => {
            let goal = state.goal.as_ref()?;
            let agent = state.agents.get(card.agent());
            match (goal.state, agent) {
                (GoalState::Paused, _) => Some(forms::pause(goal_id, goal.state)),
                (_, Some(agent)) if agent.state == AgentState::Paused => {
                    Some(forms::pause_lane(goal_id, agent.id.as_str(), agent.state))
                }
                (GoalState::Active | GoalState::Done | GoalState::Archived, _) => None,
            }
        }
        Row::Rejected => {
            let (todo, gate) = rejected(card.decision.projection.first_screen.next_action.as_str());
            Some(html! {
                @if let Some(todo) = todo.and_then(|todo| state.todos.get(&todo)) { (forms::drop_todo(goal_id, todo)) }
                @if let Some(gate) = gate { (forms::withdraw(goal_id, &gate)) }
            })
        }
        Row::Failed => card.session_name().map(|(_, session)| forms::dismiss(goal_id, card.agent(), session)),
        Row::Integrity
        | Row::UnknownLane
        | Row::Closed
        | Row::Working
        | Row::Unsure
        | Row::Deferred
        | Row::Unfit
        | Row::Limited
        | Row::Throttled
        | Row::Ready
        | Row::Peers
        | Row::Evidence
        | Row::Stuck
        | Row::Succession
        | Row::Quiet => None,
    }
}

/// The gate of the controller's that a sentence asks for: it has no todo.
fn controllers_gate<'a>(next_action: &str, state: &'a State) -> Option<&'a GateId> {
    let (id, _) = next_action.strip_prefix("decide ")?.split_once(':')?;
    let gate = state.gates.get(&GateId::parse(id).ok()?)?;
    (gate.actor == GateActor::Controller).then_some(&gate.id)
}

/// What stands beside the answer.
pub fn facts(card: &Card<'_>) -> Markup {
    let screen = &card.decision.projection.first_screen;
    let missing: Vec<String> = card.missing().into_iter().map(reading::spoken).collect();
    html! {
        (fact("gate", html! { (reading::gate_state(screen.gate_state)) }))
        (fact("quota", html! {
            (reading::quota_state(screen.quota_state))
            @match card.decision.frees {
                Some(Frees::At(at)) => { ", frees " (time(at)) }
                Some(Frees::Never) => ", the limit is 0",
                None => {}
            }
        }))
        (fact("checked", linked(card.goal(), &validation(card))))
        (fact("evidence", html! { @match card.tier() { Some(tier) => (tier.word()), None => "no session" } }))
        @if !missing.is_empty() { (fact("missing", html! { span.lacks { (missing.join(", ")) } })) }
        (fact("boundary", html! { (reading::mode(screen.boundary.mode)) "; " (screen.boundary.stop_condition.as_str()) }))
    }
}

/// What was checked last; what is missing stands beside it.
fn validation(card: &Card<'_>) -> String {
    let text = card.decision.projection.first_screen.latest_validation.as_str();
    let missing = format!("; missing: {}", card.missing().join(", "));
    text.strip_suffix(&missing).unwrap_or(text).to_owned()
}

/// Sessions that ask a person something and belong to no lane.
pub fn prompts(board: &Board) -> Markup {
    let prompts: Vec<_> = board.prompts().collect();
    html! {
        div #prompts data-count=(prompts.len()) {
            @if !prompts.is_empty() {
                section.group data-whom="user" {
                    h2 { "Prompts in no lane " span.count { (prompts.len()) } }
                    ol { @for view in prompts { (prompt(view)) } }
                }
            }
        }
    }
}

fn prompt(view: &SessionView) -> Markup {
    let facts = &view.facts;
    let session = facts.session_id.to_string();
    html! {
        li.lane data-key=(session) data-whom="user" tabindex="-1" {
            p.who {
                (whom(view.waiting_on, Reading::of(view.waiting_on))) " "
                a.name href={ "/sessions/" (session) } { b { (facts.runtime_id) } " " span.id { (session) } }
            }
            p.next {
                (reading::session::state(facts.state))
                @match &view.place {
                    Place::Goal(goal) | Place::Lane(goal, _) => {
                        ", in a session of " a href={ "/goals/" (goal) } { (goal) } " that is in no lane"
                    }
                    Place::Nowhere => ", in a session of no goal",
                }
            }
            p.age { @if let Some(at) = facts.since { (since(at)) } }
            dl.facts {
                (fact("evidence", html! { (facts.tier.word()) }))
                (fact("give it a lane", html! { code { "loopx bind " (session) " --goal GOAL --agent AGENT" } }))
            }
        }
    }
}

/// What to do first, where there is nothing yet.
fn empty() -> Markup {
    html! {
        section.empty {
            h2 { "No goal yet" }
            ol.guide {
                li { p { "In a project's folder, add a goal with a lane for the agents that work there:" } (command("loopx init")) }
                li { p { "Say what is to be done:" } (command("loopx todo add \"what is to be done\"")) }
                li { p { "Have the runtimes tell at once what they do, rather than when they are looked at:" } (command("loopx hooks install")) }
            }
            p { "This page then shows whom each lane waits on; it needs no load. To look around in made-up goals first:" }
            (command("loopx demo"))
        }
    }
}
