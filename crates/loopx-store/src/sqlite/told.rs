//! What is told of every goal at a glance, and what is bound to it: kept for as long as the seal says that its log went no
//! further.

use std::collections::BTreeMap;
use std::sync::Arc;

use loopx_contract::GoalId;
use loopx_core::binding::Binding;
use rusqlite::Connection;

use super::fault::Fault;
use super::head::{Brief, Head, Told as Read};
use super::seal::Seal;
use super::verify::Damaged;
use super::{SqliteStore, rows};
use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;
use crate::store::GoalSummary;

/// What was read of all goals.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The seal that it was read under. Without one it is read anew.
    seal: Option<Arc<Seal>>,
    goals: BTreeMap<GoalId, Known>,
}

/// What was read of one goal.
#[derive(Debug)]
struct Known {
    /// Its head, or what is wrong with it.
    head: Result<Brief, DamageCode>,
    bindings: Result<Vec<Binding>, Fault>,
}

impl Known {
    fn read(
        conn: &Connection,
        id: &GoalId,
        head: Result<Brief, Fault>,
        damaged: &Damaged,
    ) -> Result<Self, StoreError> {
        let head = match head {
            Ok(head) => Ok(head),
            Err(fault) => Err(fault.damage().ok_or_else(|| fault.of(Some(id)))?),
        };
        let bindings = match &head {
            Ok(head) if !damaged.contains_key(id) => rows::bindings(conn, head.num, id),
            Ok(_) | Err(_) => Ok(Vec::new()),
        };
        Ok(Self { head, bindings })
    }

    /// Whether all of it could be read.
    const fn is_whole(&self) -> bool {
        self.head.is_ok() && self.bindings.is_ok()
    }
}

impl Told {
    /// Takes what was read of a goal, if its log went no further by this seal.
    fn take(&mut self, seal: &Seal, id: &GoalId) -> Option<Known> {
        let before = self.seal.as_ref().filter(|before| before.is_of_file(seal))?;
        let is_same = before.goals.get(id) == seal.goals.get(id);
        self.goals.remove(id).filter(|known| is_same && known.is_whole())
    }
}

impl SqliteStore {
    /// Brings what is known of every goal up to date.
    fn tell(&mut self) -> Result<(), StoreError> {
        let mut before = std::mem::take(&mut self.told);
        if !self.ready()? {
            return Ok(());
        }
        let seal = self.sealed.as_ref().filter(|seal| self.trusted == Some(seal.stamps)).map(Arc::clone);
        if let (Some(seal), Some(of)) = (&seal, &before.seal)
            && Arc::ptr_eq(seal, of)
        {
            self.told = before;
            return Ok(());
        }
        let damaged = self.damaged.clone();
        let Some(tx) = self.reading()? else { return Ok(()) };
        let mut goals = BTreeMap::new();
        if let (Some(seal), true) = (&seal, before.seal.is_some()) {
            for id in seal.goals.keys() {
                let known = match before.take(seal, id) {
                    Some(known) => known,
                    None => match Head::brief(&tx, id).map_err(|fault| fault.of(None))? {
                        Some(head) => Known::read(&tx, id, head, &damaged)?,
                        None => continue,
                    },
                };
                goals.insert(id.clone(), known);
            }
        } else {
            let heads: Vec<Read<Brief>> = Head::all_brief(&tx).map_err(|fault| fault.of(None))?;
            for (id, head) in heads {
                let known = Known::read(&tx, &id, head, &damaged)?;
                goals.insert(id, known);
            }
        }
        drop(tx);
        self.told = Told { seal, goals };
        Ok(())
    }

    /// Every goal, those too that only the seal knows.
    pub(super) fn summaries(&mut self) -> Result<Vec<GoalSummary>, StoreError> {
        self.tell()?;
        let summary = |(id, known): (&GoalId, &Known)| {
            let summary = match &known.head {
                Ok(Brief { revision, hash, state, .. }) => GoalSummary {
                    id: id.clone(),
                    revision: *revision,
                    checksum: *hash,
                    state: *state,
                    damage: None,
                },
                Err(code) => damaged(id, *code),
            };
            (id.clone(), summary)
        };
        let mut goals: BTreeMap<GoalId, GoalSummary> = self.told.goals.iter().map(summary).collect();
        for (id, code) in &self.damaged {
            goals.insert(id.clone(), damaged(id, *code));
        }
        if let (true, Some(code)) = (goals.is_empty(), self.whole) {
            return Err(StoreError::Damaged(Damage { goal: None, code }));
        }
        Ok(goals.into_values().collect())
    }

    /// What is bound to sound goals, those first that came first. A goal whose rows can't be trusted says so where it is
    /// read itself.
    pub(super) fn all_bindings(&mut self) -> Result<Vec<(GoalId, Binding)>, StoreError> {
        self.tell()?;
        let sound = self.told.goals.iter().filter(|(id, _)| !self.damaged.contains_key(*id));
        let mut bound: Vec<_> = sound
            .filter_map(|(id, known)| {
                Some((known.head.as_ref().ok()?.num, id, known.bindings.as_ref().ok()?))
            })
            .collect();
        bound.sort_by_key(|(num, ..)| *num);
        let each = bound
            .into_iter()
            .flat_map(|(_, id, bindings)| bindings.iter().map(|binding| (id.clone(), binding.clone())));
        Ok(each.collect())
    }
}

fn damaged(id: &GoalId, code: DamageCode) -> GoalSummary {
    let damage = Some(Damage { goal: Some(id.clone()), code });
    GoalSummary { id: id.clone(), revision: 0, checksum: [0; 32], state: None, damage }
}
