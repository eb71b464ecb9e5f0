//! One file, looked at by itself and without the index.

use std::path::Path;

use jiff::Timestamp;

use super::kept::{Kept, UNPACKED, unpack};
use crate::adapter::Adapter;
use crate::inspect::InspectError;
use crate::reader::{self, Buffer, Progress, Reading, is_packed};

/// A file over this is not numbered line by line, in bytes.
const NUMBERED: u64 = 256 << 20;

/// Folds a file whole. Says whether its lines are numbered: of a very long one only the end is folded.
pub fn closely<A: Adapter>(path: &Path, now: Timestamp) -> Result<(Reading<A::Fold>, bool), InspectError> {
    let mut buffer = Buffer::default();
    let mut opened = reader::open(path)?;
    let identity = opened.identity;
    let trouble = |error: std::io::Error| InspectError::from(reader::kind_of(&error));
    if is_packed(path) {
        let kept = unpack::<A>(&opened, UNPACKED, &mut buffer)?;
        return Ok((kept.reading(identity, now), true));
    }
    if opened.len <= NUMBERED {
        let mut progress = Progress::new(A::Fold::default());
        let rest = progress.advance(&mut opened, &mut buffer).map_err(trouble)?;
        return Ok((Kept { progress, rest }.reading(identity, now), true));
    }
    let (progress, rest) = reader::tail(&mut opened, A::Fold::default, &mut buffer).map_err(trouble)?;
    Ok((Kept { progress, rest }.reading(identity, now), false))
}
