//! Waiting until something may have changed that a look would see: a session file, a lock, the registry, a process, the
//! log. Nothing is read while nothing happens.

mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{EventKindMask, Flag, ModifyKind};
use notify::{Config, Event, EventHandler, EventKind, RecommendedWatcher, Watcher as _};

use loopx_safety::{Handle, InstallKey};

use crate::adapter::Adapter as _;
use crate::claude_code::ClaudeCode;
use crate::process::{Leader, Process, leaders, process};
use crate::runtime::session_handle;
use crate::{Runtime, Sources, codex};
use place::Place;

/// How many files that were written to are told apart: of more, the whole list is brought up to date.
const TOUCHED: usize = 512;

/// How often it is looked whether folders have appeared and processes still live.
const STEP: Duration = Duration::from_secs(2);

/// How long it is waited for the rest of a change.
const GATHER: Duration = Duration::from_millis(3);

/// How often it is looked whether a command begins, while permission for one is asked for: no file tells that.
const GLANCE: Duration = Duration::from_millis(150);

/// The files of LoopX's own that tell something new.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// The folder they lie in.
    pub folder: &'a Path,
    /// Those of the log.
    pub log: &'static [&'static str],
    /// Those that tell of sessions.
    pub told: &'static [&'static str],
}

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Something was written to, or a process is gone.
    Changed,
    /// The log was written to, and nothing that tells of sessions.
    Logged,
    /// A folder is watched from now on, or some changes were not told of: the list of files has to be brought up to
    /// date.
    Appeared,
    /// Nothing has happened for as long as was asked.
    Elapsed,
    /// A [`Waker`] was used.
    Called,
}

/// What was told since it was last asked.
#[derive(Default)]
struct News {
    /// Something was told that no wait has taken yet.
    told: AtomicBool,
    /// Some changes were not told of.
    appeared: AtomicBool,
    /// Something other than the log was written to.
    observed: AtomicBool,
    /// A waker was used.
    called: AtomicBool,
    /// The files that were written to.
    touched: Mutex<BTreeSet<PathBuf>>,
    /// A folder that was watched is gone: another one may take its place, and be taken for it.
    lost: AtomicBool,
}

/// Ends a wait from elsewhere, from a thread that waits for signals, say; and knows whether the next wait is over at
/// once.
#[derive(Clone)]
pub struct Waker {
    send: SyncSender<()>,
    news: Arc<News>,
}

impl Waker {
    /// Ends the wait that goes on, or the next one.
    pub fn wake(&self) {
        self.news.called.store(true, Ordering::Relaxed);
        let _ = self.send.try_send(());
    }

    /// Whether something was told that no wait has taken yet.
    pub fn is_stirred(&self) -> bool {
        self.news.told.load(Ordering::Relaxed) || self.news.called.load(Ordering::Relaxed)
    }
}

/// What watches.
pub struct Watch {
    places: Vec<Place>,
    watchers: Option<Watchers>,
    changes: Receiver<()>,
    waker: Waker,
    news: Arc<News>,
    proc_root: PathBuf,
    claude_roots: Vec<PathBuf>,
    living: Vec<u32>,
    /// The processes that ask for permission, each with the commands that it ran when it was last looked.
    asking: BTreeMap<u32, Vec<Leader>>,
    /// Whether the system tells of every change.
    told: bool,
}

impl Watch {
    /// Begins to watch the folders of the runtimes, and LoopX's own.
    pub fn new(sources: &Sources, own: Own<'_>) -> Self {
        let (send, changes) = sync_channel(1);
        let news = Arc::new(News::default());
        let places = place::all(sources, own.folder);
        let paths = places.iter().map(|place| place.path.clone()).collect();
        let waker = Waker { send: send.clone(), news: Arc::clone(&news) };
        let tell = teller(send, Arc::clone(&news), paths, own);
        let watchers = Watchers::new(tell).ok();
        let mut watch = Self {
            told: watchers.is_some(),
            places,
            watchers,
            changes,
            waker,
            news,
            proc_root: sources.proc_root.clone(),
            claude_roots: sources.claude_roots.clone(),
            living: Vec::new(),
            asking: BTreeMap::new(),
        };
        watch.arm();
        watch
    }

    /// Whether the system tells of changes. Where it does not, for want of watches or in a network folder, every wait
    /// ends after two seconds, as if something had changed.
    pub const fn is_told(&self) -> bool {
        self.told
    }

