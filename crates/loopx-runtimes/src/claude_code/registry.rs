//! Claude Code's live registry: `sessions/<pid>.json`, believed as far as its process is proved.
//!
//! Source: recordings of 2.1.332. Entries outlive a killed process, and the keys beside them are never opened.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loopx_contract::Liveness;
use serde::Deserialize;

use crate::Sources;
use crate::evidence::WaitingFor;
use crate::process::{self, Process};
use crate::reader::field::{Integer, Text, epoch_millis};
use crate::reader::{Of, Step, files, skim, small};
use crate::sweep::SkipKind;

/// No entry is longer, in bytes.
const CAP: u64 = 256 << 10;

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The process.
    pub pid: u32,
    /// Its session.
    pub session_id: Option<String>,
    /// Its folder.
    pub cwd: Option<PathBuf>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Whether it is a session's process or a helper.
    pub helper: bool,
    /// What it does.
    pub status: Option<Status>,
    /// Since when.
    pub status_at: Option<Timestamp>,
    /// Whether the process lives.
    pub liveness: Liveness,
    /// What names the process, for a session without an id.
    pub start: Option<u64>,
}

/// What a session's process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Works.
    Busy,
    /// No turn is open.
    Idle,
    /// Waits for the user.
    Waiting(WaitingFor),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Document<'a> {
    pid: Integer,
    #[serde(borrow)]
    session_id: Text<'a>,
    #[serde(borrow)]
    cwd: Text<'a>,
    started_at: Integer,
    proc_start: Integer,
    #[serde(borrow)]
    pid_domain: Text<'a>,
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow)]
    waiting_for: Text<'a>,
    updated_at: Integer,
    status_updated_at: Integer,
}

/// The registry of some roots at one instant.
#[derive(Debug, Default)]
pub struct Registry {
    /// The entries.
    pub entries: Vec<Entry>,
    /// What could not be read.
    pub skipped: Vec<SkipKind>,
}

impl Registry {
    /// Reads every entry and looks its process up.
    pub fn read(sources: &Sources, roots: &[PathBuf]) -> Self {
        let here = process::domain(sources);
        let mut registry = Self::default();
        for root in roots {
            // `<pid>.json` and nothing else: secret keys lie beside.
            let walk = files(&root.join("sessions"), |_, name| match name.strip_suffix(".json") {
                Some(pid) if !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Step::Take(Of::Sessions)
                }
                Some(_) | None => Step::Pass,
            });
            registry.skipped.extend(walk.skipped);
            for found in walk.files {
                match entry(&found.path, sources, here.as_deref()) {
                    Ok(entry) => registry.entries.push(entry),
                    Err(kind) => registry.skipped.push(kind),
                }
            }
        }
        registry
    }

    /// The entry of a session: a living process before a dead one; of two living ones the one that asks, then the one
    /// that works; then the newest.
    pub fn of(&self, session: &str) -> Option<&Entry> {
        let rank = |entry: &&Entry| match entry.liveness {
            Liveness::Alive => match entry.status {
                Some(Status::Waiting(_)) => 4,
                Some(Status::Busy) => 3,
                Some(Status::Idle) | None => 2,
            },
            Liveness::Unproved => 1,
            Liveness::Dead => 0,
        };
        self.entries
            .iter()
            .filter(|entry| entry.session_id.as_deref() == Some(session))
            .max_by_key(|entry| (rank(entry), entry.status_at))
    }

    /// The session of a living process.
    pub fn session_of(&self, pid: u32) -> Option<&str> {
        self.entries
            .iter()
            .find(|entry| entry.pid == pid && entry.liveness == Liveness::Alive)
            .and_then(|entry| entry.session_id.as_deref())
    }
}

fn entry(path: &Path, sources: &Sources, here: Option<&str>) -> Result<Entry, SkipKind> {
    // It is rewritten in place: a torn one is whole at the second look.
    for _ in 0..2 {
        let bytes = small(path, CAP)?;
        if let Some(entry) = parse(&bytes, path, sources, here) {
            return Ok(entry);
        }
    }
    Err(SkipKind::Unreadable)
}

fn parse(bytes: &[u8], path: &Path, sources: &Sources, here: Option<&str>) -> Option<Entry> {
    let document: Document<'_> = skim::object(bytes).ok()?;
    let named = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
    let pid: u32 = document.pid.0.and_then(|pid| pid.try_into().ok()).or(named)?;
    let began: Option<u64> = document.proc_start.0.and_then(|tick| tick.try_into().ok());
    let place = match (document.pid_domain.word(), here) {
        (Some(told), Some(here)) if told == here => Domain::Ours,
        (Some(_), _) => Domain::Other,
        (None, _) => Domain::Untold,
    };
    let liveness = liveness(place, began, &process::process(&sources.proc_root, pid));
    Some(Entry {
        pid,
        session_id: document.session_id.word().map(str::to_owned),
        cwd: document.cwd.word().map(PathBuf::from),
        started_at: epoch_millis(document.started_at),
        helper: document.kind.word().is_some_and(|kind| kind.starts_with("daemon")),
        status: document.status.word().and_then(|status| status_of(status, document.waiting_for.word())),
        status_at: epoch_millis(document.status_updated_at).or_else(|| epoch_millis(document.updated_at)),
        liveness,
        start: began,
    })
}

/// In whose process numbers an entry counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Domain {
    Ours,
    Other,
    Untold,
}

fn liveness(domain: Domain, began: Option<u64>, process: &Process) -> Liveness {
    match (domain, process, began) {
        (Domain::Other, _, _) | (_, Process::Unknown, _) => Liveness::Unproved,
        // The same number and the same tick of the clock: it is the same process, wherever it was written down.
        (_, Process::Lives(stat), Some(tick)) if stat.start == tick && !stat.stopped => Liveness::Alive,
        (_, Process::Lives(stat), Some(tick)) if stat.start == tick => Liveness::Unproved,
        (Domain::Ours, Process::Lives(_), Some(_)) | (Domain::Ours, Process::Gone, _) => Liveness::Dead,
        (Domain::Ours | Domain::Untold, Process::Lives(_), _) | (Domain::Untold, Process::Gone, _) => {
            Liveness::Unproved
        }
    }
}

fn status_of(status: &str, waiting_for: Option<&str>) -> Option<Status> {
    Some(match status {
        "busy" | "shell" => Status::Busy,
        "idle" => Status::Idle,
        "waiting" => Status::Waiting(match waiting_for {
            Some("permission prompt" | "sandbox request") => WaitingFor::Permission,
            Some("input needed" | "dialog open" | "goal proposal") => WaitingFor::Answer,
            _ => WaitingFor::Something,
        }),
        _ => return None,
    })
}
