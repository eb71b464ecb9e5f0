//! What is kept of one file: how far it was folded, and what stands behind that.

use std::io::Read as _;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::adapter::Adapter;
use crate::reader::{self, Buffer, Extent, Fold, Identity, Opened, Progress, Reading, Rest};
use crate::sweep::SkipKind;

/// Files are read whole at the first look as far as that is no more than this, in bytes, over all of them.
const AT_FIRST: u64 = 32 << 20;
/// The longest file that is read whole at the first look, in bytes.
const LONGEST: u64 = 1 << 20;
/// A file that has grown by more than this is looked at from its end first, in bytes.
const GROWN: u64 = 1 << 20;
/// A packed file up to this length is unpacked at the first look, in bytes.
const PACKED: u64 = 256 << 10;

/// The most that is unpacked at the first look, in bytes.
const UNPACKED_AT_FIRST: u64 = 8 << 20;
/// The most that a packed file may unpack to, in bytes: files were seen to reach a quarter of it.
pub const UNPACKED: u64 = 4 << 30;

/// What is kept of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept<F> {
    /// What is folded: all up to the last newline, or the file's end alone.
    pub progress: Progress<F>,
    /// What stands behind that.
    pub rest: Rest<F>,
}

impl<F: Fold> Kept<F> {
    /// What the file says by now.
    pub fn reading(self, identity: Identity, now: Timestamp) -> Reading<F> {
        self.progress.reading(self.rest, identity.modified_at(), now)
    }

    /// Whether all of the file is folded.
    pub fn is_whole(&self) -> bool {
        self.progress.extent == Extent::Whole
    }
}

/// A file that was looked at.
#[derive(Clone)]
pub struct Brought<F> {
    /// Which file it was, and in which state.
    pub identity: Identity,
    /// What is kept of it; nothing, where the file is left to the backfill.
    pub kept: Option<Kept<F>>,
    /// How far it was folded from its beginning, where only its end is kept.
    pub behind: Option<Progress<F>>,
    /// Whether it was folded anew: what was known of it before counts no more.
    pub anew: bool,
}

/// Up to which length files are read whole at the first look, where there are so many to look at.
pub fn short(files: usize) -> u64 {
    (AT_FIRST / (files.max(1) as u64)).min(LONGEST)
}

/// Looks at a file as far as the first screen needs it. Up to a length of `short` it is read whole.
pub fn glance<A: Adapter>(
    mut opened: Opened,
    packed: bool,
    known: Option<Kept<A::Fold>>,
    behind: Option<Progress<A::Fold>>,
    short: u64,
    buffer: &mut Buffer,
) -> Result<Brought<A::Fold>, SkipKind> {
    let identity = opened.identity;
    if packed {
        if opened.len > PACKED {
            return Ok(Brought { identity, kept: None, behind: None, anew: true });
        }
        // A small file may unpack to a huge one: that is left to the backfill too.
        let kept = match unpack::<A>(&opened, UNPACKED_AT_FIRST, buffer) {
            Err(SkipKind::TooLarge) => None,
            kept => Some(kept?),
        };
        return Ok(Brought { identity, kept, behind: None, anew: true });
    }
    let trouble = |error: std::io::Error| reader::kind_of(&error);
    let (mut behind, mut anew) = (behind, true);
    if let Some(Kept { mut progress, .. }) = known
        && progress.holds(&opened).map_err(trouble)?
    {
        anew = false;
        if opened.len - progress.offset <= GROWN {
            let rest = progress.advance(&mut opened, buffer).map_err(trouble)?;
            return Ok(Brought { identity, kept: Some(Kept { progress, rest }), behind, anew });
        }
        if progress.extent == Extent::Whole {
            behind = Some(progress);
        }
    }
    if opened.len <= short {
        let mut progress = Progress::new(A::Fold::default());
        let rest = progress.advance(&mut opened, buffer).map_err(trouble)?;
        return Ok(Brought { identity, kept: Some(Kept { progress, rest }), behind: None, anew: true });
    }
    let mut first = A::Fold::default();
    if A::HEADED {
        reader::head(&mut opened, &mut first, buffer).map_err(trouble)?;
    }
    let (progress, rest) = reader::tail(&mut opened, || first.clone(), buffer).map_err(trouble)?;
    let behind = behind.filter(|_| !anew && progress.extent != Extent::Whole);
    Ok(Brought { identity, kept: Some(Kept { progress, rest }), behind, anew })
}

/// Unpacks and folds a packed file, unless it unpacks to more than `most` bytes.
pub fn unpack<A: Adapter>(
    opened: &Opened,
    most: u64,
    buffer: &mut Buffer,
) -> Result<Kept<A::Fold>, SkipKind> {
    let trouble = |_| SkipKind::Unreadable;
    let stream = reader::unpacked(&opened.file).map_err(trouble)?;
    let mut progress = Progress::new(A::Fold::default());
    let mut stream = stream.take(most);
    let rest = progress.read(&mut stream, buffer).map_err(trouble)?;
    if stream.limit() == 0 { Err(SkipKind::TooLarge) } else { Ok(Kept { progress, rest }) }
}

/// As bytes, with what tells whether they are still those.
pub fn encode<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    let mut bytes = postcard::to_extend(value, vec![0; 8]).ok()?;
    let sum = xxh3_64(bytes.get(8..)?).to_le_bytes();
    bytes.get_mut(..8)?.copy_from_slice(&sum);
    Some(bytes)
}

/// Out of bytes; `None` where they were changed or are of another version.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (sum, rest) = bytes.split_at_checked(8)?;
    (xxh3_64(rest).to_le_bytes() == sum).then(|| postcard::from_bytes(rest).ok()).flatten()
}