    /// What ends a wait from elsewhere.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// The sessions whose files were written to, by their names, since this was last asked.
    pub fn touched(&self, key: &InstallKey) -> BTreeSet<Handle> {
        let mut touched = self.news.touched.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *touched).iter().filter_map(|path| self.session_of(path, key)).collect()
    }

    /// The session whose file this is, by its place and its name.
    fn session_of(&self, path: &Path, key: &InstallKey) -> Option<Handle> {
        let (runtime, native) = if self.claude_roots.iter().any(|root| path.starts_with(root)) {
            (Runtime::ClaudeCode, ClaudeCode::native_id(path)?)
        } else {
            (Runtime::Codex, codex::Codex::native_id(path)?)
        };
        Some(session_handle(key, runtime, native))
    }

    /// Which processes must go on living.
    pub fn living(&mut self, pids: Vec<u32>) {
        self.living = pids;
    }

    /// Which processes ask for permission: a command of theirs tells that it was given.
    pub fn asking(&mut self, pids: &[u32]) {
        self.asking.retain(|pid, _| pids.contains(pid));
        for pid in pids {
            // What began since the look is not missed: the next glance finds it.
            self.asking.entry(*pid).or_default();
        }
    }

    /// Waits until something may have changed, at most this long. What changes before `not_before` is one change: it
    /// is told then.
    pub fn wait(&mut self, at_most: Duration, not_before: Instant) -> Woken {
        let until = Instant::now() + at_most;
        let gather = || std::thread::sleep(not_before.saturating_duration_since(Instant::now()));
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let step = if self.asking.is_empty() { STEP } else { GLANCE };
            match self.changes.recv_timeout(left.min(step)) {
                Ok(()) => {
                    gather();
                    while self.changes.try_recv().is_ok() {}
                    return self.changed();
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if self.arm() {
                return Woken::Appeared;
            }
            if !self.told || self.has_died() || self.has_begun() {
                gather();
                return Woken::Changed;
            }
            if left <= step {
                gather();
                return Woken::Elapsed;
            }
        }
    }

    fn changed(&self) -> Woken {
        // Before it is looked: what is told from here on is for the next wait.
        let taken = |told: &AtomicBool| told.swap(false, Ordering::Relaxed);
        let (told, called) = (taken(&self.news.told), taken(&self.news.called));
        let (appeared, observed) = (taken(&self.news.appeared), taken(&self.news.observed));
        if appeared {
            Woken::Appeared
        } else if called {
            Woken::Called
        } else if told && !observed {
            Woken::Logged
        } else {
            Woken::Changed
        }
    }

    fn has_died(&self) -> bool {
        self.living.iter().any(|pid| process(&self.proc_root, *pid) == Process::Gone)
    }

    /// Whether a process that asks has begun or ended a command.
    fn has_begun(&mut self) -> bool {
        let mut begun = false;
        for (pid, known) in &mut self.asking {
            let commands = leaders(&self.proc_root, *pid);
            begun |= commands != *known;
            *known = commands;
        }
        begun
    }

    /// Watches the folders that are there and were not watched yet. Whether there are any.
    fn arm(&mut self) -> bool {
        let Some(watchers) = &mut self.watchers else { return false };
        let lost = self.news.lost.swap(false, Ordering::Relaxed);
        let mut new = false;
        for place in &mut self.places {
            if lost {
                place.forget();
            }
            if !place.is_new() {
                continue;
            }
            // What can't be watched is looked at over and over.
            self.told &= place.is_local() && watchers.watch(place).is_ok();
            place.watched();
            new = true;
        }
        new
    }
}

/// Who is told by the system. Neither is woken for a file that is opened and read.
struct Watchers {
    /// Of the runtimes' folders: also who may read what.
    sessions: RecommendedWatcher,
    /// Of LoopX's own. Whose a file is says nothing there: SQLite gives its files to their owner whenever somebody opens
    /// them.
    own: RecommendedWatcher,
}

impl Watchers {
    fn new(tell: impl EventHandler + Clone) -> notify::Result<Self> {
        let of = |kinds| Config::default().with_event_kinds(kinds);
        let written = EventKindMask::CORE - EventKindMask::MODIFY_META;
        Ok(Self {
            sessions: RecommendedWatcher::new(tell.clone(), of(EventKindMask::CORE))?,
            own: RecommendedWatcher::new(tell, of(written))?,
        })
    }

    fn watch(&mut self, place: &Place) -> notify::Result<()> {
        let watcher = if place.is_own { &mut self.own } else { &mut self.sessions };
        watcher.watch(&place.path, place.mode)
    }
}

/// What a change tells of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Nothing that a look would see.
    Nothing,
    /// The log.
    Log,
    /// Sessions.
    Sessions,
}

/// Tells of every change but those that a look itself makes.
fn teller(
    send: SyncSender<()>,
    news: Arc<News>,
    watched: Vec<PathBuf>,
    own: Own<'_>,
) -> impl FnMut(notify::Result<Event>) + Clone + use<> {
    let (folder, Own { log, told, .. }) = (own.folder.to_owned(), own);
    let of = move |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match path.parent() == Some(folder.as_path()) {
            true if log.contains(&name) => Of::Log,
            true if !told.contains(&name) => Of::Nothing,
            true | false => Of::Sessions,
        }
    };
    let mut gathered = Instant::now();
    move |event| {
        // A write comes in pieces: what follows at once is read with it, at one waking.
        if gathered.elapsed() > GATHER {
            std::thread::sleep(GATHER);
            gathered = Instant::now();
        }
        // An error may have hidden anything.
        let event = event.unwrap_or_else(|_| Event::new(EventKind::Other).set_flag(Flag::Rescan));
        let tells = |what: Of| event.paths.iter().any(|path| of(path) == what);
        let is_observed = event.need_rescan() || tells(Of::Sessions);
        if !is_observed && !tells(Of::Log) {
            return;
        }
        if event.need_rescan() {
            news.appeared.store(true, Ordering::Relaxed);
        }
        let is_gone = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
        if event.need_rescan() || is_gone && event.paths.iter().any(|path| watched.contains(path)) {
            news.lost.store(true, Ordering::Relaxed);
        }
        if is_observed {
            news.observed.store(true, Ordering::Relaxed);
            let mut touched = news.touched.lock().unwrap_or_else(PoisonError::into_inner);
            touched.extend(event.paths);
            if touched.len() > TOUCHED {
                touched.clear();
                news.appeared.store(true, Ordering::Relaxed);
            }
        }
        news.told.store(true, Ordering::Relaxed);
        // One that waits to be taken says as much as two.
        let _ = send.try_send(());
    }
}

#[cfg(test)]
mod tests;
