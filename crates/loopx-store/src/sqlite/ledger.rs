//! The ledger's rows: one for each lane and hour, with all its minutes, so that a day is read from few rows.

use std::collections::{BTreeMap, BTreeSet};

use loopx_contract::AgentId;
use loopx_core::State;
use loopx_core::quota::{Amount, LONGEST_WINDOW_MINUTES, Slot};
use loopx_core::state::LedgerPart;
use rusqlite::{Connection, OptionalExtension};

use super::chain::unwritable;
use super::fault::Fault;
use super::head::Head;
use super::rows::{self, Asked, Kind, Row, Standing};
use crate::damage::DamageCode;

/// Minutes in a row.
const MINUTES: i64 = 60;

/// A lane, or the goal without one, and hours since 1970.
type Hour = (Option<AgentId>, i64);

/// What a row holds: the lane, and what was spent by minute.
type Body = (Option<AgentId>, BTreeMap<i64, Amount>);

fn hour(slot: &Slot) -> Hour {
    (slot.agent.clone(), slot.minute.div_euclid(MINUTES))
}

/// Sorted by hour; hours before 1970 sort first too.
fn start_id(hour: i64) -> String {
    format!("{:012}", hour.saturating_add(1 << 32).max(0))
}

fn id(hour: &Hour) -> String {
    format!("{}/{}", start_id(hour.1), hour.0.as_ref().map_or("", |agent| agent.as_str()))
}

fn hour_of(id: &str) -> Option<i64> {
    Some(id.get(..12)?.parse::<i64>().ok()? - (1 << 32))
}

fn slots(hour: &Hour) -> impl Iterator<Item = Slot> {
    let start = hour.1.saturating_mul(MINUTES);
    (start..start.saturating_add(MINUTES)).map(|minute| Slot { agent: hour.0.clone(), minute })
}

/// The rows of the hours in which something changed.
pub(crate) fn changed(state: &mut State) -> Result<Vec<Row>, Fault> {
    let hours: BTreeSet<Hour> = state.ledger.take_changed().iter().map(hour).collect();
    let mut rows = Vec::with_capacity(hours.len());
    for hour in hours {
        let minutes: BTreeMap<i64, Amount> = slots(&hour)
            .filter_map(|slot| state.ledger.get(&slot).map(|amount| (slot.minute, *amount)))
            .collect();
        let (id, empty) = (id(&hour), minutes.is_empty());
        let body: Body = (hour.0, minutes);
        let text = serde_json::to_string(&body).map_err(unwritable)?;
        rows.push(Row { kind: Kind::Ledger, id, body: (!empty).then_some((Standing::Closed, text)) });
    }
    Ok(rows)
}

/// Puts a stored row into a state, but for the minutes that the state has already.
pub(crate) fn put(state: &mut State, body: &str) -> Result<(), Fault> {
    let (agent, minutes): Body = rows::parse(body)?;
    for (minute, amount) in minutes {
        let slot = Slot { agent: agent.clone(), minute };
        if !state.ledger.contains(&slot) {
            state.ledger.load(slot, amount);
        }
    }
    Ok(())
}

/// Reads the part of the ledger that is asked for: what a quota of the goal can still count, or any could.
pub(crate) fn load(conn: &Connection, head: &Head, state: &mut State, part: LedgerPart) -> Result<(), Fault> {
    let differs = || Fault::Damaged(DamageCode::RowsDiffer);
    let quotas =
        state.agents.values().map(|agent| agent.quota).chain(state.goal.as_ref().map(|goal| goal.quota));
    // Without a limit nobody counts.
    let limits = quotas.filter(|quota| quota.turns.or(quota.minutes).or(quota.tokens).is_some());
    let window = match part {
        LedgerPart::Limited => limits.map(|quota| quota.window_minutes).max(),
        LedgerPart::All => Some(LONGEST_WINDOW_MINUTES),
    };
    let Some(window) = window else { return Ok(()) };
    let newest: Option<String> = conn
        .prepare_cached("SELECT id FROM entity WHERE goal = ?1 AND kind = ?2 ORDER BY id DESC LIMIT 1")?
        .query_row((head.num, Kind::Ledger as i64), |row| row.get(0))
        .optional()?;
    let Some(newest) = newest else { return Ok(()) };
    let newest = hour_of(&newest).ok_or_else(differs)?;
    // Nothing is dated after now, so that no window of now reaches further back than this.
    let from = start_id(newest - i64::from(window).div_euclid(MINUTES) - 1);
    let mut statement = conn.prepare_cached(
        "SELECT id, place, body, checksum FROM entity WHERE goal = ?1 AND kind = ?2 AND id >= ?3",
    )?;
    let mut found = statement.query((head.num, Kind::Ledger as i64, from))?;
    while let Some(row) = found.next()? {
        let id = row.get_ref(0)?.as_str().map_err(|_| differs())?;
        let body = row.get_ref(2)?.as_str().map_err(|_| differs())?;
        rows::check(&head.id, Kind::Ledger, id, Standing::of_place(row.get(1)?), body, row.get(3)?)?;
        put(state, body)?;
    }
    Ok(())
}

/// Reads the hour of a slot, unless it was read before or the state has something of it: then it has all.
pub(crate) fn ahead(
    conn: &Connection,
    head: &Head,
    state: &mut State,
    slot: &Slot,
    asked: &mut Asked,
) -> Result<(), Fault> {
    let hour = hour(slot);
    let id = id(&hour);
    if asked.insert((Kind::Ledger, id.clone())) && !slots(&hour).any(|slot| state.ledger.contains(&slot)) {
        rows::fetch(conn, head, state, Kind::Ledger, &id)?;
    }
    Ok(())
}
