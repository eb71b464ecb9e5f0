//! Removing texts that should never have been written. Their hashes stay, the chain stays valid, and no byte of them
//! stays in the database, its write-ahead log or its free pages.

use std::io;
use std::time::Duration;

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::{Actor, Event, Recorded, Refusal, RefusalCode, State};
use rusqlite::Connection;

use super::SqliteStore;
use super::fault::{Fault, signed, unsigned};
use super::files::DATABASE;
use super::head::Head;
use super::import::may_decide;
use super::write::{Commit, checkpoint};
use super::{log, verify};
use crate::error::StoreError;
use crate::signer::Signer;
use crate::store::{PurgeSummary, PurgeTarget};

/// How long a purge waits for readers of old pages.
const PATIENCE: Duration = Duration::from_secs(3);

/// What says that texts were taken out of the log and may still stand in the files.
const SCRUB: &str = "scrub";

impl SqliteStore {
    pub(super) fn purge_texts(
        &mut self,
        goal: &GoalId,
        target: &PurgeTarget,
        actor: &Actor,
        now: Timestamp,
        signer: Option<&dyn Signer>,
    ) -> Result<PurgeSummary, StoreError> {
        let _turn = self.turn()?;
        if signer.is_some() {
            self.verify_goal(goal)?;
        }
        let copies = self.copies()?;
        let mut summary = self.write_held(Some(goal), |conn| {
            let Some(mut head) = Head::find(conn, goal)? else {
                return Err(Refusal::NoGoal(goal.clone()).into());
            };
            if let Err(refusal) = may_sign(&head, actor, signer) {
                say(conn, &mut head, actor, now, refused("purge", refusal.code()), None)?;
                head.write(conn)?;
                return Ok(Commit::Written(Err(refusal)));
            }
            let revisions = revisions(conn, &head, target)?;
            if revisions.is_empty() {
                return Err(Refusal::NoThing("text of that event or id").into());
            }
            let texts = forget(conn, &head, &revisions)?;
            if texts > 0 {
                say(conn, &mut head, actor, now, Event::Purged { revisions: revisions.clone() }, signer)?;
                verify::rebuild(conn, &mut head)?;
            }
            let (revision, purged) = (head.revision, revisions);
            Ok(Commit::Written(Ok(PurgeSummary { revision, purged, texts, copies: Vec::new() })))
        })??;
        summary.copies = copies;
        self.scrub_and_seal(Some(goal))?;
        Ok(summary)
    }

    /// Says in a goal's log that something was refused.
    pub(super) fn say_refused(
        &mut self,
        goal: &GoalId,
        actor: &Actor,
        what: &'static str,
        code: RefusalCode,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let _turn = self.turn()?;
        self.write_held(Some(goal), |conn| {
            let Some(mut head) = Head::find(conn, goal)? else {
                return Err(Refusal::NoGoal(goal.clone()).into());
            };
            say(conn, &mut head, actor, now, refused(what, code), None)?;
            verify::rebuild(conn, &mut head)?;
            Ok(Commit::Written(()))
        })
    }

    /// Leaves no byte of what was deleted. Fails where a reader of old pages stands in the way.
    pub(super) fn scrub_and_seal(&mut self, goal: Option<&GoalId>) -> Result<(), StoreError> {
        let gone = self.scrub();
        self.seal();
        if gone.map_err(|fault| fault.of(goal))? { Ok(()) } else { Err(StoreError::PurgePending) }
    }

    /// Writes the file anew without what was deleted, and empties the write-ahead log.
    fn scrub(&mut self) -> Result<bool, Fault> {
        let Some(open) = &mut self.conn else { return Ok(true) };
        scrub(open.writing()?, PATIENCE)
    }

    /// Databases of ours beside this one: they are copies from before.
    fn copies(&self) -> Result<Vec<String>, StoreError> {
        let unread = |error: io::Error| StoreError::Io { what: "looking for copies", kind: error.kind() };
        let mut copies = Vec::new();
        for entry in std::fs::read_dir(self.base.folder()).map_err(unread)? {
            let name = entry.map_err(unread)?.file_name().to_string_lossy().into_owned();
            if name.starts_with("loopx.") && name.contains(".db") && !name.starts_with(DATABASE) {
                copies.push(name);
            }
        }
        copies.sort();
        Ok(copies)
    }
}

