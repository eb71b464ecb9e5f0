//! Events: what happened, as it stands in the log. Append-only vocabulary: a variant is never changed in meaning,
//! only joined by a new one.
//!
//! Every text sits in a [`LogText`], and every change carries what it replaces where an undo needs it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, GoalId, HandoffId, Ref, RewardId, RunId, RuntimeId, TodoId};
use serde::{Deserialize, Serialize};

use crate::actor::{Actor, ProofFloor};
use crate::agent::{AgentKind, AgentState};
use crate::authority::AuthorityKey;
use crate::binding::BindingTarget;
use crate::gate::GateActor;
use crate::goal::{AuthorityRole, Freshness, GoalState, LastFinished};
use crate::handoff::HandoffState;
use crate::key::{CommandName, TurnKey};
use crate::quota::{Amount, Quota};
use crate::refusal::RefusalCode;
use crate::reward::Judgement;
use crate::run::{RunKind, Validation, ValidationOutcome};
use crate::text::LogText;
use crate::todo::{Audience, Blocker, Blocking, Covers, Priority, TodoClass};

/// One event with its place in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The goal whose log it is in.
    pub goal: GoalId,
    /// Its place there: 1, 2, 3, … without a gap.
    pub revision: u64,
    /// The revision of the first event of the same command.
    pub command: u64,
    /// When, UTC.
    pub at: Timestamp,
    /// Who, through which door, proved how.
    pub actor: Actor,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The goal was added.
    GoalAdded {
        /// What is to be reached.
        objective: LogText,
        /// The least proof its authority commands need.
        proof: ProofFloor,
        /// Read globs.
        read: Vec<LogText>,
        /// Write globs.
        write: Vec<LogText>,
        /// How private data is to be treated.
        private_data_rule: Option<LogText>,
        /// When a lane must stop.
        stop_condition: LogText,
    },
    /// The goal was edited; what is none stayed.
    GoalEdited {
        /// The new objective.
        objective: Option<LogText>,
        /// The new stop condition.
        stop_condition: Option<LogText>,
        /// The new private-data rule.
        private_data_rule: Option<LogText>,
        /// The private-data rule was taken away.
        private_data_rule_removed: bool,
        /// The new read globs.
        read: Option<Vec<LogText>>,
        /// The new write globs.
        write: Option<Vec<LogText>>,
    },
    /// An authority source was added or refreshed.
    AuthoritySet {
        /// What it is to the goal.
        role: AuthorityRole,
        /// Its name.
        label: LogText,
        /// How fresh what we know of it is.
        freshness: Freshness,
    },
    /// An authority source was taken away.
    AuthorityRemoved {
        /// What it was to the goal.
        role: AuthorityRole,
        /// Its name.
        label: LogText,
    },
    /// From here on each decision is signed by this key. Signed by the key before it, or by itself if it is the first.
    AuthorityLocked {
        /// The key.
        public_key: AuthorityKey,
    },
    /// The goal's state changed.
    GoalStateSet {
        /// From.
        from: GoalState,
        /// To.
        to: GoalState,
    },
    /// A lane was registered.
    AgentAdded {
        /// The slug.
        agent: AgentId,
        /// Automation or human.
        kind: AgentKind,
        /// The runtime it works in.
        runtime: Option<RuntimeId>,
        /// What it can do.
        capabilities: Vec<LogText>,
    },
    /// A lane was edited: all that can change of it, as it is from now on.
    AgentEdited {
        /// The slug.
        agent: AgentId,
        /// The runtime it works in.
        runtime: Option<RuntimeId>,
        /// What it can do.
        capabilities: Vec<LogText>,
        /// Active or paused.
        state: AgentState,
    },
    /// A todo was added.
    TodoAdded {
        /// Its id.
        todo: TodoId,
        /// What is to be done.
        title: LogText,
        /// Who is to do it.
        audience: LogAudience,
        /// How soon.
        priority: Priority,
        /// Work, or a thing to look at again.
        class: TodoClass,
        /// What it touches.
        globs: Vec<LogText>,
        /// What a lane must be able to do.
        needs: Vec<LogText>,
        /// What must be out of the way first.
        blocked_by: Vec<LogBlocker>,
        /// The lane that added it.
        by: Option<AgentId>,
    },
    /// A todo was edited: all that can change of it, as it is from now on.
    TodoEdited {
        /// Which.
        todo: TodoId,
        /// What is to be done.
        title: LogText,
        /// Who is to do it.
        audience: LogAudience,
        /// How soon.
        priority: Priority,
        /// Work, or a thing to look at again.
        class: TodoClass,
        /// What it touches.
        globs: Vec<LogText>,
        /// What a lane must be able to do.
        needs: Vec<LogText>,
    },
    /// A lane took a todo.
    TodoClaimed {
        /// Which.
        todo: TodoId,
        /// Whose claim.
        agent: AgentId,
        /// When the lease ends, UTC.
        until: Timestamp,
        /// The fencing counter.
        epoch: u64,
        /// The single-use approvals that it took.
        takes: BTreeSet<GateId>,
    },
    /// A claim was lengthened.
    TodoRenewed {
        /// Which.
        todo: TodoId,
        /// When the lease ends now, UTC.
        until: Timestamp,
    },
    /// A claim was given back.
    TodoReleased {
        /// Which.
        todo: TodoId,
        /// The single-use approvals that it gives back, where a claim is undone.
        gives_back: BTreeSet<GateId>,
    },
    /// A todo was finished.
    TodoFinished {
        /// Which.
        todo: TodoId,
        /// Whose it was; none: a person's.
        agent: Option<AgentId>,
        /// What comes after it.
        succession: crate::todo::Succession,
        /// The single-use approvals that are used up by it.
        uses: BTreeSet<GateId>,
    },
    /// It was said later what comes after a finished agent todo.
    TodoSucceeded {
        /// Which.
        todo: TodoId,
        /// What comes after it.
        succession: crate::todo::Succession,
    },
    /// Something now stands in a todo's way.
    TodoBlocked {
        /// Which.
        todo: TodoId,
        /// What.
        on: LogBlocker,
    },
    /// Something no longer stands in a todo's way.
    TodoUnblocked {
        /// Which.
        todo: TodoId,
        /// What.
        off: LogBlocker,
    },
    /// A todo was put off.
    TodoDeferred {
        /// Which.
        todo: TodoId,
        /// Until then, UTC.
        until: Option<Timestamp>,
    },
    /// A todo was dropped.
    TodoDropped {
        /// Which.
        todo: TodoId,
        /// Why.
        reason: Option<LogText>,
        /// The single-use approvals that are used up by it.
        uses: BTreeSet<GateId>,
    },
    /// A todo was opened again.
    TodoReopened {
        /// Which.
        todo: TodoId,
        /// The single-use approvals that it holds again, where its end is undone.
        takes: BTreeSet<GateId>,
        /// What was the goal's last finished todo before it, where its end is undone.
        last_finished: Option<LastFinished>,
    },
    /// A decision was asked for.
    GateAsked {
        /// Its id.
        gate: GateId,
        /// What is to be decided.
        question: LogText,
        /// Who decides.
        actor: GateActor,
        /// What it holds.
        covers: Covers,
        /// When the request runs out, UTC.
        expires_at: Option<Timestamp>,
        /// The user todo that is added with it.
        linked_todo: Option<TodoId>,
        /// The lane that asked.
        by: Option<AgentId>,
    },
    /// A gate was approved.
    GateApproved {
        /// Which.
        gate: GateId,
        /// When the approval runs out, UTC.
        until: Option<Timestamp>,
        /// For one use only.
        single_use: bool,
    },
    /// A gate was rejected.
    GateRejected {
        /// Which.
        gate: GateId,
        /// Why.
        reason: Option<LogText>,
    },
    /// A gate was put off.
    GateDeferred {
        /// Which.
        gate: GateId,
        /// Until then, UTC.
        until: Option<Timestamp>,
        /// Until this is supplied.
        condition: Option<LogText>,
    },
    /// A deferred gate's condition was met.
    GateConditionMet {
        /// Which.
        gate: GateId,
    },
    /// A decision was taken back: the gate counts as requested again.
    GateRevoked {
        /// Which.
        gate: GateId,
    },
    /// A question was taken back.
    GateWithdrawn {
        /// Which.
        gate: GateId,
    },
    /// What a gate covers was changed.
    GateCovered {
        /// Which.
        gate: GateId,
        /// All that it covers from now on.
        covers: Covers,
    },
    /// Limits were set.
    QuotaSet {
        /// Whose; none for the goal.
        agent: Option<AgentId>,
        /// The limits.
        quota: Quota,
    },
    /// Something was spent.
    Spent {
        /// The turn key.
        key: TurnKey,
        /// Whose; none for the goal as a whole.
        agent: Option<AgentId>,
        /// How much.
        amount: Amount,
        /// When, UTC.
        spent_at: Timestamp,
    },
    /// A spend was taken back.
    SpendVoided {
        /// The turn key.
        key: TurnKey,
    },
    /// A run was recorded.
    RunRecorded {
        /// Its id.
        run: RunId,
        /// Whose.
        agent: AgentId,
        /// What it was.
        kind: RunKind,
        /// The todo it was about.
        todo: Option<TodoId>,
        /// Our handle of the session.
        session: Option<Ref>,
        /// What was checked, how it ended, and its exit code.
        validation: Option<LogValidation>,
        /// What happened.
        summary: Option<LogText>,
        /// A compact pointer to the source event.
        event_id: Option<Ref>,
        /// A compact pointer to the outcome.
        outcome_id: Option<Ref>,
    },
    /// What a blocker run reported is out of the way.
    RunResolved {
        /// The blocker run.
        run: RunId,
    },
    /// A run was judged.
    RewardGiven {
        /// Its id.
        reward: RewardId,
        /// The run.
        run: RunId,
        /// The judgement.
        judgement: Judgement,
        /// Why.
        reason: Option<LogText>,
        /// The todo that a lesson became.
        lesson: Option<TodoId>,
    },
    /// A todo was offered.
    HandoffOffered {
        /// Its id.
        handoff: HandoffId,
        /// What is handed over.
        todo: TodoId,
        /// The giver.
        from: AgentId,
        /// The receiver.
        to: Option<AgentId>,
        /// What the receiver should do next.
        next_action: LogText,
        /// When the receiver must stop.
        stop_condition: Option<LogText>,
        /// Runs that show where it stands.
        evidence: BTreeSet<RunId>,
        /// When the offer runs out, UTC.
        expires_at: Option<Timestamp>,
    },
    /// A handoff moved on. Accepting is followed by a claim of the receiver.
    HandoffMoved {
        /// Which.
        handoff: HandoffId,
        /// Where it stands now.
        state: HandoffState,
        /// Who moved it, if a lane did.
        agent: Option<AgentId>,
    },
    /// A session or folder was bound to this goal.
    Bound {
        /// What.
        target: BindingTarget,
        /// The lane.
        agent: Option<AgentId>,
    },
    /// A binding was taken away.
    Unbound {
        /// What.
        target: BindingTarget,
    },
    /// A command was undone; the compensating events follow it.
    Undone {
        /// The revision of the first event of the undone command.
        command: u64,
    },
    /// An authority command was refused for want of proof.
    Refused {
        /// The command, by name.
        command: CommandName,
        /// Why.
        code: RefusalCode,
    },
    /// Texts were purged from the log.
    Purged {
        /// The revisions of the events that held them.
        revisions: Vec<u64>,
    },
}

