//! Codex: terminal, exec and editor share one format.

mod fold;
mod judge;
mod limits;
mod locate;
mod records;
mod rollout;
mod spending;
#[cfg(feature = "testing")]
pub(crate) mod testing;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loopx_contract::{Liveness, MissingFact, SessionFacts, SessionState, Usage};
use loopx_safety::{Handle, HandleKind, InstallKey, PrivateWord};

use crate::adapter::{Adapter, Gist, Own, Role, Root};
use crate::evidence::{Says, clamp};
use crate::hooks::Heard;
use crate::index::{self, Hot, Index};
use crate::inspect::{Finding, InspectError, Inspection, LineEvidence, Verdict};
use crate::process::{Lock, Locks};
use crate::reader::{Extent, Place, Reading, is_packed};
use crate::runtime::{runtime_id, session_handle};
use crate::sweep::{Child, Look, Observed, Origin, SkipKind, folder_words};
use crate::usage::{Ledger, Spent};
use crate::{Runtime, Sources};
use records::Kind;
use rollout::{History, Rollout};

pub(crate) use locate::is_uuid;

/// Codex's rollouts.
pub(crate) struct Codex;

impl Adapter for Codex {
    type Fold = Rollout;

    const RUNTIME: Runtime = Runtime::Codex;
    const HEADED: bool = true;

    fn roots(sources: &Sources) -> Vec<Root> {
        sources.codex_homes.iter().flat_map(|home| locate::roots(home)).collect()
    }

    fn native_id(path: &Path) -> Option<&str> {
        locate::thread_id(path)
    }

    fn gist(_: &Path, fold: &Rollout) -> Gist {
        let meta = fold.meta.as_ref();
        let role = match meta.map(|meta| &meta.kind) {
            Some(Kind::Child(parent)) => Role::Child(parent.clone()),
            Some(Kind::Session(_)) => Role::Session,
            None if fold.records > 0 => Role::Session,
            Some(Kind::Hidden) | None => Role::Nobody,
        };
        let own = match meta.map(|meta| &meta.history) {
            Some(History::Copied(of)) => Own::WithCopyOf(of.clone()),
            Some(History::Own | History::Continued) | None => Own::All,
        };
        Gist {
            runtime: fold.front_end().unwrap_or(records::FrontEnd::Other).runtime(),
            role,
            cwd: fold.cwd.clone().or_else(|| meta?.cwd.clone()),
            began: meta
                .and_then(|meta| meta.started_at)
                .or(fold.first_activity)
                .map(Timestamp::as_millisecond),
            own,
        }
    }

    fn ledger(fold: &mut Rollout) -> &mut Ledger {
        &mut fold.ledger
    }
}

/// Looks at every rollout that may matter now.
pub(crate) fn observe(sources: &Sources, index: &mut Index, look: &mut Look<'_>) {
    let locks = Locks::read(&sources.proc_root);
    let mut writers = BTreeMap::new();
    for home in &sources.codex_homes {
        for thread in locate::locked(home) {
            let writer = locks.of(&locate::lock(home, &thread));
            writers.insert(thread, writer);
        }
    }
    let held = |(thread, lock): (&String, &Lock)| matches!(lock, Lock::Held(_)).then(|| thread.clone());
    let mut live: BTreeSet<String> = writers.iter().filter_map(held).collect();
    live.extend(look.told_of(Runtime::Codex));
    let mut parents = Vec::new();
    let mut read_of = BTreeSet::new();
    let mut hot = index::hot::<Codex>(index, sources, &live, look);
    // For a moment a rollout is there packed and unpacked: the plain one is the one that is written to.
    let plain: BTreeSet<String> =
        hot.iter().filter(|hot| !is_packed(&hot.path)).map(|hot| hot.native.clone()).collect();
    hot.retain(|hot| !is_packed(&hot.path) || !plain.contains(&hot.native));
    for hot in hot {
        if hot.native.is_empty() {
            look.skip(SkipKind::NotASession);
            continue;
        }
        let writer = writers.get(&hot.native).copied().unwrap_or(Lock::Absent);
        read_of.insert(hot.native.clone());
        match read(hot, writer, sources, look) {
            Ok(Seen::Session(seen)) => look.keep(*seen),
            Ok(Seen::Child(parent)) => parents.extend(parent),
            Ok(Seen::Hidden) => {}
            Err(kind) => look.skip(kind),
        }
    }
    let asks = |thread: &String| {
        let heard = look.heard(sources, Runtime::Codex, thread, |_| false);
        heard.is_some_and(|heard| {
            heard.liveness == Liveness::Alive && matches!(heard.live.says, Says::Asks(_))
        })
    };
    // A thread that has no file yet may ask behind the end of the turn that started it.
    let unread = look.subagents(Runtime::Codex).into_iter();
    let unread = unread.filter(|(_, thread)| !read_of.contains(thread) && asks(thread)).map(|(parent, _)| {
        (session_handle(look.key, Runtime::Codex, &parent), Child::Unsure(MissingFact::PermissionState))
    });
    parents.extend(unread.collect::<Vec<_>>());
    look.add_children(parents);
}

