//! What is kept ready to read: one row for each thing of a goal, told open or closed.

use std::collections::BTreeSet;

use loopx_contract::GoalId;
use loopx_core::State;
use loopx_core::binding::Binding;
use loopx_core::gate::{Gate, GateDecision};
use loopx_core::handoff::HandoffState;
use loopx_core::table::Table;
use loopx_safety::text::stored;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::chain::unwritable;
use super::fault::Fault;
use super::head::{Head, Purpose, short};
use super::ledger;
use crate::damage::DamageCode;

static ROW: Purpose = Purpose::new(|| blake3::Hasher::new_derive_key("loopx.dev row v1"));

/// What a row is of. The numbers are part of the file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Agent = 1,
    Todo = 2,
    Gate = 3,
    Run = 4,
    Reward = 5,
    Handoff = 6,
    Spend = 7,
    Ledger = 8,
    Binding = 9,
    /// What an actor's last command did.
    Last = 10,
}

impl Kind {
    pub(crate) fn of(number: i64) -> Result<Self, Fault> {
        Ok(match number {
            1 => Self::Agent,
            2 => Self::Todo,
            3 => Self::Gate,
            4 => Self::Run,
            5 => Self::Reward,
            6 => Self::Handoff,
            7 => Self::Spend,
            8 => Self::Ledger,
            9 => Self::Binding,
            10 => Self::Last,
            _ => return Err(Fault::Damaged(DamageCode::RowsDiffer)),
        })
    }
}

/// One thing as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub kind: Kind,
    pub id: String,
    /// None: the thing was taken away.
    pub body: Option<(Standing, String)>,
}

/// Whether a thing is read with its goal or only when it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Open,
    Closed,
}

/// Places of closed rows start here. Those that are open lie before, each goal's side by side, so that they are read
/// in one go from few pages.
const CLOSED: i64 = 1 << 61;

/// How many places a goal has on either side, as a power of 2.
const PLACES: u32 = 32;

impl Standing {
    fn of(open: bool) -> Self {
        if open { Self::Open } else { Self::Closed }
    }

    /// What a row's place says.
    pub(crate) fn of_place(place: i64) -> Self {
        Self::of(place < CLOSED)
    }

    /// The places of a goal's rows: from, up to without.
    pub(crate) fn places(self, num: i64) -> (i64, i64) {
        let start = match self {
            Self::Open => 0,
            Self::Closed => CLOSED,
        };
        (start + (num << PLACES), start + ((num + 1) << PLACES))
    }
}

/// A row's checksum.
pub(crate) fn sum(goal: &GoalId, kind: Kind, id: &str, standing: Standing, body: &str) -> u128 {
    let mut hasher = ROW.hasher();
    hasher.update(goal.as_str().as_bytes());
    hasher.update(&[0, kind as u8, u8::from(standing == Standing::Open)]);
    hasher.update(id.as_bytes()).update(&[0]);
    short(hasher.update(body.as_bytes()))
}

/// The things that changed in a state, as they are written.
pub(crate) fn changed(state: &mut State) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    drain(&mut rows, &mut state.agents, Kind::Agent, ToString::to_string, |_| true)?;
    drain(&mut rows, &mut state.todos, Kind::Todo, ToString::to_string, |todo| !todo.is_closed())?;
    drain(&mut rows, &mut state.gates, Kind::Gate, ToString::to_string, stands)?;
    drain(&mut rows, &mut state.runs, Kind::Run, ToString::to_string, |_| false)?;
    drain(&mut rows, &mut state.rewards, Kind::Reward, ToString::to_string, |_| false)?;
    let offered = |handoff: &loopx_core::handoff::Handoff| matches!(handoff.state, HandoffState::Offered);
    drain(&mut rows, &mut state.handoffs, Kind::Handoff, ToString::to_string, offered)?;
    drain(&mut rows, &mut state.spends, Kind::Spend, ToString::to_string, |_| false)?;
    drain(&mut rows, &mut state.bindings, Kind::Binding, json, |_| true)?;
    for who in state.last_commands.take_changed() {
        let body = match state.last_commands.get(&who) {
            Some(last) => Some((Standing::Open, serde_json::to_string(&(&who, last)).map_err(unwritable)?)),
            None => None,
        };
        rows.push(Row { kind: Kind::Last, id: json(&who), body });
    }
    rows.extend(ledger::changed(state)?);
    Ok(rows)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Whether a gate says anything of what it covers: it holds, or it frees and the screen shows that.
