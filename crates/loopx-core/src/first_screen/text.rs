//! The sentences of the table: our own words with typed slots.

use jiff::Timestamp;
use loopx_contract::{GateId, MissingFact, SessionFacts, SessionState, TodoId};

use crate::first_screen::lane::{Ask, Lack, Lane};
use crate::first_screen::sessions::Failure;
use crate::gate::{Gate, GateDecision};
use crate::quota::Frees;
use crate::todo::{Blocker, Todo, TodoClass};

/// How many ids a sentence names before it counts the rest.
const NAMED: usize = 3;

/// An instant as people copy it: UTC to the second.
pub fn instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What is asked, as the imperative.
pub(crate) fn ask(ask: &Ask<'_>) -> String {
    match ask {
        Ask::Gate(gate) => format!("decide {}: {}", gate.id, gate.question),
        Ask::Todo(todo) => format!("do {}: {}", todo.id, todo.title),
    }
}

/// Row 5.
pub(crate) fn prompt(session: &SessionFacts, then: Option<&Ask<'_>>) -> String {
    let what = match session.state {
        SessionState::WaitingAnswer => "question",
        SessionState::WaitingPermission
        | SessionState::Running
        | SessionState::Idle
        | SessionState::Background
        | SessionState::Interrupted
        | SessionState::Errored
        | SessionState::RateLimited
        | SessionState::Ended
        | SessionState::Unknown => "permission prompt",
    };
    let mut text = format!("answer the {what} in session {}", session.session_id);
    if let Some(since) = session.since.or(session.last_activity) {
        text += &format!(", open since {}", instant(since));
    }
    if let Some(then) = then {
        text += &format!("; then {}", ask(then));
    }
    text
}