/// Who is to do a todo, as it stands in an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogAudience {
    /// A lane.
    Agent,
    /// A person.
    User {
        /// What waits for it.
        covers: Covers,
        /// Whether it holds what it covers.
        blocking: Blocking,
        /// The gate whose question this is.
        gate: Option<GateId>,
    },
}

/// What stands in a todo's way, as it stands in an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogBlocker {
    /// Another todo.
    Todo(TodoId),
    /// A gate.
    Gate(GateId),
    /// External evidence, by label.
    Evidence(LogText),
    /// A blocker run.
    Run(RunId),
}

/// A check and how it ended, as it stands in an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogValidation {
    /// What was checked.
    pub label: LogText,
    /// How it ended.
    pub outcome: ValidationOutcome,
    /// The exit code.
    pub exit_code: Option<i32>,
}

impl From<&Audience> for LogAudience {
    fn from(audience: &Audience) -> Self {
        match audience {
            Audience::Agent => Self::Agent,
            Audience::User { covers, blocking, gate } => {
                Self::User { covers: covers.clone(), blocking: *blocking, gate: gate.clone() }
            }
        }
    }
}

impl From<&LogAudience> for Audience {
    fn from(audience: &LogAudience) -> Self {
        match audience {
            LogAudience::Agent => Self::Agent,
            LogAudience::User { covers, blocking, gate } => {
                Self::User { covers: covers.clone(), blocking: *blocking, gate: gate.clone() }
            }
        }
    }
}

