//! Random requests: of every command, about things that are there and at times about things that are not.

use std::collections::BTreeSet;

use loopx_contract::{AgentId, Ref};

use super::{World, agent, glob, goal, text};
use crate::actor::{Actor, Channel, Proof, Who};
use crate::agent::{AgentKind, AgentState};
use crate::binding::BindingTarget;
use crate::command::{
    AgentAdd, AuthorityCommand, Command, Decision, GateAsk, GateWithdraw, HandoffOffer, LaneCommand, Request,
    RewardGive, RunRecord, TodoDefer, TodoDrop, TodoReopen, TodoUnblock,
};
use crate::gate::GateActor;
use crate::goal::{AuthorityRole, Freshness, GoalState};
use crate::handoff::HandoffState;
use crate::key::TurnKey;
use crate::quota::Quota;
use crate::reward::Judgement;
use crate::run::RunKind;
use crate::todo::Blocker;

pub(super) fn request(world: &mut World) -> Request {
    let who = match world.random.below(20) {
        0..=11 => Who::Lane(world.lane()),
        12..=18 => Who::Person,
        _ => Who::System,
    };
    let proof = match &who {
        Who::Person if world.random.chance(70) => Proof::Terminal,
        Who::Lane(_) => Proof::Lane,
        Who::Person | Who::System => Proof::None,
    };
    let authority = world.random.chance(if matches!(who, Who::Person) { 75 } else { 5 });
    let lane = match &who {
        Who::Lane(lane) if world.random.chance(95) => lane.clone(),
        Who::Lane(_) | Who::Person | Who::System => world.lane(),
    };
    let command = if authority {
        Command::Authority(world.authority_command())
    } else {
        Command::Lane(world.lane_command(&lane))
    };
    Request { goal: goal(), actor: Actor { who, channel: Channel::Cli, proof }, key: None, command }
}

impl World {
    fn lane_command(&mut self, lane: &AgentId) -> LaneCommand {
        let (lane, todo) = (lane.clone(), self.todo_id());
        match self.random.below(34) {
            0..=4 => LaneCommand::TodoAdd(self.addition()),
            5 => LaneCommand::TodoEdit(self.changes()),
            6..=9 => {
                let (todo, lease_minutes) = (self.free_todo(&lane), self.lease());
                LaneCommand::TodoClaim { todo, agent: lane, lease_minutes }
            }
            10 => LaneCommand::TodoClaim { todo, agent: lane, lease_minutes: self.lease() },
            11 => {
                let (expect, lease_minutes) = (self.free_todo(&lane), self.lease());
                LaneCommand::NextClaim { expect, agent: lane, lease_minutes }
            }
            12 => {
                let todo = self.own_todo(&lane);
                let (token, lease_minutes) = (self.token(&todo), self.lease());
                LaneCommand::TodoRenew { todo, agent: lane, token, lease_minutes }
            }
            13 => {
                let todo = self.own_todo(&lane);
                LaneCommand::TodoRelease { token: self.token(&todo), todo, agent: lane }
            }
            14..=16 => LaneCommand::TodoFinish(self.finish(Some(lane))),
            17 => LaneCommand::TodoBlock { todo, on: self.blocker() },
            18 => {
                let there = self.state.todos.get(&todo).map(|row| row.blocked_by.iter().cloned().collect());
                let there: Vec<Blocker> = there.unwrap_or_default();
                let off = self.random.pick(&there).unwrap_or_else(|| self.blocker());
                LaneCommand::TodoUnblock(TodoUnblock { todo, off })
            }
            19 => LaneCommand::TodoDefer(TodoDefer { todo, until: self.maybe(70, Self::later) }),
            20 => LaneCommand::TodoDrop(TodoDrop { todo, reason: None }),
            21 => LaneCommand::TodoReopen(TodoReopen { todo }),
            22 => LaneCommand::GateAsk(GateAsk {
                question: self.words(),
                actor: self.one(&[GateActor::User, GateActor::Controller]),
                covers: self.covered(),
                expires_at: None,
                agent: Some(lane),
            }),
            24 => LaneCommand::GateWithdraw(GateWithdraw { gate: self.gate_id(), agent: Some(lane) }),
            25 => {
                let kind = self.one(&[RunKind::Blocker, RunKind::Validation, RunKind::Projection]);
                LaneCommand::RunRecord(RunRecord { agent: lane, todo: Some(todo), run: self.run_draft(kind) })
            }
            26 => LaneCommand::RunResolve { run: self.run_id() },
            27 => LaneCommand::Spend(self.spending(Some(lane))),
            28 => LaneCommand::HandoffOffer(HandoffOffer {
                todo: if self.random.chance(60) { self.own_todo(&lane) } else { todo },
                from: lane,
                to: self.maybe(60, Self::lane),
                next_action: self.words(),
                stop_condition: None,
                evidence: BTreeSet::new(),
                expires_at: self.maybe(50, Self::later),
            }),
            23 | 29 => {
                let (now, to) = (self.now, lane.clone());
                let handoff = self.handoff_that(|row| row.is_offered(now) && row.is_for(&to));
                let lease_minutes = self.lease();
                LaneCommand::HandoffAccept { handoff, agent: lane, lease_minutes }
            }
            30 => {
                let (now, to) = (self.now, Some(lane.clone()));
                let handoff = self.handoff_that(|row| row.is_offered(now) && row.to == to);
                LaneCommand::HandoffDecline { handoff, agent: lane }
            }
            31 => {
                let (now, from) = (self.now, lane.clone());
                let handoff = self.handoff_that(|row| row.is_offered(now) && row.from == from);
                LaneCommand::HandoffWithdraw { handoff, agent: lane }
            }
            32 => {
                let (by, summary) = (Some(lane.clone()), self.words());
                let handoff =
                    self.handoff_that(|row| row.state == HandoffState::Accepted && row.accepted_by == by);
                LaneCommand::HandoffFollowUp { handoff, agent: lane, summary }
            }
            _ => LaneCommand::Undo,
        }
    }

