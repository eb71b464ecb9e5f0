//! Commands: what can be asked of the control plane. Defined once; every door is made from these types.
//!
//! A [`LaneCommand`] is what an agent's lane may do. An [`AuthorityCommand`] needs a person, with at least the
//! proof the goal asks for. MCP, hooks and ingest compile against [`LaneCommand`] alone.

mod identity;
mod mint;

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, GoalId, HandoffId, Ref, RunId, RuntimeId, TodoId};
use loopx_safety::PublicText;

use crate::actor::{Actor, ProofFloor};
use crate::agent::{AgentKind, AgentState, Capability};
use crate::authority::AuthorityKey;
use crate::binding::BindingTarget;
use crate::gate::GateActor;
use crate::goal::{AuthorityRole, Freshness};
use crate::key::{IdempotencyKey, TurnKey};
use crate::quota::{Amount, Quota};
use crate::reward::Judgement;
use crate::run::{RunKind, Validation};
use crate::scope::Glob;
use crate::todo::{Blocker, Blocking, Covers, Priority, Succession, TodoClass};

pub use mint::IdSource;
pub(crate) use mint::Mint;

/// One command with everything around it that is not its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The goal whose log it goes to.
    pub goal: GoalId,
    /// Who asks, through which door, proved how.
    pub actor: Actor,
    /// A retry with the same key returns the original receipt.
    pub key: Option<IdempotencyKey>,
    /// What is asked.
    pub command: Command,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A lane may ask this.
    Lane(LaneCommand),
    /// This needs a person.
    Authority(AuthorityCommand),
}

/// What a lane may do. A person may do it in a lane's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneCommand {
    /// Adds a todo for an agent or a user.
    TodoAdd(TodoAdd),
    /// Edits an agent todo.
    TodoEdit(TodoEdit),
    /// Takes a todo for a lane.
    TodoClaim {
        /// Which.
        todo: TodoId,
        /// For whom.
        agent: AgentId,
        /// How long the claim counts, in minutes.
        lease_minutes: u32,
    },
    /// Claims what `next` would show, in the same transaction.
    NextClaim {
        /// For whom.
        agent: AgentId,
        /// How long the claim counts, in minutes.
        lease_minutes: u32,
        /// The todo that the caller's screen showed as executable.
        expect: TodoId,
    },
    /// Lengthens a claim.
    TodoRenew {
        /// Which.
        todo: TodoId,
        /// Whose claim.
        agent: AgentId,
        /// The claim's epoch, where the caller knows it.
        token: Option<u64>,
        /// How long the claim counts from now, in minutes.
        lease_minutes: u32,
    },
    /// Gives a claim back.
    TodoRelease {
        /// Which.
        todo: TodoId,
        /// Whose claim.
        agent: AgentId,
        /// The claim's epoch, where the caller knows it.
        token: Option<u64>,
    },
    /// Finishes an agent todo; records its run and spends its turn in the same step.
    TodoFinish(TodoFinish),
    /// Adds to what stands in a todo's way.
    TodoBlock {
        /// Which.
        todo: TodoId,
        /// What.
        on: Blocker,
    },
    /// Takes a todo or evidence out of what stands in a todo's way.
    TodoUnblock(TodoUnblock),
    /// Puts an agent todo off.
    TodoDefer(TodoDefer),
    /// Drops an agent todo.
    TodoDrop(TodoDrop),
    /// Opens a deferred, finished or dropped agent todo again.
    TodoReopen(TodoReopen),
    /// Asks for a decision.
    GateAsk(GateAsk),
    /// Takes back a question that this lane asked.
    GateWithdraw(GateWithdraw),
    /// Adds to run history.
    RunRecord(RunRecord),
    /// Says that what a blocker run reported is out of the way.
    RunResolve {
        /// The blocker run.
        run: RunId,
    },
    /// Counts a turn, minutes or tokens.
    Spend(SpendDraft),
    /// Offers a todo to another lane.
    HandoffOffer(HandoffOffer),
    /// Takes an offered todo; the claim moves.
    HandoffAccept {
        /// Which.
        handoff: HandoffId,
        /// The receiver.
        agent: AgentId,
        /// How long the claim counts, in minutes.
        lease_minutes: u32,
    },
    /// Says no to an offer.
    HandoffDecline {
        /// Which.
        handoff: HandoffId,
        /// The receiver.
        agent: AgentId,
    },
    /// Takes an offer back.
    HandoffWithdraw {
        /// Which.
        handoff: HandoffId,
        /// The giver.
        agent: AgentId,
    },
    /// Says how an accepted handoff went on, as a run of the receiver.
    HandoffFollowUp {
        /// Which.
        handoff: HandoffId,
        /// The receiver.
        agent: AgentId,
        /// What happened.
        summary: PublicText,
    },
    /// Undoes the actor's own last command, by a compensating event.
    Undo,
}

