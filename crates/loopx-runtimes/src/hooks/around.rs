//! What a hook's process knows beside what it is told: whose process the runtime is, and what its environment names.

use loopx_contract::{AgentId, GoalId, Liveness};
use xxhash_rust::xxh3::xxh3_64;

use super::event::{Around, Pid, Prompts};
use crate::Sources;
use crate::caller::{ancestors, runtime_among};
use crate::process::{self, Process};

impl Around {
    /// What a hook knows that runs as this process.
    pub fn of(
        sources: &Sources,
        hook: u32,
        prompts: Prompts,
        lane: Option<(GoalId, Option<AgentId>)>,
    ) -> Self {
        let runtime = runtime_among(&ancestors(&sources.proc_root, hook)).and_then(|caller| caller.pid);
        Self {
            process: runtime.and_then(|pid| Pid::of(sources, pid)),
            tick: start(sources, hook),
            prompts,
            lane,
        }
    }
}

impl Pid {
    /// A living process.
    pub fn of(sources: &Sources, pid: u32) -> Option<Self> {
        Some(Self { pid, start: start(sources, pid)?, domain: domain(sources) })
    }

    /// Whether it lives. What was told elsewhere proves nothing here.
    pub fn liveness(self, sources: &Sources) -> Liveness {
        if self.domain == 0 || self.domain != domain(sources) {
            return Liveness::Unproved;
        }
        match process::process(&sources.proc_root, self.pid) {
            Process::Lives(stat) if stat.start == self.start && stat.stopped => Liveness::Unproved,
            Process::Lives(stat) if stat.start == self.start => Liveness::Alive,
            Process::Lives(_) | Process::Gone => Liveness::Dead,
            Process::Unknown => Liveness::Unproved,
        }
    }
}

/// The tick that a process began at.
fn start(sources: &Sources, pid: u32) -> Option<u64> {
    match process::process(&sources.proc_root, pid) {
        Process::Lives(stat) => Some(stat.start),
        Process::Gone | Process::Unknown => None,
    }
}

/// Stands for where process ids count; 0 where that can't be told.
fn domain(sources: &Sources) -> u64 {
    process::domain(sources).map_or(0, |domain| xxh3_64(domain.as_bytes()))
}
