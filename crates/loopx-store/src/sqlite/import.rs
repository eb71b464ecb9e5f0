//! Taking in logs that `export` wrote: every checksum is verified, and all of it is taken in or nothing.
//!
//! An imported event keeps the actor that its checksum covers. That it came in from outside is kept beside it, and
//! shown as its proof.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use loopx_contract::GoalId;
use loopx_core::{Actor, Event, Refusal, Who};
use rusqlite::Connection;

use super::SqliteStore;
use super::chain::{Hash, Kept};
use super::export::{FORMAT, Header, Line, LineText};
use super::fault::Fault;
use super::head::Head;
use super::log::{self, Stored};
use super::purge::forget;
use super::seal::unhex;
use super::verify::{self, Damaged};
use super::write::Commit;
use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;
use crate::store::{ImportSummary, LONGEST_LINE};

/// A goal while its lines come in.
struct Incoming {
    head: Head,
    /// How far it went before.
    known: u64,
    /// The last line's place and checksum; none before the first line.
    last: Option<(u64, Hash)>,
    /// The revisions whose texts a purge that comes in has taken away.
    purged: Vec<u64>,
}

/// What became of one line.
enum Taken {
    /// It is new here.
    New,
    /// It was here already, without so many of the texts that it holds.
    Known(u64),
}

impl SqliteStore {
    pub(super) fn import_lines(
        &mut self,
        lines: &mut dyn BufRead,
        actor: &Actor,
    ) -> Result<ImportSummary, StoreError> {
        let _turn = self.turn()?;
        let damaged = self.damaged.clone();
        let summary = self.write_held(None, |conn| {
            let summary = import(conn, lines, actor, &damaged)?;
            Ok(if summary.events == 0 { Commit::Nothing(summary) } else { Commit::Written(summary) })
        })?;
        if summary.purged > 0 {
            self.scrub_and_seal(None)?;
        }
        Ok(summary)
    }
}

fn import(
    conn: &Connection,
    lines: &mut dyn BufRead,
    actor: &Actor,
    damaged: &Damaged,
) -> Result<ImportSummary, Fault> {
    let mut goals: BTreeMap<GoalId, Incoming> = BTreeMap::new();
    let mut summary = ImportSummary::default();
    let mut number = 0;
    let mut text = String::new();
    while next(lines, &mut text, number + 1)? {
        number += 1;
        let not = |reason| StoreError::Import { line: number, reason };
        if number == 1 {
            let header: Header = serde_json::from_str(&text).map_err(|_| not("no header of an export"))?;
            if header.schema_version != FORMAT {
                return Err(not("not an export of a version that this program knows").into());
            }
            continue;
        }
        let line: Line = serde_json::from_str(&text).map_err(|_| not("not an event of an export"))?;
        if !goals.contains_key(&line.goal) {
            goals.insert(line.goal.clone(), admit(conn, &line.goal, actor, damaged)?);
        }
        let Some(goal) = goals.get_mut(&line.goal) else { continue };
        match take(conn, goal, line, number)? {
            Taken::New => summary.events += 1,
            Taken::Known(withheld) => {
                summary.known += 1;
                summary.withheld += withheld;
            }
        }
    }
    if number == 0 {
        return Err(StoreError::Import { line: 1, reason: "no header of an export" }.into());
    }
    for (id, mut goal) in goals {
        if goal.head.revision > goal.known {
            summary.purged += forget(conn, &goal.head, &goal.purged)?;
            let whole = verify::rebuild(conn, &mut goal.head).and_then(|()| verify::goal(conn, &goal.head));
            let reason = match whole.map_err(|fault| fault.damage()) {
                Ok(()) if goal.head.goal.is_some() => None,
                Err(Some(DamageCode::UnsignedDecision)) => {
                    Some("a decision before it is not signed by its goal's key")
                }
                Ok(()) | Err(_) => Some("the events do not make a whole goal"),
            };
            if let Some(reason) = reason {
                return Err(StoreError::Import { line: number, reason }.into());
            }
        }
        summary.goals.push(id);
    }
    Ok(summary)
}

fn next(lines: &mut dyn BufRead, text: &mut String, number: u64) -> Result<bool, Fault> {
    text.clear();
    let read = Read::take(&mut *lines, LONGEST_LINE).read_line(text);
    let not = |reason| Fault::Store(StoreError::Import { line: number, reason });
    match read {
        Ok(0) => Ok(false),
        Ok(length) if length as u64 == LONGEST_LINE => Err(not("too long for an event")),
        Ok(_) => Ok(true),
        Err(_) => Err(not("can't be read as text")),
    }
}

