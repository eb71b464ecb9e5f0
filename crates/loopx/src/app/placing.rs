//! Which goal and lane a session belongs to: an explicit bind, else the project folder.

use std::collections::BTreeMap;

use loopx_contract::{AgentId, GoalId, Ref, SessionFacts};
use loopx_core::State;
use loopx_core::agent::AgentKind;
use loopx_core::binding::BindingTarget;
use loopx_core::goal::GoalState;
use loopx_safety::InstallKey;

use crate::app::folder;

/// Where a session belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// To one lane.
    Lane(GoalId, AgentId),
    /// To a goal, but to no lane of it.
    Goal(GoalId),
    /// To nothing that is known.
    Nowhere,
}

/// All explicit bindings of the goals that are open.
#[derive(Debug, Default)]
pub struct Bindings(BTreeMap<BindingTarget, (GoalId, Option<AgentId>)>);

impl Bindings {
    /// Collects the bindings of these goals.
    pub fn of<'a>(states: impl IntoIterator<Item = (&'a GoalId, &'a State)>) -> Self {
        let mut all = BTreeMap::new();
        for (id, state) in states {
            let open = state.goal.as_ref().is_some_and(|goal| match goal.state {
                GoalState::Active | GoalState::Paused => true,
                GoalState::Done | GoalState::Archived => false,
            });
            if open {
                for binding in state.bindings.values() {
                    all.insert(binding.target.clone(), (id.clone(), binding.agent.clone()));
                }
            }
        }
        Self(all)
    }

    /// What a session is bound to by itself.
    pub fn session(&self, session: &Ref) -> Option<&(GoalId, Option<AgentId>)> {
        self.0.get(&BindingTarget::Session(session.clone()))
    }

    /// What a folder, or the nearest one above it, is bound to.
    pub fn folder(&self, key: &InstallKey, path: &std::path::Path) -> Option<&(GoalId, Option<AgentId>)> {
        if !self.0.keys().any(|target| matches!(target, BindingTarget::Folder(_))) {
            return None;
        }
        folder::chain(path)
            .iter()
            .find_map(|folder| self.0.get(&BindingTarget::Folder(folder::handle(key, folder))))
    }
}

/// Places one session.
pub fn place(
    facts: &SessionFacts,
    cwd: Option<&std::path::Path>,
    bindings: &Bindings,
    states: &BTreeMap<&GoalId, &State>,
    key: &InstallKey,
) -> Place {
    let bound =
        bindings.session(&facts.session_id.into()).or_else(|| cwd.and_then(|cwd| bindings.folder(key, cwd)));
    let Some((goal, agent)) = bound else { return Place::Nowhere };
    let registered = |agent: &&AgentId| states.get(goal).is_some_and(|state| state.agents.contains(agent));
    match agent.as_ref().filter(registered) {
        Some(agent) => Place::Lane(goal.clone(), agent.clone()),
        None => match states.get(goal).and_then(|state| only_lane(state, facts)) {
            Some(agent) => Place::Lane(goal.clone(), agent),
            None => Place::Goal(goal.clone()),
        },
    }
}

/// Of the goal's automation lanes the only one of the session's runtime, or the only one at all if it names none.
fn only_lane(state: &State, facts: &SessionFacts) -> Option<AgentId> {
    let lanes: Vec<_> = state.agents.values().filter(|agent| agent.kind == AgentKind::Automation).collect();
    let mut same = lanes.iter().filter(|agent| agent.runtime.as_ref() == Some(&facts.runtime_id));
    match (same.next(), same.next(), lanes.as_slice()) {
        (Some(only), None, _) => Some(only.id.clone()),
        (None, _, [only]) if only.runtime.is_none() => Some(only.id.clone()),
        _ => None,
    }
}
