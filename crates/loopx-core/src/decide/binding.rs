//! Decides bindings of sessions and folders.

use loopx_contract::AgentId;

use super::{Case, Decided, Outcome, Subject};
use crate::binding::BindingTarget;
use crate::event::Event;
use crate::refusal::Refusal;

/// Binds a session or folder to the goal, and perhaps to a lane.
pub(super) fn bind(case: &Case<'_>, target: &BindingTarget, agent: Option<&AgentId>) -> Outcome {
    if let Some(agent) = agent {
        case.agent(agent)?;
    }
    let subject = Subject::Binding(target.clone());
    if case.state.bindings.get(target).is_some_and(|there| there.agent.as_ref() == agent) {
        return Ok(Decided::new(vec![], subject));
    }
    Ok(Decided::one(Event::Bound { target: target.clone(), agent: agent.cloned() }, subject))
}

/// Takes a binding away.
pub(super) fn unbind(case: &Case<'_>, target: &BindingTarget) -> Outcome {
    if !case.state.bindings.contains(target) {
        return Err(Refusal::NoThing("binding"));
    }
    Ok(Decided::one(Event::Unbound { target: target.clone() }, Subject::Binding(target.clone())))
}