fn stands(gate: &Gate) -> bool {
    match &gate.state {
        GateDecision::Withdrawn => false,
        GateDecision::Requested
        | GateDecision::Approved { .. }
        | GateDecision::Rejected { .. }
        | GateDecision::Deferred { .. } => true,
    }
}

fn drain<K: Ord + Clone, V: Serialize>(
    rows: &mut Vec<Row>,
    table: &mut Table<K, V>,
    kind: Kind,
    id: impl Fn(&K) -> String,
    open: impl Fn(&V) -> bool,
) -> Result<(), Fault> {
    for key in table.take_changed() {
        let body = match table.get(&key) {
            Some(value) => {
                Some((Standing::of(open(value)), serde_json::to_string(value).map_err(unwritable)?))
            }
            None => None,
        };
        rows.push(Row { kind, id: id(&key), body });
    }
    Ok(())
}

/// Writes rows and keeps the head's sum in step.
pub(crate) fn write(conn: &Connection, head: &mut Head, rows: &[Row]) -> Result<(), Fault> {
    let mut look =
        conn.prepare_cached("SELECT place, checksum FROM entity WHERE goal = ?1 AND kind = ?2 AND id = ?3")?;
    let mut change = conn.prepare_cached("UPDATE entity SET body = ?2, checksum = ?3 WHERE place = ?1")?;
    let mut delete = conn.prepare_cached("DELETE FROM entity WHERE place = ?1")?;
    for row in rows {
        let kind = row.kind as i64;
        let before: Option<(i64, [u8; 16])> =
            look.query_row((head.num, kind, &row.id), |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let before = before.map(|(place, sum)| (place, Standing::of_place(place), u128::from_le_bytes(sum)));
        if let Some((_, Standing::Open, sum)) = before {
            head.open_sum = head.open_sum.wrapping_sub(sum);
        }
        let stays = match (&before, &row.body) {
            (Some((_, was, _)), Some((is, _))) => was == is,
            (Some(_), None) | (None, _) => false,
        };
        if let Some((place, ..)) = before.filter(|_| !stays) {
            delete.execute([place])?;
        }
        let Some((standing, body)) = &row.body else { continue };
        let sum = sum(&head.id, row.kind, &row.id, *standing, body);
        if *standing == Standing::Open {
            head.open_sum = head.open_sum.wrapping_add(sum);
        }
        match before {
            Some((place, ..)) if stays => drop(change.execute((place, body, sum.to_le_bytes()))?),
            Some(_) | None => insert(conn, head, row, *standing, body, sum)?,
        }
    }
    Ok(())
}

fn insert(
    conn: &Connection,
    head: &Head,
    row: &Row,
    standing: Standing,
    body: &str,
    sum: u128,
) -> Result<(), Fault> {
    let (from, to) = standing.places(head.num);
    let mut last = conn.prepare_cached("SELECT max(place) FROM entity WHERE place >= ?1 AND place < ?2")?;
    let last: Option<i64> = last.query_row((from, to), |row| row.get(0))?;
    conn.prepare_cached("INSERT INTO entity VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute((
        last.map_or(from, |last| last + 1),
        head.num,
        row.kind as i64,
        &row.id,
        body,
        sum.to_le_bytes(),
    ))?;
    Ok(())
}

