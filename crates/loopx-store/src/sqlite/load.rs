//! Reading the working set of a goal.

use jiff::Timestamp;
use loopx_contract::{GateId, HandoffId, RewardId, RunId, TodoId};
use loopx_core::quota::Slot;
use loopx_core::{Event, Names, State};
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::fault::Fault;
use super::head::Head;
use super::rows::{self, Asked, Kind, Standing};
use crate::damage::DamageCode;

/// The least of the ledger that is read, in minutes, where no quota asks for more.
const LEAST_WINDOW: u32 = 24 * 60;

/// Reads everything that is open, everything that is named, and what those name.
pub(crate) fn load(conn: &Connection, head: &Head, names: &Names) -> Result<State, Fault> {
    let mut state = State { revision: head.revision, goal: head.goal.clone(), ..State::default() };
    let mut statement =
        conn.prepare_cached("SELECT kind, id, body, checksum FROM entity WHERE place >= ?1 AND place < ?2")?;
    let mut open = statement.query(Standing::Open.places(head.num))?;
    let mut sum = 0_u128;
    while let Some(row) = open.next()? {
        let differs = |_| Fault::Damaged(DamageCode::RowsDiffer);
        let kind = Kind::of(row.get(0)?)?;
        let (id, body) =
            (row.get_ref(1)?.as_str().map_err(differs)?, row.get_ref(2)?.as_str().map_err(differs)?);
        sum = sum.wrapping_add(rows::check(head, kind, id, Standing::Open, body, row.get(3)?)?);
        rows::put(&mut state, kind, body)?;
    }
    if sum != head.open_sum {
        return Err(Fault::Damaged(DamageCode::RowsDiffer));
    }
    ledger(conn, head, &mut state)?;
    let mut asked = Asked::new();
    asked.extend(state.todos.values().map(|todo| (Kind::Todo, todo.id.to_string())));
    asked.extend(state.gates.values().map(|gate| (Kind::Gate, gate.id.to_string())));
    let mut names = names.clone();
    also(&mut names, &state);
    more(conn, head, &mut state, names, &mut asked)?;
    Ok(state)
}

/// Reads the part of the ledger that a quota of the goal can still count.
fn ledger(conn: &Connection, head: &Head, state: &mut State) -> Result<(), Fault> {
    let newest: Option<String> = conn
        .prepare_cached("SELECT id FROM entity WHERE goal = ?1 AND kind = ?2 ORDER BY id DESC LIMIT 1")?
        .query_row((head.num, Kind::Ledger as i64), |row| row.get(0))
        .optional()?;
    let Some(newest) = newest else { return Ok(()) };
    let newest = rows::minute_of(&newest).ok_or(Fault::Damaged(DamageCode::RowsDiffer))?;
    let quotas =
        state.agents.values().map(|agent| agent.quota).chain(state.goal.as_ref().map(|goal| goal.quota));
    let window = quotas.map(|quota| quota.window_minutes).fold(LEAST_WINDOW, u32::max);
    // Nothing is dated after now, so that no window of now reaches further back than this.
    let from = rows::minute_id(newest - i64::from(window));
    let mut statement = conn.prepare_cached(
        "SELECT id, place, body, checksum FROM entity WHERE goal = ?1 AND kind = ?2 AND id >= ?3",
    )?;
    let mut found = statement.query((head.num, Kind::Ledger as i64, from))?;
    while let Some(row) = found.next()? {
        let differs = |_| Fault::Damaged(DamageCode::RowsDiffer);
        let (id, body) =
            (row.get_ref(0)?.as_str().map_err(differs)?, row.get_ref(2)?.as_str().map_err(differs)?);
        rows::check(head, Kind::Ledger, id, Standing::Closed, body, row.get(3)?)?;
        rows::put(state, Kind::Ledger, body)?;
    }
    Ok(())
}

