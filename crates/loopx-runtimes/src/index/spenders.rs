//! What every session spent, each response once, however many files tell it.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::RuntimeId;
use loopx_safety::{Handle, InstallKey, Private};
use rusqlite::{Row, params};

use super::ids::ById;
use super::kept::{Kept, decode};
use super::rows::{EVER, OPEN, UNREADABLE, WHOLE, path_of, short};
use super::sweep::{children, number};
use super::{Backfill, Fold, Index, Pace};
use crate::adapter::{Adapter, Gist, Own, Role};
use crate::reader::{Progress, Rest};
use crate::runtime::{runtime_id, session_handle};
use crate::usage::{Entry, Spent};
use crate::{Sources, claude_code, codex};

/// How often it is looked whether everything is folded.
const ROUNDS: usize = 16;
/// How many parents up a child's session is looked for.
const GENERATIONS: usize = 16;

/// What sessions spent.
#[derive(Debug, Default)]
pub struct Spending {
    /// The sessions that spent something, in the order they began.
    pub sessions: Vec<Spender>,
    /// Files that are not folded to their end.
    pub open: u64,
    /// Files that can't be read: what they tell is not counted.
    pub unreadable: u64,
}

/// One session.
#[derive(Clone, Debug)]
pub struct Spender {
    /// Its runtime.
    pub runtime: RuntimeId,
    /// Its handle.
    pub session: Handle,
    /// The folder it works in.
    pub cwd: Private<Option<PathBuf>>,
    /// What it and what it started spent, each with its instant.
    pub spent: Vec<(Option<Timestamp>, Spent)>,
    /// Whether what it began with can be told from what it spent.
    pub inherited: Inherited,
}

/// Whether a session's own spending is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inherited {
    /// It is.
    Known,
    /// It began with a copy of another session's records, and that one is not at hand: nothing is counted.
    Unknown,
}

/// The settled entries.
#[derive(Default)]
struct Parts {
    /// Those of each file.
    of: HashMap<i64, Vec<Entry>>,
    /// The files some of whose can't be read.
    lost: BTreeSet<i64>,
}

/// What a row tells.
enum Told {
    /// Of spending.
    Spender(Box<Telling>),
    /// Of nothing that anybody spent.
    Nobody,
    /// What is kept can't be read, or nothing is kept.
    Lost,
}

/// What a [`Telling`] is read from; a condition follows.
const TOLD: &str = "SELECT id, path, native, born, kept, behind, whole, gone
    FROM file LEFT JOIN fold ON fold.file = file.id WHERE runtime = ?1";

/// Written to since then: as the index of the table has it, those that are gone and those of children too.
const LATELY: &str = "file.gone IN (0, 1) AND file.children IN (0, 1) AND file.modified >= ?2";

/// What one file tells.
struct Telling {
    native: String,
    path: PathBuf,
    born: Option<i64>,
    gist: Gist,
    entries: Vec<Entry>,
}

impl Telling {
    /// The sessions that it names: the one that started it, and the one that it has a copy of.
    fn elders(&self) -> impl Iterator<Item = &String> {
        let parent = match &self.gist.role {
            Role::Child(parent) => parent.as_ref(),
            Role::Session | Role::Nobody => None,
        };
        let copied = match &self.gist.own {
            Own::WithCopyOf(of) => of.as_ref(),
            Own::All => None,
        };
        parent.into_iter().chain(copied)
    }
}

impl Index {
    /// What every session spent. Waits until all files are folded, whoever else is at work on them; `None` where that
    /// does not come about: `pace` stopped it, or files are written faster than they are read.
    pub fn spending(
        &mut self,
        sources: &Sources,
        key: &InstallKey,
        now: Timestamp,
        pace: &dyn Pace,
    ) -> Option<Spending> {
        for _ in 0..ROUNDS {
            if !self.backfill(sources, key, now, Fold::All, pace).complete {
                return None;
            }
            match self.spent_so_far(key) {
                Ok(spending) if spending.open == 0 => return Some(spending),
                // Another process has put a look of its own in place of ours, or what was kept can't be read.
                Ok(_) => {}
                Err(error) => self.give_up(&error, key),
            }
        }
        None
    }

    /// What was spent since then by sessions whose files, or those of what they started, were written to since. Folds
    /// these to their end as long as `pace` lets it; what is not folded is counted the next time.
    pub fn spent_since(
        &mut self,
        sources: &Sources,
        key: &InstallKey,
        since: Timestamp,
        pace: &dyn Pace,
    ) -> Vec<Spender> {
        let from = i64::try_from(since.as_nanosecond()).unwrap_or(EVER);
        // While another process writes, what is known so far counts.
        let _ = self.fold_since(sources, key, from, pace);
        let told = self.spent_in(key, from).or_else(|error| {
            self.give_up(&error, key);
            let _ = self.fold_since(sources, key, from, pace);
            self.spent_in(key, from)
        });
        let mut sessions = told.map(|spending| spending.sessions).unwrap_or_default();
        for session in &mut sessions {
            session.spent.retain(|(at, _)| at.is_some_and(|at| at >= since));
        }
        sessions.retain(|session| session.inherited == Inherited::Known && !session.spent.is_empty());
        sessions
    }

