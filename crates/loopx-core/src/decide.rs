//! What a command does to a state: events, or a typed refusal. Pure.

mod agent;
mod binding;
mod gate;
mod goal;
mod handoff;
mod names;
mod power;
mod quota;
mod reward;
mod run;
mod todo;
mod undo;

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, GoalId, HandoffId, RewardId, RunId, TodoId};
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::binding::BindingTarget;
use crate::command::{AuthorityCommand, Command, IdSource, LaneCommand, Mint, Request};
use crate::event::Event;
use crate::goal::Goal;
use crate::key::TurnKey;
use crate::refusal::Refusal;
use crate::state::State;

pub use power::{needs_person, needs_signature};

use power::Power;

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The events, in order. None: what was asked is so already.
    pub events: Vec<Event>,
    /// What the command was about: the thing that was made or changed, or was there already.
    pub subject: Subject,
}

/// What a command was about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The goal.
    Goal(GoalId),
    /// A lane.
    Agent(AgentId),
    /// A todo.
    Todo(TodoId),
    /// A gate.
    Gate(GateId),
    /// A run.
    Run(RunId),
    /// A reward.
    Reward(RewardId),
    /// A handoff.
    Handoff(HandoffId),
    /// A spend.
    Spend(TurnKey),
    /// A binding.
    Binding(BindingTarget),
    /// A command that was undone, by the revision of its first event.
    Command(u64),
}

impl Decided {
    fn new(events: Vec<Event>, subject: Subject) -> Self {
        Self { events, subject }
    }

    fn one(event: Event, subject: Subject) -> Self {
        Self::new(vec![event], subject)
    }
}

type Outcome = Result<Decided, Refusal>;

/// One command's surroundings.
struct Case<'a> {
    state: &'a State,
    goal: &'a Goal,
    now: Timestamp,
    actor: &'a Actor,
    power: Power,
    name: &'static str,
}

/// Decides one request. `state` must hold what is open, what [`Names::of_command`](crate::Names::of_command) names
/// and what [`State::names`] names.
///
/// A refusal for which [`Refusal::is_recorded`] holds goes into the log as [`Event::Refused`].
pub fn decide(state: &State, request: &Request, now: Timestamp, ids: &mut dyn IdSource) -> Outcome {
    let Some(goal) = &state.goal else {
        return match &request.command {
            Command::Authority(AuthorityCommand::GoalAdd(add)) => goal::add(request, add),
            Command::Authority(_) | Command::Lane(_) => Err(Refusal::NoGoal(request.goal.clone())),
        };
    };
    let (actor, name) = (&request.actor, request.command.name());
    let mint = &mut Mint(ids);
    match &request.command {
        Command::Lane(command) => {
            lane(&Case { state, goal, now, actor, power: Power::Lane, name }, command, mint)
        }
        Command::Authority(AuthorityCommand::GoalAdd(_)) => Err(Refusal::GoalExists(goal.id.clone())),
        Command::Authority(command) => {
            power::check(goal, actor, command)?;
            authority(&Case { state, goal, now, actor, power: Power::Person, name }, command, mint)
        }
    }
}

