//! Reading that is not the working set: what happened, whose an id is.

use std::collections::BTreeMap;

use jiff::Timestamp;
use loopx_contract::{GoalId, IdKind};
use rusqlite::{Connection, OptionalExtension};

use super::SqliteStore;
use super::fault::{Fault, signed, unsigned};
use super::head::Head;
use super::log::{self, COLUMNS, Stored};
use super::rows::Kind;
use crate::damage::DamageCode;
use crate::error::StoreError;
use crate::store::{FoundId, Logged};

/// Events of one goal after a revision.
pub(crate) fn of_goal(
    conn: &Connection,
    head: &Head,
    after: u64,
    limit: usize,
) -> Result<Vec<Logged>, Fault> {
    let last = head.revision.min(after.saturating_add(limit as u64));
    let mut events = Vec::new();
    if after < last {
        log::walk(conn, head, after, last, |stored, recorded| {
            events.push(Logged { place: stored.place, recorded });
            Ok(())
        })?;
    }
    Ok(events)
}

/// The last revision that is not later than `at`.
pub(crate) fn last_at(conn: &Connection, head: &Head, at: Timestamp) -> Result<u64, Fault> {
    let last: Option<i64> = conn
        .prepare_cached(
            "SELECT revision FROM event WHERE goal = ?1 AND at <= ?2 ORDER BY revision DESC LIMIT 1",
        )?
        .query_row((head.num, log::nanoseconds(at)), |row| row.get(0))
        .optional()?;
    last.map_or(Ok(0), unsigned)
}

/// Events of all sound goals after a place, each checked against the one before it in its goal.
fn of_all(
    conn: &Connection,
    goals: &BTreeMap<i64, GoalId>,
    after: u64,
    limit: usize,
) -> Result<Vec<Logged>, (Option<GoalId>, Fault)> {
    let any = |fault: Fault| (None, fault);
    let mut statement = conn
        .prepare_cached(&format!("SELECT {COLUMNS}, goal FROM event WHERE place > ?1 ORDER BY place"))
        .map_err(|error| any(error.into()))?;
    let mut rows = statement.query([signed(after)]).map_err(|error| any(error.into()))?;
    let mut events = Vec::new();
    while events.len() < limit
        && let Some(row) = rows.next().map_err(|error| any(error.into()))?
    {
        let num: i64 = row.get(9).map_err(|error| any(error.into()))?;
        let Some(goal) = goals.get(&num) else { continue };
        let one = || -> Result<Logged, Fault> {
            let stored = Stored::of_row(row)?;
            let before = log::hash_at(conn, num, stored.revision.saturating_sub(1))?;
            stored.follows(goal, &before.ok_or(Fault::Damaged(DamageCode::EventMissing))?)?;
            let texts = log::texts(conn, num, stored.revision)?;
            Ok(Logged { place: stored.place, recorded: stored.recorded(goal, &texts)? })
        };
        events.push(one().map_err(|fault| (Some(goal.clone()), fault))?);
    }
    Ok(events)
}

impl SqliteStore {
    pub(super) fn of_all(&mut self, after: u64, limit: usize) -> Result<Vec<Logged>, StoreError> {
        self.ready()?;
        let damaged = self.damaged.clone();
        let Some(tx) = self.reading()? else { return Ok(Vec::new()) };
        let heads = Head::all_brief(&tx).map_err(|fault| fault.of(None))?;
        let heads = heads.into_iter().filter(|(id, _)| !damaged.contains_key(id));
        let heads = heads.filter_map(|(id, head)| head.ok().map(|head| (head.num, id))).collect();
        of_all(&tx, &heads, after, limit).map_err(|(goal, fault)| fault.of(goal.as_ref()))
    }

    pub(super) fn ids(&mut self, prefix: &str, limit: usize) -> Result<Vec<FoundId>, StoreError> {
        self.ready()?;
        let damaged = self.damaged.clone();
        let Some(tx) = self.reading()? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (goal, head) in Head::all_brief(&tx).map_err(|fault| fault.of(None))? {
            if starts(goal.as_str(), prefix) && found.len() < limit {
                found.push(FoundId { id: goal.to_string(), goal: goal.clone(), kind: IdKind::Goal });
            }
            let Ok(head) = head else { continue };
            if !damaged.contains_key(&goal) {
                ids_of(&tx, &goal, head.num, prefix, limit, &mut found)
                    .map_err(|fault| fault.of(Some(&goal)))?;
            }
        }
        Ok(found)
    }
}

fn starts(id: &str, prefix: &str) -> bool {
    id.as_bytes().starts_with(prefix.as_bytes())
}

const KINDS: [(Kind, IdKind, &str); 6] = [
    (Kind::Todo, IdKind::Todo, "todo_"),
    (Kind::Gate, IdKind::Gate, "gate_"),
    (Kind::Run, IdKind::Run, "run_"),
    (Kind::Reward, IdKind::Reward, "rew_"),
    (Kind::Handoff, IdKind::Handoff, "hof_"),
    (Kind::Agent, IdKind::Agent, ""),
];

fn ids_of(
    conn: &Connection,
    goal: &GoalId,
    num: i64,
    prefix: &str,
    limit: usize,
    found: &mut Vec<FoundId>,
) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT id FROM entity WHERE goal = ?1 AND kind = ?2 AND id >= ?3 ORDER BY id LIMIT ?4",
    )?;
    for (kind, of, start) in KINDS {
        if !starts(start, prefix) && !starts(prefix, start) {
            continue;
        }
        let left = limit.saturating_sub(found.len());
        let mut rows = statement.query((num, kind as i64, prefix, signed(left as u64)))?;
        while let Some(row) = rows.next()? {
            let id: String = row.get(0)?;
            if !starts(&id, prefix) {
                break;
            }
            found.push(FoundId { goal: goal.clone(), kind: of, id });
        }
    }
    Ok(())
}