    /// Folds what was written to since then, in nanoseconds, and waits for it.
    fn fold_since(
        &mut self,
        sources: &Sources,
        key: &InstallKey,
        since: i64,
        pace: &dyn Pace,
    ) -> rusqlite::Result<()> {
        children::<claude_code::ClaudeCode>(&self.db, sources, key, since)?;
        children::<codex::Codex>(&self.db, sources, key, since)?;
        let so_far = self.fold_all::<claude_code::ClaudeCode>(Backfill::default(), since, pace)?;
        self.fold_all::<codex::Codex>(so_far, since, pace).map(|_| ())
    }

    /// What every session spent, as far as its files are folded.
    pub fn spent_so_far(&self, key: &InstallKey) -> rusqlite::Result<Spending> {
        self.spent_in(key, EVER)
    }

    /// What the files tell that were written to since then, in nanoseconds.
    fn spent_in(&self, key: &InstallKey, since: i64) -> rusqlite::Result<Spending> {
        let mut spending = Spending::default();
        // Entries and folds as they are at one instant.
        let view = self.db.unchecked_transaction()?;
        let mut lost = self.tell::<codex::Codex>(key, since, &mut spending)?;
        lost.extend(self.tell::<claude_code::ClaudeCode>(key, since, &mut spending)?);
        view.finish()?;
        for id in &lost {
            self.db
                .prepare_cached("UPDATE file SET whole = 0, version = version + 1 WHERE id = ?1")?
                .execute(params![id])?;
            self.db.prepare_cached("DELETE FROM fold WHERE file = ?1")?.execute(params![id])?;
        }
        spending.open += lost.len() as u64;
        Ok(spending)
    }

    /// Tells of one runtime's files; says of which nothing that is kept can be read.
    fn tell<A: Adapter>(
        &self,
        key: &InstallKey,
        since: i64,
        spending: &mut Spending,
    ) -> rusqlite::Result<Vec<i64>> {
        let Parts { mut of, mut lost } = self.parts::<A>(LATELY, since)?;
        let mut tellings = Vec::new();
        let mut rows = self.db.prepare_cached(&format!("{TOLD} AND {LATELY}"))?;
        let mut rows = rows.query(params![number(A::RUNTIME), since])?;
        while let Some(row) = rows.next()? {
            let (id, whole, gone): (i64, i64, bool) = (row.get(0)?, row.get(6)?, row.get(7)?);
            spending.open += u64::from(whole == OPEN && !gone);
            spending.unreadable += u64::from(whole == UNREADABLE && !gone);
            match telling::<A>(row, &mut of)? {
                Told::Spender(telling) => tellings.push(*telling),
                Told::Nobody => {}
                Told::Lost => {
                    lost.insert(id);
                }
            }
            if whole != WHOLE || gone {
                // It is folded anyway, or can't be folded again.
                lost.remove(&id);
            }
        }
        if since != EVER {
            self.add_elders::<A>(key, &mut tellings)?;
        }
        // Who told it first is who spent it, and who says that it has a copy did not.
        tellings.sort_by(|a, b| {
            let order = |t: &Telling| (t.gist.own != Own::All, t.gist.began.is_none(), t.gist.began, t.born);
            order(a).cmp(&order(b)).then_with(|| a.path.cmp(&b.path))
        });
        gather::<A>(tellings, key, &mut spending.sessions);
        Ok(lost.into_iter().collect())
    }

    /// Adds the sessions that others began with a copy of or were started by: they may not have been written to since.
    fn add_elders<A: Adapter>(&self, key: &InstallKey, tellings: &mut Vec<Telling>) -> rusqlite::Result<()> {
        let mut asked: BTreeSet<String> = tellings.iter().map(|telling| telling.native.clone()).collect();
        for _ in 0..GENERATIONS {
            let named: BTreeSet<String> = tellings.iter().flat_map(Telling::elders).cloned().collect();
            let missing: Vec<String> =
                named.into_iter().filter(|native| asked.insert(native.clone())).collect();
            if missing.is_empty() {
                break;
            }
            for native in missing {
                let handle = short(session_handle(key, A::RUNTIME, &native).to_string().as_bytes());
                let Parts { mut of, .. } = self.parts::<A>("file.handle_key = ?2", handle)?;
                let mut rows = self.db.prepare_cached(&format!("{TOLD} AND handle_key = ?2"))?;
                let mut rows = rows.query(params![number(A::RUNTIME), handle])?;
                while let Some(row) = rows.next()? {
                    if let Told::Spender(telling) = telling::<A>(row, &mut of)? {
                        tellings.push(*telling);
                    }
                }
            }
        }
        Ok(())
    }

