//! Whether what lies on the disk may be trusted: asked before every read and every write.

use std::sync::Arc;
use std::time::Duration;

use loopx_contract::GoalId;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::fault::{Fault, unsigned};
use super::schema::{self, Found};
use super::seal::{self, Seal, SealedHead, Stamps, hex};
use super::verify::{self, Damaged};
use super::{Open, SqliteStore};
use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;

/// How long a reader waits for a writer that has committed and not sealed yet.
const SETTLE: Duration = Duration::from_secs(2);

/// Whether this process has the turn to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Turn,
    Nothing,
}

impl SqliteStore {
    /// Ready to read: true if there is a database. Damage is known in `damaged` and `whole` afterwards.
    pub(super) fn ready(&mut self) -> Result<bool, StoreError> {
        self.ensure(Holds::Nothing)?;
        Ok(self.conn.as_ref().is_some_and(|open| !open.empty))
    }

    pub(super) fn ensure(&mut self, holds: Holds) -> Result<(), StoreError> {
        match self.look(holds) {
            Err(StoreError::Older { .. }) => {
                self.migrate(holds)?;
                self.look(holds)
            }
            result => result,
        }
    }

    /// Looks at what is there, unless it was looked at and looks the same.
    fn look(&mut self, holds: Holds) -> Result<(), StoreError> {
        let stamps = Stamps::of(&self.base);
        if self.trusted == Some(stamps)
            && (self.conn.is_some() || self.whole.is_some() || !self.base.has_database()?)
        {
            return Ok(());
        }
        if !self.base.check()? {
            self.trusted = None;
            return Ok(());
        }
        if self.trust_seal(stamps)? {
            return Ok(());
        }
        // Somebody may be between a commit and its seal.
        let settled = match holds {
            Holds::Turn => None,
            Holds::Nothing => {
                let base = self.base.clone();
                let (mut trusted, mut seen) = (Ok(false), None);
                let settled = base.settle(SETTLE, || {
                    let stamps = Stamps::of(&base);
                    // A seal that did not fit these files is not read for them again.
                    let looks = (stamps, seal::of_seal(&base));
                    if seen.replace(looks) == Some(looks) {
                        return false;
                    }
                    trusted = self.trust_seal(stamps);
                    !matches!(trusted, Ok(false))
                });
                if trusted? {
                    return Ok(());
                }
                settled
            }
        };
        let verified = self.verify();
        drop(settled);
        let stamps = verified?;
        match holds {
            Holds::Turn => self.seal(),
            Holds::Nothing => {
                // A read makes no file where there is no store yet.
                if self.base.has_database()?
                    && let Some(_turn) = self.base.try_lock()
                    && Stamps::of(&self.base) == stamps
                {
                    self.seal();
                }
            }
        }
        Ok(())
    }

    /// True if the seal says that the files look as they did after the last commit.
    fn trust_seal(&mut self, stamps: Stamps) -> Result<bool, StoreError> {
        let Some(seal) = Seal::read(&self.base).filter(|seal| seal.stamps == stamps) else {
            return Ok(false);
        };
        if stamps.inode().is_none() {
            return Ok(false);
        }
        self.reopen(stamps, Some(seal.schema)).map_err(|fault| fault.of(None))?;
        // SQLite takes a write-ahead log with a flipped bit for a shorter one.
        let behind = match &self.conn {
            Some(open) => behind(&open.conn, &seal, self.sealed.as_deref()),
            None => Ok(true),
        };
        if behind.unwrap_or(true) || Stamps::of(&self.base) != stamps {
            return Ok(false);
        }
        self.whole = None;
        self.damaged = seal.goals.iter().filter_map(|(id, head)| Some((id.clone(), head.damage?))).collect();
        self.sealed = Some(Arc::new(seal));
        self.trusted = Some(stamps);
        Ok(true)
    }

    /// Opens the database, or another that has taken its place. One that was open and is sealed as it was is not looked
    /// at again.
    pub(super) fn reopen(&mut self, stamps: Stamps, sealed: Option<i64>) -> Result<(), Fault> {
        let same = self
            .conn
            .as_ref()
            .is_some_and(|open| open.inode == stamps.inode() && !open.empty && open.copy.is_none());
        if same && sealed == Some(schema::VERSION) {
            return Ok(());
        }
        let open = self.conn.take().filter(|_| same);
        let mut open = open.map_or_else(|| Open::new(&self.base), Ok)?;
        // One that was open before may have been brought to a later version since.
        match schema::look(&open.conn)? {
            Found::Current => {}
            Found::Empty => open.empty = true,
            Found::Older(found) => return Err(StoreError::Older { found, known: schema::VERSION }.into()),
        }
        self.conn = Some(open);
        Ok(())
    }