fn lane(case: &Case<'_>, command: &LaneCommand, mint: &mut Mint<'_>) -> Outcome {
    match command {
        LaneCommand::TodoAdd(add) => todo::add(case, add, mint),
        LaneCommand::TodoEdit(edit) => todo::edit(case, edit),
        LaneCommand::TodoClaim { todo, agent, lease_minutes } => {
            todo::claim(case, todo, agent, *lease_minutes)
        }
        LaneCommand::NextClaim { agent, lease_minutes, expect } => {
            todo::claim_next(case, expect, agent, *lease_minutes)
        }
        LaneCommand::TodoRenew { todo, agent, token, lease_minutes } => {
            todo::renew(case, todo, agent, *token, *lease_minutes)
        }
        LaneCommand::TodoRelease { todo, agent, token } => todo::release(case, todo, agent, *token),
        LaneCommand::TodoFinish(finish) => todo::finish(case, finish, mint),
        LaneCommand::TodoBlock { todo, on } => todo::block(case, todo, on),
        LaneCommand::TodoUnblock(unblock) => todo::unblock(case, unblock),
        LaneCommand::TodoDefer(defer) => todo::defer(case, defer),
        LaneCommand::TodoDrop(drop) => todo::discard(case, drop),
        LaneCommand::TodoReopen(reopen) => todo::reopen(case, reopen),
        LaneCommand::GateAsk(ask) => gate::ask(case, ask, mint),
        LaneCommand::GateWithdraw(withdraw) => gate::withdraw(case, withdraw),
        LaneCommand::RunRecord(record) => run::record(case, record, mint),
        LaneCommand::RunResolve { run } => run::resolve(case, run),
        LaneCommand::Spend(spend) => quota::spend(case, spend),
        LaneCommand::HandoffOffer(offer) => handoff::offer(case, offer, mint),
        LaneCommand::HandoffAccept { handoff, agent, lease_minutes } => {
            handoff::accept(case, handoff, agent, *lease_minutes)
        }
        LaneCommand::HandoffDecline { handoff, agent } => handoff::decline(case, handoff, agent),
        LaneCommand::HandoffWithdraw { handoff, agent } => handoff::withdraw(case, handoff, agent),
        LaneCommand::HandoffFollowUp { handoff, agent, summary } => {
            handoff::follow_up(case, handoff, agent, summary, mint)
        }
        LaneCommand::Undo => undo::undo(case),
    }
}

fn authority(case: &Case<'_>, command: &AuthorityCommand, mint: &mut Mint<'_>) -> Outcome {
    match command {
        AuthorityCommand::GoalAdd(_) => Err(Refusal::GoalExists(case.goal.id.clone())),
        AuthorityCommand::GoalEdit { objective, stop_condition, private_data_rule } => {
            goal::edit(case, objective.as_ref(), stop_condition.as_ref(), private_data_rule.as_ref())
        }
        AuthorityCommand::GoalScope { read, write } => goal::scope(case, read.as_deref(), write.as_deref()),
        AuthorityCommand::AuthoritySet { role, label, freshness } => {
            Ok(goal::authority_set(case, *role, label, *freshness))
        }
        AuthorityCommand::AuthorityRemove { role, label } => goal::authority_remove(case, *role, label),
        AuthorityCommand::AuthorityLock { public_key } => Ok(goal::lock(case, *public_key)),
        AuthorityCommand::GoalPause => goal::pause(case),
        AuthorityCommand::GoalResume => goal::resume(case),
        AuthorityCommand::GoalDone => goal::done(case),
        AuthorityCommand::GoalArchive => goal::archive(case),
        AuthorityCommand::AgentAdd(add) => agent::add(case, add),
        AuthorityCommand::AgentEdit { agent, runtime, capabilities, state } => {
            agent::edit(case, agent, runtime.as_ref(), capabilities.as_ref(), *state)
        }
        AuthorityCommand::GateDecide { gate, decision } => gate::decide(case, gate, decision),
        AuthorityCommand::GateRevoke { gate } => gate::revoke(case, gate),
        AuthorityCommand::GateWithdraw(withdraw) => gate::withdraw(case, withdraw),
        AuthorityCommand::GateConditionMet { gate } => gate::condition_met(case, gate),
        AuthorityCommand::GateCover { gate, covers } => gate::cover(case, gate, covers),
        AuthorityCommand::TodoFinish(finish) => todo::finish(case, finish, mint),
        AuthorityCommand::TodoEdit(edit) => todo::edit(case, edit),
        AuthorityCommand::TodoUnblock(unblock) => todo::unblock(case, unblock),
        AuthorityCommand::TodoDefer(defer) => todo::defer(case, defer),
        AuthorityCommand::TodoDrop(drop) => todo::discard(case, drop),
        AuthorityCommand::TodoReopen(reopen) => todo::reopen(case, reopen),
        AuthorityCommand::QuotaSet { agent, quota } => quota::set(case, agent.as_ref(), *quota),
        AuthorityCommand::SpendVoid { key } => quota::void(case, key),
        AuthorityCommand::RewardGive(give) => reward::give(case, give, mint),
        AuthorityCommand::Bind { target, agent } => binding::bind(case, target, agent.as_ref()),
        AuthorityCommand::Unbind { target } => binding::unbind(case, target),
        AuthorityCommand::Undo => undo::undo(case),
    }
}
