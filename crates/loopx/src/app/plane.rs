//! The control plane: what every door calls.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use jiff::Timestamp;
use loopx_contract::{EvidenceTier, GoalId, Ref, SessionFacts, SessionState};
use loopx_core::{Caller, Command, IdSource, Names, Request, State};
use loopx_runtimes::{
    Backfill, Fold, Index, Origin, Own, Pace, Scope, Skipped, Sources, Spender, Watch, hooks, worker,
};
use loopx_safety::{Handle, InstallKey, Private, PrivateWords, TierKind};
use loopx_store::{EventsOf, GoalSummary, Receipt, Signer, SqliteStore, Store, StoreError};

use crate::app::counting::{Counting, Places, states};
use crate::app::home::{Home, install_key};
use crate::app::kept::{Decided, Kept, Sighted};
use crate::app::overview::{Held, World};
use crate::app::placing::{Bindings, Clues, Named, Place};
use crate::app::sources;
use crate::app::words::OwnWords;
use crate::clock::Ids;
use crate::env::Env;
use crate::error::CliError;

/// The index of session files, in the data folder: it can be thrown away.
pub const INDEX: &str = "index.db";

/// What tells in the data folder that the log has gone on.
const LOG: &[&str] = &["loopx.db", "loopx.db-wal"];

/// What tells there that something is new of sessions.
const TOLD: &[&str] = &["hooks.jsonl", hooks::WINDOWS, worker::SPOOL];

/// The store, the key of the handles and the sources of sessions, behind one synchronous value.
pub struct ControlPlane {
    store: Box<dyn Store>,
    key: InstallKey,
    sources: Sources,
    index: PathBuf,
    /// The index, where it is kept open from one look to the next.
    opened: Option<Index>,
    stays: bool,
    scope: Scope,
    /// Sessions that the next look looks at however old they are.
    also: BTreeSet<Handle>,
    /// Whether the next look may take sessions as they were seen a moment ago.
    is_log_alone: bool,
    counting: Counting,
    /// The goals as they were read last, the sessions as they were seen last, and what was decided of them.
    kept: Kept,
    sighted: Sighted,
    decided: Arc<Decided>,
    caller: Option<Caller>,
    named: Option<Named>,
    ids: Box<dyn IdSource>,
    words: OwnWords,
}

/// What one look at the sessions brought.
pub struct Seen {
    /// The sessions, each with what tells where it belongs.
    pub sessions: Vec<(SessionFacts, Clues)>,
    /// The processes that ask for permission by their hooks' word: none of their files tells that it was given.
    pub asking: Vec<u32>,
    /// What became of the session files.
    pub sweep: Sweep,
    /// Where each session comes from, for a person at a terminal who asks.
    pub origins: BTreeMap<Handle, Private<Origin>>,
}

/// What became of the session files of one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// What could not be read, counted by kind.
    pub skipped: Vec<Skipped>,
    /// Session files too old to be looked at.
    pub older: u64,
    /// When all session files were looked for last, UTC.
    pub swept_at: Option<Timestamp>,
}

/// What one session spent, and where it belongs.
pub struct Spent {
    /// The session.
    pub spender: Spender,
    /// Its place.
    pub place: Place,
}

impl ControlPlane {
    /// Opens the store of this environment. Nothing is created before the first write.
    pub fn open(env: &Env) -> Result<Self, CliError> {
        let home = Home::require(env)?;
        let words = OwnWords::read(env, &home)?;
        let key = install_key(&home.data)?;
        let store = SqliteStore::open(&home.data)?;
        let sources = sources::of(env);
        let caller = crate::app::caller::find(env, &sources, &key);
        let named = Named::of(env, caller.as_ref());
        let index = home.data.join(INDEX);
        let scope = Scope::default();
        Ok(Self {
            store: Box::new(store),
            key,
            sources,
            index,
            opened: None,
            stays: false,
            scope,
            also: BTreeSet::new(),
            is_log_alone: false,
            counting: Counting::default(),
            kept: Kept::default(),
            sighted: Sighted::default(),
            decided: Arc::default(),
            caller,
            named,
            ids: Box::new(Ids),
            words,
        })
    }