    fn parts<A: Adapter>(&self, which: &str, value: i64) -> rusqlite::Result<Parts> {
        let mut parts = Parts::default();
        let mut rows = self.db.prepare_cached(&format!(
            "SELECT spent.file, spent.entries FROM spent CROSS JOIN file ON file.id = spent.file
             WHERE file.runtime = ?1 AND {which} ORDER BY spent.file, spent.part",
        ))?;
        let mut rows = rows.query(params![number(A::RUNTIME), value])?;
        while let Some(row) = rows.next()? {
            let (id, bytes): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
            match decode::<Vec<Entry>>(&bytes) {
                Some(entries) => parts.of.entry(id).or_default().extend(entries),
                None => {
                    parts.lost.insert(id);
                }
            }
        }
        Ok(parts)
    }
}

fn telling<A: Adapter>(row: &Row<'_>, parts: &mut HashMap<i64, Vec<Entry>>) -> rusqlite::Result<Told> {
    let bytes = |at| row.get::<_, Option<Vec<u8>>>(at);
    let kept: Option<Kept<A::Fold>> = bytes(4)?.and_then(|bytes| decode(&bytes));
    let fold = match kept {
        Some(kept) if kept.is_whole() => match kept.rest {
            Rest::Record(fold, _) => Some(fold),
            Rest::Nothing | Rest::Torn => Some(kept.progress.fold),
        },
        Some(_) | None => {
            bytes(5)?.and_then(|bytes| decode::<Progress<A::Fold>>(&bytes)).map(|progress| progress.fold)
        }
    };
    let Some(mut fold) = fold else { return Ok(Told::Lost) };
    let path = path_of(row.get(1)?);
    let gist = A::gist(&path, &fold);
    if gist.role == Role::Nobody {
        return Ok(Told::Nobody);
    }
    let id: i64 = row.get(0)?;
    let mut entries = parts.remove(&id).unwrap_or_default();
    entries.extend_from_slice(A::ledger(&mut fold).entries());
    Ok(Told::Spender(Box::new(Telling { native: row.get(2)?, born: row.get(3)?, path, gist, entries })))
}

/// Counts every response once, for the session that told it first.
fn gather<A: Adapter>(tellings: Vec<Telling>, key: &InstallKey, sessions: &mut Vec<Spender>) {
    let mut parents: HashMap<String, Option<String>> = HashMap::new();
    for telling in &tellings {
        let parent = match &telling.gist.role {
            Role::Child(parent) => parent.clone(),
            Role::Session | Role::Nobody => None,
        };
        if !telling.native.is_empty() {
            parents.insert(telling.native.clone(), parent);
        }
    }
    let mut told: HashMap<u64, (usize, usize), ById> = HashMap::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    let from = sessions.len();
    // Sessions first: of what a session's file and a child's both tell, the session's counts.
    let (own, started): (Vec<_>, Vec<_>) =
        tellings.into_iter().partition(|telling| telling.gist.role == Role::Session);
    for telling in own.into_iter().chain(started) {
        let Some(root) = root(&telling, &parents) else { continue };
        let place = *places.entry(root.clone()).or_insert_with(|| {
            sessions.push(Spender {
                runtime: runtime_id(telling.gist.runtime),
                session: session_handle(key, A::RUNTIME, &root),
                cwd: telling.gist.cwd.clone().into(),
                spent: Vec::new(),
                inherited: Inherited::Known,
            });
            sessions.len() - 1
        });
        let Some(session) = sessions.get_mut(place) else { continue };
        if let Own::WithCopyOf(of) = &telling.gist.own
            && of.as_ref().is_none_or(|of| !parents.contains_key(of))
        {
            session.inherited = Inherited::Unknown;
            continue;
        }
        for entry in &telling.entries {
            let at = entry.at.and_then(|at| Timestamp::from_millisecond(at).ok());
            match told.get(&entry.key) {
                None => {
                    told.insert(entry.key, (place, sessions[place].spent.len()));
                    sessions[place].spent.push((at, entry.spent));
                }
                Some((place, held)) => {
                    if let Some((when, spent)) =
                        sessions.get_mut(*place).and_then(|session| session.spent.get_mut(*held))
                    {
                        let before = when.map(Timestamp::as_millisecond);
                        let merged = Entry { key: entry.key, at: before, spent: *spent }.merged(*entry).spent;
                        // A copy may bear the instant at which it was made.
                        let adds = (merged.tokens, merged.turns) != (spent.tokens, spent.turns);
                        *when = if adds { (*when).max(at) } else { when.or(at) };
                        *spent = merged;
                    }
                }
            }
        }
    }
    sessions.retain({
        let mut at = 0;
        move |session| {
            at += 1;
            at <= from || !session.spent.is_empty() || session.inherited == Inherited::Unknown
        }
    });
}

/// The session that a file's spending is counted for: its own, or the one that started what it tells of.
fn root(telling: &Telling, parents: &HashMap<String, Option<String>>) -> Option<String> {
    let mut at = match &telling.gist.role {
        Role::Session => return Some(telling.native.clone()).filter(|native| !native.is_empty()),
        Role::Child(None) => return Some(telling.native.clone()).filter(|native| !native.is_empty()),
        Role::Child(Some(parent)) => parent.clone(),
        Role::Nobody => return None,
    };
    for _ in 0..GENERATIONS {
        match parents.get(&at) {
            Some(Some(parent)) => at.clone_from(parent),
            Some(None) | None => break,
        }
    }
    Some(at)
}