    fn decision(&mut self) -> Decision {
        match self.random.below(5) {
            0..=2 => {
                Decision::Approve { until: self.maybe(30, Self::later), single_use: self.random.chance(50) }
            }
            3 => Decision::Reject { reason: None },
            _ => {
                Decision::Defer { until: self.maybe(60, Self::later), condition: self.maybe(50, Self::words) }
            }
        }
    }

    fn authority_command(&mut self) -> AuthorityCommand {
        // A goal that is at rest for long teaches little.
        let at_rest = self.state.goal.as_ref().is_some_and(|goal| goal.state != GoalState::Active);
        if at_rest && self.random.chance(60) {
            return AuthorityCommand::GoalResume;
        }
        let (gate, todo) = (self.gate_id(), self.todo_id());
        match self.random.below(34) {
            0 => AuthorityCommand::GoalEdit {
                objective: self.maybe(50, Self::words),
                stop_condition: None,
                private_data_rule: self.maybe(50, |world| world.maybe(50, Self::words)),
            },
            1 => AuthorityCommand::GoalScope { read: None, write: self.maybe(80, |_| vec![glob("src/**")]) },
            2 | 3 => {
                let role = self.one(&[AuthorityRole::Owner, AuthorityRole::Policy]);
                let (label, freshness) =
                    (text("the almanac"), self.one(&[Freshness::Fresh, Freshness::Stale]));
                if self.random.chance(60) {
                    AuthorityCommand::AuthoritySet { role, label, freshness }
                } else {
                    AuthorityCommand::AuthorityRemove { role, label }
                }
            }
            4 => AuthorityCommand::GoalPause,
            5 => AuthorityCommand::GoalResume,
            8 => self.one(&[AuthorityCommand::GoalDone, AuthorityCommand::GoalArchive]),
            9 => AuthorityCommand::AgentAdd(AgentAdd {
                agent: agent(self.one(&["Ash", "elm"])),
                kind: AgentKind::Automation,
                runtime: None,
                capabilities: self.can(),
            }),
            10 => AuthorityCommand::AgentEdit {
                agent: self.lane(),
                runtime: None,
                capabilities: self.maybe(30, Self::can),
                state: Some(self.one(&[AgentState::Active, AgentState::Active, AgentState::Paused])),
            },
            6 | 7 | 11..=14 => AuthorityCommand::GateDecide { gate, decision: self.decision() },
            15 => AuthorityCommand::GateRevoke { gate },
            16 => AuthorityCommand::GateWithdraw(GateWithdraw { gate, agent: None }),
            17 => AuthorityCommand::GateConditionMet { gate: self.deferred_gate() },
            18 => AuthorityCommand::GateCover { gate, covers: self.covered() },
            19 | 20 => {
                let agent = self.maybe(20, Self::lane);
                AuthorityCommand::TodoFinish(self.finish(agent))
            }
            21 => AuthorityCommand::TodoEdit(self.changes()),
            22 => AuthorityCommand::TodoUnblock(TodoUnblock { todo, off: self.blocker() }),
            23 => AuthorityCommand::TodoDefer(TodoDefer { todo, until: self.maybe(70, Self::later) }),
            24 => AuthorityCommand::TodoDrop(TodoDrop { todo, reason: None }),
            25 => AuthorityCommand::TodoReopen(TodoReopen { todo }),
            26 => {
                let quota = Quota { window_minutes: 60, turns: Some(2), minutes: Some(40), tokens: None };
                AuthorityCommand::QuotaSet { agent: self.maybe(50, Self::lane), quota }
            }
            27 => {
                let known: Vec<TurnKey> = self.state.spends.iter().map(|(key, _)| key.clone()).collect();
                let key =
                    self.random.pick(&known).unwrap_or_else(|| TurnKey::parse("turn-x").expect("a key"));
                AuthorityCommand::SpendVoid { key }
            }
            28 => AuthorityCommand::RewardGive(RewardGive {
                run: self.run_id(),
                judgement: Judgement::Good,
                reason: None,
                lesson: self.maybe(50, Self::words),
            }),
            29 | 30 => {
                let target = BindingTarget::Session(Ref::parse("ses_one").expect("a reference"));
                if self.random.chance(60) {
                    AuthorityCommand::Bind { target, agent: self.maybe(70, Self::lane) }
                } else {
                    AuthorityCommand::Unbind { target }
                }
            }
            _ => AuthorityCommand::Undo,
        }
    }
}