/// Whether this actor may bring in events of this goal.
fn admit(conn: &Connection, id: &GoalId, actor: &Actor, damaged: &Damaged) -> Result<Incoming, Fault> {
    if let Some(code) = damaged.get(id) {
        return Err(StoreError::Damaged(Damage { goal: Some(id.clone()), code: *code }).into());
    }
    if let Some(head) = Head::find(conn, id)? {
        may_decide(&head, actor, "import")?;
        let known = head.revision;
        return Ok(Incoming { head, known, last: None, purged: Vec::new() });
    }
    if let Some(other) = Head::same_but_for_case(conn, id)? {
        return Err(Refusal::GoalExists(other).into());
    }
    Ok(Incoming { head: Head::add(conn, id)?, known: 0, last: None, purged: Vec::new() })
}

/// Refuses who is not a person with the proof that the goal asks for.
pub(crate) fn may_decide(head: &Head, actor: &Actor, what: &'static str) -> Result<(), Refusal> {
    let floor = head.goal.as_ref().map(|goal| goal.proof).unwrap_or_default();
    match actor.who {
        Who::Person if floor.accepts(actor.proof) => Ok(()),
        Who::Person => Err(Refusal::NeedsProof { floor, given: actor.proof }),
        Who::Lane(_) | Who::System => Err(Refusal::NeedsPerson { what }),
    }
}

/// Takes one line in, where it is not there already.
fn take(conn: &Connection, goal: &mut Incoming, line: Line, number: u64) -> Result<Taken, Fault> {
    let not = |reason| Fault::Store(StoreError::Import { line: number, reason });
    let (after, before) = if let Some(last) = goal.last {
        last
    } else {
        let after = line.revision.saturating_sub(1);
        let before = log::hash_at(conn, goal.head.num, after)?;
        (after, before.ok_or_else(|| not("events before it are missing"))?)
    };
    if line.revision != after + 1 {
        return Err(not("not the event after the one before it"));
    }
    if line.command == 0 || line.command > line.revision {
        return Err(not("its command is not one of this log"));
    }
    let stored = Stored {
        place: 0,
        revision: line.revision,
        command: line.command,
        at: log::nanoseconds(line.at),
        actor: line.actor.get().to_owned(),
        body: line.body.get().to_owned(),
        imported: true,
        hash: unhex(&line.hash).ok_or_else(|| not("no checksum"))?,
        signature: match &line.signature {
            Some(text) => Some(unhex(text).ok_or_else(|| not("no signature"))?),
            None => None,
        },
    };
    stored
        .follows(&goal.head.id, &before)
        .map_err(|_| not("its checksum does not follow from the one before"))?;
    goal.last = Some((stored.revision, stored.hash));
    if stored.revision <= goal.known {
        return if log::hash_at(conn, goal.head.num, stored.revision)? == Some(stored.hash) {
            let here = log::texts(conn, goal.head.num, stored.revision)?;
            let withheld =
                here.iter().zip(&line.texts).filter(|(here, there)| here.is_none() && there.is_some());
            Ok(Taken::Known(withheld.count() as u64))
        } else {
            Err(not("the goal has another history here"))
        };
    }
    let mut texts = Vec::with_capacity(line.texts.len());
    for text in line.texts {
        texts.push(text.map(kept).transpose().map_err(|NoKey| not("no key of a text"))?);
    }
    let recorded = stored.recorded(&goal.head.id, &texts).map_err(|fault| match fault {
        Fault::Damaged(DamageCode::TextChanged) => {
            not("a text is not the one that the event was written with")
        }
        Fault::Damaged(_) => {
            not("not an event that this version understands, or with a text that it refuses")
        }
        Fault::Sql(_) | Fault::Store(_) => fault,
    })?;
    log::write(conn, goal.head.num, &stored)?;
    log::write_texts(conn, goal.head.num, stored.revision, &texts)?;
    goal.head.revision = stored.revision;
    goal.head.hash = stored.hash;
    if let Event::Purged { revisions } = recorded.event {
        goal.purged.extend(revisions);
    }
    Ok(Taken::New)
}

/// What stands for a key is none.
struct NoKey;

fn kept(text: LineText) -> Result<Kept, NoKey> {
    Ok(Kept { key: unhex(&text.key).ok_or(NoKey)?, text: text.text })
}
