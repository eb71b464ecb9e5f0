//! Claude Code.

mod fold;
mod judge;
mod limits;
mod locate;
mod records;
mod registry;
mod spending;
#[cfg(feature = "testing")]
pub(crate) mod testing;
mod transcript;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loopx_contract::{LineCounts, Liveness, MissingFact, SessionFacts, SessionFactsVersion, SessionState};
use loopx_safety::{HandleKind, InstallKey, PrivateWord, WordKind};

use crate::adapter::{Adapter, Gist, Own, Role, Root};
use crate::evidence::clamp;
use crate::hooks::{Heard, Windows};
use crate::index::{self, Hot, Index};
use crate::inspect::{Finding, InspectError, Inspection, LineEvidence, Verdict};
use crate::process;
use crate::reader::{self, Reading};
use crate::runtime::{runtime_id, session_handle};
use crate::sweep::{Look, Observed, Origin, SkipKind, folder_words};
use crate::usage::{Ledger, Spent};
use crate::{Runtime, Sources};
use registry::{Entry, Registry};
use transcript::{Stand, Transcript};

/// Claude Code's transcripts.
pub(crate) struct ClaudeCode;

impl Adapter for ClaudeCode {
    type Fold = Transcript;

    const RUNTIME: Runtime = Runtime::ClaudeCode;
    const HEADED: bool = false;

    fn roots(sources: &Sources) -> Vec<Root> {
        sources.claude_roots.iter().map(|root| locate::root(root)).collect()
    }

    fn native_id(path: &Path) -> Option<&str> {
        locate::session_id(path)
    }

    fn gist(path: &Path, fold: &Transcript) -> Gist {
        let role = if locate::session_id(path).is_some() {
            if fold.chain > 0 { Role::Session } else { Role::Nobody }
        } else if fold.sidechain == 0 || fold.is_warmup() {
            Role::Nobody
        } else {
            Role::Child(locate::parent(path).map(str::to_owned).or_else(|| fold.session_id.clone()))
        };
        Gist {
            runtime: "claude_code",
            role,
            cwd: fold.cwd.clone(),
            began: fold.first_activity.map(Timestamp::as_millisecond),
            own: Own::All,
        }
    }

    fn ledger(fold: &mut Transcript) -> &mut Ledger {
        &mut fold.ledger
    }
}

/// Looks at every transcript that may matter now and at every entry of the registry.
pub(crate) fn observe(sources: &Sources, index: &mut Index, look: &mut Look<'_>) {
    let mut registry = Registry::read(sources, &sources.claude_roots);
    look.skip_all(std::mem::take(&mut registry.skipped));
    let living = registry.entries.iter().filter(|entry| entry.liveness == Liveness::Alive);
    let mut live: BTreeSet<String> = living.filter_map(|entry| entry.session_id.clone()).collect();
    live.extend(look.told_of(Runtime::ClaudeCode));
    let mut with_file: BTreeSet<String> = BTreeSet::new();
    for hot in index::hot::<ClaudeCode>(index, sources, &live, look) {
        let session = hot.native.clone();
        let entry = registry.of(&session);
        match read(hot, entry, sources, look) {
            Ok(seen) => {
                with_file.insert(session);
                look.keep(seen);
            }
            // A living process may have written nothing that counts yet.
            Err(SkipKind::NotASession) if live.contains(&session) => {}
            Err(kind) => look.skip(kind),
        }
    }
    for entry in &registry.entries {
        let has_file = entry.session_id.as_ref().is_some_and(|session| with_file.contains(session));
        if entry.liveness == Liveness::Alive && !entry.helper && !has_file {
            look.keep(without_file(entry, sources, look));
            with_file.extend(entry.session_id.clone());
        }
    }
    let told: Vec<String> = look.told_of(Runtime::ClaudeCode).collect();
    for session in told.iter().filter(|session| !with_file.contains(*session)) {
        if let Some(seen) = by_hooks(session, sources, look) {
            look.keep(seen);
        }
    }
}

/// A session of which hooks have told, and nothing else tells yet: its file comes with the first prompt.
fn by_hooks(session: &str, sources: &Sources, look: &Look<'_>) -> Option<Observed> {
    let heard = look.heard(sources, Runtime::ClaudeCode, session, |_| true)?;
    let pid = heard.pid?;
    let told = Told { heard: Some(heard), windows: look.windows(Runtime::ClaudeCode, session) };
    let facts = facts(None, session, None, &told, look.key, look.now);
    if facts.state == SessionState::Ended {
        return None;
    }
    let cwd = process::folder(&sources.proc_root, pid);
    let words = folder_words(cwd.as_deref());
    let lane = look.lane(Runtime::ClaudeCode, session);
    let origin = Origin { native_id: session.to_owned(), file: None, cwd, pid: Some(pid), lane, words };
    Some(Observed { facts, private: origin.into() })
}