/// What needs a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorityCommand {
    /// Adds the goal.
    GoalAdd(GoalAdd),
    /// Edits the goal.
    GoalEdit {
        /// The new objective.
        objective: Option<PublicText>,
        /// The new stop condition.
        stop_condition: Option<PublicText>,
        /// The new private-data rule; `Some(None)` takes it away.
        private_data_rule: Option<Option<PublicText>>,
    },
    /// Sets the scopes.
    GoalScope {
        /// The new read globs.
        read: Option<Vec<Glob>>,
        /// The new write globs.
        write: Option<Vec<Glob>>,
    },
    /// Adds or refreshes an authority source.
    AuthoritySet {
        /// What it is to the goal.
        role: AuthorityRole,
        /// Its name; with the role, its key.
        label: PublicText,
        /// How fresh what we know of it is.
        freshness: Freshness,
    },
    /// Has every decision signed by this key from now on. For good: a key can only be followed by another.
    AuthorityLock {
        /// The key.
        public_key: AuthorityKey,
    },
    /// Takes an authority source away.
    AuthorityRemove {
        /// What it is to the goal.
        role: AuthorityRole,
        /// Its name.
        label: PublicText,
    },
    /// Pauses an active goal.
    GoalPause,
    /// Makes a paused, done or archived goal active again.
    GoalResume,
    /// Says that the goal is reached.
    GoalDone,
    /// Puts the goal away.
    GoalArchive,
    /// Registers a lane.
    AgentAdd(AgentAdd),
    /// Edits a lane.
    AgentEdit {
        /// Which.
        agent: AgentId,
        /// The new runtime; `Some(None)` takes it away.
        runtime: Option<Option<RuntimeId>>,
        /// The new capabilities.
        capabilities: Option<BTreeSet<Capability>>,
        /// Active or paused.
        state: Option<AgentState>,
    },
    /// Decides a gate.
    GateDecide {
        /// Which.
        gate: GateId,
        /// How.
        decision: Decision,
    },
    /// Takes an approval back: the gate counts as requested again.
    GateRevoke {
        /// Which.
        gate: GateId,
    },
    /// Takes any question back.
    GateWithdraw(GateWithdraw),
    /// Says that a deferred gate's condition is met.
    GateConditionMet {
        /// Which.
        gate: GateId,
    },
    /// Takes things out of what a gate covers, or adds them.
    GateCover {
        /// Which.
        gate: GateId,
        /// All that it covers from now on.
        covers: Covers,
    },
    /// Finishes a user todo.
    TodoFinish(TodoFinish),
    /// Edits any todo.
    TodoEdit(TodoEdit),
    /// Takes anything out of what stands in a todo's way.
    TodoUnblock(TodoUnblock),
    /// Puts any todo off.
    TodoDefer(TodoDefer),
    /// Drops any todo.
    TodoDrop(TodoDrop),
    /// Opens any todo again.
    TodoReopen(TodoReopen),
    /// Sets the limits of the goal or of one lane.
    QuotaSet {
        /// Whose; none for the goal.
        agent: Option<AgentId>,
        /// The limits.
        quota: Quota,
    },
    /// Takes a spend back.
    SpendVoid {
        /// Its turn key.
        key: TurnKey,
    },
    /// Judges a run.
    RewardGive(RewardGive),
    /// Binds a session or folder to this goal.
    Bind {
        /// What.
        target: BindingTarget,
        /// The lane; none: the goal alone.
        agent: Option<AgentId>,
    },
    /// Takes a binding away.
    Unbind {
        /// What.
        target: BindingTarget,
    },
    /// Undoes the actor's own last command, by a compensating event.
    Undo,
}

/// A goal to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalAdd {
    /// What is to be reached.
    pub objective: PublicText,
    /// The least proof its authority commands will need.
    pub proof: ProofFloor,
    /// The key that signs its decisions from the beginning.
    pub lock: Option<AuthorityKey>,
    /// Read globs.
    pub read: Vec<Glob>,
    /// Write globs.
    pub write: Vec<Glob>,
    /// How private data is to be treated, where stated.
    pub private_data_rule: Option<PublicText>,
    /// When a lane must stop; none: the contract's own words.
    pub stop_condition: Option<PublicText>,
    /// The lanes it begins with.
    pub agents: Vec<AgentAdd>,
    /// What is bound to it, and to which of its lanes, from the beginning.
    pub bind: Vec<(BindingTarget, Option<AgentId>)>,
}

/// A lane to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAdd {
    /// The slug.
    pub agent: AgentId,
    /// Automation or human.
    pub kind: AgentKind,
    /// The runtime it works in.
    pub runtime: Option<RuntimeId>,
    /// What it can do.
    pub capabilities: BTreeSet<Capability>,
}

/// A todo to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoAdd {
    /// What is to be done.
    pub title: PublicText,
    /// Who is to do it.
    pub audience: AudienceDraft,
    /// How soon.
    pub priority: Priority,
    /// Work, or a thing to look at again.
    pub class: TodoClass,
    /// What it touches.
    pub globs: Vec<Glob>,
    /// What a lane must be able to do.
    pub needs: BTreeSet<Capability>,
    /// What must be out of the way first.
    pub blocked_by: BTreeSet<Blocker>,
}

