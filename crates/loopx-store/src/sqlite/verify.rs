//! Verifying a whole store: every chain, every text, and all that is kept ready to read against a fold of its log.
//! One goal at a time, so that memory is bounded by the largest of them.

use std::collections::{BTreeMap, BTreeSet};

use loopx_contract::GoalId;
use loopx_core::{Event, State};
use rusqlite::Connection;

use super::fault::{Fault, signed, unsigned};
use super::head::Head;
use super::rows::{self, Kind, Row, Standing};
use super::seal::{Seal, hex};
use super::{apply, load, log, sign};
use crate::damage::DamageCode;

/// What is wrong with which goals.
pub(crate) type Damaged = BTreeMap<GoalId, DamageCode>;

/// Verifies every goal, those too that only the seal knows.
pub(crate) fn all(conn: &Connection, seal: Option<&Seal>) -> Result<Damaged, Fault> {
    let mut damaged = Damaged::new();
    let mut seen = BTreeSet::new();
    for (id, head) in Head::all(conn)? {
        let sealed = seal.and_then(|seal| seal.goals.get(&id));
        let result = match head {
            Ok(head) => goal(conn, &head).and_then(|()| match sealed {
                Some(sealed) => not_older(conn, &head, sealed.revision, &sealed.hash),
                None => Ok(()),
            }),
            // The head can't be told: its log may still say more of what happened.
            Err(fault) => Err(fault),
        };
        if let Err(fault) = result {
            match fault.damage() {
                Some(code) => drop(damaged.insert(id.clone(), code)),
                None => return Err(fault),
            }
        }
        seen.insert(id);
    }
    for id in seal.into_iter().flat_map(|seal| seal.goals.keys()).filter(|id| !seen.contains(*id)) {
        damaged.insert(id.clone(), DamageCode::RolledBack);
    }
    Ok(damaged)
}

/// Whether a log reaches what was sealed of it.
fn not_older(conn: &Connection, head: &Head, revision: u64, hash: &str) -> Result<(), Fault> {
    match log::hash_at(conn, head.num, revision)? {
        Some(found) if hex(&found) == hash => Ok(()),
        Some(_) | None => Err(Fault::Damaged(DamageCode::RolledBack)),
    }
}

/// Verifies one goal.
pub(crate) fn goal(conn: &Connection, head: &Head) -> Result<(), Fault> {
    let mut folded = State::default();
    let mut purged = BTreeSet::new();
    let mut without_text = Vec::new();
    let mut last = [0; 32];
    log::walk(conn, head, 0, head.revision, |stored, recorded| {
        last = stored.hash;
        if let Event::Purged { revisions } = &recorded.event {
            purged.extend(revisions.iter().copied());
        }
        if stored.body.contains("text_ref") && lacks_text(conn, head, stored.revision)? {
            without_text.push(stored.revision);
        }
        sign::check(&folded, &recorded, &stored.hash, stored.signature.as_ref())?;
        folded.apply(&recorded);
        Ok(())
    })?;
    if without_text.iter().any(|revision| !purged.contains(revision)) {
        return Err(Fault::Damaged(DamageCode::TextChanged));
    }
    let strays: i64 = conn
        .prepare_cached("SELECT count(*) FROM event WHERE goal = ?1 AND revision > ?2")?
        .query_row((head.num, signed(head.revision)), |row| row.get(0))?;
    if last != head.hash || folded.goal != head.goal || strays != 0 {
        return Err(Fault::Damaged(DamageCode::HeadDiffers));
    }
    entities(conn, head, &mut folded)?;
    keys(conn, head)
}

fn lacks_text(conn: &Connection, head: &Head, revision: u64) -> Result<bool, Fault> {
    Ok(log::texts(conn, head.num, revision)?.iter().any(Option::is_none))
}