    /// The session this process runs in, if it runs in one.
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// The key of the handles.
    pub fn key(&self) -> &InstallKey {
        &self.key
    }

    /// Where sessions are looked for.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The store, for what is neither a command nor a view: export, import, backup, purge, doctor.
    pub fn store(&mut self) -> &mut dyn Store {
        self.store.as_mut()
    }

    /// Applies one command, durably.
    pub fn apply(&mut self, request: &Request, now: Timestamp) -> Result<Receipt, StoreError> {
        self.store.apply(request, now, self.ids.as_mut())
    }

    /// The same, where a goal with a key takes what this signer signs.
    pub fn apply_signed(
        &mut self,
        request: &Request,
        now: Timestamp,
        signer: Option<&dyn Signer>,
    ) -> Result<Receipt, StoreError> {
        self.store.apply_signed(request, now, self.ids.as_mut(), signer)
    }

    /// Every goal at a glance.
    pub fn goals(&mut self) -> Result<Vec<GoalSummary>, StoreError> {
        self.store.goals()
    }

    /// The working set of a goal, with what a command names.
    pub fn state_for(&mut self, goal: &GoalId, command: &Command) -> Result<State, StoreError> {
        self.store.load(goal, &Names::of_command(command))
    }

    /// The working set of a goal.
    pub fn state(&mut self, goal: &GoalId) -> Result<State, StoreError> {
        self.store.load(goal, &Names::default())
    }

    /// What sessions and folders are bound to.
    pub fn bindings(&mut self) -> Result<Bindings, StoreError> {
        Ok(Bindings::of(&self.store.goals()?, self.store.bindings()?))
    }

    /// The sessions, joined with the goals: with all, or with the one that is asked about.
    pub fn world(&mut self, now: Timestamp, only: Option<&GoalId>) -> Result<(World, Arc<Seen>), StoreError> {
        // Where this look fails before it has looked at a session, the next one looks at all of them.
        let (mut sighted, is_log_alone) =
            (std::mem::take(&mut self.sighted), std::mem::take(&mut self.is_log_alone));
        let summaries = self.store.goals()?;
        let bindings = Bindings::of(&summaries, self.store.bindings()?);
        let mut also = bindings.sessions();
        also.append(&mut self.also);
        let again = is_log_alone.then(|| sighted.again(&also)).flatten();
        let kept = self.opened.take().filter(Index::is_there);
        let (sources, key, store) = (&self.sources, &self.key, self.store.as_mut());
        let (index, scope, stays, counting) = (&self.index, self.scope, self.stays, self.counting);
        let states = &mut self.kept;
        let look = |index: &mut Index| self::look(sources, index, key, now, &also, scope);
        let read = |states: &mut Kept| {
            held(store, summaries, only, |store, summary| {
                let mut read = || store.load(&summary.id, &Names::default());
                if stays { states.state(summary, counting, read) } else { read().map(Arc::new) }
            })
        };
        let (goals, seen, mut index) = match (kept, again) {
            (Some(index), Some(seen)) => (read(states), seen, index),
            // Little is read of either: a thread would cost more.
            (Some(mut index), None) => (read(states), Arc::new(look(&mut index)), index),
            // Neither needs the other: files are looked at while the log is read.
            (None, _) => thread::scope(|threads| {
                let seen = threads.spawn(|| {
                    let mut index = Index::open(index, key);
                    (Arc::new(look(&mut index)), index)
                });
                let goals = read(states);
                let (seen, index) = seen.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                (goals, seen, index)
            }),
        };
        if stays {
            sighted.keep(also, &seen);
            self.sighted = sighted;
        }
        let goals = goals?;
        let words = self.words.with(TierKind::Local, &seen.origins);
        let window = |(id, held): (&GoalId, &Held)| match held {
            Held::State(state) => self.kept.window(id, state, counting),
            Held::Damaged(_) => None,
        };
        let window = goals.iter().filter_map(window).max();
        let observed = self.places(&bindings).observed(&mut index, &goals, window, now);
        self.opened = Some(index).filter(|_| self.stays);
        let (caller, named) = (self.caller.clone(), self.named.as_ref());
        let sessions = Some(seen.sessions.clone());
        let world = World::new(now, goals, &bindings, sessions, caller, named, &self.key);
        let world = world.without(words).counting(observed);
        Ok((if self.stays { world.after(Arc::clone(&self.decided)) } else { world }, seen))
    }

