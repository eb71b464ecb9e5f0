//! What can be done on a goal's page. Each form leads to a preview: none of them changes anything.

use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::agent::AgentState;
use loopx_core::gate::Gate;
use loopx_core::goal::GoalState;
use loopx_core::handoff::Handoff;
use loopx_core::run::Run;
use loopx_core::todo::Todo;
use maud::{Markup, html};

/// A form for one act; `fields` are what it is about and what else it asks for.
fn form(goal: &GoalId, act: &str, fields: &Markup, label: &str) -> Markup {
    html! {
        form.act action={ "/goals/" (goal) "/preview" } method="post" {
            input type="hidden" name="act" value=(act);
            (fields)
            button { (label) " …" }
        }
    }
}

fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

fn field(name: &str, label: &str, kind: &str) -> Markup {
    html! { label { (label) " " input name=(name) type=(kind) min="0"; } }
}

fn select(name: &str, label: &str, options: &[(&str, &str)]) -> Markup {
    html! {
        label { (label) " "
            select name=(name) { @for (value, text) in options { option value=(value) { (text) } } }
        }
    }
}

/// Decides a gate.
pub fn gate(goal: &GoalId, gate: &Gate) -> Markup {
    let which = hidden("gate", gate.id.as_str());
    let hours = [("1", "1 h"), ("4", "4 h"), ("24", "1 d"), ("168", "7 d")];
    html! {
        div.acts {
            (form(goal, "approve", &which, "Approve"))
            (form(goal, "reject", &html! { (which) (field("reason", "Reason", "text")) }, "Reject"))
            (form(goal, "defer", &html! { (which) (select("hours", "For", &hours)) }, "Put off"))
        }
    }
}

/// Finishes a todo of the person's.
pub fn todo(goal: &GoalId, todo: &Todo) -> Markup {
    html! { div.acts { (form(goal, "finish", &hidden("todo", todo.id.as_str()), "Done")) } }
}

/// Adds a todo.
pub fn add(goal: &GoalId) -> Markup {
    let fields = html! {
        label { "What is to be done " input name="title" type="text" required maxlength="240" size="40"; }
        (select("audience", "for", &[("agent", "an agent"), ("user", "me")]))
        (select("priority", "priority", &[("P2", "P2"), ("P0", "P0"), ("P1", "P1"), ("P3", "P3")]))
    };
    html! { div.acts { (form(goal, "add", &fields, "Add a todo")) } }
}

/// Judges a run.
pub fn run(goal: &GoalId, run: &Run) -> Markup {
    let judgements = [("good", "good"), ("mixed", "mixed"), ("bad", "bad")];
    let fields = html! {
        (hidden("run", run.id.as_str())) (select("judgement", "Judge it", &judgements)) (field("reason", "Reason", "text"))
    };
    html! { details.acts { summary { "Reward" } (form(goal, "reward", &fields, "Reward")) } }
}

/// Takes a handoff for a lane.
pub fn handoff(goal: &GoalId, state: &State, handoff: &Handoff) -> Markup {
    let agents: Vec<(&str, &str)> = state
        .agents
        .iter()
        .map(|(id, _)| (id.as_str(), id.as_str()))
        .filter(|(id, _)| {
            handoff.from.as_str() != *id && handoff.to.as_ref().is_none_or(|to| to.as_str() == *id)
        })
        .collect();
    let fields = html! { (hidden("handoff", handoff.id.as_str())) (select("agent", "For", &agents)) };
    html! { div.acts { (form(goal, "accept", &fields, "Accept")) } }
}

/// Limits the goal, or a lane; an empty field sets no limit.
pub fn limit(goal: &GoalId, agent: &str) -> Markup {
    let fields = html! {
        (hidden("agent", agent))
        (field("turns", "Turns", "number")) (field("minutes", "Minutes", "number")) (field("tokens", "Tokens", "number"))
        (field("hours", "in so many hours", "number"))
    };
    html! { details.acts { summary { "Set" } (form(goal, "limit", &fields, "Set the limits")) } }
}

/// Pauses the goal, or lets it go on.
pub fn pause(goal: &GoalId, state: GoalState) -> Markup {
    let (act, label) = match state {
        GoalState::Active => ("pause", "Pause the goal"),
        GoalState::Paused => ("resume", "Let the goal go on"),
        GoalState::Done | GoalState::Archived => return html! {},
    };
    html! { div.acts { (form(goal, act, &html! {}, label)) } }
}

/// Pauses a lane, or lets it go on.
pub fn pause_lane(goal: &GoalId, agent: &str, state: AgentState) -> Markup {
    let (act, label) = match state {
        AgentState::Active => ("pause", "Pause"),
        AgentState::Paused => ("resume", "Let it go on"),
    };
    form(goal, act, &hidden("agent", agent), label)
}
