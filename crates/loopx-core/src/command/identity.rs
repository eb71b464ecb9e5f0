//! What makes a retry the same command: what its caller said, not what was reckoned or seen on the way.

use jiff::Timestamp;

use super::{AuthorityCommand, Command, Decision, LaneCommand, Request, RunRecord};
use crate::run::RunKind;
use crate::todo::TodoClass;

impl Request {
    /// The request as a retry under the same idempotency key repeats it. "In 2 hours" is another instant each time it
    /// is said, what `next --claim` expects and what a recorded projection shows are what was seen: none of these
    /// tells one command from another.
    pub fn identity(&self) -> String {
        let mut command = self.command.clone();
        match &mut command {
            Command::Lane(LaneCommand::NextClaim { agent, lease_minutes, expect: _ }) => {
                return format!("{:?}\0NextClaim {agent} {lease_minutes}", self.actor.who);
            }
            Command::Lane(command) => lane(command),
            Command::Authority(command) => authority(command),
        }
        format!("{:?}\0{command:?}", self.actor.who)
    }
}

/// That there is an instant counts, which one it is does not.
fn instant(at: &mut Option<Timestamp>) {
    if let Some(at) = at {
        *at = Timestamp::UNIX_EPOCH;
    }
}

fn class(class: &mut TodoClass) {
    match class {
        TodoClass::Advance => {}
        TodoClass::Monitor { next_due_at } => *next_due_at = Timestamp::UNIX_EPOCH,
    }
}

fn projection(record: &mut RunRecord) {
    match record.run.kind {
        RunKind::Projection => {
            record.todo = None;
            let run = &mut record.run;
            (run.id, run.session, run.event_id, run.outcome_id) = (None, None, None, None);
        }
        RunKind::Progress
        | RunKind::Validation
        | RunKind::Blocker
        | RunKind::NoProgress
        | RunKind::Handoff => {}
    }
}

fn lane(command: &mut LaneCommand) {
    match command {
        LaneCommand::TodoAdd(add) => class(&mut add.class),
        LaneCommand::TodoEdit(edit) => edit.class.iter_mut().for_each(class),
        LaneCommand::TodoDefer(defer) => instant(&mut defer.until),
        LaneCommand::GateAsk(ask) => instant(&mut ask.expires_at),
        LaneCommand::HandoffOffer(offer) => instant(&mut offer.expires_at),
        LaneCommand::RunRecord(record) => projection(record),
        LaneCommand::NextClaim { .. }
        | LaneCommand::TodoClaim { .. }
        | LaneCommand::TodoRenew { .. }
        | LaneCommand::TodoRelease { .. }
        | LaneCommand::TodoFinish(_)
        | LaneCommand::TodoBlock { .. }
        | LaneCommand::TodoUnblock(_)
        | LaneCommand::TodoDrop(_)
        | LaneCommand::TodoReopen(_)
        | LaneCommand::GateWithdraw(_)
        | LaneCommand::RunResolve { .. }
        | LaneCommand::Spend(_)
        | LaneCommand::HandoffAccept { .. }
        | LaneCommand::HandoffDecline { .. }
        | LaneCommand::HandoffWithdraw { .. }
        | LaneCommand::HandoffFollowUp { .. }
        | LaneCommand::Undo => {}
    }
}

fn authority(command: &mut AuthorityCommand) {
    match command {
        AuthorityCommand::TodoEdit(edit) => edit.class.iter_mut().for_each(class),
        AuthorityCommand::TodoDefer(defer) => instant(&mut defer.until),
        AuthorityCommand::GateDecide { decision, .. } => match decision {
            Decision::Approve { until, .. } | Decision::Defer { until, .. } => instant(until),
            Decision::Reject { .. } => {}
        },
        AuthorityCommand::GoalAdd(_)
        | AuthorityCommand::GoalEdit { .. }
        | AuthorityCommand::GoalScope { .. }
        | AuthorityCommand::AuthoritySet { .. }
        | AuthorityCommand::AuthorityRemove { .. }
        | AuthorityCommand::GoalPause
        | AuthorityCommand::GoalResume
        | AuthorityCommand::GoalDone
        | AuthorityCommand::GoalArchive
        | AuthorityCommand::AuthorityLock { .. }
        | AuthorityCommand::AgentAdd(_)
        | AuthorityCommand::AgentEdit { .. }
        | AuthorityCommand::GateRevoke { .. }
        | AuthorityCommand::GateWithdraw(_)
        | AuthorityCommand::GateConditionMet { .. }
        | AuthorityCommand::GateCover { .. }
        | AuthorityCommand::TodoFinish(_)
        | AuthorityCommand::TodoUnblock(_)
        | AuthorityCommand::TodoDrop(_)
        | AuthorityCommand::TodoReopen(_)
        | AuthorityCommand::QuotaSet { .. }
        | AuthorityCommand::SpendVoid { .. }
        | AuthorityCommand::RewardGive(_)
        | AuthorityCommand::Bind { .. }
        | AuthorityCommand::Unbind { .. }
        | AuthorityCommand::Undo => {}
    }
}
