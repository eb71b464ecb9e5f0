//! One look at every session on the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{
    AgentId, EvidenceTier, GoalId, Liveness, MissingFact, Rule, SessionFacts, SessionState, Turn,
};
use loopx_safety::{Handle, InstallKey, Private, PrivateWord, WordKind};

use crate::evidence::{Judgement, is_recent};
use crate::hooks::{Events, Heard, Told, Windows, lane};
use crate::index::Index;
use crate::{Runtime, Sources, claude_code, codex, worker};

/// What was told so lately makes its session one that matters.
const LATELY: SignedDuration = SignedDuration::from_mins(15);

/// What one look brought.
#[derive(Debug, Default)]
pub struct Sweep {
    /// The sessions, each once, by handle.
    pub sessions: Vec<Observed>,
    /// What could not be read, by kind, sorted.
    pub skipped: Vec<Skipped>,
    /// Session files that are too old to be looked at.
    pub older: u64,
    /// When all files were looked for last.
    pub swept_at: Option<Timestamp>,
}

/// How far a look goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// What is hot always, what is cold once a minute.
    #[default]
    Hot,
    /// The same for a caller who is told of every change and says which files have changed: what is cold is looked at
    /// every ten minutes.
    Told,
    /// The list of files is brought up to date first.
    Fresh,
    /// The same, and sessions of any age are looked at.
    Old,
}

/// One session.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What may be said of it.
    pub facts: SessionFacts,
    /// What may not.
    pub private: Private<Origin>,
}

/// Where a session comes from. Nothing of it may be said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The runtime's own id of the session.
    pub native_id: String,
    /// Its file; a session at a start-up dialog has none yet.
    pub file: Option<PathBuf>,
    /// The folder it works in.
    pub cwd: Option<PathBuf>,
    /// Its process, where it is proved alive.
    pub pid: Option<u32>,
    /// The goal that its environment names, and the agent. Nothing here knows whether there is one.
    pub lane: Option<(GoalId, Option<AgentId>)>,
    /// Words of it that the screen must refuse: folder names, branch, remote.
    pub words: Vec<PrivateWord>,
}

/// How many of a kind could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Why.
    pub kind: SkipKind,
    /// How many.
    pub count: u64,
}

/// Why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipKind {
    /// It was gone when we came to it.
    Vanished,
    /// It may not be read, or reading failed.
    Unreadable,
    /// A pipe, device or folder where a file should be.
    NotAFile,
    /// A link to a folder: not followed.
    Link,
    /// Far longer than such a file ever is.
    TooLarge,
    /// Nothing in it is a record of a session.
    NotASession,
}

impl SkipKind {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vanished => "vanished",
            Self::Unreadable => "unreadable",
            Self::NotAFile => "not_a_file",
            Self::Link => "link",
            Self::TooLarge => "too_large",
            Self::NotASession => "not_a_session",
        }
    }
}

/// Looks at every session that may matter now once. `also` names sessions that are looked at however old they are.
///
/// It never fails: what can't be read is counted.
pub fn observe(
    sources: &Sources,
    index: &mut Index,
    key: &InstallKey,
    now: Timestamp,
    also: &BTreeSet<Handle>,
    scope: Scope,
) -> Sweep {
    let mut look = Look {
        events: sources.spool.as_ref().map(|spool| spool.read(now)).unwrap_or_default(),
        windows: sources.spool.as_ref().map(|spool| spool.windows(now)).unwrap_or_default(),
        key,
        now,
        also,
        scope,
        sessions: BTreeMap::new(),
        skipped: BTreeMap::new(),
        older: 0,
        swept_at: None,
    };
    codex::observe(sources, index, &mut look);
    claude_code::observe(sources, index, &mut look);
    worker::observe(sources, &mut look);
    Sweep {
        sessions: look.sessions.into_values().collect(),
        skipped: look.skipped.into_iter().map(|(kind, count)| Skipped { kind, count }).collect(),
        older: look.older,
        swept_at: look.swept_at,
    }
}

/// How a session stands that another one started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Child {
    /// It works: by this tier, since then.
    Works(EvidenceTier, Option<Timestamp>),
    /// A turn of it is open, and this would be needed to say more.
    Unsure(MissingFact),
    /// It is done, or gone.
    Rests,
}

impl Child {
    /// What its judgement comes to for the one that started it.
    pub(crate) fn of(judged: &Judgement, now: Timestamp) -> Self {
        let asks = matches!(judged.state, SessionState::WaitingPermission | SessionState::WaitingAnswer);
        match (judged.turn, judged.liveness) {
            (Turn::Open, Liveness::Alive) if judged.state == SessionState::Running => {
                Self::Works(judged.tier, judged.since)
            }
            (Turn::Open, Liveness::Alive) if !asks => Self::Unsure(MissingFact::PermissionState),
            (Turn::Open, Liveness::Alive) => Self::Unsure(MissingFact::TurnState),
            (Turn::Open, Liveness::Unproved) if is_recent(judged.since, now) => {
                Self::Unsure(MissingFact::Liveness)
            }
            (Turn::Open | Turn::Closed | Turn::Unknown, _) => Self::Rests,
        }
    }

