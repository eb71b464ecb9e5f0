//! Decides commands on the goal itself.

use loopx_safety::PublicText;

use super::todo::few;
use super::{Case, Decided, Outcome, Subject, agent};
use crate::authority::AuthorityKey;
use crate::command::{GoalAdd, Request};
use crate::event::Event;
use crate::first_screen::STOP_CONDITION;
use crate::goal::{AuthorityRole, Freshness, GoalState};
use crate::refusal::Refusal;
use crate::scope::Glob;
use crate::text::{LogText, texts};

/// A new goal, with its first lanes and bindings: anybody may make one, since it can harm nobody.
pub(super) fn add(request: &Request, add: &GoalAdd) -> Outcome {
    let stop_condition = match &add.stop_condition {
        Some(text) => text.clone(),
        None => PublicText::new(STOP_CONDITION)
            .map_err(|_| Refusal::BadValue { field: "stop_condition", reason: "is needed" })?,
    };
    let mut events = vec![Event::GoalAdded {
        objective: add.objective.clone().into(),
        proof: add.proof,
        read: texts(add.read.iter().map(Glob::as_text)),
        write: texts(add.write.iter().map(Glob::as_text)),
        private_data_rule: add.private_data_rule.clone().map(LogText::from),
        stop_condition: stop_condition.into(),
    }];
    for (at, one) in add.agents.iter().enumerate() {
        if let Some(there) = add.agents.iter().take(at).find(|there| agent::same(&there.agent, &one.agent)) {
            return Err(Refusal::AgentExists(there.agent.clone()));
        }
        events.push(agent::added(one));
    }
    for (target, lane) in &add.bind {
        if let Some(lane) = lane.as_ref().filter(|lane| add.agents.iter().all(|one| one.agent != **lane)) {
            return Err(Refusal::NoAgent(lane.clone()));
        }
        events.push(Event::Bound { target: target.clone(), agent: lane.clone() });
    }
    events.extend(add.lock.map(|public_key| Event::AuthorityLocked { public_key }));
    Ok(Decided::new(events, Subject::Goal(request.goal.clone())))
}

fn on_goal(case: &Case<'_>, event: Event) -> Decided {
    Decided::one(event, Subject::Goal(case.goal.id.clone()))
}

/// A key that signs the goal's decisions already is no news.
pub(super) fn lock(case: &Case<'_>, public_key: AuthorityKey) -> Decided {
    if case.goal.authority_key == Some(public_key) {
        return Decided::new(vec![], Subject::Goal(case.goal.id.clone()));
    }
    on_goal(case, Event::AuthorityLocked { public_key })
}

/// What a goal's edit changes.
pub(super) fn edit(
    case: &Case<'_>,
    objective: Option<&PublicText>,
    stop_condition: Option<&PublicText>,
    private_data_rule: Option<&Option<PublicText>>,
) -> Outcome {
    if objective.is_none() && stop_condition.is_none() && private_data_rule.is_none() {
        return Err(Refusal::BadValue { field: "goal", reason: "nothing to change" });
    }
    Ok(on_goal(
        case,
        Event::GoalEdited {
            objective: objective.cloned().map(LogText::from),
            stop_condition: stop_condition.cloned().map(LogText::from),
            private_data_rule: private_data_rule.cloned().flatten().map(LogText::from),
            private_data_rule_removed: private_data_rule.is_some_and(Option::is_none),
            read: None,
            write: None,
        },
    ))
}

/// New scopes.
pub(super) fn scope(case: &Case<'_>, read: Option<&[Glob]>, write: Option<&[Glob]>) -> Outcome {
    if read.is_none() && write.is_none() {
        return Err(Refusal::BadValue { field: "scope", reason: "nothing to change" });
    }
    few("read", read.map_or(0, <[Glob]>::len))?;
    few("write", write.map_or(0, <[Glob]>::len))?;
    Ok(on_goal(
        case,
        Event::GoalEdited {
            objective: None,
            stop_condition: None,
            private_data_rule: None,
            private_data_rule_removed: false,
            read: read.map(|globs| texts(globs.iter().map(Glob::as_text))),
            write: write.map(|globs| texts(globs.iter().map(Glob::as_text))),
        },
    ))
}

/// An authority source, added or refreshed.
pub(super) fn authority_set(
    case: &Case<'_>,
    role: AuthorityRole,
    label: &PublicText,
    freshness: Freshness,
) -> Decided {
    on_goal(case, Event::AuthoritySet { role, label: label.clone().into(), freshness })
}

/// An authority source, taken away.
pub(super) fn authority_remove(case: &Case<'_>, role: AuthorityRole, label: &PublicText) -> Outcome {
    if !case.goal.authority_sources.iter().any(|source| source.role == role && source.label == *label) {
        return Err(Refusal::NoThing("authority source"));
    }
    Ok(on_goal(case, Event::AuthorityRemoved { role, label: label.clone().into() }))
}

fn go(case: &Case<'_>, to: GoalState, hint: &'static str) -> Outcome {
    let from = case.goal.state;
    let allowed = match to {
        GoalState::Active => !matches!(from, GoalState::Active),
        GoalState::Paused => matches!(from, GoalState::Active),
        GoalState::Done => matches!(from, GoalState::Active | GoalState::Paused),
        GoalState::Archived => !matches!(from, GoalState::Archived),
    };
    if !allowed {
        return Err(Refusal::WrongState { thing: case.goal.id.to_string(), state: from.word(), hint });
    }
    Ok(on_goal(case, Event::GoalStateSet { from, to }))
}

/// The owner's pause.
pub(super) fn pause(case: &Case<'_>) -> Outcome {
    go(case, GoalState::Paused, "only an active goal can be paused; see `loopx goal show`")
}

/// Active again.
pub(super) fn resume(case: &Case<'_>) -> Outcome {
    go(case, GoalState::Active, "it is active already; see `loopx next`")
}

/// Reached.
pub(super) fn done(case: &Case<'_>) -> Outcome {
    go(case, GoalState::Done, "reopen it first: `loopx goal resume`")
}

/// Put away.
pub(super) fn archive(case: &Case<'_>) -> Outcome {
    go(case, GoalState::Archived, "reopen it with `loopx goal resume`")
}
