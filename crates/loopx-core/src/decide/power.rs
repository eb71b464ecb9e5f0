//! Who may do what: a lane acts as itself, an authority command needs a person with the proof the goal asks for.

use loopx_contract::AgentId;

use super::Case;
use crate::actor::{Actor, ProofFloor, Who};
use crate::agent::{Agent, AgentState};
use crate::command::AuthorityCommand;
use crate::event::{Event, LogBlocker, Recorded};
use crate::gate::GateDecision;
use crate::goal::{Goal, GoalState};
use crate::refusal::Refusal;
use crate::state::State;
use crate::todo::Todo;

/// What the type of a command gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    /// What a lane may do.
    Lane,
    /// What a person may do, once [`check`] has passed.
    Person,
}

/// Whether an authority command comes from a person, with the proof that the goal asks for.
pub(super) fn check(goal: &Goal, actor: &Actor, command: &AuthorityCommand) -> Result<(), Refusal> {
    let what = command.name();
    match &actor.who {
        // A passphrase without a key that the log names proves nothing.
        Who::Person
            if goal.proof == ProofFloor::Passphrase
                && goal.authority_key.is_none()
                && !matches!(command, AuthorityCommand::AuthorityLock { .. }) =>
        {
            Err(Refusal::NotLocked { what })
        }
        Who::Person if goal.proof.accepts(actor.proof) => Ok(()),
        Who::Person => Err(Refusal::NeedsProof { floor: goal.proof, given: actor.proof }),
        Who::Lane(_) | Who::System => Err(Refusal::NeedsPerson { what }),
    }
}

impl<'a> Case<'a> {
    /// Refuses unless a person asks.
    pub(super) fn person(&self) -> Result<(), Refusal> {
        match self.power {
            Power::Person => Ok(()),
            Power::Lane => Err(Refusal::NeedsPerson { what: self.name }),
        }
    }

    /// The lane in whose name a command acts, if any: a lane's own, or the one a person names.
    pub(super) fn acting(&self, named: Option<&AgentId>) -> Result<Option<&'a Agent>, Refusal> {
        let id = match (&self.actor.who, named) {
            (Who::Lane(lane), Some(named)) if lane != named => {
                return Err(Refusal::OtherLane { lane: lane.clone(), named: named.clone() });
            }
            (Who::Lane(lane), _) => lane,
            (Who::Person | Who::System, Some(named)) => named,
            (Who::Person | Who::System, None) => return Ok(None),
        };
        self.agent(id).map(Some)
    }

    /// The lane in whose name a command acts, where one is named.
    pub(super) fn acting_as(&self, named: &AgentId) -> Result<&'a Agent, Refusal> {
        self.acting(Some(named))?.ok_or_else(|| Refusal::NoAgent(named.clone()))
    }

    /// A registered lane.
    pub(super) fn agent(&self, id: &AgentId) -> Result<&'a Agent, Refusal> {
        self.state.agents.get(id).ok_or_else(|| Refusal::NoAgent(id.clone()))
    }

    /// Refuses work on a goal, or by a lane, that is not active.
    pub(super) fn at_work(&self, agent: &Agent) -> Result<(), Refusal> {
        let hint = match self.goal.state {
            GoalState::Active => match agent.state {
                AgentState::Active => return Ok(()),
                AgentState::Paused => {
                    return Err(Refusal::WrongState {
                        thing: agent.id.to_string(),
                        state: "paused",
                        hint: "a person can let it go on: `loopx agent resume`",
                    });
                }
            },
            GoalState::Paused => "a person can let it go on: `loopx goal resume`",
            GoalState::Done | GoalState::Archived => "a person can reopen it: `loopx goal resume`",
        };
        Err(Refusal::WrongState { thing: self.goal.id.to_string(), state: self.goal.state.word(), hint })
    }

    /// Refuses new work on a goal that is over.
    pub(super) fn not_over(&self) -> Result<(), Refusal> {
        match self.goal.state {
            GoalState::Active | GoalState::Paused => Ok(()),
            GoalState::Done | GoalState::Archived => Err(Refusal::WrongState {
                thing: self.goal.id.to_string(),
                state: self.goal.state.word(),
                hint: "a person can reopen it: `loopx goal resume`",
            }),
        }
    }
}

/// Whether an event is to be signed, given the state before it. On a locked goal everything that needs a person is. The
/// first key signs itself, except where the goal is made with it: there is nothing before it to vouch for.
pub fn needs_signature(state: &State, recorded: &Recorded) -> bool {
    let locked = state.goal.as_ref().is_some_and(|goal| goal.authority_key.is_some());
    if matches!(recorded.event, Event::AuthorityLocked { .. }) {
        return locked || recorded.command != 1;
    }
    locked && needs_person(state, &recorded.event)
}

/// Whether an event is a person's alone to cause, given the state before it. What stands here is what a locked goal's
/// log is held to: a new event may be added, an old one may not come to need a person.
pub fn needs_person(state: &State, event: &Event) -> bool {
    let users = |id| state.todos.get(id).is_some_and(|todo: &Todo| !todo.is_agents());
    match event {
        Event::GoalAdded { .. }
        | Event::GoalEdited { .. }
        | Event::AuthoritySet { .. }
        | Event::AuthorityRemoved { .. }
        | Event::AuthorityLocked { .. }
        | Event::GoalStateSet { .. }
        | Event::AgentAdded { .. }
        | Event::AgentEdited { .. }
        | Event::GateApproved { .. }
        | Event::GateRejected { .. }
        | Event::GateDeferred { .. }
        | Event::GateConditionMet { .. }
        | Event::GateRevoked { .. }
        | Event::GateCovered { .. }
        | Event::QuotaSet { .. }
        | Event::SpendVoided { .. }
        | Event::RewardGiven { .. }
        | Event::Bound { .. }
        | Event::Unbound { .. }
        | Event::Purged { .. } => true,
        Event::TodoEdited { todo, .. }
        | Event::TodoFinished { todo, .. }
        | Event::TodoDeferred { todo, .. }
        | Event::TodoDropped { todo, .. }
        | Event::TodoReopened { todo, .. } => users(todo),
        Event::TodoUnblocked { off, .. } => match off {
            LogBlocker::Gate(_) => true,
            LogBlocker::Todo(id) => state.todos.get(id).is_none_or(|todo| !todo.is_agents()),
            LogBlocker::Evidence(_) | LogBlocker::Run(_) => false,
        },
        // A lane may take back what it asked itself, until it is decided. That it is its own is for the decision to see.
        Event::GateWithdrawn { gate } => state
            .gates
            .get(gate)
            .is_some_and(|gate| gate.asked_by.is_none() || !matches!(gate.state, GateDecision::Requested)),
        Event::TodoAdded { .. }
        | Event::TodoClaimed { .. }
        | Event::TodoRenewed { .. }
        | Event::TodoReleased { .. }
        | Event::TodoSucceeded { .. }
        | Event::TodoBlocked { .. }
        | Event::GateAsked { .. }
        | Event::Spent { .. }
        | Event::RunRecorded { .. }
        | Event::RunResolved { .. }
        | Event::HandoffOffered { .. }
        | Event::HandoffMoved { .. }
        | Event::Undone { .. }
        | Event::Refused { .. } => false,
    }
}
