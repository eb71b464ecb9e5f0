//! A line as it is kept.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::worker::WorkerFacts;
use loopx_contract::{
    AgentId, Check, EvidenceTier, GoalId, Hint, Limit, MissingFact, RuntimeId, SessionState, Turn, Usage,
};
use loopx_safety::Handle;
use serde::{Deserialize, Serialize};

use crate::evidence::AHEAD;
use crate::hooks::Pid;
use crate::spool::{Entry, FORGOTTEN};

/// What a worker told of one session at one instant. By instant, then by when it was told, then by what it says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Told {
    /// As of when.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub at: Timestamp,
    /// When it was read: never before `at`.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub read: Timestamp,
    pub session: Handle,
    pub runtime: RuntimeId,
    /// The worker's own name of the session, where the screen has nothing against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<String>,
    pub state: SessionState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<EvidenceTier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingFact>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub children: u32,
    /// The lane that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<(GoalId, Option<AgentId>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The worker's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Pid>,
    /// Who read it from the worker, and goes on reading as long as it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Pid>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What a line is kept with.
pub(super) struct Beside {
    pub at: Timestamp,
    pub read: Timestamp,
    pub session: Handle,
    pub native: Option<String>,
    pub lane: Option<(GoalId, Option<AgentId>)>,
    pub cwd: Option<PathBuf>,
    pub process: Option<Pid>,
    pub stream: Option<Pid>,
}

impl Told {
    pub(super) fn new(facts: WorkerFacts, beside: Beside) -> Self {
        let Beside { at, read, session, native, lane, cwd, process, stream } = beside;
        Self {
            at,
            read,
            session,
            runtime: facts.runtime_id,
            native,
            state: facts.state,
            tier: facts.tier,
            turn: facts.turn,
            since: facts.since,
            last_activity: facts.last_activity,
            started_at: facts.started_at,
            missing: facts.missing,
            hints: facts.hints,
            limits: facts.limits,
            checks: facts.checks,
            usage: facts.usage,
            children: facts.children,
            lane,
            cwd,
            process,
            stream,
        }
    }
}

/// What counts of one session's lines.
pub(super) struct Standing<'t> {
    /// The newest.
    pub newest: &'t Told,
    /// The first of those in a row that say the same state as the newest.
    pub first: &'t Told,
    /// The one before, which says another.
    pub before: Option<&'t Told>,
}

/// What counts. A line from ahead of the clock does where there is no other: the clock was put back.
pub(super) fn standing(told: &BTreeSet<Told>, now: Timestamp) -> Option<Standing<'_>> {
    let is_ahead = |one: &&Told| now.duration_since(one.at) < -AHEAD;
    let newest = told.iter().rev().find(|one| !is_ahead(one)).or_else(|| told.last())?;
    let (mut first, mut before) = (newest, None);
    for one in told.range(..newest).rev() {
        if one.state != newest.state {
            before = Some(one);
            break;
        }
        first = one;
    }
    Some(Standing { newest, first, before })
}

impl Entry for Told {
    type Session = Handle;

    const SESSIONS: usize = 4096;

    fn session(&self) -> Handle {
        self.session
    }

    fn at(&self) -> Timestamp {
        self.at
    }

    /// Leaves what counts; wherever lines are left out before, none that tells when a state ended is among them.
    fn keep(told: &mut BTreeSet<Self>, now: Timestamp) {
        let Some(Standing { newest, first, before }) = standing(told, now) else { return };
        let kept = if now.duration_since(newest.at) > FORGOTTEN {
            BTreeSet::new()
        } else {
            [Some(newest), Some(first), before].into_iter().flatten().cloned().collect()
        };
        *told = kept;
    }
}
