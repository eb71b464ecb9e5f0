//! The rows of the decision table, by name and number.

use serde::{Deserialize, Serialize};

/// One row of the decision table. The first that holds wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// 1: the log is unreadable, or the output fails its screen.
    Integrity,
    /// 2: goal or agent not registered, or a goal without agents.
    UnknownLane,
    /// 3: goal done or archived.
    Closed,
    /// 4: goal or lane paused.
    Paused,
    /// 5: a session shows a prompt.
    Prompt,
    /// 6: nothing executable, and an ask touches.
    Held,
    /// 7: a session works.
    Working,
    /// 8: a session may be working or waiting.
    Unsure,
    /// 9: nothing executable, and a rejected gate touches.
    Rejected,
    /// 10: nothing executable, and a deferred gate touches.
    Deferred,
    /// 11: a free todo fits no lane of the goal.
    Unfit,
    /// 12: the newest session failed.
    Failed,
    /// 13: the runtime's own limit.
    Limited,
    /// 14: a limit of ours is used up.
    Throttled,
    /// 15: ready.
    Ready,
    /// 16: the work is other lanes'.
    Peers,
    /// 17: external evidence is awaited.
    Evidence,
    /// 18: todos block each other.
    Stuck,
    /// 19: the lane finished a todo and named no successor.
    Succession,
    /// 20: a user todo that holds nothing is open.
    Asked,
    /// 21: nothing to do.
    Quiet,
}

impl Row {
    /// All rows in order.
    pub const ALL: [Self; 21] = [
        Self::Integrity,
        Self::UnknownLane,
        Self::Closed,
        Self::Paused,
        Self::Prompt,
        Self::Held,
        Self::Working,
        Self::Unsure,
        Self::Rejected,
        Self::Deferred,
        Self::Unfit,
        Self::Failed,
        Self::Limited,
        Self::Throttled,
        Self::Ready,
        Self::Peers,
        Self::Evidence,
        Self::Stuck,
        Self::Succession,
        Self::Asked,
        Self::Quiet,
    ];

    /// Its number in the table, from 1.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integrity => "integrity",
            Self::UnknownLane => "unknown_lane",
            Self::Closed => "closed",
            Self::Paused => "paused",
            Self::Prompt => "prompt",
            Self::Held => "held",
            Self::Working => "working",
            Self::Unsure => "unsure",
            Self::Rejected => "rejected",
            Self::Deferred => "deferred",
            Self::Unfit => "unfit",
            Self::Failed => "failed",
            Self::Limited => "limited",
            Self::Throttled => "throttled",
            Self::Ready => "ready",
            Self::Peers => "peers",
            Self::Evidence => "evidence",
            Self::Stuck => "stuck",
            Self::Succession => "succession",
            Self::Asked => "asked",
            Self::Quiet => "quiet",
        }
    }

    /// When it holds, in words.
    pub const fn holds_when(self) -> &'static str {
        match self {
            Self::Integrity => "the log can't be read, or the output fails its screen",
            Self::UnknownLane => "goal or agent is not registered, or the goal has no agents",
            Self::Closed => "the goal is done or archived",
            Self::Paused => "the goal or the agent is paused",
            Self::Prompt => "a current session shows a permission prompt or a question",
            Self::Held => "nothing is executable and a decision or user todo is owed",
            Self::Working => "a current session is running or has background work",
            Self::Unsure => "a current session may be running or waiting",
            Self::Rejected => "nothing is executable and a gate was rejected",
            Self::Deferred => "nothing is executable and a gate was deferred",
            Self::Unfit => "a free todo fits no agent of the goal",
            Self::Failed => "there is work, but the newest session failed",
            Self::Limited => "there is work, but the runtime's own limit is reached",
            Self::Throttled => "there is work, but a limit of the quota is used up",
            Self::Ready => "there is work that this agent may do",
            Self::Peers => "the free work is other agents'",
            Self::Evidence => "the open work waits for an instant or for evidence",
            Self::Stuck => "the open work is blocked by other todos",
            Self::Succession => "the last todo was finished without a word on what follows",
            Self::Asked => "a user todo that holds nothing is open",
            Self::Quiet => "there is nothing to do",
        }
    }
}
