//! Which goal and lane a session belongs to: an explicit bind, else what its environment names, else the project
//! folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use loopx_contract::{AgentId, GoalId, Ref, RuntimeId};
use loopx_core::agent::AgentKind;
use loopx_core::binding::{Binding, BindingTarget};
use loopx_core::goal::GoalState;
use loopx_core::{Caller, State};
use loopx_safety::{Handle, InstallKey};
use loopx_store::GoalSummary;

use crate::app::folder;
use crate::env::Env;

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

/// What a list of sessions is narrowed down to: a goal, a lane's agent, or neither.
#[derive(Clone, Debug, Default)]
pub struct Only {
    /// The goal.
    pub goal: Option<GoalId>,
    /// The agent.
    pub agent: Option<AgentId>,
}

impl Only {
    /// Whether a session of this place is listed.
    pub fn takes(&self, place: &Place) -> bool {
        let (goal, agent) = match place {
            Place::Lane(goal, agent) => (Some(goal), Some(agent)),
            Place::Goal(goal) => (Some(goal), None),
            Place::Nowhere => (None, None),
        };
        self.goal.as_ref().is_none_or(|only| goal == Some(only))
            && self.agent.as_ref().is_none_or(|only| agent == Some(only))
    }
}

/// All explicit bindings: of the goals that are open, and of those that are over.
#[derive(Debug, Default)]
pub struct Bindings {
    living: BTreeMap<BindingTarget, (GoalId, Option<AgentId>)>,
    over: BTreeMap<BindingTarget, (GoalId, Option<AgentId>)>,
}

impl Bindings {
    /// Keeps those of open goals. Where two goals bind the same, it is the one's that bound it last: a goal that is
    /// opened again takes nothing from one that came after it.
    pub fn of(goals: &[GoalSummary], mut bindings: Vec<(GoalId, Binding)>) -> Self {
        latest_first(&mut bindings);
        let open = |id: &GoalId| {
            let state = goals.iter().find(|goal| goal.id == *id).and_then(|goal| goal.state);
            matches!(state, Some(GoalState::Active | GoalState::Paused))
        };
        let (living, over): (Vec<_>, Vec<_>) = bindings.into_iter().partition(|(goal, _)| open(goal));
        let by_target = |bindings: Vec<(GoalId, Binding)>| {
            let mut all = BTreeMap::new();
            for (goal, binding) in bindings {
                all.entry(binding.target).or_insert((goal, binding.agent));
            }
            all
        };
        Self { living: by_target(living), over: by_target(over) }
    }

    /// Every session that is bound by itself.
    pub fn sessions(&self) -> BTreeSet<Handle> {
        self.living
            .keys()
            .filter_map(|target| match target {
                BindingTarget::Session(session) => Handle::parse(session.as_str()).ok(),
                BindingTarget::Folder(_) => None,
            })
            .collect()
    }

    /// What a session is bound to by itself.
    pub fn session(&self, session: &Ref) -> Option<&(GoalId, Option<AgentId>)> {
        self.living.get(&BindingTarget::Session(session.clone()))
    }

    /// What a folder, or the nearest one above it, is bound to.
    pub fn folder(&self, key: &InstallKey, path: &std::path::Path) -> Option<&(GoalId, Option<AgentId>)> {
        in_folder(&self.living, key, path)
    }

    /// The same, and where no open goal has it, the goal that is over and had it: a person or agent who stands there
    /// means that one.
    pub fn meant(&self, key: &InstallKey, path: &std::path::Path) -> Option<&(GoalId, Option<AgentId>)> {
        self.folder(key, path).or_else(|| in_folder(&self.over, key, path))
    }
}

fn in_folder<'a>(
    all: &'a BTreeMap<BindingTarget, (GoalId, Option<AgentId>)>,
    key: &InstallKey,
    path: &std::path::Path,
) -> Option<&'a (GoalId, Option<AgentId>)> {
    if !all.keys().any(|target| matches!(target, BindingTarget::Folder(_))) {
        return None;
    }
    folder::chain(path).iter().find_map(|folder| all.get(&BindingTarget::Folder(folder::handle(key, folder))))
}