/// The session of a process, by the registry.
pub(crate) fn session_of_pid(sources: &Sources, pid: u32) -> Option<String> {
    Registry::read(sources, &sources.claude_roots).session_of(pid).map(str::to_owned)
}

fn read(
    hot: Hot<Transcript>,
    entry: Option<&Entry>,
    sources: &Sources,
    look: &Look<'_>,
) -> Result<Observed, SkipKind> {
    let reading = hot.reading?;
    // What lies further back may be one.
    if reading.fold.chain == 0 && reading.extent != reader::Extent::Short && !is_lost(&reading) {
        return Err(SkipKind::NotASession);
    }
    let heard = look.heard(sources, Runtime::ClaudeCode, &hot.native, |_| true);
    let told = Told { heard, windows: look.windows(Runtime::ClaudeCode, &hot.native) };
    let mut facts = facts(Some(&reading), &hot.native, entry, &told, look.key, look.now);
    facts.children = locate::subagents(&hot.path);
    let mut origin = origin(Some(&reading.fold), &hot.native, entry, Some(hot.path));
    origin.pid = origin.pid.or_else(|| told.heard.and_then(|heard| heard.pid));
    origin.lane = look.lane(Runtime::ClaudeCode, &origin.native_id);
    Ok(Observed { facts, private: origin.into() })
}

/// Whether a file was a session's, but nothing of it can be read.
const fn is_lost(reading: &Reading<Transcript>) -> bool {
    reading.is_unreadable() && reading.fold.foreign == 0 && reading.fold.sidechain == 0
}

fn without_file(entry: &Entry, sources: &Sources, look: &Look<'_>) -> Observed {
    // A process without a session is named by itself and the tick it began at.
    let unnamed = || format!("pid:{}:{}", entry.pid, entry.start.unwrap_or_default());
    let session = entry.session_id.clone().unwrap_or_else(unnamed);
    let heard = look.heard(sources, Runtime::ClaudeCode, &session, |_| true);
    let told = Told { heard, windows: look.windows(Runtime::ClaudeCode, &session) };
    let facts = facts(None, &session, Some(entry), &told, look.key, look.now);
    let mut origin = origin(None, &session, Some(entry), None);
    origin.lane = look.lane(Runtime::ClaudeCode, &session);
    Observed { facts, private: origin.into() }
}

fn origin(fold: Option<&Transcript>, session: &str, entry: Option<&Entry>, file: Option<PathBuf>) -> Origin {
    let cwd = fold.and_then(|fold| fold.cwd.clone()).or_else(|| entry.and_then(|entry| entry.cwd.clone()));
    let mut words = folder_words(cwd.as_deref());
    let branch = fold.and_then(|fold| fold.branch.as_deref());
    words.extend(branch.into_iter().flat_map(PrivateWord::of_branch));
    // The project's folder is named after the working folder's path.
    let project = file.as_deref().and_then(Path::parent).and_then(Path::file_name);
    words.extend(project.and_then(|name| Some(PrivateWord::new(WordKind::Folder, name.to_str()?))));
    let pid = entry.filter(|entry| entry.liveness == Liveness::Alive).map(|entry| entry.pid);
    Origin { native_id: session.to_owned(), file, cwd, pid, lane: None, words }
}

/// What was told of a session beside its file.
#[derive(Default)]
struct Told {
    /// By its hooks.
    heard: Option<Heard>,
    /// By its status line.
    windows: Option<Windows>,
}

