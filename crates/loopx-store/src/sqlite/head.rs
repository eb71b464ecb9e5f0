//! A goal's head: how far its log goes, and sums over what is kept ready to read.

use std::sync::LazyLock;

use loopx_contract::GoalId;
use loopx_core::goal::{Goal, GoalState};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Deserialize;

use super::chain::{Hash, unwritable};
use super::fault::{Fault, signed, unsigned};
use crate::damage::DamageCode;

static HEAD: Purpose = Purpose::new(|| blake3::Hasher::new_derive_key("loopx.dev goal head v1"));

/// One goal's head.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The goal's number in this store.
    pub num: i64,
    pub id: GoalId,
    pub revision: u64,
    /// The checksum of the last event.
    pub hash: Hash,
    pub goal: Option<Goal>,
    /// Over all rows that are open: that one is missing shows without looking at the closed ones.
    pub open_sum: u128,
    /// Over all idempotency keys.
    pub key_sum: u128,
}

/// A goal and what is told of it, or what is wrong with that.
pub(crate) type Told<T = Head> = (GoalId, Result<T, Fault>);

const SELECT: &str = "SELECT goal.num, goal.id, head.revision, head.hash, head.body, head.open_sum, head.key_sum, \
     head.checksum FROM goal LEFT JOIN head ON head.goal = goal.num";

impl Head {
    /// The head of a goal that has no event yet.
    pub(crate) fn new(num: i64, id: GoalId) -> Self {
        Self { num, id, revision: 0, hash: [0; 32], goal: None, open_sum: 0, key_sum: 0 }
    }

    /// The head of this goal. Another that differs by case alone is none.
    pub(crate) fn find(conn: &Connection, id: &GoalId) -> Result<Option<Self>, Fault> {
        Self::one(conn, id, Self::of_row)?.transpose()
    }

