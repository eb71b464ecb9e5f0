//! Writing: one process at a time, one transaction a command, sealed when it is done.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use loopx_contract::GoalId;
use rusqlite::{Connection, TransactionBehavior};

use super::fault::Fault;
use super::files::{Base, Turn, WAL};
use super::guard::Holds;
use super::head::Head;
use super::schema::{self, Found};
use super::seal::{Seal, SealedHead, Stamps, hex};
use super::{Mode, Open, SqliteStore};
use crate::damage::Damage;
use crate::error::StoreError;

/// A write-ahead log longer than this is brought into the database, in bytes.
const LONG_WAL: u64 = 4 << 20;

impl SqliteStore {
    /// Does one piece of work as the only writer: all of it, durably, or nothing.
    pub(super) fn write<T>(
        &mut self,
        goal: Option<&GoalId>,
        work: impl FnOnce(&Connection) -> Result<Commit<T>, Fault>,
    ) -> Result<T, StoreError> {
        let _turn = self.turn()?;
        self.write_held(goal, work)
    }

    /// The same where the turn is held already.
    pub(super) fn write_held<T>(
        &mut self,
        goal: Option<&GoalId>,
        work: impl FnOnce(&Connection) -> Result<Commit<T>, Fault>,
    ) -> Result<T, StoreError> {
        match goal {
            Some(goal) => self.sound(goal)?,
            None => {
                if let Some(code) = self.whole {
                    return Err(StoreError::Damaged(Damage { goal: None, code }));
                }
            }
        }
        let open = self.conn.as_mut().ok_or(StoreError::ReadOnly)?;
        let done = commit(&self.base, open, work).map_err(|fault| fault.of(goal));
        if matches!(done, Err(StoreError::ReadOnly)) {
            // A file that could not be opened for writing at some moment is not to stay so for as long as this lives.
            self.conn = None;
        }
        match done? {
            Commit::Written(value) => {
                self.tidy();
                self.seal();
                Ok(value)
            }
            Commit::Nothing(value) => Ok(value),
        }
    }

    /// Waits for the turn to write and looks at what is there.
    pub(super) fn turn(&mut self) -> Result<Turn, StoreError> {
        let fresh = !self.base.check()?;
        if fresh {
            self.base.create_folder()?;
        }
        let turn = self.base.lock()?;
        // What could only be read when it was opened may be writable by now.
        self.conn = self.conn.take().filter(|open| open.mode != Mode::Read);
        if !self.base.has_database()? {
            self.ensure(Holds::Turn)?;
            if self.whole.is_none() {
                self.base.create()?;
            }
        }
        self.ensure(Holds::Turn)?;
        if self.conn.is_none() && self.whole.is_none() && self.base.has_database()? {
            self.reopen(Stamps::of(&self.base), None).map_err(|fault| fault.of(None))?;
        }
        Ok(turn)
    }

    /// Brings a long write-ahead log into the database. The turn is held. That it can't be done now harms nothing.
    fn tidy(&mut self) {
        let long = std::fs::metadata(self.base.file(WAL)).is_ok_and(|data| data.len() > LONG_WAL);
        let Some(open) = self.conn.as_ref().filter(|_| long) else { return };
        let _not_now = checkpoint(&open.conn, Duration::from_millis(5));
    }

    /// Says how the files look now. The turn is held, and they were found as `damaged` says. Without a seal, everything
    /// is verified again by whoever comes next: so its failure is no failure of the command.
    pub(super) fn seal(&mut self) {
        if self.whole.is_some() {
            return;
        }
        self.trusted = None;
        let stamps = Stamps::of(&self.base);
        let Some(seal) = self.seal_of(stamps) else { return };
        if seal.write(&self.base).is_ok() {
            self.trusted = Some(stamps);
            self.sealed = Some(Arc::new(seal));
        }
    }

    fn seal_of(&self, stamps: Stamps) -> Option<Seal> {
        let before = Seal::read(&self.base);
        let open = self.conn.as_ref().filter(|open| !open.empty)?;
        let store = schema::store_id(&open.conn).ok()?;
        let mut goals = BTreeMap::new();
        for (id, head) in Head::all_brief(&open.conn).ok()? {
            let head = head.ok();
            let damage = self.damaged.get(&id).copied();
            let known = head.map(|head| (head.revision, hex(&head.hash))).filter(|_| damage.is_none());
            let sealed = before.as_ref().and_then(|seal| seal.goals.get(&id));
            let (revision, hash) = known
                .or_else(|| sealed.map(|sealed| (sealed.revision, sealed.hash.clone())))
                .unwrap_or_else(|| (0, hex(&[0; 32])));
            goals.insert(id, SealedHead { revision, hash, damage });
        }
        for (id, code) in &self.damaged {
            if let Some(sealed) = before.as_ref().and_then(|seal| seal.goals.get(id)) {
                goals.entry(id.clone()).or_insert(SealedHead { damage: Some(*code), ..sealed.clone() });
            }
        }
        Some(Seal { store, schema: schema::VERSION, stamps, goals })
    }
}

/// What a piece of work wants of its transaction.
pub(super) enum Commit<T> {
    /// To be committed.
    Written(T),
    /// To be dropped.
    Nothing(T),
}

fn commit<T>(
    base: &Base,
    open: &mut Open,
    work: impl FnOnce(&Connection) -> Result<Commit<T>, Fault>,
) -> Result<Commit<T>, Fault> {
    let conn = open.writing()?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if schema::look(&tx)? == Found::Empty {
        base.keep()?;
        schema::create(&tx)?;
    }
    let done = work(&tx)?;
    match &done {
        Commit::Written(_) => {
            if let Err(error) = tx.commit() {
                forget(conn);
                return Err(error.into());
            }
            open.empty = false;
        }
        Commit::Nothing(_) => tx.rollback()?,
    }
    Ok(done)
}

/// A commit that failed when it was synced stands in the write-ahead log as a whole, and whoever reads that from its
/// start would take it for one that was done. It goes with the log, or another takes its place there.
fn forget(conn: &Connection) {
    if !matches!(checkpoint(conn, Duration::from_millis(100)), Ok(true)) {
        let _the_disk_takes_nothing = conn.execute("UPDATE meta SET value = value WHERE key = 'store'", []);
    }
}

/// Brings the write-ahead log into the database and empties it. False if a reader stands in the way.
pub(super) fn checkpoint(conn: &Connection, wait: Duration) -> Result<bool, Fault> {
    conn.busy_timeout(wait)?;
    let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    conn.busy_timeout(super::files::WAIT)?;
    Ok(busy? == 0)
}
