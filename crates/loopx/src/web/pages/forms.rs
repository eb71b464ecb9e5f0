//! What can be done on the page. Each form leads to a preview: none of them changes anything.

use loopx_contract::{AgentId, GateId, GoalId};
use loopx_core::State;
use loopx_core::agent::AgentState;
use loopx_core::gate::Gate;
use loopx_core::goal::GoalState;
use loopx_core::handoff::Handoff;
use loopx_core::quota::Quota;
use loopx_core::run::Run;
use loopx_core::todo::Todo;
use loopx_safety::Handle;
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

fn text(name: &str, label: &str) -> Markup {
    html! { label { (label) " " input name=(name) type="text" maxlength="240"; } }
}

fn number(name: &str, label: &str, value: Option<u64>) -> Markup {
    html! { label { (label) " " input name=(name) type="number" min="0" inputmode="numeric" value=[value]; } }
}

fn select(name: &str, label: &str, options: &[(&str, &str)]) -> Markup {
    html! {
        label { (label) " "
            select name=(name) { @for (value, text) in options { option value=(value) { (text) } } }
        }
    }
}

/// Approves or rejects a gate at once, from wherever it is seen.
pub fn decide(goal: &GoalId, gate: &GateId) -> Markup {
    html! {
        form.act action={ "/goals/" (goal) "/preview" } method="post" {
            (hidden("gate", gate.as_str()))
            button.yes name="act" value="approve" data-press="a" { "Approve …" }
            button name="act" value="reject" data-press="r" { "Reject …" }
        }
    }
}

/// Decides a gate, with all that can be said of it.
pub fn gate(goal: &GoalId, gate: &Gate) -> Markup {
    let which = hidden("gate", gate.id.as_str());
    let hours = [("1", "1 h"), ("4", "4 h"), ("24", "1 d"), ("168", "7 d")];
    html! {
        div.acts {
            (decide(goal, &gate.id))
            details.acts {
                summary { "With a reason, or later" }
                (form(goal, "reject", &html! { (which) (text("reason", "Reason")) }, "Reject"))
                (form(goal, "defer", &html! { (which) (select("hours", "For", &hours)) }, "Put off"))
            }
        }
    }
}

/// Finishes a todo of the person's.
pub fn done(goal: &GoalId, todo: &Todo) -> Markup {
    html! {
        form.act action={ "/goals/" (goal) "/preview" } method="post" {
            (hidden("todo", todo.id.as_str()))
            button.yes name="act" value="finish" data-press="d" { "Done …" }
        }
    }
}

/// Drops a todo.
pub fn drop_todo(goal: &GoalId, todo: &Todo) -> Markup {
    html! {
        form.act action={ "/goals/" (goal) "/preview" } method="post" {
            (hidden("todo", todo.id.as_str()))
            button name="act" value="drop" data-press="x" { "Drop “" (todo.title) "” …" }
        }
    }
}

/// Withdraws a gate that was rejected.
pub fn withdraw(goal: &GoalId, gate: &GateId) -> Markup {
    html! {
        form.act action={ "/goals/" (goal) "/preview" } method="post" {
            (hidden("gate", gate.as_str()))
            button name="act" value="withdraw" data-press="w" { "Withdraw the question …" }
        }
    }
}

/// Says of a session that failed that nothing is to be resumed.
pub fn dismiss(goal: &GoalId, agent: &AgentId, session: Handle) -> Markup {
    html! {
        form.act action={ "/goals/" (goal) "/preview" } method="post" {
            (hidden("agent", agent.as_str())) (hidden("session", &session.to_string()))
            button name="act" value="dismiss" data-press="x" { "Dismiss …" }
        }
    }
}

/// Adds a todo.
pub fn add(goal: &GoalId) -> Markup {
    let fields = html! {
        label { "What is to be done " input name="title" type="text" required maxlength="240" size="30"; }
        (select("audience", "for", &[("agent", "an agent"), ("user", "me")]))
        (select("priority", "priority", &[("P2", "P2"), ("P0", "P0"), ("P1", "P1"), ("P3", "P3")]))
    };
    html! { div.acts #add { (form(goal, "add", &fields, "Add a todo")) } }
}

/// Judges a run.
pub fn run(goal: &GoalId, run: &Run) -> Markup {
    let judgements = [("good", "good"), ("mixed", "mixed"), ("bad", "bad")];
    let fields = html! {
        (hidden("run", run.id.as_str())) (select("judgement", "Judge it", &judgements)) (text("reason", "Reason"))
    };
    html! { details.acts { summary { "Judge" } (form(goal, "reward", &fields, "Reward")) } }
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
pub fn limit(goal: &GoalId, agent: &str, quota: &Quota) -> Markup {
    let hours = u64::from(quota.window_minutes / 60);
    let fields = html! {
        (hidden("agent", agent))
        (number("turns", "Turns", quota.turns)) (number("minutes", "Minutes", quota.minutes))
        (number("tokens", "Tokens", quota.tokens))
        (number("hours", "in so many hours", (hours > 0).then_some(hours)))
        span.since { "An empty field sets no limit." }
    };
    html! { details.acts { summary { "Limit" } (form(goal, "limit", &fields, "Set the limits")) } }
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
