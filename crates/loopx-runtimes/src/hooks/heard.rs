//! What was told of a session, held against its process.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Liveness};
use loopx_safety::{Handle, InstallKey};

use super::event::{HookEvent, Pid, Tool, What};
use super::spool::Events;
use super::told::{Asked, Others, Told, calls_since, told};
use crate::evidence::{AHEAD, Live, Says};
use crate::process::{self, Leader};
use crate::{Runtime, Sources, session_handle};

/// What hooks have told of one session.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// What follows from it.
    pub(crate) live: Live,
    /// Whether the process lives that told it.
    pub(crate) liveness: Liveness,
    /// That process, where it lives.
    pub(crate) pid: Option<u32>,
}

/// How often one ask is told at most that is looked at again in one look.
const TOLD: usize = 8;

impl Heard {
    /// What the events of a session say now. `knows` tells of a turn whether the session's file has it.
    pub(crate) fn of(
        events: &Events,
        session: &(Runtime, String),
        sources: &Sources,
        now: Timestamp,
        knows: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        let mut own = events.get(session).cloned().or_else(|| of_child(events, session))?;
        let read = |own: &BTreeSet<HookEvent>| told(own, now, &knows);
        let mut told = read(&own)?;
        // The same may be told more than once: by hooks in several settings files.
        for _ in 0..TOLD {
            let Some(asked) = told.ask.as_ref().filter(|asked| runs(asked, told.process, sources)) else {
                break;
            };
            // No hook tells that permission was given: the command that it was given for does.
            if asked.others == Others::Beside || works_elsewhere(events, session, &told, asked.event.at) {
                told.live.says = Says::CallBegan;
                break;
            }
            note(events, session, &asked.event, sources);
            own.insert(asked.event.permitted());
            told = read(&own)?;
        }
        if let Some(at) = left(events, session, &told, now) {
            (told.live.says, told.live.at, told.live.since) = (Says::Over, Some(at), Some(at));
        }
        let liveness = told.process.map_or(Liveness::Unproved, |process| process.liveness(sources));
        let pid = told.process.filter(|_| liveness == Liveness::Alive).map(|process| process.pid);
        Some(Self { live: told.live, liveness, pid })
    }
}

/// Whether a command of a process's runs that began since permission was asked for.
fn runs(asked: &Asked, process: Option<Pid>, sources: &Sources) -> bool {
    // A command proves nothing of a file that is to be changed.
    let permission = matches!(asked.event.what, What::AsksPermission | What::SaysPermission)
        && asked.tool != Some(Tool::Edit);
    let process = process.filter(|process| permission && process.liveness(sources) == Liveness::Alive);
    let (Some(process), Some(tick)) = (process, asked.tick) else { return false };
    let runs = |child: &Leader| child.start > tick && is_tool(sources, asked.event.runtime, child.pid);
    process::leaders(&sources.proc_root, process.pid).iter().any(runs)
}

/// Notes that an ask was permitted, for every later look: the command may be over before its call's end is told. Where
/// that can't be written, the next look that sees the command tries again. What is told of a thread under another
/// session's id is noted by the look at that one.
fn note(events: &Events, session: &(Runtime, String), ask: &HookEvent, sources: &Sources) {
    if let Some(spool) = sources.spool.as_ref().filter(|_| events.contains_key(session)) {
        let _ = spool.permit(ask);
    }
}

/// What was told of a thread as another one's subagent: Codex tells of the threads that a session starts under that
/// session's id.
fn of_child(events: &Events, (runtime, thread): &(Runtime, String)) -> Option<BTreeSet<HookEvent>> {
    let own = |event: &&HookEvent| event.runtime == *runtime && event.subagent.as_ref() == Some(thread);
    let events: BTreeSet<HookEvent> = events
        .values()
        .flatten()
        .filter(own)
        .map(|event| {
            let ended = event.what == What::SubagentEnded;
            let what = if ended { What::TurnEnded } else { event.what };
            HookEvent { session: thread.clone(), subagent: None, what, ..event.clone() }
        })
        .collect();
    (!events.is_empty()).then_some(events)
}

/// Whether a child of a runtime's is a tool's command: it is no hook, no status line and no server. Codex gives those
/// their input through a pipe, and a command none; Claude Code has a command begin with what it knows of the user's shell.
/// Measured with Codex 0.125 and 0.171, Claude Code 2.0.76 and 2.1.332.
fn is_tool(sources: &Sources, runtime: Runtime, child: u32) -> bool {
    match runtime {
        Runtime::Codex => !process::is_told(&sources.proc_root, child),
        Runtime::ClaudeCode => {
            process::command(&sources.proc_root, child).iter().any(|word| word.contains("/shell-snapshots/"))
        }
    }
}

/// Whether a call of another session of the same process was open since: the command may be that one's.
fn works_elsewhere(events: &Events, session: &(Runtime, String), told: &Told, since: Timestamp) -> bool {
    let others = events.iter().filter(|(of, _)| *of != session);
    let same = |event: &HookEvent| event.around.process.is_some() && event.around.process == told.process;
    others.into_iter().any(|(_, events)| calls_since(events.iter(), since).any(same))
}

/// When the process went on to another session, where it did. One of Claude Code's has one at a time; a process of
/// Codex's may have many.
fn left(events: &Events, session: &(Runtime, String), told: &Told, now: Timestamp) -> Option<Timestamp> {
    let (Runtime::ClaudeCode, process) = (session.0, told.process?) else { return None };
    let newest = |events: &BTreeSet<HookEvent>| {
        let own = |event: &&HookEvent| {
            event.around.process == Some(process) && now.duration_since(event.at) >= -AHEAD
        };
        events.iter().rev().find(own).map(|event| event.at)
    };
    let own = newest(events.get(session)?)?;
    let others = events.iter().filter(|(of, _)| of.0 == session.0 && *of != session);
    others.filter_map(|(_, events)| newest(events)).filter(|at| *at > own).max()
}

/// What the environment names that each session of which something was told ran in.
pub fn lanes(
    sources: &Sources,
    key: &InstallKey,
    now: Timestamp,
) -> BTreeMap<Handle, (GoalId, Option<AgentId>)> {
    let events = sources.spool.as_ref().map(|spool| spool.read(now)).unwrap_or_default();
    let named = events.iter().filter_map(|((runtime, session), events)| {
        Some((session_handle(key, *runtime, session), lane(events)?))
    });
    named.collect()
}

/// What the environment of the newest event names.
pub(crate) fn lane(events: &BTreeSet<HookEvent>) -> Option<(GoalId, Option<AgentId>)> {
    events.last()?.around.lane.clone()
}
