//! Looking at everything.

use loopx_contract::GoalId;

use super::SqliteStore;
use super::fault::Fault;
use super::guard::Holds;
use super::head::Head;
use super::verify;
use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;

impl SqliteStore {
    /// Verifies everything, whatever the seal says, and SQLite's own structures with it.
    pub(super) fn examine(&mut self) -> Result<Vec<Damage>, StoreError> {
        if !self.base.check()? {
            return Ok(Vec::new());
        }
        let turn = self.base.lock();
        match self.verify() {
            Err(StoreError::Older { .. }) if turn.is_ok() => {
                self.migrate(Holds::Turn)?;
                self.verify()?;
            }
            result => drop(result?),
        }
        let structure = self.structure()?;
        if turn.is_ok() {
            self.seal();
        }
        let mut found: Vec<Damage> = self
            .damaged
            .iter()
            .map(|(goal, code)| Damage { goal: Some(goal.clone()), code: *code })
            .collect();
        if let Some(code) = self.whole.or(structure) {
            found.push(Damage { goal: None, code });
        }
        Ok(found)
    }

    fn structure(&self) -> Result<Option<DamageCode>, StoreError> {
        let Some(open) = &self.conn else { return Ok(None) };
        let check: Result<String, rusqlite::Error> =
            open.conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
        match check.map_err(Fault::from) {
            Ok(said) if said == "ok" => Ok(None),
            Ok(_) => Ok(Some(DamageCode::Unreadable)),
            Err(fault) => fault.damage().map(Some).ok_or_else(|| fault.of(None)),
        }
    }

    /// Writes what is kept ready to read of a goal anew from its log, which must be sound.
    pub fn rebuild(&mut self, goal: &GoalId) -> Result<(), StoreError> {
        let turn = self.turn()?;
        let was = self.damaged.get(goal).copied();
        if !matches!(was, None | Some(DamageCode::RowsDiffer)) {
            return self.sound(goal);
        }
        let open = self.conn.as_mut().ok_or(StoreError::ReadOnly)?;
        let mut work = || -> Result<(), Fault> {
            let tx = open.writing()?.transaction()?;
            let mut head = Head::find(&tx, goal)?.ok_or(loopx_core::Refusal::NoGoal(goal.clone()))?;
            verify::rebuild(&tx, &mut head)?;
            tx.commit()?;
            Ok(())
        };
        work().map_err(|fault| fault.of(Some(goal)))?;
        self.verify()?;
        self.seal();
        drop(turn);
        self.sound(goal)
    }

    /// Looks at what lies there while the turn is held.
    pub(super) fn ensure_held(&mut self) -> Result<(), StoreError> {
        self.ensure(Holds::Turn)?;
        self.seal();
        Ok(())
    }
}
