//! Taking lines in: each is judged, those that count are appended to the spool together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::worker::{Fault, Field, Problem, read};
use loopx_contract::{AgentId, GoalId};
use loopx_safety::{Handle, HandleKind, InstallKey, PrivateWords, TierKind, screen};

use super::told::{Beside, Told};
use crate::Sources;
use crate::hooks::Pid;
use crate::process;
use crate::spool::{Entries, Entry as _, FORGOTTEN, LONG, Spool};

/// The shortest time there is between two lines.
const STEP: SignedDuration = SignedDuration::from_micros(1);

/// So many times as long as a reader lets it be, the spool may grow while nobody reads.
const SELDOM: u64 = 4;

/// How many sessions are counted.
const COUNTED: usize = 1000;

/// By how much an instant may be rounded down, and the boot up.
const ROUNDED: SignedDuration = SignedDuration::from_secs(2);

/// A goal that a line names, and the agent.
pub type Lane = (GoalId, Option<AgentId>);

/// What holds for every line that says nothing else.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// The goal.
    pub goal: Option<GoalId>,
    /// The agent.
    pub agent: Option<AgentId>,
    /// The folder.
    pub cwd: Option<PathBuf>,
    /// The process that reads from the worker itself, and ends when the worker does.
    pub reader: Option<u32>,
}

/// Takes lines of workers in.
pub struct Intake<'a> {
    spool: Spool,
    sources: &'a Sources,
    key: &'a InstallKey,
    words: &'a PrivateWords,
    setting: Setting,
    stream: Option<Pid>,
    /// The instants of the line before.
    read: Timestamp,
    at: Timestamp,
    /// What waits to be appended.
    told: Entries<Told>,
    /// Processes that were looked up since, and when the machine was booted.
    processes: BTreeMap<u32, Option<Pid>>,
    booted: Option<Timestamp>,
    /// Lanes that were named and not asked for yet, and all that were named.
    lanes: Vec<Lane>,
    named: BTreeSet<Lane>,
    /// At which length the spool is to be written anew.
    long: u64,
    sessions: BTreeSet<Handle>,
    dropped: u64,
    old: u64,
}

impl<'a> Intake<'a> {
    /// Begins to take in.
    pub fn new(
        spool: &super::Spool,
        sources: &'a Sources,
        key: &'a InstallKey,
        words: &'a PrivateWords,
        setting: Setting,
    ) -> Self {
        Self {
            spool: spool.0.clone(),
            sources,
            key,
            words,
            stream: setting.reader.and_then(|reader| Pid::of(sources, reader)),
            setting,
            read: Timestamp::MIN,
            at: Timestamp::MIN,
            told: Entries::<Told>::new(),
            processes: BTreeMap::new(),
            booted: None,
            lanes: Vec::new(),
            named: BTreeSet::new(),
            long: SELDOM * LONG,
            sessions: BTreeSet::new(),
            dropped: 0,
            old: 0,
        }
    }