/// What `LOOPX_GOAL` and `LOOPX_AGENT` name in the environment of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The session, by our handle.
    pub session: Ref,
    /// The goal and perhaps the lane.
    pub to: (GoalId, Option<AgentId>),
}

impl Named {
    /// What this environment names for the session that it is the environment of.
    pub fn of(env: &Env, caller: Option<&Caller>) -> Option<Self> {
        let session = caller?.session.clone()?;
        let goal = GoalId::parse(env.var("LOOPX_GOAL")?).ok()?;
        let agent = env.var("LOOPX_AGENT").and_then(|agent| AgentId::parse(agent).ok());
        Some(Self { session, to: (goal, agent) })
    }

    /// The place, as far as goal and lane are registered.
    pub fn place(&self, states: &BTreeMap<&GoalId, &State>) -> Place {
        let (goal, agent) = &self.to;
        match (states.get(goal), agent) {
            (None, _) => Place::Nowhere,
            (Some(state), Some(agent)) if state.agents.contains(agent) => {
                Place::Lane(goal.clone(), agent.clone())
            }
            (Some(_), _) => Place::Goal(goal.clone()),
        }
    }
}

/// What tells where a session belongs that isn't bound by itself.
#[derive(Clone, Debug, Default)]
pub struct Clues {
    /// The folder it works in.
    pub cwd: Option<PathBuf>,
    /// What its environment names.
    pub lane: Option<(GoalId, Option<AgentId>)>,
}

/// Orders bindings by when they were made, the latest first.
pub fn latest_first(bindings: &mut [(GoalId, Binding)]) {
    bindings.sort_by_key(|(_, binding)| std::cmp::Reverse(binding.at));
}

/// Places one session, by its runtime and handle, and what else tells where it belongs.
pub fn place(
    (runtime, session): (&RuntimeId, Handle),
    clues: &Clues,
    named: Option<&Named>,
    bindings: &Bindings,
    states: &BTreeMap<&GoalId, &State>,
    key: &InstallKey,
) -> Place {
    let session: Ref = session.into();
    // What the session's own commands see of its environment comes before what its hooks saw.
    let by_name = || {
        let own = named.filter(|named| named.session == session).map(|named| &named.to);
        own.or(clues.lane.as_ref()).filter(|(goal, _)| states.contains_key(goal))
    };
    let bound = bindings
        .session(&session)
        .or_else(by_name)
        .or_else(|| clues.cwd.as_deref().and_then(|cwd| bindings.folder(key, cwd)));
    let Some((goal, agent)) = bound else { return Place::Nowhere };
    let registered = |agent: &&AgentId| states.get(goal).is_some_and(|state| state.agents.contains(agent));
    match agent.as_ref().filter(registered) {
        Some(agent) => Place::Lane(goal.clone(), agent.clone()),
        None => match states.get(goal).and_then(|state| only_lane(state, runtime)) {
            Some(agent) => Place::Lane(goal.clone(), agent),
            None => Place::Goal(goal.clone()),
        },
    }
}

/// Of the goal's automation lanes the only one of a session's runtime, or the only one at all if it names none.
pub fn only_lane(state: &State, runtime: &RuntimeId) -> Option<AgentId> {
    let lanes: Vec<_> = state.agents.values().filter(|agent| agent.kind == AgentKind::Automation).collect();
    let mut same = lanes.iter().filter(|agent| agent.runtime.as_ref() == Some(runtime));
    match (same.next(), same.next(), lanes.as_slice()) {
        (Some(only), None, _) => Some(only.id.clone()),
        (None, _, [only]) if only.runtime.is_none() => Some(only.id.clone()),
        _ => None,
    }
}