    fn one<T>(
        conn: &Connection,
        id: &GoalId,
        of_row: impl FnOnce(&Row<'_>, GoalId) -> T,
    ) -> Result<Option<T>, Fault> {
        let mut statement = conn.prepare_cached(&format!("{SELECT} WHERE goal.id = ?1"))?;
        let mut rows = statement.query([id.as_str()])?;
        match rows.next()? {
            Some(row) if row.get_ref(1)?.as_str().is_ok_and(|found| found == id.as_str()) => {
                Ok(Some(of_row(row, id.clone())))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Every goal with its head, or what is wrong with it.
    pub(crate) fn all(conn: &Connection) -> Result<Vec<Told>, Fault> {
        Self::each(conn, Self::of_row)
    }

    /// Every goal as far as it is told without reading the goal itself.
    pub(crate) fn all_brief(conn: &Connection) -> Result<Vec<Told<Brief>>, Fault> {
        Self::each(conn, Self::brief_of_row)
    }

    /// The same of one goal, if there is one.
    pub(crate) fn brief(conn: &Connection, id: &GoalId) -> Result<Option<Result<Brief, Fault>>, Fault> {
        Self::one(conn, id, Self::brief_of_row)
    }

    fn brief_of_row(row: &Row<'_>, id: GoalId) -> Result<Brief, Fault> {
        let (head, body) = Self::without_goal(row, id)?;
        let told: Option<StateOnly> = serde_json::from_str(body).map_err(|_| differs())?;
        let state = told.map(|told| told.state);
        Ok(Brief { num: head.num, revision: head.revision, hash: head.hash, state })
    }

    fn each<T>(
        conn: &Connection,
        of_row: impl Fn(&Row<'_>, GoalId) -> Result<T, Fault>,
    ) -> Result<Vec<Told<T>>, Fault> {
        let mut statement = conn.prepare_cached(&format!("{SELECT} ORDER BY goal.id COLLATE BINARY"))?;
        let mut rows = statement.query([])?;
        let mut heads = Vec::new();
        while let Some(row) = rows.next()? {
            let id: String = row.get(1)?;
            let id = GoalId::parse(&id).map_err(|_| Fault::Damaged(DamageCode::Unreadable))?;
            heads.push((id.clone(), of_row(row, id)));
        }
        Ok(heads)
    }

    fn of_row(row: &Row<'_>, id: GoalId) -> Result<Self, Fault> {
        let (head, body) = Self::without_goal(row, id)?;
        Ok(Self { goal: serde_json::from_str(body).map_err(|_| differs())?, ..head })
    }

    /// A head whose checksum is right, and the JSON of its goal.
    fn without_goal<'r>(row: &'r Row<'_>, id: GoalId) -> Result<(Self, &'r str), Fault> {
        if row.get_ref(2)?.data_type() == rusqlite::types::Type::Null {
            return Err(differs());
        }
        let sum = |column| row.get::<_, [u8; 16]>(column).map(u128::from_le_bytes);
        let body = row.get_ref(4)?.as_str().map_err(|_| differs())?;
        let head = Self {
            num: row.get(0)?,
            id,
            revision: unsigned(row.get(2)?)?,
            hash: row.get(3)?,
            goal: None,
            open_sum: sum(5)?,
            key_sum: sum(6)?,
        };
        if sum(7)? == head.checksum(body) { Ok((head, body)) } else { Err(differs()) }
    }

    fn checksum(&self, body: &str) -> u128 {
        let mut hasher = HEAD.hasher();
        hasher.update(self.id.as_str().as_bytes()).update(&[0]);
        hasher.update(&self.revision.to_le_bytes()).update(&self.hash);
        hasher.update(&self.open_sum.to_le_bytes()).update(&self.key_sum.to_le_bytes());
        short(hasher.update(body.as_bytes()))
    }

    pub(crate) fn write(&self, conn: &Connection) -> Result<(), Fault> {
        let body = serde_json::to_string(&self.goal).map_err(unwritable)?;
        let checksum = self.checksum(&body);
        conn.prepare_cached("INSERT OR REPLACE INTO head VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute((
            self.num,
            signed(self.revision),
            &self.hash,
            body,
            self.open_sum.to_le_bytes(),
            self.key_sum.to_le_bytes(),
            checksum.to_le_bytes(),
        ))?;
        Ok(())
    }

    /// Adds a goal that has no event yet.
    pub(crate) fn add(conn: &Connection, id: &GoalId) -> Result<Self, Fault> {
        conn.prepare_cached("INSERT INTO goal (id) VALUES (?1)")?.execute([id.as_str()])?;
        Ok(Self::new(conn.last_insert_rowid(), id.clone()))
    }

    /// A goal whose id is the same but for case.
    pub(crate) fn same_but_for_case(conn: &Connection, id: &GoalId) -> Result<Option<GoalId>, Fault> {
        let mut statement = conn.prepare_cached("SELECT id FROM goal WHERE id = ?1")?;
        let found: Option<String> = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
        Ok(found.filter(|found| found != id.as_str()).and_then(|found| GoalId::parse(&found).ok()))
    }
}

fn differs() -> Fault {
    Fault::Damaged(DamageCode::HeadDiffers)
}

/// What is told of a goal at a glance.
#[derive(Clone, Debug)]
pub(crate) struct Brief {
    /// The goal's number in this store.
    pub num: i64,
    pub revision: u64,
    pub hash: Hash,
    pub state: Option<GoalState>,
}

#[derive(Deserialize)]
struct StateOnly {
    state: GoalState,
}

/// 128 bits of a hash.
pub(crate) fn short(hasher: &blake3::Hasher) -> u128 {
    let hash = hasher.finalize();
    let half = hash.as_bytes().first_chunk().copied();
    u128::from_le_bytes(half.unwrap_or_default())
}

/// A hasher for one purpose: what is hashed for one is never taken for another.
pub(crate) struct Purpose(LazyLock<blake3::Hasher>);

impl Purpose {
    pub(crate) const fn new(start: fn() -> blake3::Hasher) -> Self {
        Self(LazyLock::new(start))
    }

    pub(crate) fn hasher(&self) -> blake3::Hasher {
        self.0.clone()
    }
}