/// Who is to do a todo that is being added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AudienceDraft {
    /// A lane.
    Agent,
    /// A person.
    User {
        /// What waits for it.
        covers: Covers,
        /// Whether it holds what it covers.
        blocking: Blocking,
    },
}

/// Changes to a todo; what is none stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoEdit {
    /// Which.
    pub todo: TodoId,
    /// The new title.
    pub title: Option<PublicText>,
    /// The new priority.
    pub priority: Option<Priority>,
    /// The new class.
    pub class: Option<TodoClass>,
    /// The new globs.
    pub globs: Option<Vec<Glob>>,
    /// The new needs.
    pub needs: Option<BTreeSet<Capability>>,
    /// For a user todo: what waits for it.
    pub covers: Option<Covers>,
    /// For a user todo: whether it holds.
    pub blocking: Option<Blocking>,
}

/// A todo to finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoFinish {
    /// Which.
    pub todo: TodoId,
    /// Whose; a person finishing a user todo needs none.
    pub agent: Option<AgentId>,
    /// The claim's epoch, where the caller knows it.
    pub token: Option<u64>,
    /// What comes after it.
    pub succession: Succession,
    /// The run to record with it.
    pub run: Option<RunDraft>,
    /// What to spend with it.
    pub spend: Option<SpendDraft>,
}

/// What to take out of a todo's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoUnblock {
    /// Which todo.
    pub todo: TodoId,
    /// What.
    pub off: Blocker,
}

/// A todo to put off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoDefer {
    /// Which.
    pub todo: TodoId,
    /// Until then, UTC; none: until it is reopened.
    pub until: Option<Timestamp>,
}

/// A todo to drop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoDrop {
    /// Which.
    pub todo: TodoId,
    /// Why, where said.
    pub reason: Option<PublicText>,
}

/// A todo to open again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoReopen {
    /// Which.
    pub todo: TodoId,
}

/// A question to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateAsk {
    /// What is to be decided.
    pub question: PublicText,
    /// Who decides.
    pub actor: GateActor,
    /// What it holds.
    pub covers: Covers,
    /// When the request runs out, UTC; it still counts as requested then.
    pub expires_at: Option<Timestamp>,
    /// The lane that asks.
    pub agent: Option<AgentId>,
}

/// A question to take back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateWithdraw {
    /// Which.
    pub gate: GateId,
    /// The lane that asked.
    pub agent: Option<AgentId>,
}

/// A decision on a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Approve {
        /// When the approval runs out, UTC.
        until: Option<Timestamp>,
        /// For one use only.
        single_use: bool,
    },
    /// No.
    Reject {
        /// Why.
        reason: Option<PublicText>,
    },
    /// Not now.
    Defer {
        /// Until then, UTC.
        until: Option<Timestamp>,
        /// Until this is supplied.
        condition: Option<PublicText>,
    },
}

/// A run to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// Whose.
    pub agent: AgentId,
    /// The todo it was about; a blocker names one.
    pub todo: Option<TodoId>,
    /// The rest.
    pub run: RunDraft,
}

/// The content of a run to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDraft {
    /// What it was.
    pub kind: RunKind,
    /// Our handle of the session it happened in.
    pub session: Option<Ref>,
    /// A check and how it ended.
    pub validation: Option<Validation>,
    /// What happened.
    pub summary: Option<PublicText>,
    /// A compact pointer to the source event.
    pub event_id: Option<Ref>,
    /// A compact pointer to the outcome.
    pub outcome_id: Option<Ref>,
    /// The id to record it under; none: one is minted.
    pub id: Option<RunId>,
}

/// Something to spend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendDraft {
    /// Whose; none for the goal as a whole.
    pub agent: Option<AgentId>,
    /// A retry with the same key is the same spend.
    pub key: TurnKey,
    /// How much.
    pub amount: Amount,
    /// When, UTC; none: now. In the future counts as now.
    pub at: Option<Timestamp>,
}

/// A todo to offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoffOffer {
    /// What is handed over.
    pub todo: TodoId,
    /// The giver.
    pub from: AgentId,
    /// The receiver.
    pub to: Option<AgentId>,
    /// What the receiver should do next.
    pub next_action: PublicText,
    /// When the receiver must stop.
    pub stop_condition: Option<PublicText>,
    /// Runs that show where it stands.
    pub evidence: BTreeSet<RunId>,
    /// When the offer runs out, UTC.
    pub expires_at: Option<Timestamp>,
}

/// A judgement to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewardGive {
    /// The run that is judged.
    pub run: RunId,
    /// The judgement.
    pub judgement: Judgement,
    /// Why.
    pub reason: Option<PublicText>,
    /// A lesson that becomes a todo.
    pub lesson: Option<PublicText>,
}