    /// Brings an older store to the current version, after a backup.
    pub(super) fn migrate(&mut self, holds: Holds) -> Result<(), StoreError> {
        let _turn = match holds {
            Holds::Turn => None,
            Holds::Nothing => Some(self.base.lock()?),
        };
        let base = &self.base;
        let work = || -> Result<(), Fault> {
            let mut open = Open::new(base)?;
            // Another process may have been first.
            let Found::Older(found) = schema::look(&open.conn)? else { return Ok(()) };
            if open.writing().is_err() {
                return Err(StoreError::Older { found, known: schema::VERSION }.into());
            }
            super::backup::before_migration(base, &open.conn, found)?;
            let tx = open.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            schema::migrate(&tx, found)?;
            tx.commit()?;
            Ok(())
        };
        work().map_err(|fault| fault.of(None))
    }

    /// Verifies everything. Gives the stamps that the files had before.
    pub(super) fn verify(&mut self) -> Result<Stamps, StoreError> {
        let seal = Seal::read(&self.base);
        let stamps = Stamps::of(&self.base);
        self.damaged = Damaged::new();
        self.whole = None;
        self.sealed = None;
        self.conn = None;
        let sealed = seal.as_ref().filter(|seal| !seal.goals.is_empty());
        let found = if self.base.has_database()? {
            self.reopen(stamps, None).and_then(|()| self.verify_open(seal.as_ref()))
        } else if sealed.is_some() {
            Err(Fault::Damaged(DamageCode::MissingFile))
        } else {
            Ok(Damaged::new())
        };
        match found {
            Ok(damaged) => self.damaged = damaged,
            Err(fault) => match fault.damage() {
                Some(code) => {
                    self.conn = None;
                    self.whole = Some(code);
                    self.damaged = sealed
                        .iter()
                        .flat_map(|seal| seal.goals.keys())
                        .map(|id| (id.clone(), code))
                        .collect();
                }
                None => return Err(fault.of(None)),
            },
        }
        self.trusted = Some(stamps);
        Ok(stamps)
    }

    fn verify_open(&mut self, seal: Option<&Seal>) -> Result<Damaged, Fault> {
        let Some(open) = &mut self.conn else { return Ok(Damaged::new()) };
        let tx = open.conn.transaction()?;
        if schema::look(&tx)? == Found::Empty {
            return match seal.filter(|seal| !seal.goals.is_empty()) {
                Some(_) => Err(Fault::Damaged(DamageCode::NotADatabase)),
                None => Ok(Damaged::new()),
            };
        }
        verify::all(&tx, seal)
    }

    /// The connection, for reading.
    pub(super) fn reading(&mut self) -> Result<Option<Transaction<'_>>, StoreError> {
        if !self.ready()? {
            return match self.whole {
                Some(code) => Err(StoreError::Damaged(Damage { goal: None, code })),
                None => Ok(None),
            };
        }
        let Some(open) = &mut self.conn else { return Ok(None) };
        open.conn.transaction().map(Some).map_err(|error| Fault::from(error).of(None))
    }

    /// Refuses a goal that can't be trusted.
    pub(super) fn sound(&self, goal: &GoalId) -> Result<(), StoreError> {
        let of = |code, goal: Option<&GoalId>| Err(StoreError::Damaged(Damage { goal: goal.cloned(), code }));
        match (self.damaged.get(goal), self.whole) {
            (Some(code), _) => of(*code, Some(goal)),
            (None, Some(code)) => of(code, None),
            (None, None) => Ok(()),
        }
    }
}

/// Whether a sound goal's log does not reach what was sealed of it. Of a log that is shorter than it was, what was
/// written last is missing first: where the same database was found right before, it is enough to look at the goals that
/// went on since.
fn behind(conn: &Connection, seal: &Seal, before: Option<&Seal>) -> Result<bool, Fault> {
    let before = before.filter(|before| before.is_of_file(seal));
    let moved =
        |(id, head): &(&GoalId, &SealedHead)| before.and_then(|before| before.goals.get(*id)) != Some(*head);
    let is_any = seal.goals.iter().any(|goal| moved(&goal));
    let tx = conn.unchecked_transaction()?;
    let mut statement = tx.prepare_cached(
        "SELECT head.revision, head.hash FROM goal JOIN head ON head.goal = goal.num WHERE goal.id = ?1",
    )?;
    let asked = seal.goals.iter().filter(|goal| !is_any || moved(goal));
    for (id, sealed) in asked.filter(|(_, sealed)| sealed.damage.is_none()) {
        let mut rows = statement.query([id.as_str()])?;
        let Some(row) = rows.next()? else { return Ok(true) };
        let revision = unsigned(row.get(0)?)?;
        if revision < sealed.revision
            || (revision == sealed.revision && hex(row.get_ref(1)?.as_blob().unwrap_or(&[])) != sealed.hash)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
