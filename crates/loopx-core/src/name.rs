//! The words that commands and events go by.

use crate::command::{AuthorityCommand, Command, LaneCommand};
use crate::event::Event;

impl Command {
    /// Its name, as on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Lane(command) => command.name(),
            Self::Authority(command) => command.name(),
        }
    }
}

impl LaneCommand {
    /// Its name, as on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TodoAdd(_) => "todo add",
            Self::TodoEdit(_) => "todo edit",
            Self::TodoClaim { .. } => "todo claim",
            Self::NextClaim { .. } => "next --claim",
            Self::TodoRenew { .. } => "todo renew",
            Self::TodoRelease { .. } => "todo release",
            Self::TodoFinish(_) => "todo done",
            Self::TodoBlock { .. } => "todo block",
            Self::TodoUnblock(_) => "todo unblock",
            Self::TodoDefer(_) => "todo defer",
            Self::TodoDrop(_) => "todo drop",
            Self::TodoReopen(_) => "todo reopen",
            Self::GateAsk(_) => "gate ask",
            Self::GateWithdraw(_) => "gate withdraw",
            Self::RunRecord(_) => "run record",
            Self::RunResolve { .. } => "run resolve",
            Self::Spend(_) => "quota spend",
            Self::HandoffOffer(_) => "handoff offer",
            Self::HandoffAccept { .. } => "handoff accept",
            Self::HandoffDecline { .. } => "handoff decline",
            Self::HandoffWithdraw { .. } => "handoff withdraw",
            Self::HandoffFollowUp { .. } => "handoff follow-up",
            Self::Undo => "undo",
        }
    }
}

impl AuthorityCommand {
    /// Its name, as on the command line.
    pub const fn name(&self) -> &'static str {
        use crate::command::Decision;
        match self {
            Self::GoalAdd(_) => "goal add",
            Self::GoalEdit { .. } => "goal edit",
            Self::GoalScope { .. } => "goal scope",
            Self::AuthoritySet { .. } => "goal authority set",
            Self::AuthorityRemove { .. } => "goal authority remove",
            Self::AuthorityLock { .. } => "authority lock",
            Self::GoalPause => "goal pause",
            Self::GoalResume => "goal resume",
            Self::GoalDone => "goal done",
            Self::GoalArchive => "goal archive",
            Self::AgentAdd(_) => "agent add",
            Self::AgentEdit { .. } => "agent edit",
            Self::GateDecide { decision: Decision::Approve { .. }, .. } => "gate approve",
            Self::GateDecide { decision: Decision::Reject { .. }, .. } => "gate reject",
            Self::GateDecide { decision: Decision::Defer { .. }, .. } => "gate defer",
            Self::GateRevoke { .. } => "gate revoke",
            Self::GateWithdraw(_) => "gate withdraw",
            Self::GateConditionMet { .. } => "gate met",
            Self::GateCover { .. } => "gate cover",
            Self::TodoFinish(_) => "todo done",
            Self::TodoEdit(_) => "todo edit",
            Self::TodoUnblock(_) => "todo unblock",
            Self::TodoDefer(_) => "todo defer",
            Self::TodoDrop(_) => "todo drop",
            Self::TodoReopen(_) => "todo reopen",
            Self::QuotaSet { .. } => "quota set",
            Self::SpendVoid { .. } => "quota void",
            Self::RewardGive(_) => "reward give",
            Self::Bind { .. } => "bind",
            Self::Unbind { .. } => "unbind",
            Self::Undo => "undo",
        }
    }
}

impl Event {
    /// Its name: the `type` of its JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::GoalAdded { .. } => "goal_added",
            Self::GoalEdited { .. } => "goal_edited",
            Self::AuthoritySet { .. } => "authority_set",
            Self::AuthorityRemoved { .. } => "authority_removed",
            Self::AuthorityLocked { .. } => "authority_locked",
            Self::GoalStateSet { .. } => "goal_state_set",
            Self::AgentAdded { .. } => "agent_added",
            Self::AgentEdited { .. } => "agent_edited",
            Self::TodoAdded { .. } => "todo_added",
            Self::TodoEdited { .. } => "todo_edited",
            Self::TodoClaimed { .. } => "todo_claimed",
            Self::TodoRenewed { .. } => "todo_renewed",
            Self::TodoReleased { .. } => "todo_released",
            Self::TodoFinished { .. } => "todo_finished",
            Self::TodoSucceeded { .. } => "todo_succeeded",
            Self::TodoBlocked { .. } => "todo_blocked",
            Self::TodoUnblocked { .. } => "todo_unblocked",
            Self::TodoDeferred { .. } => "todo_deferred",
            Self::TodoDropped { .. } => "todo_dropped",
            Self::TodoReopened { .. } => "todo_reopened",
            Self::GateAsked { .. } => "gate_asked",
            Self::GateApproved { .. } => "gate_approved",
            Self::GateRejected { .. } => "gate_rejected",
            Self::GateDeferred { .. } => "gate_deferred",
            Self::GateConditionMet { .. } => "gate_condition_met",
            Self::GateRevoked { .. } => "gate_revoked",
            Self::GateWithdrawn { .. } => "gate_withdrawn",
            Self::GateCovered { .. } => "gate_covered",
            Self::QuotaSet { .. } => "quota_set",
            Self::Spent { .. } => "spent",
            Self::SpendVoided { .. } => "spend_voided",
            Self::RunRecorded { .. } => "run_recorded",
            Self::RunResolved { .. } => "run_resolved",
            Self::RewardGiven { .. } => "reward_given",
            Self::HandoffOffered { .. } => "handoff_offered",
            Self::HandoffMoved { .. } => "handoff_moved",
            Self::Bound { .. } => "bound",
            Self::Unbound { .. } => "unbound",
            Self::Undone { .. } => "undone",
            Self::Refused { .. } => "refused",
            Self::Purged { .. } => "purged",
        }
    }
}
