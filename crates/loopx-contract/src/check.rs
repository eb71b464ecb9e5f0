//! The acceptance checks: is this JSON a projection that may be shown, and to whom?
//!
//! One pure function over arbitrary JSON. The five checks are the contract's "Acceptance Checks", in its order:
//! 1 enough to reconcile a handoff, 2 renders on the first screen, 3 missing facts are explicit, 4 read-only,
//! 5 nothing private. A value without an error also deserializes as [`crate::Projection`].
//!
//! No finding holds any text of what was checked: only where it is, its class and columns.

mod boundary;
mod document;
mod finding;
mod ids;
mod missing;
mod parse;
mod rows;
mod screen_rules;
mod shape;
mod strings;
mod view;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::ids::{AgentId, GoalId, RuntimeId};
use loopx_safety::{PrivateWords, TierKind};

pub use document::{DocumentReport, Format, ItemReport, MAX_BYTES, Place, check_document};
pub use finding::{Code, Finding, Severity};
pub use strings::{MAX_DEPTH, MAX_NODES};

/// What a projection is checked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How far its texts may travel: [`TierKind::Showcase`] for public fixtures.
    pub tier: TierKind,
    /// Names that no string may hold.
    pub words: PrivateWords,
    /// The controlled-write acceptance supplied beside the projection, if there is one.
    pub writeback: Option<Writeback>,
    /// Whose lane it is, where the caller knows: a projection alone doesn't tell.
    pub lane: Lane,
}

impl Options {
    /// Read-only, of a lane of whatever kind.
    pub fn new(tier: TierKind) -> Self {
        Self { tier, words: PrivateWords::none(tier), writeback: None, lane: Lane::Unknown }
    }
}

/// What an accepted controlled-write contract covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writeback {
    /// The goal.
    pub goal_id: GoalId,
    /// The lane; none: every lane of the goal.
    pub agent_id: Option<AgentId>,
    /// The runtime; none: every runtime.
    pub runtime_id: Option<RuntimeId>,
}

/// Whose lane a projection is of. A person's lane has no session, and calls nothing missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lane {
    /// The caller doesn't know.
    #[default]
    Unknown,
    /// An automation's.
    Automation,
    /// A person's.
    Human,
}

/// What the checks found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// By check, then in the order of the document.
    pub findings: Vec<Finding>,
    /// What screening found, whatever the projection states.
    pub flags: Flags,
}

impl Report {
    /// Whether the projection is acceptable: warnings don't stand against it.
    pub fn is_accepted(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// The contract's three `*_copied` flags, computed from the strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flags {
    /// Several lines, markup or a text too long for a field: transcript or tool output.
    pub raw_transcripts_copied: bool,
    /// A credential, or what looks as random as one.
    pub credentials_copied: bool,
    /// An absolute or home path.
    pub private_paths_copied: bool,
}

/// What screening alone found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screening {
    /// The flags.
    pub flags: Flags,
    /// How many strings and keys were refused.
    pub refused: usize,
}

/// Screens every string and key of a projection that is about to go out: what check 5 does, but for what the
/// projection states of itself.
pub fn screen_all(value: &Value, tier: TierKind) -> Screening {
    let mut findings = finding::Findings::default();
    let flags = strings::screened(value, &Options::new(tier), &mut findings);
    Screening { flags, refused: findings.sorted().len() }
}

/// Runs the five acceptance checks.
pub fn check(value: &Value, options: &Options) -> Report {
    let mut findings = finding::Findings::default();
    let view = shape::read(value, &options.words, &mut findings);
    ids::check(&view, &mut findings);
    screen_rules::check(&view, &mut findings);
    missing::check(&view, options.lane, &mut findings);
    boundary::check(&view, options.writeback.as_ref(), &mut findings);
    let flags = strings::check(value, &view, options, &mut findings);
    Report { findings: findings.sorted(), flags }
}
