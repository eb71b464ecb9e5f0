//! What can be undone: for each actor, what its last command did and the events that would compensate it.

use std::collections::BTreeSet;

use loopx_contract::{AgentId, GateId, HandoffId, RunId, TodoId};
use serde::{Deserialize, Serialize};

use crate::binding::BindingTarget;
use crate::event::Event;
use crate::key::TurnKey;

/// The last command of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCommand {
    /// The revision of its first event.
    pub command: u64,
    /// What it changed, and what undoing it relies on: no other command may change these in between.
    pub things: BTreeSet<Thing>,
    /// How it is undone.
    pub undo: Undo,
}

/// How a command is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// By these events, in this order.
    By(Vec<Event>),
    /// It can't be.
    Never(WhyNot),
}

/// Why a command can't be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyNot {
    /// It made the goal.
    GoalAdded,
    /// It registered a lane.
    AgentAdded,
    /// It locked the goal's decisions.
    AuthorityLocked,
    /// It recorded a run.
    RunRecorded,
    /// It resolved a blocker.
    RunResolved,
    /// It spent something.
    Spent,
    /// It took a spend back.
    SpendVoided,
    /// It judged a run.
    RewardGiven,
    /// It decided on an approval that was used since it was given.
    ApprovalUsed,
    /// It opened a finished todo again.
    Reopened,
    /// Another command has changed the same thing since.
    Overtaken,
    /// It was undone, or was itself an undo.
    Undone,
    /// Texts were purged since.
    Purged,
}

impl WhyNot {
    /// The reason, with the way out.
    pub const fn words(self) -> &'static str {
        match self {
            Self::GoalAdded => "a goal is put away with `loopx goal archive`",
            Self::AgentAdded => "a lane is put to rest with `loopx agent pause`",
            Self::AuthorityLocked => "a key is only followed by another: `loopx authority lock --new-key`",
            Self::RunRecorded => "run history is append-only; a finished todo opens with `loopx todo reopen`",
            Self::RunResolved => "run history is append-only; record a new blocker run",
            Self::Spent => "a spend is taken back with `loopx quota void`",
            Self::SpendVoided => "spend it again under a new turn key",
            Self::RewardGiven => "a judgement stands; give another for the same run",
            Self::ApprovalUsed => "the approval was used; decide the gate again",
            Self::Reopened => "finish it again with `loopx todo done`",
            Self::Overtaken => "another command changed the same thing since",
            Self::Undone => "the last command was undone already",
            Self::Purged => "texts were purged since",
        }
    }
}

/// What an event changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// The goal's own fields.
    Goal,
    /// A lane.
    Agent(AgentId),
    /// A todo.
    Todo(TodoId),
    /// A gate.
    Gate(GateId),
    /// A run.
    Run(RunId),
    /// A handoff.
    Handoff(HandoffId),
    /// A spend.
    Spend(TurnKey),
    /// A binding.
    Binding(BindingTarget),
}
