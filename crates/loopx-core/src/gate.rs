//! A gate: a decision somebody must take.

use jiff::Timestamp;
use loopx_contract::{AgentId, GateId, TodoId};
use loopx_safety::PublicText;
use serde::{Deserialize, Serialize};

use crate::actor::Proof;
use crate::todo::Covers;

/// One gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Its id.
    pub id: GateId,
    /// What is to be decided.
    pub question: PublicText,
    /// Who decides.
    pub actor: GateActor,
    /// What it holds.
    pub covers: Covers,
    /// What was decided.
    pub state: GateDecision,
    /// When an undecided request runs out, UTC; it still counts as requested then.
    pub expires_at: Option<Timestamp>,
    /// The user todo that was opened with it.
    pub linked_todo: Option<TodoId>,
    /// The lane that asked, if one did.
    pub asked_by: Option<AgentId>,
    /// What proved the decision that stands, if one does.
    pub proof: Option<Proof>,
    /// When it was asked, UTC.
    pub created_at: Timestamp,
    /// When the decision that stands was made, UTC.
    pub decided_at: Option<Timestamp>,
}

/// Who decides a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateActor {
    /// The person whose decision it is.
    User,
    /// The one who owns the goal's configuration.
    Controller,
}

/// What was decided of a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// Nothing yet.
    Requested,
    /// Yes.
    Approved {
        /// When the approval runs out, UTC.
        until: Option<Timestamp>,
        /// How often it may be used.
        uses: Uses,
    },
    /// No.
    Rejected {
        /// Why, where said.
        reason: Option<PublicText>,
    },
    /// Not now.
    Deferred {
        /// Until then, UTC.
        until: Option<Timestamp>,
        /// Until this is supplied.
        condition: Option<PublicText>,
        /// Whether the condition was met.
        met: bool,
    },
    /// The question fell away.
    Withdrawn,
}

/// How often an approval may be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uses {
    /// By whatever it covers.
    Any,
    /// Once, and nobody took it yet.
    Single,
    /// Once, by this todo, until it is finished.
    Taken(TodoId),
    /// Once, and it was used.
    Used,
}

/// How a gate stands at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GateStanding {
    /// A decision is owed.
    Requested,
    /// It was approved, and the approval is valid.
    Approved,
    /// It was rejected.
    Rejected,
    /// It was put off.
    Deferred,
    /// It fell away.
    Withdrawn,
}

impl Gate {
    /// How the gate stands at `now`: an approval that ran out or was used, and a deferral whose instant has
    /// passed, whose condition is met or that names neither, count as requested.
    pub fn standing(&self, now: Timestamp) -> GateStanding {
        match &self.state {
            GateDecision::Requested => GateStanding::Requested,
            GateDecision::Approved { until, uses } => {
                let over = until.is_some_and(|until| until <= now);
                if over || matches!(uses, Uses::Used) {
                    GateStanding::Requested
                } else {
                    GateStanding::Approved
                }
            }
            GateDecision::Rejected { .. } => GateStanding::Rejected,
            GateDecision::Deferred { until, condition, met } => {
                let passed = until.is_some_and(|until| until <= now);
                let nothing = until.is_none() && condition.is_none();
                if passed || *met || nothing { GateStanding::Requested } else { GateStanding::Deferred }
            }
            GateDecision::Withdrawn => GateStanding::Withdrawn,
        }
    }

    /// Whether it holds `todo` at `now`, given that it covers it. A single-use approval that another todo took
    /// frees that one alone.
    pub fn holds(&self, todo: &TodoId, now: Timestamp) -> bool {
        match self.standing(now) {
            GateStanding::Requested | GateStanding::Rejected | GateStanding::Deferred => true,
            GateStanding::Withdrawn => false,
            GateStanding::Approved => match &self.state {
                GateDecision::Approved { uses: Uses::Taken(by), .. } => by != todo,
                GateDecision::Approved { .. }
                | GateDecision::Requested
                | GateDecision::Rejected { .. }
                | GateDecision::Deferred { .. }
                | GateDecision::Withdrawn => false,
            },
        }
    }
}