enum Seen {
    Session(Box<Observed>),
    Child(Option<(Handle, Child)>),
    Hidden,
}

fn read(hot: Hot<Rollout>, writer: Lock, sources: &Sources, look: &Look<'_>) -> Result<Seen, SkipKind> {
    let (reading, thread) = (hot.reading?, hot.native);
    let knows = |turn: &str| reading.fold.knows(turn);
    let heard = look.heard(sources, Runtime::Codex, &thread, knows);
    match reading.fold.meta.as_ref().map(|meta| &meta.kind) {
        Some(Kind::Child(parent)) => {
            let parent = parent.as_deref().map(|id| session_handle(look.key, Runtime::Codex, id));
            let child = Child::of(&judge::judge(&reading, writer, heard.as_ref(), look.now), look.now);
            return Ok(Seen::Child(parent.map(|parent| (parent, child))));
        }
        Some(Kind::Hidden) => return Ok(Seen::Hidden),
        Some(Kind::Session(_)) | None => {}
    }
    if reading.fold.records == 0 && reading.extent != Extent::Short && !is_lost(&reading) {
        return Err(SkipKind::NotASession);
    }
    let (facts, cwd) = facts(&reading, &thread, writer, heard.as_ref(), look.key, look.now);
    let mut words = folder_words(cwd.as_deref());
    if let Some(meta) = reading.fold.meta {
        words.extend(meta.branch.iter().flat_map(|branch| PrivateWord::of_branch(branch)));
        words.extend(meta.remote.iter().flat_map(|remote| PrivateWord::of_remote(remote)));
    }
    let pid = if let Lock::Held(pid) = writer { pid } else { None };
    let pid = pid.or_else(|| heard.and_then(|heard| heard.pid));
    let lane = look.lane(Runtime::Codex, &thread);
    let origin = Origin { native_id: thread, file: Some(hot.path), cwd, pid, lane, words };
    Ok(Seen::Session(Box::new(Observed { facts, private: origin.into() })))
}

/// Whether a file was a session's, but nothing of it can be read.
fn is_lost(reading: &Reading<Rollout>) -> bool {
    reading.is_unreadable() && reading.fold.foreign == 0
}

fn facts(
    reading: &Reading<Rollout>,
    thread: &str,
    lock: Lock,
    heard: Option<&Heard>,
    key: &InstallKey,
    now: Timestamp,
) -> (SessionFacts, Option<PathBuf>) {
    let fold = &reading.fold;
    let mut judged = judge::judge(reading, lock, heard, now);
    let meta = fold.meta.as_ref();
    let runtime = fold.front_end().unwrap_or(records::FrontEnd::Other).runtime();
    let word = Runtime::Codex.word();
    let mut limits = fold.limits.clone();
    if let Some(ended) = fold.ended.as_ref().filter(|ended| ended.state == SessionState::RateLimited) {
        // The windows may be empty on the very record that reports the limit.
        if judged.state == SessionState::RateLimited {
            if !limits.iter().any(|limit| limit.reached) {
                limits::reach(&mut limits, ended.at);
            }
            if !limits::tell_a_reset(&limits) {
                judged.missing.insert(MissingFact::LimitReset);
            }
        }
    }
    let native = |place: Place| format!("{thread}:{}", place.offset);
    let facts = SessionFacts {
        schema_version: loopx_contract::SessionFactsVersion::V0,
        runtime_id: runtime_id(runtime),
        session_id: session_handle(key, Runtime::Codex, thread),
        state: judged.state,
        tier: judged.tier,
        rule: judged.rule,
        liveness: judged.liveness,
        turn: judged.turn,
        since: judged.since,
        last_activity: judge::activity(fold, heard).map(|at| clamp(at, now)),
        started_at: meta.and_then(|meta| meta.started_at).map(|at| clamp(at, now)),
        missing: judged.missing.into_iter().collect(),
        hints: judged.hints.into_iter().collect(),
        limits,
        checks: fold.checks.checks(),
        usage: None,
        children: 0,
        event_id: fold.newest.map(|place| key.handle(HandleKind::Event, word, &native(place))),
        outcome_id: fold.ended.as_ref().map(|ended| {
            let id = ended.id.clone().unwrap_or_else(|| native(ended.place));
            key.handle(HandleKind::Outcome, word, &id)
        }),
        lines: reading.lines,
    };
    let cwd = fold.cwd.clone().or_else(|| meta.and_then(|meta| meta.cwd.clone()));
    (facts, cwd)
}

