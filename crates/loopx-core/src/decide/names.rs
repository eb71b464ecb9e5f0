//! What a command names: a store loads it beside what is open.

use crate::command::{
    AudienceDraft, AuthorityCommand, Command, LaneCommand, RunDraft, SpendDraft, TodoAdd, TodoEdit,
    TodoFinish,
};
use crate::state::Names;
use crate::todo::{Blocker, Covers, Succession};

impl Names {
    /// What a command names. What an undo brings back is among what the state names.
    pub fn of_command(command: &Command) -> Self {
        let mut names = Self::default();
        match command {
            Command::Lane(command) => names.of_lane(command),
            Command::Authority(command) => names.of_authority(command),
        }
        names
    }

    fn of_lane(&mut self, command: &LaneCommand) {
        match command {
            LaneCommand::TodoAdd(add) => self.add(add),
            LaneCommand::TodoEdit(edit) => self.edit(edit),
            LaneCommand::TodoClaim { todo, .. }
            | LaneCommand::NextClaim { expect: todo, .. }
            | LaneCommand::TodoRenew { todo, .. }
            | LaneCommand::TodoRelease { todo, .. } => drop(self.todos.insert(todo.clone())),
            LaneCommand::TodoFinish(finish) => self.finish(finish),
            LaneCommand::TodoBlock { todo, on } => {
                self.todos.insert(todo.clone());
                self.blocker(on);
            }
            LaneCommand::TodoUnblock(unblock) => {
                self.todos.insert(unblock.todo.clone());
                self.blocker(&unblock.off);
            }
            LaneCommand::TodoDefer(defer) => drop(self.todos.insert(defer.todo.clone())),
            LaneCommand::TodoDrop(dropped) => drop(self.todos.insert(dropped.todo.clone())),
            LaneCommand::TodoReopen(reopen) => drop(self.todos.insert(reopen.todo.clone())),
            LaneCommand::GateAsk(ask) => self.covers(&ask.covers),
            LaneCommand::GateWithdraw(withdraw) => drop(self.gates.insert(withdraw.gate.clone())),
            LaneCommand::RunRecord(record) => {
                self.todos.extend(record.todo.clone());
                self.run(&record.run);
            }
            LaneCommand::RunResolve { run } => drop(self.runs.insert(run.clone())),
            LaneCommand::Spend(spend) => self.spend(spend),
            LaneCommand::HandoffOffer(offer) => {
                self.todos.insert(offer.todo.clone());
                self.runs.extend(offer.evidence.iter().cloned());
            }
            LaneCommand::HandoffAccept { handoff, .. }
            | LaneCommand::HandoffDecline { handoff, .. }
            | LaneCommand::HandoffWithdraw { handoff, .. }
            | LaneCommand::HandoffFollowUp { handoff, .. } => drop(self.handoffs.insert(handoff.clone())),
            LaneCommand::Undo => {}
        }
    }

    fn of_authority(&mut self, command: &AuthorityCommand) {
        match command {
            AuthorityCommand::GateDecide { gate, .. }
            | AuthorityCommand::GateRevoke { gate }
            | AuthorityCommand::GateConditionMet { gate } => drop(self.gates.insert(gate.clone())),
            AuthorityCommand::GateWithdraw(withdraw) => drop(self.gates.insert(withdraw.gate.clone())),
            AuthorityCommand::GateCover { gate, covers } => {
                self.gates.insert(gate.clone());
                self.covers(covers);
            }
            AuthorityCommand::TodoFinish(finish) => self.finish(finish),
            AuthorityCommand::TodoEdit(edit) => self.edit(edit),
            AuthorityCommand::TodoUnblock(unblock) => {
                self.todos.insert(unblock.todo.clone());
                self.blocker(&unblock.off);
            }
            AuthorityCommand::TodoDefer(defer) => drop(self.todos.insert(defer.todo.clone())),
            AuthorityCommand::TodoDrop(dropped) => drop(self.todos.insert(dropped.todo.clone())),
            AuthorityCommand::TodoReopen(reopen) => drop(self.todos.insert(reopen.todo.clone())),
            AuthorityCommand::SpendVoid { key } => drop(self.spends.insert(key.clone())),
            AuthorityCommand::RewardGive(give) => drop(self.runs.insert(give.run.clone())),
            AuthorityCommand::GoalAdd(_)
            | AuthorityCommand::GoalEdit { .. }
            | AuthorityCommand::GoalScope { .. }
            | AuthorityCommand::AuthoritySet { .. }
            | AuthorityCommand::AuthorityRemove { .. }
            | AuthorityCommand::AuthorityLock { .. }
            | AuthorityCommand::GoalPause
            | AuthorityCommand::GoalResume
            | AuthorityCommand::GoalDone
            | AuthorityCommand::GoalArchive
            | AuthorityCommand::AgentAdd(_)
            | AuthorityCommand::AgentEdit { .. }
            | AuthorityCommand::QuotaSet { .. }
            | AuthorityCommand::Bind { .. }
            | AuthorityCommand::Unbind { .. }
            | AuthorityCommand::Undo => {}
        }
    }

    fn add(&mut self, add: &TodoAdd) {
        match &add.audience {
            AudienceDraft::Agent => {}
            AudienceDraft::User { covers, .. } => self.covers(covers),
        }
        add.blocked_by.iter().for_each(|blocker| self.blocker(blocker));
    }

    fn edit(&mut self, edit: &TodoEdit) {
        self.todos.insert(edit.todo.clone());
        edit.covers.iter().for_each(|covers| self.covers(covers));
    }

    fn finish(&mut self, finish: &TodoFinish) {
        self.todos.insert(finish.todo.clone());
        match &finish.succession {
            Succession::Unsaid | Succession::NoneNeeded => {}
            Succession::Named(named) => self.todos.extend(named.iter().cloned()),
        }
        finish.run.iter().for_each(|run| self.run(run));
        finish.spend.iter().for_each(|spend| self.spend(spend));
    }

    fn run(&mut self, run: &RunDraft) {
        self.runs.extend(run.id.clone());
    }

    fn spend(&mut self, spend: &SpendDraft) {
        self.spends.insert(spend.key.clone());
    }

    fn covers(&mut self, covers: &Covers) {
        self.todos.extend(covers.todos.iter().cloned());
    }

    fn blocker(&mut self, blocker: &Blocker) {
        match blocker {
            Blocker::Todo(id) => drop(self.todos.insert(id.clone())),
            Blocker::Gate(id) => drop(self.gates.insert(id.clone())),
            Blocker::Run(id) => drop(self.runs.insert(id.clone())),
            Blocker::Evidence(_) => {}
        }
    }
}
