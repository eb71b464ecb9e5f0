//! What handles stand for: private, local, never exported.

use loopx_contract::Ref;
use loopx_safety::Private;
use rusqlite::OptionalExtension;

use super::SqliteStore;
use super::fault::Fault;
use super::head::Purpose;
use super::purge::due;
use super::write::Commit;
use crate::damage::DamageCode;
use crate::error::StoreError;
use crate::store::Pointer;

static POINTER: Purpose = Purpose::new(|| blake3::Hasher::new_derive_key("loopx.dev pointer v1"));

fn checksum(handle: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = POINTER.hasher();
    hasher.update(&(handle.len() as u64).to_le_bytes()).update(handle.as_bytes()).update(bytes);
    *hasher.finalize().as_bytes()
}

fn checked(handle: &str, bytes: Vec<u8>, sum: [u8; 32]) -> Result<Private<Vec<u8>>, Fault> {
    if checksum(handle, &bytes) == sum {
        Ok(Private::new(bytes))
    } else {
        Err(Fault::Damaged(DamageCode::RowsDiffer))
    }
}

impl SqliteStore {
    pub(super) fn put_pointer(&mut self, handle: &Ref, bytes: Private<&[u8]>) -> Result<(), StoreError> {
        let (handle, bytes) = (handle.as_str(), *bytes.expose());
        self.write(None, |conn| {
            conn.prepare_cached("INSERT OR REPLACE INTO pointer VALUES (?1, ?2, ?3)")?.execute((
                handle,
                bytes,
                checksum(handle, bytes),
            ))?;
            Ok(Commit::Written(()))
        })
    }

    pub(super) fn get_pointer(&mut self, handle: &Ref) -> Result<Option<Private<Vec<u8>>>, StoreError> {
        let Some(tx) = self.reading()? else { return Ok(None) };
        let read = || -> Result<Option<Private<Vec<u8>>>, Fault> {
            tx.prepare_cached("SELECT bytes, checksum FROM pointer WHERE handle = ?1")?
                .query_row([handle.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?
                .map(|(bytes, sum)| checked(handle.as_str(), bytes, sum))
                .transpose()
        };
        read().map_err(|fault| fault.of(None))
    }

    pub(super) fn forget_pointer(&mut self, handle: &Ref) -> Result<(), StoreError> {
        let gone = self.write(None, |conn| {
            let gone = conn.execute("DELETE FROM pointer WHERE handle = ?1", [handle.as_str()])?;
            if gone == 0 {
                return Ok(Commit::Nothing(false));
            }
            due(conn)?;
            Ok(Commit::Written(true))
        })?;
        if gone {
            // Where a reader stands in the way it stays due.
            let _later = self.scrub_and_seal(None);
        }
        Ok(())
    }

    pub(super) fn all_pointers(&mut self) -> Result<Vec<Pointer>, StoreError> {
        let Some(tx) = self.reading()? else { return Ok(Vec::new()) };
        let read = || -> Result<Vec<Pointer>, Fault> {
            let mut statement =
                tx.prepare_cached("SELECT handle, bytes, checksum FROM pointer ORDER BY handle")?;
            let mut rows = statement.query([])?;
            let mut pointers = Vec::new();
            while let Some(row) = rows.next()? {
                let handle: String = row.get(0)?;
                let bytes = checked(&handle, row.get(1)?, row.get(2)?)?;
                let handle = Ref::parse(&handle).map_err(|_| Fault::Damaged(DamageCode::RowsDiffer))?;
                pointers.push((handle, bytes));
            }
            Ok(pointers)
        };
        read().map_err(|fault| fault.of(None))
    }
}