    /// Judges one line without its end. `written` is when it was written at the latest, where that is known.
    pub fn line(
        &mut self,
        line: &[u8],
        now: Timestamp,
        written: Option<Timestamp>,
    ) -> Result<(), Vec<Fault>> {
        let line = read(line, self.words)?;
        let mut facts = line.facts;
        let goal = facts.goal_id.take();
        let (own, agent) = (goal.is_some(), facts.agent_id.take());
        let goal = goal.or_else(|| self.setting.goal.clone());
        if agent.is_some() && goal.is_none() {
            let field = Field { name: "agent_id", item: None, part: None };
            return Err(vec![Fault { field: Some(field), problem: Problem::NoGoal }]);
        }
        // The agent that holds for all is one of the goal that holds for all.
        let agent = agent.or_else(|| self.setting.agent.clone().filter(|_| !own));
        self.dropped += line.dropped;
        // Of lines without an instant the later one is the newer one, however fast they come.
        let later = |instant: Timestamp, before: Timestamp| {
            before.checked_add(STEP).map_or(instant, |after| instant.max(after))
        };
        let read = later(now, self.read);
        let at = match facts.at {
            Some(at) => at.min(read),
            None => later(written.map_or(now, |written| written.min(now)), self.at).min(read),
        };
        self.read = read;
        if facts.at.is_none() {
            self.at = at;
        }
        let native = facts.session_id.expose().as_str();
        let session = self.key.handle(HandleKind::Session, facts.runtime_id.as_str(), native);
        let native = screen(native, TierKind::Local, usize::MAX).is_ok().then(|| native.to_owned());
        let cwd = facts.cwd.take().map(loopx_safety::Private::into_exposed);
        let process =
            facts.pid.and_then(|pid| self.process(pid)).filter(|process| !self.is_later(*process, at));
        if self.sessions.len() <= COUNTED {
            self.sessions.insert(session);
        }
        if now.duration_since(at) > FORGOTTEN {
            self.old += 1;
            return Ok(());
        }
        let named = goal.map(|goal| (goal, agent));
        if let Some(lane) = &named
            && self.named.len() < COUNTED
            && !self.named.contains(lane)
        {
            self.named.insert(lane.clone());
            self.lanes.push(lane.clone());
        }
        let beside = Beside {
            at,
            read,
            session,
            native,
            lane: named,
            cwd: cwd.or_else(|| self.setting.cwd.clone()),
            process,
            stream: self.stream,
        };
        self.told.entry(session).or_default().insert(Told::new(facts, beside));
        Ok(())
    }

    /// A process that may be the worker: one of our user's, in our own namespace, that runs a program. A number that is
    /// told from within a container is a small one, and of another process here.
    fn process(&mut self, pid: u32) -> Option<Pid> {
        let sources = self.sources;
        *self.processes.entry(pid).or_insert_with(|| {
            let root = &sources.proc_root;
            let owner = |of: &str| fs::metadata(root.join(of)).ok().map(|meta| meta.uid());
            let namespace = |of: &str| fs::read_link(root.join(of).join("ns").join("pid")).ok();
            let name = pid.to_string();
            let is_ours = owner(&name) == owner("self") && namespace(&name) == namespace("self");
            // The kernel's own threads have no command line.
            let is_program = process::command(root, pid).iter().any(|word| !word.is_empty());
            let may_be = is_ours && is_program && !process::is_init(root, pid);
            Pid::of(sources, pid).filter(|_| may_be)
        })
    }

    /// Whether a process began after it was told of: then another one had its number.
    fn is_later(&mut self, process: Pid, at: Timestamp) -> bool {
        self.booted = self.booted.or_else(|| process::booted(&self.sources.proc_root));
        let booted = self.booted;
        let began = booted.zip(process::since_boot(process.start));
        began.is_some_and(|(booted, after)| {
            booted.checked_add(after).is_ok_and(|began| began.duration_since(at) > ROUNDED)
        })
    }

    /// The lanes that lines have named since this was asked last, each once; up to a thousand.
    pub fn lanes(&mut self) -> Vec<Lane> {
        std::mem::take(&mut self.lanes)
    }

    /// Appends what was taken since: from now on it counts. What can't be appended waits for the next time.
    pub fn flush(&mut self, now: Timestamp) -> io::Result<()> {
        self.processes.clear();
        self.booted = None;
        for told in self.told.values_mut() {
            Told::keep(told, now);
        }
        if self.told.is_empty() {
            return Ok(());
        }
        let len = self.spool.append(self.told.values().flatten())?;
        self.told.clear();
        if len >= self.long {
            let _anew = self.spool.read::<Told>(now);
            let len = fs::symlink_metadata(&self.spool.path).map_or(0, |meta| meta.len());
            self.long = (SELDOM * LONG).max(len * 2);
        }
        Ok(())
    }

    /// How many keys were dropped.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many lines were too old to count.
    pub const fn old(&self) -> u64 {
        self.old
    }

    /// The sessions that were told of; up to a thousand and one.
    pub const fn sessions(&self) -> &BTreeSet<Handle> {
        &self.sessions
    }
}