    fn places<'a>(&'a self, bindings: &'a Bindings) -> Places<'a> {
        Places { sources: &self.sources, key: &self.key, bindings, named: self.named.as_ref() }
    }

    /// The names that a text of this tier must not hold, those of sessions among them.
    pub fn private_words(&self, tier: TierKind, now: Timestamp) -> PrivateWords {
        let mut index = Index::open(&self.index, &self.key);
        let seen = look(&self.sources, &mut index, &self.key, now, &BTreeSet::new(), self.scope);
        self.words.with(tier, &seen.origins)
    }

    /// Looks this far from now on.
    pub fn look_as_far_as(&mut self, scope: Scope) {
        self.scope = scope;
    }

    /// From now on it is looked again and again. The index is kept open; and whatever session started this process, it
    /// may outlive every turn of it, so it proves nothing of that session.
    pub fn stay(&mut self) {
        self.caller = None;
        self.named = None;
        self.stays = true;
    }

    /// Nothing but the log was written to since the look before: the next one looks at no session, if that was a moment
    /// ago.
    pub fn look_at_log_alone(&mut self) {
        self.is_log_alone = true;
    }

    /// The next look looks at these sessions however old they are.
    pub fn look_also_at(&mut self, sessions: BTreeSet<Handle>) {
        self.also.extend(sessions);
    }

    /// Counts what was spent for these goals from now on.
    pub fn count(&mut self, counting: Counting) {
        (self.counting, self.kept) = (counting, Kept::default());
    }

    /// Watches what a look depends on.
    pub fn watch(&self) -> Watch {
        let folder = self.index.parent().unwrap_or(Path::new("."));
        Watch::new(&self.sources, Own { folder, log: LOG, told: TOLD })
    }

    /// Folds the session files that the screen did not need, as long as `pace` lets it.
    pub fn backfill(&mut self, now: Timestamp, pace: &dyn Pace) -> Backfill {
        let fold = |index: &mut Index| index.backfill(&self.sources, &self.key, now, Fold::Known, pace);
        match &mut self.opened {
            Some(index) => fold(index),
            None => fold(&mut Index::open(&self.index, &self.key)),
        }
    }

    /// What every session spent, and where it belongs; and how many files can't be read. Waits until all others are
    /// folded.
    pub fn spending(&mut self, now: Timestamp, pace: &dyn Pace) -> Result<(Vec<Spent>, u64), CliError> {
        let mut index = Index::open(&self.index, &self.key);
        let spenders = index.spending(&self.sources, &self.key, now, pace).ok_or_else(|| {
            CliError::internal("failed to read all session files: others are writing them")
                .hint("try again when fewer sessions are at work")
        })?;
        let summaries = self.store.goals()?;
        let bindings = Bindings::of(&summaries, self.store.bindings()?);
        let load =
            |store: &mut dyn Store, goal: &GoalSummary| store.load(&goal.id, &Names::default()).map(Arc::new);
        let goals = held(self.store.as_mut(), summaries, None, load)?;
        let (states, places) = (states(&goals), self.places(&bindings));
        let lanes = loopx_runtimes::hooks::lanes(&self.sources, &self.key, now);
        let spent = |spender: Spender| Spent { place: places.of(&spender, &lanes, &states), spender };
        Ok((spenders.sessions.into_iter().map(spent).collect(), spenders.unreadable))
    }