/// Compares the stored rows with those that a fold gives, and reads the open ones as a reader does.
fn entities(conn: &Connection, head: &Head, folded: &mut State) -> Result<(), Fault> {
    let differ = || Fault::Damaged(DamageCode::RowsDiffer);
    let mut right: BTreeMap<(Kind, String), Row> = BTreeMap::new();
    for row in rows::changed(folded)? {
        if row.body.is_some() {
            right.insert((row.kind, row.id.clone()), row);
        }
    }
    let mut statement = conn.prepare_cached(
        "SELECT kind, id, place, body, checksum FROM entity WHERE goal = ?1 ORDER BY kind, id",
    )?;
    let mut found = statement.query([head.num])?;
    let mut open = 0_u128;
    while let Some(row) = found.next()? {
        let kind = Kind::of(row.get(0)?)?;
        let (id, body): (String, String) = (row.get(1)?, row.get(3)?);
        let standing = Standing::of_place(row.get(2)?);
        let sum = rows::check(&head.id, kind, &id, standing, &body, row.get(4)?)?;
        if standing == Standing::Open {
            open = open.wrapping_add(sum);
        }
        if right.remove(&(kind, id)).and_then(|row| row.body) != Some((standing, body)) {
            return Err(differ());
        }
    }
    if !right.is_empty() || open != head.open_sum {
        return Err(differ());
    }
    load::load(conn, head, &loopx_core::Names::default()).map(drop)
}

fn keys(conn: &Connection, head: &Head) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached("SELECT key, before, last, subject FROM key WHERE goal = ?1")?;
    let mut found = statement.query([head.num])?;
    let mut sum = 0_u128;
    while let Some(row) = found.next()? {
        sum = sum.wrapping_add(one_key(head, row)?);
    }
    if sum == head.key_sum { Ok(()) } else { Err(Fault::Damaged(DamageCode::KeysDiffer)) }
}

fn one_key(head: &Head, row: &rusqlite::Row<'_>) -> Result<u128, Fault> {
    let (key, subject): (String, String) = (row.get(0)?, row.get(3)?);
    Ok(apply::key_sum(head, &key, unsigned(row.get(1)?)?, unsigned(row.get(2)?)?, &subject))
}

/// Folds a goal's log up to `last`.
pub(crate) fn refold(conn: &Connection, head: &Head, last: u64) -> Result<State, Fault> {
    let mut state = State::default();
    log::walk(conn, head, 0, last, |_, recorded| {
        state.apply(&recorded);
        Ok(())
    })?;
    Ok(state)
}

/// Writes a goal's rows and head anew from its log. The keys are taken as they are.
pub(crate) fn rebuild(conn: &Connection, head: &mut Head) -> Result<(), Fault> {
    let mut state = refold(conn, head, head.revision)?;
    conn.execute("DELETE FROM entity WHERE goal = ?1", [head.num])?;
    head.open_sum = 0;
    let rows = rows::changed(&mut state)?;
    rows::write(conn, head, &rows)?;
    head.goal = state.goal;
    head.write(conn)
}

/// Writes every goal's rows and head anew, the log's last event taken as the head.
pub(crate) fn rebuild_all(conn: &Connection) -> Result<(), Fault> {
    let mut statement = conn.prepare("SELECT num, id FROM goal ORDER BY num")?;
    let goals = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let goals = goals.collect::<Result<Vec<(i64, String)>, _>>()?;
    for (num, id) in goals {
        rebuild_from_log(conn, num, &id)?;
    }
    Ok(())
}

fn rebuild_from_log(conn: &Connection, num: i64, id: &str) -> Result<(), Fault> {
    let id = GoalId::parse(id).map_err(|_| Fault::Damaged(DamageCode::Unreadable))?;
    let mut head = Head::new(num, id);
    let last: i64 =
        conn.query_row("SELECT coalesce(max(revision), 0) FROM event WHERE goal = ?1", [num], |row| {
            row.get(0)
        })?;
    head.revision = unsigned(last)?;
    head.hash = log::hash_at(conn, num, head.revision)?.ok_or(Fault::Damaged(DamageCode::EventMissing))?;
    let mut statement = conn.prepare_cached("SELECT key, before, last, subject FROM key WHERE goal = ?1")?;
    let mut keys = statement.query([num])?;
    while let Some(row) = keys.next()? {
        head.key_sum = head.key_sum.wrapping_add(one_key(&head, row)?);
    }
    rebuild(conn, &mut head)
}
