//! Decides commands on lanes.

use std::collections::BTreeSet;

use loopx_contract::{AgentId, RuntimeId};

use super::{Case, Decided, Outcome, Subject};
use crate::agent::{AgentState, Capability};
use crate::command::AgentAdd;
use crate::event::Event;
use crate::refusal::Refusal;
use crate::text::texts;

/// A new lane. Two lanes never differ by case alone.
pub(super) fn add(case: &Case<'_>, add: &AgentAdd) -> Outcome {
    if let Some(there) = case.state.agents.values().find(|there| same(&there.id, &add.agent)) {
        return Err(Refusal::AgentExists(there.id.clone()));
    }
    Ok(Decided::one(added(add), Subject::Agent(add.agent.clone())))
}

/// Whether two names are one: they never differ by case alone.
pub(super) fn same(one: &AgentId, other: &AgentId) -> bool {
    one.as_str().eq_ignore_ascii_case(other.as_str())
}

/// The event of a new lane.
pub(super) fn added(add: &AgentAdd) -> Event {
    Event::AgentAdded {
        agent: add.agent.clone(),
        kind: add.kind,
        runtime: add.runtime.clone(),
        capabilities: texts(&add.capabilities),
    }
}

/// What can change of a lane.
pub(super) fn edit(
    case: &Case<'_>,
    id: &AgentId,
    runtime: Option<&Option<RuntimeId>>,
    capabilities: Option<&BTreeSet<Capability>>,
    state: Option<AgentState>,
) -> Outcome {
    let agent = case.agent(id)?;
    if runtime.is_none() && capabilities.is_none() && state.is_none() {
        return Err(Refusal::BadValue { field: "agent", reason: "nothing to change" });
    }
    let event = Event::AgentEdited {
        agent: id.clone(),
        runtime: runtime.unwrap_or(&agent.runtime).clone(),
        capabilities: texts(capabilities.unwrap_or(&agent.capabilities)),
        state: state.unwrap_or(agent.state),
    };
    Ok(Decided::one(event, Subject::Agent(id.clone())))
}