fn facts(
    reading: Option<&Reading<Transcript>>,
    session: &str,
    entry: Option<&Entry>,
    told: &Told,
    key: &InstallKey,
    now: Timestamp,
) -> SessionFacts {
    let heard = told.heard.as_ref();
    let mut judged = judge::judge(reading, entry, heard, now);
    let fold = reading.map(|reading| &reading.fold);
    let alive = entry.filter(|entry| entry.liveness == Liveness::Alive);
    let word = Runtime::ClaudeCode.word();
    let handle = |kind, id: &String| key.handle(kind, word, &format!("{session}:{id}"));
    let whole = reading.is_some_and(|reading| reading.extent == reader::Extent::Whole);
    let began = fold.filter(|_| whole).and_then(|fold| fold.first_activity);
    let limited = fold.filter(|_| judged.state == SessionState::RateLimited);
    let reached = limited.and_then(|fold| Some(limits::reached(fold.limited_at?, fold.resets_at)));
    let limits = limits::lay(told.windows.as_ref(), reached);
    if limited.is_some_and(|fold| fold.limited_at.is_some()) && !limits::tell_a_reset(&limits) {
        // It is said in words only, and those stay where they are.
        judged.missing.insert(MissingFact::LimitReset);
    }
    SessionFacts {
        schema_version: SessionFactsVersion::V0,
        runtime_id: runtime_id("claude_code"),
        session_id: session_handle(key, Runtime::ClaudeCode, session),
        state: judged.state,
        tier: judged.tier,
        rule: judged.rule,
        liveness: judged.liveness,
        turn: judged.turn,
        since: judged.since,
        last_activity: judge::activity(fold, alive, heard).map(|at| clamp(at, now)),
        started_at: began.or_else(|| alive.and_then(|entry| entry.started_at)).map(|at| clamp(at, now)),
        missing: judged.missing.into_iter().collect(),
        hints: judged.hints.into_iter().collect(),
        limits,
        checks: fold.map(|fold| fold.checks.checks()).unwrap_or_default(),
        usage: None,
        children: 0,
        event_id: fold.and_then(|fold| fold.newest.as_ref()).map(|id| handle(HandleKind::Event, id)),
        outcome_id: fold.and_then(|fold| fold.outcome.as_ref()).map(|id| handle(HandleKind::Outcome, id)),
        lines: reading.map_or_else(LineCounts::default, |reading| reading.lines),
    }
}

/// Looks closely at one transcript.
pub(crate) fn inspect(
    path: &Path,
    key: &InstallKey,
    now: Timestamp,
    live: Option<&Sources>,
) -> Result<Inspection, InspectError> {
    let (reading, numbered) = index::closely::<ClaudeCode>(path, now)?;
    let fold = &reading.fold;
    let evidence = if numbered { evidence(fold) } else { Vec::new() };
    if fold.chain == 0 && !(is_lost(&reading) && locate::session_id(path).is_some()) {
        let phantom = fold.sidechain == 0 || fold.is_warmup();
        let verdict = if phantom { Verdict::NotASession } else { Verdict::Child };
        return Ok(Inspection { verdict, evidence: Vec::new() });
    }
    let session = locate::session_id(path).or(fold.session_id.as_deref()).unwrap_or_default();
    let registry = live.map(|sources| {
        let mut roots = sources.claude_roots.clone();
        roots.extend(locate::root_of(path).map(Path::to_owned));
        Registry::read(sources, &roots)
    });
    let entry = registry.as_ref().and_then(|registry| registry.of(session));
    let told = live.and_then(|sources| {
        let spool = sources.spool.as_ref()?;
        let of = (Runtime::ClaudeCode, session.to_owned());
        let heard = Heard::of(&spool.read(now), &of, sources, now, |_| true);
        Some(Told { heard, windows: spool.windows(now).of(of.0, session, now) })
    });
    let mut facts = facts(Some(&reading), session, entry, &told.unwrap_or_default(), key, now);
    let whole = reading.extent == reader::Extent::Whole;
    facts.usage = fold.ledger.total().filter(|_| whole).map(Spent::usage);
    Ok(Inspection { verdict: Verdict::Session(Box::new(facts)), evidence })
}

fn evidence(fold: &Transcript) -> Vec<LineEvidence> {
    let mut evidence = Vec::new();
    match &fold.stand {
        Stand::Nothing => {}
        Stand::Open(step) => evidence.push(LineEvidence::at(step.place, Finding::TurnStep)),
        Stand::Closed(closed) => evidence.push(LineEvidence::at(closed.place, Finding::of_end(closed.state))),
        Stand::Unclear(step, before) => {
            evidence.push(LineEvidence::at(step.place, Finding::TurnStep));
            evidence.extend(
                before.as_ref().map(|closed| LineEvidence::at(closed.place, Finding::of_end(closed.state))),
            );
        }
    }
    evidence.extend(fold.began.map(|place| LineEvidence::at(place, Finding::TurnStarted)));
    for call in fold.calls.values() {
        let what = if call.question { Finding::OpenQuestion } else { Finding::OpenCall };
        evidence.push(LineEvidence::at(call.place, what));
    }
    evidence.sort();
    evidence
}
