//! Reading the working set of a goal.

use loopx_contract::{GateId, HandoffId, RewardId, RunId, TodoId};
use loopx_core::quota::Slot;
use loopx_core::{Event, Names, State, TurnKey};
use rusqlite::Connection;
use serde_json::Value;

use super::fault::Fault;
use super::head::Head;
use super::ledger;
use super::rows::{self, Asked, Kind, Standing};
use crate::damage::DamageCode;

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
        sum = sum.wrapping_add(rows::check(&head.id, kind, id, Standing::Open, body, row.get(3)?)?);
        rows::put(&mut state, kind, body)?;
    }
    if sum != head.open_sum {
        return Err(Fault::Damaged(DamageCode::RowsDiffer));
    }
    ledger::load(conn, head, &mut state, names.ledger)?;
    let mut asked = Asked::new();
    asked.extend(state.todos.values().map(|todo| (Kind::Todo, todo.id.to_string())));
    asked.extend(state.gates.values().map(|gate| (Kind::Gate, gate.id.to_string())));
    let mut names = names.clone();
    also(&mut names, &state);
    more(conn, head, &mut state, names, &mut asked)?;
    Ok(state)
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
            ids(names.spends.iter().map(TurnKey::as_str).collect(), Kind::Spend),
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
    if let Event::Spent { key, .. } | Event::SpendVoided { key } = event {
        names.spends.insert(key.clone());
    }
    more(conn, head, state, names, asked)?;
    let slot = if let Event::Spent { agent, spent_at, .. } = event {
        Some(Slot::at(agent.clone(), *spent_at))
    } else if let Event::SpendVoided { key } = event {
        state.spends.get(key).map(|spend| Slot::at(spend.agent.clone(), spend.at))
    } else {
        None
    };
    match slot {
        Some(slot) => ledger::ahead(conn, head, state, &slot, asked),
        None => Ok(()),
    }
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