fn refused(what: &'static str, code: RefusalCode) -> Event {
    Event::Refused { command: what.into(), code }
}

/// Refuses who may not decide, and on a goal with a key who can't sign.
fn may_sign(head: &Head, actor: &Actor, signer: Option<&dyn Signer>) -> Result<(), Refusal> {
    may_decide(head, actor, "purge")?;
    match head.goal.as_ref().and_then(|goal| goal.authority_key) {
        Some(key) if signer.is_none_or(|signer| signer.public_key() != key) => {
            Err(Refusal::NotSigned { what: "purge", key })
        }
        Some(_) | None => Ok(()),
    }
}

fn say(
    conn: &Connection,
    head: &mut Head,
    actor: &Actor,
    now: Timestamp,
    event: Event,
    signer: Option<&dyn Signer>,
) -> Result<(), Fault> {
    let revision = head.revision + 1;
    let goal = head.id.clone();
    let recorded = Recorded { goal, revision, command: revision, at: now, actor: actor.clone(), event };
    // Of a state, what these events need is in the head.
    let state = State { goal: head.goal.clone(), ..State::default() };
    log::append(conn, head, &state, &recorded, signer)
}

/// The revisions that are meant and have texts, purged ones too.
fn revisions(conn: &Connection, head: &Head, target: &PurgeTarget) -> Result<Vec<u64>, Fault> {
    let mut found = Vec::new();
    match target {
        PurgeTarget::Revisions(revisions) => {
            for revision in revisions {
                if !log::texts(conn, head.num, *revision)?.is_empty() {
                    found.push(*revision);
                }
            }
        }
        PurgeTarget::Id(id) => {
            let mut statement = conn.prepare(
                "SELECT DISTINCT event.revision FROM event JOIN text USING (goal, revision) \
                 WHERE event.goal = ?1 AND instr(event.body, ?2) > 0 ORDER BY event.revision",
            )?;
            let mut rows = statement.query((head.num, format!("\"{id}\"")))?;
            while let Some(row) = rows.next()? {
                found.push(unsigned(row.get(0)?)?);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Removes texts and keys, and the digests of requests that held them. Gives the number of texts.
pub(super) fn forget(conn: &Connection, head: &Head, revisions: &[u64]) -> Result<u64, Fault> {
    let mut texts = 0;
    let mut text = conn.prepare(
        "UPDATE text SET key = NULL, text = NULL WHERE goal = ?1 AND revision = ?2 AND text IS NOT NULL",
    )?;
    let mut key = conn.prepare(
        "UPDATE key SET salt = NULL, request = NULL WHERE goal = ?1 AND before < ?2 AND last >= ?2",
    )?;
    for revision in revisions {
        texts += text.execute((head.num, signed(*revision)))? as u64;
        key.execute((head.num, signed(*revision)))?;
    }
    if texts > 0 {
        due(conn)?;
    }
    Ok(texts)
}

/// Says that what was deleted may still stand in the files.
pub(super) fn due(conn: &Connection) -> Result<(), Fault> {
    conn.execute("INSERT OR REPLACE INTO meta VALUES (?1, 'due')", [SCRUB])?;
    Ok(())
}

/// Finishes a purge that died between its commit and the last byte of its texts. The turn is held. That it can't be
/// done now harms nothing: it stays due.
pub(super) fn finish(conn: &Connection) {
    let due = conn.query_row("SELECT count(*) FROM meta WHERE key = ?1", [SCRUB], |row| row.get::<_, i64>(0));
    if due.is_ok_and(|due| due > 0) {
        let _not_now = scrub(conn, Duration::from_millis(100));
    }
}

/// Writes the file anew, empties the write-ahead log, and only then takes away the mark that this is due. False if a
/// reader stands in the way.
fn scrub(conn: &Connection, wait: Duration) -> Result<bool, Fault> {
    conn.execute_batch("VACUUM")?;
    let gone = checkpoint(conn, wait)?;
    if gone {
        conn.execute("DELETE FROM meta WHERE key = ?1", [SCRUB])?;
    }
    Ok(gone)
}
