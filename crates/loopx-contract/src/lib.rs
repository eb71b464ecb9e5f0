//! The words of the session-runtime → LoopX projection contract, v0.
//!
//! What an adapter author depends on: identifiers, closed enums, the [`Projection`] that every door shows,
//! the [`SessionFacts`] an adapter may report, their JSON Schemas, and the contract's acceptance checks as
//! one pure function over arbitrary JSON ([`check::check`]). What a worker of the user's own says is read in
//! [`worker`].

pub mod check;
mod ids;
mod projection;
mod rule;
pub mod schema;
mod session;
pub mod worker;

pub use ids::{
    AgentId, GateId, GoalId, HandoffId, IdError, IdKind, Ref, RewardId, RunId, RuntimeId, Suffix, TodoId,
};
pub use projection::{
    Boundary, FirstScreen, GateState, LoopxRefs, Mode, PROJECTION_VERSION, Projection, ProjectionVersion,
    QuotaState, RuntimeRef, WaitingOn,
};
pub use rule::Rule;
pub use session::{
    Check, CheckLabel, CheckOutcome, EvidenceTier, Hint, Limit, LimitWindow, LineCounts, Liveness,
    MissingFact, SESSION_FACTS_VERSION, SessionFacts, SessionFactsVersion, SessionState, Turn, Usage,
};