/// What the file says was spent, where all of it was folded and nothing in it may be another session's.
fn usage(reading: &Reading<Rollout>) -> Option<Usage> {
    let copied = |meta: &rollout::Owner| matches!(meta.history, History::Copied(_));
    if reading.extent != Extent::Whole || reading.fold.meta.as_ref().is_some_and(copied) {
        return None;
    }
    reading.fold.ledger.total().map(Spent::usage)
}

/// Looks closely at one rollout.
pub(crate) fn inspect(
    path: &Path,
    key: &InstallKey,
    now: Timestamp,
    live: Option<&Sources>,
) -> Result<Inspection, InspectError> {
    let (reading, numbered) = index::closely::<Codex>(path, now)?;
    let fold = &reading.fold;
    let kind = fold.meta.as_ref().map(|meta| &meta.kind);
    if fold.records == 0 && !(is_lost(&reading) && locate::thread_id(path).is_some()) {
        return Ok(Inspection { verdict: Verdict::NotASession, evidence: Vec::new() });
    }
    let evidence = if numbered { evidence(fold) } else { Vec::new() };
    if matches!(kind, Some(Kind::Child(_) | Kind::Hidden)) {
        return Ok(Inspection { verdict: Verdict::Child, evidence });
    }
    let named = fold.meta.as_ref().and_then(|meta| meta.id.as_deref());
    let thread = locate::thread_id(path).or(named).unwrap_or_default().to_owned();
    let lock = live.map_or(Lock::Unknown, |sources| {
        let homes = locate::home_of(path).into_iter().chain(sources.codex_homes.iter().map(PathBuf::as_path));
        let locks = Locks::read(&sources.proc_root);
        homes
            .map(|home| locks.of(&locate::lock(home, &thread)))
            .find(|lock| *lock != Lock::Absent)
            .unwrap_or(Lock::Absent)
    });
    let heard = live.and_then(|sources| {
        let events = sources.spool.as_ref()?.read(now);
        Heard::of(&events, &(Runtime::Codex, thread.clone()), sources, now, |turn| fold.knows(turn))
    });
    let (mut facts, _) = facts(&reading, &thread, lock, heard.as_ref(), key, now);
    facts.usage = usage(&reading);
    Ok(Inspection { verdict: Verdict::Session(Box::new(facts)), evidence })
}

fn evidence(fold: &Rollout) -> Vec<LineEvidence> {
    let mut evidence: Vec<LineEvidence> =
        fold.meta_at.map(|place| LineEvidence::at(place, Finding::SessionMeta)).into_iter().collect();
    if let Some(ended) = &fold.ended {
        let what = if ended.rolled_back { Finding::RolledBack } else { Finding::of_end(ended.state) };
        evidence.push(LineEvidence::at(ended.place, what));
    }
    if let Some(open) = &fold.open {
        evidence.push(LineEvidence::at(open.place, Finding::TurnStarted));
    }
    for call in fold.calls.values() {
        let what = if call.question { Finding::OpenQuestion } else { Finding::OpenCall };
        evidence.push(LineEvidence::at(call.place, what));
    }
    if let (false, rollout::Inferred::Answered(place, _) | rollout::Inferred::Counted(place, _)) =
        (fold.marks(), fold.inferred)
    {
        evidence.push(LineEvidence::at(place, Finding::TurnStep));
    }
    evidence.extend(fold.late.map(|place| LineEvidence::at(place, Finding::LateRecord)));
    evidence.sort();
    evidence
}