/// Reads what is named and what the state then names, until nothing new is.
pub(crate) fn more(
    conn: &Connection,
    head: &Head,
    state: &mut State,
    mut names: Names,
    asked: &mut Asked,
) -> Result<(), Fault> {
    loop {
        let ids = |ids: Vec<&str>, kind| ids.into_iter().map(|id| (kind, id.to_owned())).collect::<Vec<_>>();
        let wanted = [
            ids(names.todos.iter().map(TodoId::as_str).collect(), Kind::Todo),
            ids(names.gates.iter().map(GateId::as_str).collect(), Kind::Gate),
            ids(names.runs.iter().map(RunId::as_str).collect(), Kind::Run),
            ids(names.rewards.iter().map(RewardId::as_str).collect(), Kind::Reward),
            ids(names.handoffs.iter().map(HandoffId::as_str).collect(), Kind::Handoff),
            ids(names.spends.iter().map(|key| key.0.as_str()).collect(), Kind::Spend),
        ];
        let mut fresh = false;
        for (kind, id) in wanted.into_iter().flatten() {
            if asked.insert((kind, id.clone())) {
                fresh |= rows::fetch(conn, head, state, kind, &id)?;
            }
        }
        if !fresh {
            return Ok(());
        }
        also(&mut names, state);
    }
}

/// Adds what the things of a state name.
fn also(names: &mut Names, state: &State) {
    let more = state.names();
    names.todos.extend(more.todos);
    names.gates.extend(more.gates);
    names.runs.extend(more.runs);
    names.handoffs.extend(more.handoffs);
    names.spends.extend(more.spends);
    names.todos.extend(state.runs.values().filter_map(|run| run.todo.clone()));
    names.todos.extend(state.handoffs.values().map(|handoff| handoff.todo.clone()));
    names.runs.extend(state.rewards.values().map(|reward| reward.run.clone()));
}

/// Reads what an event is about to change, so that the fold finds it.
pub(crate) fn ahead(
    conn: &Connection,
    head: &Head,
    state: &mut State,
    event: &Event,
    asked: &mut Asked,
) -> Result<(), Fault> {
    let mut names = Names::default();
    if let Ok(value) = serde_json::to_value(event) {
        named(&value, &mut names);
    }
    let spent = match event {
        Event::Spent { agent, spent_at, .. } => Some((agent.clone(), *spent_at)),
        Event::SpendVoided { key } => {
            names.spends.insert(key.clone());
            None
        }
        _ => None,
    };
    more(conn, head, state, names, asked)?;
    let voided = match event {
        Event::SpendVoided { key } => state.spends.get(key).map(|spend| (spend.agent.clone(), spend.at)),
        _ => None,
    };
    if let Some((agent, at)) = spent.or(voided) {
        slot(conn, head, state, agent, at)?;
    }
    Ok(())
}

fn slot(
    conn: &Connection,
    head: &Head,
    state: &mut State,
    agent: Option<loopx_contract::AgentId>,
    at: Timestamp,
) -> Result<(), Fault> {
    let slot = Slot::at(agent, at);
    if state.ledger.contains(&slot) {
        return Ok(());
    }
    rows::fetch(conn, head, state, Kind::Ledger, &rows::slot_id(&slot))?;
    Ok(())
}

/// Collects every id of ours in an event's JSON. Its texts may look like one: that reads a row too many.
fn named(value: &Value, names: &mut Names) {
    match value {
        Value::Object(map) => map.values().for_each(|value| named(value, names)),
        Value::Array(values) => values.iter().for_each(|value| named(value, names)),
        Value::String(text) => {
            if let Ok(id) = TodoId::parse(text) {
                names.todos.insert(id);
            } else if let Ok(id) = GateId::parse(text) {
                names.gates.insert(id);
            } else if let Ok(id) = RunId::parse(text) {
                names.runs.insert(id);
            } else if let Ok(id) = HandoffId::parse(text) {
                names.handoffs.insert(id);
            } else if let Ok(id) = RewardId::parse(text) {
                names.rewards.insert(id);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