/// Row 6.
pub(crate) fn held(asks: &[Ask<'_>], working: Option<&SessionFacts>) -> String {
    let mut text = asks.first().map(ask).unwrap_or_default();
    if asks.len() > 1 {
        text += &format!("; {} more", asks.len() - 1);
    }
    if let Some(session) = working {
        text += &format!("; session {} still runs", session.session_id);
    }
    text
}

/// Row 7.
pub(crate) fn working(todo: Option<&Todo>, session: &SessionFacts, frees: Option<Frees>) -> String {
    let what = todo.map_or_else(|| "what it does".to_owned(), |todo| todo.title.to_string());
    let mut text = format!("go on with {what} in session {}", session.session_id);
    match frees {
        Some(Frees::At(at)) => text += &format!("; no new turn before {}", instant(at)),
        Some(Frees::Never) => text += "; no new turn: the limit is 0",
        None => {}
    }
    text
}

/// Row 8.
pub(crate) fn unsure(session: &SessionFacts) -> String {
    let mut text = format!("look at session {}: running or waiting is unknown", session.session_id);
    if !session.missing.is_empty() {
        text += &format!(", missing {}", missing(&session.missing));
    }
    text
}

/// Missing facts in a list.
pub(crate) fn missing(facts: &[MissingFact]) -> String {
    let words: Vec<&str> = facts.iter().map(|fact| fact.word()).collect();
    words.join(", ")
}

/// Row 9.
pub(crate) fn rejected(gate: &Gate, todo: Option<&Todo>) -> String {
    match todo {
        Some(todo) => format!("revise or drop {}: {} was rejected", todo.id, gate.id),
        None => format!("revise or withdraw {}: it was rejected", gate.id),
    }
}

/// Row 10.
pub(crate) fn deferred(gate: &Gate) -> String {
    let (until, condition) = match &gate.state {
        GateDecision::Deferred { until, condition, .. } => (*until, condition.as_ref()),
        GateDecision::Requested
        | GateDecision::Approved { .. }
        | GateDecision::Rejected { .. }
        | GateDecision::Withdrawn => (None, None),
    };
    match (until, condition) {
        (Some(at), None) => format!("wait until {} for {}", instant(at), gate.id),
        (None, Some(condition)) => format!("supply {condition} for {}", gate.id),
        (Some(at), Some(condition)) => {
            format!("supply {condition} for {}, or wait until {}", gate.id, instant(at))
        }
        (None, None) => format!("wait for {}", gate.id),
    }
}

/// Row 11.
pub(crate) fn unfit(todo: &Todo, lack: Option<Lack<'_>>) -> String {
    match lack {
        Some(Lack::Capability(need)) => format!("grant capability {need} or change {}", todo.id),
        Some(Lack::Scope(glob)) => format!("grant write scope {glob} or change {}", todo.id),
        None => format!("change {}", todo.id),
    }
}

/// Row 12.
pub(crate) fn failed(session: &SessionFacts) -> String {
    let how = match Failure::of(session) {
        Some(Failure::Errored) => "errored",
        Some(Failure::Died) | None => "died",
    };
    let mut text = format!("resume or replace session {}: {how}", session.session_id);
    if let Some(at) = session.last_activity {
        text += &format!(" at {}", instant(at));
    }
    text + "; or record a run to dismiss"
}

/// Row 14.
pub(crate) fn throttled(frees: Frees) -> String {
    match frees {
        Frees::At(at) => format!("no automatic turn before {}", instant(at)),
        Frees::Never => "raise the limit: it is 0".to_owned(),
    }
}

/// Row 15, the bracket about the session left aside.
pub(crate) fn ready(lane: &Lane<'_>, todo: &Todo) -> String {
    let verb = match todo.class {
        TodoClass::Advance => "advance",
        TodoClass::Monitor { .. } => "check",
    };
    match lane.offer(todo) {
        Some(offer) => format!("accept {}, then {verb} {}", offer.id, todo.title),
        None => format!("{verb} {}", todo.title),
    }
}

/// Row 16.
pub(crate) fn peers(lane: &Lane<'_>, todo: &Todo) -> String {
    if let Some(offer) = lane.offer(todo).filter(|offer| !offer.is_for(&lane.agent.id)) {
        return match &offer.to {
            Some(to) => format!("leave {} to {to}: {} is offered", todo.id, offer.id),
            None => format!("leave {} to whoever accepts {}", todo.id, offer.id),
        };
    }
    match todo.live_claim(lane.now).filter(|claim| claim.agent != lane.agent.id) {
        Some(claim) => format!("leave {} to {}, lease ends {}", todo.id, claim.agent, instant(claim.until)),
        None => format!("leave {} to another agent", todo.id),
    }
}

/// Row 16, for a todo that fits others alone: the first of them.
pub(crate) fn for_others<'a>(lane: &Lane<'a>, todo: &'a Todo, lack: Lack<'_>) -> String {
    let fit = lane.state.agents.values().find(|agent| lane.lacks(agent, todo).is_none());
    let who = fit.map_or("another agent", |agent| agent.id.as_str());
    match lack {
        Lack::Capability(need) => format!("leave {} to {who}, needs {need}", todo.id),
        Lack::Scope(glob) => format!("leave {} to {who}, needs write scope {glob}", todo.id),
    }
}

/// Row 17, for a thing to look at again.
pub(crate) fn recheck(todo: &TodoId, at: Timestamp) -> String {
    format!("recheck {todo} at {}", instant(at))
}

/// Row 17, for evidence.
pub(crate) fn evidence(lane: &Lane<'_>, blocker: &Blocker) -> String {
    match blocker {
        Blocker::Evidence(label) => format!("wait for {label}"),
        Blocker::Run(id) => match lane.state.runs.get(id).and_then(|run| run.summary.as_ref()) {
            Some(summary) => format!("wait for {summary}"),
            None => format!("wait for {id} to be resolved"),
        },
        Blocker::Todo(id) => format!("wait for {id}"),
        Blocker::Gate(id) => format!("wait for {id}"),
    }
}

/// Row 18.
pub(crate) fn stuck(todo: &Todo, blockers: &[&Blocker], gates: &[&GateId]) -> String {
    let id = |blocker: &&Blocker| match blocker {
        Blocker::Todo(id) => id.to_string(),
        Blocker::Gate(id) => id.to_string(),
        Blocker::Run(id) => id.to_string(),
        Blocker::Evidence(_) => "external evidence".to_owned(),
    };
    let all: Vec<String> = blockers.iter().map(id).chain(gates.iter().map(ToString::to_string)).collect();
    if all.is_empty() {
        return format!("untangle {}", todo.id);
    }
    let mut ids: Vec<String> = all.iter().take(NAMED).cloned().collect();
    if all.len() > NAMED {
        ids.push(format!("{} more", all.len() - NAMED));
    }
    format!("untangle {}: blocked by {}", todo.id, ids.join(", "))
}