    /// What sessions spent since then, and where each belongs; and whether all of their files are read. What is not read
    /// in two seconds is told the next time.
    pub fn spent_since(
        &mut self,
        world: &World,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(Vec<(Spender, Place)>, bool), StoreError> {
        let bindings = self.bindings()?;
        let mut index = Index::open(&self.index, &self.key);
        Ok(self.places(&bindings).spent_since(&mut index, &states(&world.goals), since, now))
    }

    /// When the log began, UTC; nothing where it holds no event. One that came in from another store began there.
    pub fn began(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let mut began: Option<Timestamp> = None;
        for goal in self.store.goals()?.into_iter().filter(|goal| goal.damage.is_none()) {
            let first = self.store.events(EventsOf::Goal { goal: &goal.id, after: 0 }, 1)?;
            let at = first.first().map(|logged| logged.recorded.at);
            began = began.into_iter().chain(at).min();
        }
        Ok(began)
    }

    /// The goals as they were at an instant; nothing is recorded of sessions then.
    pub fn world_at(&mut self, at: Timestamp, only: Option<&GoalId>) -> Result<World, StoreError> {
        let summaries = self.store.goals()?;
        let mut goals = held(self.store.as_mut(), summaries, only, |store, goal| {
            store.state_at(&goal.id, at).map(Arc::new)
        })?;
        goals.retain(|_, held| match held {
            Held::State(state) => state.goal.is_some(),
            Held::Damaged(_) => true,
        });
        let words = self.words.with(TierKind::Local, &BTreeMap::new());
        Ok(World::new(at, goals, &Bindings::default(), None, None, None, &self.key).without(words))
    }
}

/// Looks at every session on the machine.
fn look(
    sources: &Sources,
    index: &mut Index,
    key: &InstallKey,
    now: Timestamp,
    bound: &BTreeSet<Handle>,
    scope: Scope,
) -> Seen {
    let sweep = loopx_runtimes::observe(sources, index, key, now, bound, scope);
    let mut origins = BTreeMap::new();
    let mut asking = Vec::new();
    let sessions = sweep
        .sessions
        .into_iter()
        .map(|seen| {
            let origin = seen.private.expose();
            let clues = Clues { cwd: origin.cwd.clone(), lane: origin.lane.clone() };
            let facts = &seen.facts;
            if facts.state == SessionState::WaitingPermission && facts.tier == EvidenceTier::Hook {
                asking.extend(origin.pid);
            }
            origins.insert(facts.session_id, seen.private);
            (seen.facts, clues)
        })
        .collect();
    let sweep = Sweep { skipped: sweep.skipped, older: sweep.older, swept_at: sweep.swept_at };
    Seen { sessions, asking, sweep, origins }
}

/// The goals that are asked for, as `read` gives them.
fn held(
    store: &mut dyn Store,
    summaries: Vec<GoalSummary>,
    only: Option<&GoalId>,
    mut read: impl FnMut(&mut dyn Store, &GoalSummary) -> Result<Arc<State>, StoreError>,
) -> Result<BTreeMap<GoalId, Held>, StoreError> {
    let mut goals = BTreeMap::new();
    for summary in summaries.into_iter().filter(|goal| only.is_none_or(|only| *only == goal.id)) {
        let held = match &summary.damage {
            Some(damage) => Held::Damaged(damage.code.word().to_owned()),
            None => match read(store, &summary) {
                Ok(state) => Held::State(state),
                Err(error) => damaged(error)?,
            },
        };
        goals.insert(summary.id, held);
    }
    Ok(goals)
}

/// A damaged goal does not stop the others.
fn damaged(error: StoreError) -> Result<Held, StoreError> {
    if let StoreError::Damaged(damage) = error {
        Ok(Held::Damaged(damage.code.word().to_owned()))
    } else {
        Err(error)
    }
}

/// A session's handle as the contract's reference.
pub fn session_ref(handle: Handle) -> Ref {
    handle.into()
}
