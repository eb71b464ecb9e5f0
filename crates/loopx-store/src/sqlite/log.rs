//! Events in the log: written, read and checked one by one.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::{Actor, Proof, Recorded, Refusal, State};
use rusqlite::{Connection, Row};

use super::chain::{self, Hash, Kept, Link, unwritable};
use super::fault::{Fault, signed, unsigned};
use super::head::Head;
use super::sign::{self, NotSigned, Signed};
use crate::damage::DamageCode;
use crate::signer::Signer;

/// One event as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub place: u64,
    pub revision: u64,
    pub command: u64,
    pub at: i64,
    pub actor: String,
    pub body: String,
    /// Whether it came in from another store.
    pub imported: bool,
    pub hash: Hash,
    pub signature: Option<Signed>,
}

/// Where an event came in from, which no checksum of the chain covers: values that no single flipped bit turns into
/// one another.
const OWN: i64 = 0;
pub(crate) const IMPORTED: i64 = 6;

pub(crate) const COLUMNS: &str = "place, revision, command, at, actor, body, imported, hash, signature";

impl Stored {
    /// Reads a row of [`COLUMNS`].
    pub(crate) fn of_row(row: &Row<'_>) -> Result<Self, Fault> {
        Ok(Self {
            place: unsigned(row.get(0)?)?,
            revision: unsigned(row.get(1)?)?,
            command: unsigned(row.get(2)?)?,
            at: row.get(3)?,
            actor: row.get(4)?,
            body: row.get(5)?,
            imported: match row.get(6)? {
                OWN => false,
                IMPORTED => true,
                _ => return Err(Fault::Damaged(DamageCode::Unreadable)),
            },
            hash: row.get(7)?,
            signature: row.get(8)?,
        })
    }

    pub(crate) fn link<'a>(&'a self, goal: &'a GoalId) -> Link<'a> {
        Link {
            goal: goal.as_str(),
            revision: self.revision,
            command: self.command,
            at: self.at,
            actor: &self.actor,
            body: &self.body,
        }
    }

    /// Whether its checksum follows from the one before it.
    pub(crate) fn follows(&self, goal: &GoalId, before: &Hash) -> Result<(), Fault> {
        if self.link(goal).hash(before) == self.hash {
            Ok(())
        } else {
            Err(Fault::Damaged(DamageCode::ChainBroken))
        }
    }

    /// The event with its texts, as it is shown: what came in from another store proves no more than that.
    pub(crate) fn recorded(&self, goal: &GoalId, texts: &[Option<Kept>]) -> Result<Recorded, Fault> {
        let unknown = || Fault::Damaged(DamageCode::UnknownEvent);
        let mut actor: Actor = serde_json::from_str(&self.actor).map_err(|_| unknown())?;
        if self.imported {
            actor.proof = Proof::Imported;
        }
        Ok(Recorded {
            goal: goal.clone(),
            revision: self.revision,
            command: self.command,
            at: Timestamp::from_nanosecond(i128::from(self.at)).map_err(|_| unknown())?,
            actor,
            event: chain::join(&self.body, texts)?,
        })
    }
}

/// Writes an event's texts.
pub(crate) fn write_texts(
    conn: &Connection,
    num: i64,
    revision: u64,
    texts: &[Option<Kept>],
) -> Result<(), Fault> {
    let mut insert = conn.prepare_cached("INSERT INTO text VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (idx, kept) in texts.iter().enumerate() {
        let (key, text) = kept.as_ref().map_or((None, None), |kept| (Some(&kept.key), Some(&kept.text)));
        insert.execute((num, signed(revision), signed(idx as u64), key, text))?;
    }
    Ok(())
}

/// Writes an event whose checksum is known.
pub(crate) fn write(conn: &Connection, num: i64, stored: &Stored) -> Result<(), Fault> {
    conn.prepare_cached(
        "INSERT INTO event (goal, revision, command, at, actor, body, imported, hash, signature) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute((
        num,
        signed(stored.revision),
        signed(stored.command),
        stored.at,
        &stored.actor,
        &stored.body,
        if stored.imported { IMPORTED } else { OWN },
        &stored.hash,
        &stored.signature,
    ))?;
    Ok(())
}