    fn lay_over(self, facts: &mut SessionFacts) {
        match self {
            Self::Works(tier, since) if facts.state == SessionState::Idle => {
                facts.state = SessionState::Background;
                (facts.tier, facts.rule, facts.since) = (tier, Rule::ChildWorks, since.or(facts.since));
            }
            Self::Unsure(missing) if facts.state == SessionState::Idle => {
                (facts.state, facts.rule) = (SessionState::Unknown, Rule::ChildOpen);
                if !facts.missing.contains(&missing) {
                    facts.missing.push(missing);
                    facts.missing.sort();
                }
            }
            Self::Works(..) | Self::Unsure(_) | Self::Rests => {}
        }
    }
}

/// A sweep in the making.
pub(crate) struct Look<'a> {
    events: Events,
    windows: Told,
    pub(crate) key: &'a InstallKey,
    pub(crate) now: Timestamp,
    pub(crate) also: &'a BTreeSet<Handle>,
    pub(crate) scope: Scope,
    sessions: BTreeMap<Handle, Observed>,
    skipped: BTreeMap<SkipKind, u64>,
    older: u64,
    swept_at: Option<Timestamp>,
}

impl Look<'_> {
    pub(crate) fn skip(&mut self, kind: SkipKind) {
        *self.skipped.entry(kind).or_default() += 1;
    }

    pub(crate) fn skip_all(&mut self, kinds: Vec<SkipKind>) {
        for kind in kinds {
            self.skip(kind);
        }
    }

    /// What hooks have told of a session. `knows` tells of a turn whether the session's file has it.
    pub(crate) fn heard(
        &self,
        sources: &Sources,
        runtime: Runtime,
        session: &str,
        knows: impl Fn(&str) -> bool,
    ) -> Option<Heard> {
        Heard::of(&self.events, &(runtime, session.to_owned()), sources, self.now, knows)
    }

    /// What the environment of a session's hooks names.
    pub(crate) fn lane(&self, runtime: Runtime, session: &str) -> Option<(GoalId, Option<AgentId>)> {
        lane(self.events.get(&(runtime, session.to_owned()))?)
    }

    /// What a session's status line has told of its runtime's limits.
    pub(crate) fn windows(&self, runtime: Runtime, session: &str) -> Option<Windows> {
        self.windows.of(runtime, session, self.now)
    }

    /// The subagents that were told of, each behind the session that it was told of under.
    pub(crate) fn subagents(&self, runtime: Runtime) -> BTreeSet<(String, String)> {
        let own = self.events.iter().filter(|((of, _), _)| *of == runtime);
        let named = own.flat_map(|((_, session), events)| {
            events.iter().filter_map(|event| Some((session.clone(), event.subagent.clone()?)))
        });
        named.collect()
    }

    /// The sessions of which something was told lately: they are looked at, however old their files are.
    pub(crate) fn told_of(&self, runtime: Runtime) -> impl Iterator<Item = String> {
        let lately = |at: Timestamp| self.now.duration_since(at) <= LATELY;
        let told = self.events.iter().filter(move |((of, _), events)| {
            *of == runtime && events.last().is_some_and(|event| lately(event.at))
        });
        told.map(|((_, session), _)| session.clone())
    }

    /// Counts files that are too old to be looked at.
    pub(crate) fn older(&mut self, files: u64) {
        self.older = self.older.saturating_add(files);
    }

    /// Notes when a runtime's files were looked for last: the earliest counts.
    pub(crate) fn swept(&mut self, at: Timestamp) {
        self.swept_at = Some(self.swept_at.map_or(at, |earliest| earliest.min(at)));
    }

    /// Keeps a session. Of two files of one session the one with the newer activity is kept.
    pub(crate) fn keep(&mut self, seen: Observed) {
        let handle = seen.facts.session_id;
        let newer = self
            .sessions
            .get(&handle)
            .is_none_or(|held| held.facts.last_activity <= seen.facts.last_activity);
        if newer {
            self.sessions.insert(handle, seen);
        }
    }

    /// Keeps a session that no runtime's own files tell of.
    pub(crate) fn keep_foreign(&mut self, seen: Observed) {
        self.sessions.entry(seen.facts.session_id).or_insert(seen);
    }

    /// Counts children of their parents, where the parent was seen. One whose turn is over while a child of it works is
    /// not idle.
    pub(crate) fn add_children(&mut self, children: impl IntoIterator<Item = (Handle, Child)>) {
        let mut children: Vec<_> = children.into_iter().collect();
        // One that works is the answer, whatever the others do.
        children.sort_by_key(|(_, child)| !matches!(child, Child::Works(..)));
        for (parent, child) in children {
            if let Some(seen) = self.sessions.get_mut(&parent) {
                seen.facts.children = seen.facts.children.saturating_add(1);
                child.lay_over(&mut seen.facts);
            }
        }
    }
}

/// The words of a folder that the screen must refuse: its names, that of a home folder's user among them.
pub(crate) fn folder_words(cwd: Option<&Path>) -> Vec<PrivateWord> {
    let Some(cwd) = cwd else { return Vec::new() };
    let names: Vec<&str> = cwd
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
        })
        .collect();
    let user = |at: usize| at == 1 && matches!(names.first(), Some(&("home" | "Users")));
    names
        .iter()
        .enumerate()
        .map(|(at, name)| PrivateWord::new(if user(at) { WordKind::User } else { WordKind::Folder }, *name))
        .collect()
}