impl From<&Blocker> for LogBlocker {
    fn from(blocker: &Blocker) -> Self {
        match blocker {
            Blocker::Todo(id) => Self::Todo(id.clone()),
            Blocker::Gate(id) => Self::Gate(id.clone()),
            Blocker::Evidence(label) => Self::Evidence(label.clone().into()),
            Blocker::Run(id) => Self::Run(id.clone()),
        }
    }
}

impl From<&LogBlocker> for Blocker {
    fn from(blocker: &LogBlocker) -> Self {
        match blocker {
            LogBlocker::Todo(id) => Self::Todo(id.clone()),
            LogBlocker::Gate(id) => Self::Gate(id.clone()),
            LogBlocker::Evidence(label) => Self::Evidence(label.text.clone()),
            LogBlocker::Run(id) => Self::Run(id.clone()),
        }
    }
}

impl From<&Validation> for LogValidation {
    fn from(validation: &Validation) -> Self {
        Self {
            label: validation.label.clone().into(),
            outcome: validation.outcome,
            exit_code: validation.exit_code,
        }
    }
}

impl From<&LogValidation> for Validation {
    fn from(validation: &LogValidation) -> Self {
        Self {
            label: validation.label.text.clone(),
            outcome: validation.outcome,
            exit_code: validation.exit_code,
        }
    }
}