/// Appends an event to a goal's log, signed where it is to be, and moves the head. `state` is that before it.
pub(crate) fn append(
    conn: &Connection,
    head: &mut Head,
    state: &State,
    recorded: &Recorded,
    signer: Option<&dyn Signer>,
) -> Result<(), Fault> {
    append_with(conn, head, recorded, |hash| {
        sign::sign(state, recorded, hash, signer)
            .map_err(|NotSigned(key)| Refusal::NotSigned { what: recorded.event.name(), key }.into())
    })
}

/// Appends an event with the signature that is made of its checksum, and moves the head.
pub(crate) fn append_with(
    conn: &Connection,
    head: &mut Head,
    recorded: &Recorded,
    signature: impl FnOnce(&Hash) -> Result<Option<Signed>, Fault>,
) -> Result<(), Fault> {
    let (body, texts) = chain::part(&recorded.event)?;
    let mut stored = Stored {
        place: 0,
        revision: recorded.revision,
        command: recorded.command,
        at: nanoseconds(recorded.at),
        actor: serde_json::to_string(&recorded.actor).map_err(unwritable)?,
        body,
        imported: false,
        hash: [0; 32],
        signature: None,
    };
    stored.hash = stored.link(&head.id).hash(&head.hash);
    stored.signature = signature(&stored.hash)?;
    write(conn, head.num, &stored)?;
    let texts: Vec<_> = texts.into_iter().map(Some).collect();
    write_texts(conn, head.num, stored.revision, &texts)?;
    head.revision = stored.revision;
    head.hash = stored.hash;
    Ok(())
}

/// Nanoseconds since 1970; what is before 1677 or after 2262 counts as the first or last that fits.
pub(crate) fn nanoseconds(at: Timestamp) -> i64 {
    let nearest = if at < Timestamp::UNIX_EPOCH { i64::MIN } else { i64::MAX };
    i64::try_from(at.as_nanosecond()).unwrap_or(nearest)
}

/// The texts of an event in their order; none for a purged one.
pub(crate) fn texts(conn: &Connection, num: i64, revision: u64) -> Result<Vec<Option<Kept>>, Fault> {
    let mut statement = conn
        .prepare_cached("SELECT idx, key, text FROM text WHERE goal = ?1 AND revision = ?2 ORDER BY idx")?;
    let mut rows = statement.query((num, signed(revision)))?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        if unsigned(row.get(0)?)? != texts.len() as u64 {
            return Err(Fault::Damaged(DamageCode::TextChanged));
        }
        texts.push(match (row.get(1)?, row.get(2)?) {
            (Some(key), Some(text)) => Some(Kept { key, text }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return Err(Fault::Damaged(DamageCode::TextChanged)),
        });
    }
    Ok(texts)
}

/// The checksum of one event; zeros before the first.
pub(crate) fn hash_at(conn: &Connection, num: i64, revision: u64) -> Result<Option<Hash>, Fault> {
    use rusqlite::OptionalExtension;
    if revision == 0 {
        return Ok(Some([0; 32]));
    }
    Ok(conn
        .prepare_cached("SELECT hash FROM event WHERE goal = ?1 AND revision = ?2")?
        .query_row((num, signed(revision)), |row| row.get(0))
        .optional()?)
}

/// Walks a goal's events after `after` up to `last`, each checked against the one before it.
pub(crate) fn walk(
    conn: &Connection,
    head: &Head,
    after: u64,
    last: u64,
    mut each: impl FnMut(&Stored, Recorded) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let missing = || Fault::Damaged(DamageCode::EventMissing);
    let mut before = hash_at(conn, head.num, after)?.ok_or_else(missing)?;
    let mut revision = after;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM event WHERE goal = ?1 AND revision > ?2 AND revision <= ?3 ORDER BY revision"
    ))?;
    let mut rows = statement.query((head.num, signed(after), signed(last)))?;
    while let Some(row) = rows.next()? {
        let stored = Stored::of_row(row)?;
        if stored.revision != revision + 1 {
            return Err(missing());
        }
        stored.follows(&head.id, &before)?;
        let texts = texts(conn, head.num, stored.revision)?;
        let recorded = stored.recorded(&head.id, &texts)?;
        each(&stored, recorded)?;
        revision = stored.revision;
        before = stored.hash;
    }
    if revision == last { Ok(()) } else { Err(missing()) }
}