/// Puts a stored row into a state, unless the state has the thing already.
pub(crate) fn put(state: &mut State, kind: Kind, body: &str) -> Result<(), Fault> {
    match kind {
        Kind::Agent => into(&mut state.agents, body, |agent| agent.id.clone()),
        Kind::Todo => into(&mut state.todos, body, |todo| todo.id.clone()),
        Kind::Gate => into(&mut state.gates, body, |gate| gate.id.clone()),
        Kind::Run => into(&mut state.runs, body, |run| run.id.clone()),
        Kind::Reward => into(&mut state.rewards, body, |reward| reward.id.clone()),
        Kind::Handoff => into(&mut state.handoffs, body, |handoff| handoff.id.clone()),
        Kind::Spend => into(&mut state.spends, body, |spend| spend.key.clone()),
        Kind::Binding => into(&mut state.bindings, body, |binding| binding.target.clone()),
        Kind::Last => {
            let (who, last) = parse(body)?;
            if !state.last_commands.contains(&who) {
                state.last_commands.load(who, last);
            }
            Ok(())
        }
        Kind::Ledger => ledger::put(state, body),
    }
}

fn into<K: Ord + Clone, V: DeserializeOwned>(
    table: &mut Table<K, V>,
    body: &str,
    key: impl Fn(&V) -> K,
) -> Result<(), Fault> {
    let value = parse(body)?;
    let key = key(&value);
    if !table.contains(&key) {
        table.load(key, value);
    }
    Ok(())
}

/// A body whose checksum was compared: see [`check`].
pub(crate) fn parse<V: DeserializeOwned>(body: &str) -> Result<V, Fault> {
    stored::proved(|| serde_json::from_str(body)).map_err(|_| Fault::Damaged(DamageCode::RowsDiffer))
}

/// The bindings of a goal.
pub(crate) fn bindings(conn: &Connection, num: i64, goal: &GoalId) -> Result<Vec<Binding>, Fault> {
    let differs = |_| Fault::Damaged(DamageCode::RowsDiffer);
    let mut statement =
        conn.prepare_cached("SELECT place, id, body, checksum FROM entity WHERE goal = ?1 AND kind = ?2")?;
    let mut found = statement.query((num, Kind::Binding as i64))?;
    let mut bindings = Vec::new();
    while let Some(row) = found.next()? {
        let (id, body) =
            (row.get_ref(1)?.as_str().map_err(differs)?, row.get_ref(2)?.as_str().map_err(differs)?);
        check(goal, Kind::Binding, id, Standing::of_place(row.get(0)?), body, row.get(3)?)?;
        bindings.push(parse(body)?);
    }
    Ok(bindings)
}

/// Ids that were asked for already.
pub(crate) type Asked = BTreeSet<(Kind, String)>;

/// Reads one row by its id into the state. False if there is none.
pub(crate) fn fetch(
    conn: &Connection,
    head: &Head,
    state: &mut State,
    kind: Kind,
    id: &str,
) -> Result<bool, Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT place, body, checksum FROM entity WHERE goal = ?1 AND kind = ?2 AND id = ?3",
    )?;
    let mut rows = statement.query((head.num, kind as i64, id))?;
    if let Some(row) = rows.next()? {
        let body = row.get_ref(1)?.as_str().map_err(|_| Fault::Damaged(DamageCode::RowsDiffer))?;
        check(&head.id, kind, id, Standing::of_place(row.get(0)?), body, row.get(2)?)?;
        put(state, kind, body)?;
        return Ok(true);
    }
    Ok(false)
}

/// Compares a row with its checksum.
pub(crate) fn check(
    goal: &GoalId,
    kind: Kind,
    id: &str,
    standing: Standing,
    body: &str,
    stored: [u8; 16],
) -> Result<u128, Fault> {
    let sum = sum(goal, kind, id, standing, body);
    if sum == u128::from_le_bytes(stored) { Ok(sum) } else { Err(Fault::Damaged(DamageCode::RowsDiffer)) }
}
