//! Why a command was refused: typed, with the thing it names, the way out and the exit code.

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, GoalId, HandoffId, RunId, TodoId};
use serde::{Deserialize, Serialize};

use crate::actor::{Proof, ProofFloor};
use crate::authority::AuthorityKey;

/// A refusal's name in the log and in `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// No such thing.
    NotFound,
    /// Such a thing exists already.
    Exists,
    /// Another holds it, or it has moved on.
    Conflict,
    /// The command makes no sense for the thing as it is.
    Invalid,
    /// A lane asked what needs a person.
    NeedsPerson,
    /// The proof is less than the goal asks for.
    NeedsProof,
    /// The boundary does not allow it.
    Boundary,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The goal is not there.
    #[error("no goal {0}")]
    NoGoal(GoalId),
    /// The goal is there already, perhaps in other case.
    #[error("goal {0} exists")]
    GoalExists(GoalId),
    /// The lane is not registered.
    #[error("no agent {0} on this goal")]
    NoAgent(AgentId),
    /// The lane is there already, perhaps in other case.
    #[error("agent {0} exists on this goal")]
    AgentExists(AgentId),
    /// The todo is not there.
    #[error("no todo {0} on this goal")]
    NoTodo(TodoId),
    /// The gate is not there.
    #[error("no gate {0} on this goal")]
    NoGate(GateId),
    /// The run is not there.
    #[error("no run {0} on this goal")]
    NoRun(RunId),
    /// The handoff is not there.
    #[error("no handoff {0} on this goal")]
    NoHandoff(HandoffId),
    /// Something else is not there.
    #[error("no such {0}")]
    NoThing(&'static str),
    /// Another lane holds the todo.
    #[error("{todo} is held by {holder} until {until}")]
    Held {
        /// Which.
        todo: TodoId,
        /// By whom.
        holder: AgentId,
        /// When its lease ends, UTC.
        until: Timestamp,
    },
    /// The token is not that of the live claim.
    #[error("{todo}: the claim was lost: token {given}, current {current}")]
    StaleToken {
        /// Which.
        todo: TodoId,
        /// What was given.
        given: u64,
        /// What holds now.
        current: u64,
    },
    /// The lane has no live claim on it.
    #[error("{todo} is not claimed by {agent}")]
    NotClaimed {
        /// Which.
        todo: TodoId,
        /// By whom.
        agent: AgentId,
    },
    /// The thing is not in a state for this.
    #[error("{thing} is {state}")]
    WrongState {
        /// Which, by id.
        thing: String,
        /// How it is.
        state: &'static str,
        /// The way out.
        hint: &'static str,
    },
    /// A gate or ask holds the todo.
    #[error("{todo} is held by {by}")]
    HeldBy {
        /// Which.
        todo: TodoId,
        /// By what, as an id.
        by: String,
    },
    /// The screen shows another todo now.
    #[error("the first executable todo changed")]
    NextChanged {
        /// What it is now.
        now: Option<TodoId>,
    },
    /// The lane can't do this todo.
    #[error("{todo} needs {need}, which {agent} lacks")]
    Unfit {
        /// Which.
        todo: TodoId,
        /// Who.
        agent: AgentId,
        /// A capability or a scope, as it was given to us.
        need: String,
    },
    /// The spend is over what is allowed.
    #[error("over the allowance of {limit} {unit}: {used} used, {asked} more asked")]
    OverAllowance {
        /// Turns, minutes or tokens.
        unit: &'static str,
        /// The most allowed in the window.
        limit: u64,
        /// What was used in it before.
        used: u64,
        /// What was to be spent.
        asked: u64,
    },
    /// Values that make no sense.
    #[error("{field}: {reason}")]
    BadValue {
        /// Which field.
        field: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A user's todo answers a gate.
    #[error("{todo} asks for the decision of {gate}")]
    AnswersGate {
        /// Which.
        todo: TodoId,
        /// The gate to decide.
        gate: GateId,
    },
    /// A lane asked what needs a person.
    #[error("{what} needs a person's decision")]
    NeedsPerson {
        /// The command, by name.
        what: &'static str,
    },
    /// A lane acts in another's name.
    #[error("a session of {lane} may not act as {named}")]
    OtherLane {
        /// The lane of the caller.
        lane: AgentId,
        /// The lane it named.
        named: AgentId,
    },
    /// The proof is less than the goal asks for.
    #[error("this goal takes decisions with proof {floor} or better; this one has {given}", floor = .floor.word(), given = .given.word())]
    NeedsProof {
        /// The least the goal accepts.
        floor: ProofFloor,
        /// What came.
        given: Proof,
    },
    /// The goal asks for a passphrase, and no key signs its decisions yet.
    #[error("{what} needs the passphrase, and none is set up for this goal")]
    NotLocked {
        /// The command, by name.
        what: &'static str,
    },
    /// The decision is not signed by the goal's key.
    #[error("{what} is to be signed by this goal's key {key}", key = .key.short())]
    NotSigned {
        /// The command, by name.
        what: &'static str,
        /// The key that signs this goal's decisions.
        key: AuthorityKey,
    },
    /// The same key was used for another command.
    #[error("this key was used for another command")]
    KeyReused,
    /// There is nothing to undo.
    #[error("nothing to undo: {0}")]
    NothingToUndo(&'static str),
}

impl Refusal {
    /// Its name in the log and in `--json`.
    pub const fn code(&self) -> RefusalCode {
        match self {
            Self::NoGoal(_)
            | Self::NoAgent(_)
            | Self::NoTodo(_)
            | Self::NoGate(_)
            | Self::NoRun(_)
            | Self::NoHandoff(_)
            | Self::NoThing(_) => RefusalCode::NotFound,
            Self::GoalExists(_) | Self::AgentExists(_) => RefusalCode::Exists,
            Self::Held { .. }
            | Self::StaleToken { .. }
            | Self::NotClaimed { .. }
            | Self::WrongState { .. }
            | Self::HeldBy { .. }
            | Self::NextChanged { .. }
            | Self::KeyReused
            | Self::NothingToUndo(_) => RefusalCode::Conflict,
            Self::BadValue { .. } => RefusalCode::Invalid,
            Self::AnswersGate { .. } | Self::NeedsPerson { .. } | Self::OtherLane { .. } => {
                RefusalCode::NeedsPerson
            }
            Self::NeedsProof { .. } | Self::NotLocked { .. } | Self::NotSigned { .. } => {
                RefusalCode::NeedsProof
            }
            Self::Unfit { .. } | Self::OverAllowance { .. } => RefusalCode::Boundary,
        }
    }

    /// The exit code of the domain's table: 2 usage, 3 not found, 4 conflict, 7 boundary or authority.
    pub const fn exit(&self) -> u8 {
        match self.code() {
            RefusalCode::Invalid => 2,
            RefusalCode::NotFound => 3,
            RefusalCode::Exists | RefusalCode::Conflict => 4,
            RefusalCode::NeedsPerson | RefusalCode::NeedsProof | RefusalCode::Boundary => 7,
        }
    }

    /// Whether the attempt itself goes into the log: an authority command without the proof for it.
    pub const fn is_recorded(&self) -> bool {
        matches!(self.code(), RefusalCode::NeedsPerson | RefusalCode::NeedsProof)
    }

    /// One way out.
    pub fn hint(&self) -> String {
        match self {
            Self::NoGoal(goal) => {
                format!("see `loopx goal list`, or add it: `loopx goal add {goal} --objective …`")
            }
            Self::GoalExists(_) => "see `loopx goal list`".to_owned(),
            Self::NoAgent(agent) => {
                format!("see `loopx agent list`, or register it: `loopx agent add {agent}`")
            }
            Self::AgentExists(_) => "see `loopx agent list`".to_owned(),
            Self::NoTodo(_) => "see `loopx todo list --all`".to_owned(),
            Self::NoGate(_) => "see `loopx gate list --all`".to_owned(),
            Self::NoRun(_) => "see `loopx run list`".to_owned(),
            Self::NoThing(_) => "look with the `list` or `show` of its verb".to_owned(),
            Self::Held { holder, .. } => format!("take other work, or ask {holder} for a handoff"),
            Self::StaleToken { .. } | Self::NotClaimed { .. } => {
                "claim it again with `loopx todo claim`".to_owned()
            }
            Self::WrongState { hint, .. } => (*hint).to_owned(),
            Self::HeldBy { by, .. } => match by.split('_').next() {
                Some("run") => format!("once it is out of the way: `loopx run resolve {by}`"),
                Some("gate") => {
                    format!("see `loopx gate show {by}`: what it covers waits until it is approved")
                }
                Some("hof") => format!("see `loopx handoff show {by}`"),
                Some(_) | None => format!("see `loopx why`, then settle {by}"),
            },
            Self::NextChanged { .. } => "run `loopx next --claim` again".to_owned(),
            Self::Unfit { .. } => {
                "a person can grant it: `loopx agent edit` or `loopx goal scope`".to_owned()
            }
            Self::OverAllowance { .. } => {
                "leave out the spend, or a person can raise the limit: `loopx quota set`".to_owned()
            }
            Self::BadValue { .. } => "see `--help` of this command".to_owned(),
            Self::AnswersGate { gate, .. } => {
                format!("decide it: `loopx gate approve {gate}` or `loopx gate reject {gate}`")
            }
            Self::NeedsProof { floor: ProofFloor::Passphrase, .. } => {
                "run it yourself in a terminal outside the agent's session, and type the passphrase"
                    .to_owned()
            }
            Self::NeedsPerson { .. } | Self::NeedsProof { .. } => {
                "run it yourself in a terminal outside the agent's session".to_owned()
            }
            Self::NotLocked { .. } => "set it up: `loopx authority lock`".to_owned(),
            Self::NotSigned { .. } => {
                "see `loopx authority status`; put the authority.json with this key back in the data folder"
                    .to_owned()
            }
            Self::OtherLane { .. } => "leave out `--agent`".to_owned(),
            Self::KeyReused => "use a new key for a new command".to_owned(),
            Self::NoHandoff(_) | Self::NothingToUndo(_) => "see `loopx log`".to_owned(),
        }
    }
}
