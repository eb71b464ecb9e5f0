//! Codex: terminal, exec and editor share one format.

mod fold;
mod judge;
mod limits;
mod locate;
mod records;
mod rollout;
mod words;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loopx_contract::{MissingFact, SessionFacts, SessionState};
use loopx_safety::{Handle, HandleKind, InstallKey};

use crate::evidence::clamp;
use crate::inspect::{Finding, InspectError, Inspection, LineEvidence, Verdict};
use crate::process::{Lock, Locks};
use crate::reader::{self, Found, Head, Place, Reading};
use crate::runtime::{runtime_id, session_handle};
use crate::sweep::{Look, Observed, Origin, SkipKind, folder_words};
use crate::{Runtime, Sources};
use records::Kind;
use rollout::Rollout;

pub(crate) use locate::is_uuid;

/// A file over this is not numbered line by line.
const NUMBERED: u64 = 256 << 20;

/// Looks at every rollout.
pub(crate) fn observe(sources: &Sources, look: &mut Look<'_>) {
    let locks = Locks::read(&sources.proc_root);
    let mut parents = Vec::new();
    for home in &sources.codex_homes {
        let walk = locate::rollouts(home);
        look.skip_all(walk.skipped);
        for found in walk.files {
            if locate::is_packed(&found.path) {
                look.count_older();
                continue;
            }
            let Some(thread) = locate::thread_id(&found.path).map(str::to_owned) else {
                look.skip(SkipKind::NotASession);
                continue;
            };
            let writer = locks.of(&locate::lock(home, &thread));
            let handle = session_handle(look.key, Runtime::Codex, &thread);
            if !look.worth(found.modified, matches!(writer, Lock::Held(_)), handle) {
                continue;
            }
            match read(&found, thread, writer, look) {
                Ok(Seen::Session(seen)) => look.keep(*seen),
                Ok(Seen::Child(parent)) => parents.extend(parent),
                Ok(Seen::Hidden) => {}
                Err(kind) => look.skip(kind),
            }
        }
    }
    look.add_children(parents);
}

enum Seen {
    Session(Box<Observed>),
    Child(Option<Handle>),
    Hidden,
}

fn read(found: &Found, thread: String, writer: Lock, look: &Look<'_>) -> Result<Seen, SkipKind> {
    let mut opened = reader::open(&found.path)?;
    let trouble = |error: std::io::Error| reader::kind_of(&error);
    let mut first = Rollout::default();
    if let Head::Line(line) = reader::head(&mut opened).map_err(trouble)? {
        reader::Fold::line(&mut first, Place { line: 1, offset: 0 }, &line);
    }
    match first.meta.as_ref().map(|meta| &meta.kind) {
        Some(Kind::Child(parent)) => {
            let parent = parent.as_deref().map(|id| session_handle(look.key, Runtime::Codex, id));
            return Ok(Seen::Child(parent));
        }
        Some(Kind::Hidden) => return Ok(Seen::Hidden),
        Some(Kind::Session(_)) | None => {}
    }
    let reading = reader::tail(&mut opened, look.now, || first.clone()).map_err(trouble)?;
    if reading.fold.records == 0 && !is_lost(&reading) {
        return Err(SkipKind::NotASession);
    }
    let (facts, cwd) = facts(&reading, &thread, writer, look.key, look.now);
    let mut words = folder_words(cwd.as_deref());
    words.extend(reading.fold.meta.into_iter().flat_map(|meta| meta.words));
    let pid = if let Lock::Held(pid) = writer { pid } else { None };
    let origin = Origin { native_id: thread, file: Some(found.path.clone()), cwd, pid, words };
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
    key: &InstallKey,
    now: Timestamp,
) -> (SessionFacts, Option<PathBuf>) {
    let fold = &reading.fold;
    let mut judged = judge::judge(reading, lock, now);
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
        liveness: judged.liveness,
        turn: judged.turn,
        since: judged.since,
        last_activity: fold.last_activity.map(|at| clamp(at, now)),
        started_at: meta.and_then(|meta| meta.started_at).map(|at| clamp(at, now)),
        missing: judged.missing.into_iter().collect(),
        hints: judged.hints.into_iter().collect(),
        limits,
        checks: Vec::new(),
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

/// Looks closely at one rollout.
pub(crate) fn inspect(
    path: &Path,
    key: &InstallKey,
    now: Timestamp,
    live: Option<&Sources>,
) -> Result<Inspection, InspectError> {
    let mut opened = reader::open(path)?;
    let trouble = |error: std::io::Error| InspectError::from(reader::kind_of(&error));
    let numbered = opened.len <= NUMBERED;
    let reading = if numbered {
        reader::whole(&mut opened, now, Rollout::default()).map_err(trouble)?
    } else {
        reader::tail(&mut opened, now, Rollout::default).map_err(trouble)?
    };
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
    let (facts, _) = facts(&reading, &thread, lock, key, now);
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
