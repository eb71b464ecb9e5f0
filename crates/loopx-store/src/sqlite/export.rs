//! Logs as JSON lines: a header, then one event a line with its texts and their keys, so that every checksum can be
//! verified by whoever reads them.

use std::io::Write;

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::Refusal;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::SqliteStore;
use super::chain::{Kept, unwritable};
use super::fault::{Fault, io_error, signed};
use super::head::Head;
use super::log::{self, COLUMNS, Stored};
use super::schema;
use super::seal::hex;
use crate::damage::{Damage, DamageCode};
use crate::error::StoreError;
use crate::store::ExportSummary;

/// The version of the format.
pub(crate) const FORMAT: &str = "loopx_export_v0";

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub schema_version: String,
    /// The id of the store it came from.
    pub store: String,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub goal: GoalId,
    pub revision: u64,
    pub command: u64,
    pub at: Timestamp,
    pub imported: bool,
    /// Byte for byte what the checksum covers.
    pub actor: Box<RawValue>,
    pub body: Box<RawValue>,
    /// In the order in which the body refers to them; null for a purged one.
    pub texts: Vec<Option<LineText>>,
    /// In hexadecimal.
    pub hash: String,
    /// Of a signed decision, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// A text and its key in hexadecimal.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LineText {
    pub key: String,
    pub text: String,
}

fn line(conn: &Connection, head: &Head, stored: &Stored) -> Result<Line, Fault> {
    let text = |kept: Kept| LineText { key: hex(&kept.key), text: kept.text };
    let texts = log::texts(conn, head.num, stored.revision)?;
    let at = Timestamp::from_nanosecond(i128::from(stored.at));
    Ok(Line {
        goal: head.id.clone(),
        revision: stored.revision,
        command: stored.command,
        at: at.map_err(|_| Fault::Damaged(DamageCode::UnknownEvent))?,
        imported: stored.imported,
        actor: RawValue::from_string(stored.actor.clone()).map_err(unwritable)?,
        body: RawValue::from_string(stored.body.clone()).map_err(unwritable)?,
        texts: texts.into_iter().map(|kept| kept.map(text)).collect(),
        hash: hex(&stored.hash),
        signature: stored.signature.as_ref().map(|signature| hex(signature)),
    })
}

fn put(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Fault> {
    let mut text = serde_json::to_vec(value).map_err(unwritable)?;
    text.push(b'\n');
    out.write_all(&text).map_err(io_error("writing the export"))?;
    Ok(())
}

/// Writes one goal, checked on the way. Gives the number of its events.
fn goal(conn: &Connection, head: &Head, out: &mut dyn Write) -> Result<u64, Fault> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM event WHERE goal = ?1 AND revision <= ?2 ORDER BY revision"
    ))?;
    let mut rows = statement.query((head.num, signed(head.revision)))?;
    let (mut before, mut count) = ([0; 32], 0);
    while let Some(row) = rows.next()? {
        let stored = Stored::of_row(row)?;
        stored.follows(&head.id, &before)?;
        put(out, &line(conn, head, &stored)?)?;
        before = stored.hash;
        count += 1;
    }
    if before == head.hash { Ok(count) } else { Err(Fault::Damaged(DamageCode::EventMissing)) }
}

impl SqliteStore {
    pub(super) fn export_lines(
        &mut self,
        out: &mut dyn Write,
        goals: &[GoalId],
    ) -> Result<ExportSummary, StoreError> {
        self.ready()?;
        for goal in goals {
            self.sound(goal)?;
        }
        let damaged = self.damaged.clone();
        let mut summary = ExportSummary::default();
        let Some(tx) = self.reading()? else {
            return match goals.first() {
                Some(goal) => Err(Refusal::NoGoal(goal.clone()).into()),
                None => Ok(summary),
            };
        };
        let store = schema::store_id(&tx).map_err(|fault| fault.of(None))?;
        put(out, &Header { schema_version: FORMAT.to_owned(), store }).map_err(|fault| fault.of(None))?;
        let heads = Head::all(&tx).map_err(|fault| fault.of(None))?;
        if let Some(missing) = goals.iter().find(|goal| !heads.iter().any(|(id, _)| id == *goal)) {
            return Err(Refusal::NoGoal(missing.clone()).into());
        }
        for (id, head) in heads {
            if !goals.is_empty() && !goals.contains(&id) {
                continue;
            }
            if let Some(code) = damaged.get(&id) {
                summary.left_out.push(Damage { goal: Some(id), code: *code });
                continue;
            }
            summary.events +=
                head.and_then(|head| goal(&tx, &head, out)).map_err(|fault| fault.of(Some(&id)))?;
            summary.goals.push(id);
        }
        Ok(summary)
    }
}
