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

/// Of one session's lines the one that counts, and since when it stands so: the first of those in a row that say the
/// same state. A line from ahead of the clock counts where there is no other: the clock was put back.
pub(super) fn newest(told: &BTreeSet<Told>, now: Timestamp) -> Option<(&Told, Timestamp)> {
    let is_ahead = |one: &&Told| now.duration_since(one.at) < -AHEAD;
    let newest = told.iter().rev().find(|one| !is_ahead(one)).or_else(|| told.last())?;
    let before = told.range(..=newest).rev();
    let first = before.take_while(|one| one.state == newest.state).last();
    Some((newest, first.map_or(newest.at, |first| first.at)))
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

    /// Leaves the line that counts, and the one that it stands so since.
    fn keep(told: &mut BTreeSet<Self>, now: Timestamp) {
        let Some((newest, since)) = newest(told, now).map(|(newest, since)| (newest.clone(), since)) else {
            return;
        };
        if now.duration_since(newest.at) > FORGOTTEN {
            told.clear();
            return;
        }
        let first = told.iter().find(|one| one.at == since && one.state == newest.state).cloned();
        *told = [newest].into_iter().chain(first).collect();
    }
}
