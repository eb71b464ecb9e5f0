//! Turns that were not started because `loopx next` said no: counted in a small file of LoopX's own, in no goal's log.
//!
//! What counts: an answer other than ready (exit codes 10 to 16) to a loop that would else have started a model turn.
//! A loop may ask as often as it likes: the same answer to the same lane counts once in ten minutes. A person at a
//! terminal is no loop, and a question from inside a session does not count: its turn has begun.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{AgentId, GoalId};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

/// The file, in the data folder.
pub const FILE: &str = "spared.jsonl";

/// For how long the same answer to the same lane counts once.
const ONCE: SignedDuration = SignedDuration::from_mins(10);
/// How far back it is looked whether it was counted, in bytes.
const BACK: u64 = 16 << 10;
/// Each time the file has grown by so much, days that are over are summed up, in bytes.
const STEP: u64 = 1 << 20;
/// The longest file, in bytes.
const LONGEST: u64 = 64 << 20;
/// How long turns are counted one by one.
const RECENT: SignedDuration = SignedDuration::from_hours(32 * 24);
/// How long they are counted at all.
const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);

/// One or several turns of a lane that were not started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spared {
    /// When the first was asked for, UTC.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub at: Timestamp,
    /// The goal.
    pub goal: GoalId,
    /// The lane.
    pub agent: AgentId,
    /// What `next` answered: its exit code.
    pub exit: u8,
    /// How many.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub turns: u64,
}

const fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_one(turns: &u64) -> bool {
    *turns == 1
}

/// Counts a turn that is not started, unless the same answer was counted for its lane just before.
pub fn count(data: &Path, spared: &Spared) -> io::Result<()> {
    let file = open(data, OpenOptions::new().read(true).append(true).create(true))?;
    // Who writes at the same time counts.
    if file.try_lock().is_err() {
        return Ok(());
    }
    let len = file.metadata()?.len();
    if len >= LONGEST {
        return Err(io::ErrorKind::StorageFull.into());
    }
    if was_counted(&file, len, spared)? {
        return Ok(());
    }
    let mut line = serde_json::to_vec(spared)?;
    line.push(b'\n');
    (&file).write_all(&line)?;
    let grown = len.saturating_add(line.len() as u64);
    if grown / STEP == len / STEP { Ok(()) } else { sum_up(&file, spared.at) }
}

/// All that was counted, oldest first as far as clocks did not jump. What can't be read counts as nothing.
pub fn read(data: &Path) -> Vec<Spared> {
    let Ok(file) = open(data, OpenOptions::new().read(true)) else { return Vec::new() };
    all(&file).unwrap_or_default()
}

fn open(data: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // A link may lead to somebody else's file, and a pipe would be waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(data.join(FILE))?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

fn was_counted(file: &File, len: u64, spared: &Spared) -> io::Result<bool> {
    let mut bytes = vec![0; usize::try_from(len.min(BACK)).unwrap_or_default()];
    file.read_exact_at(&mut bytes, len.saturating_sub(BACK))?;
    let same = |known: &Spared| {
        let since = spared.at.duration_since(known.at);
        (&known.goal, &known.agent, known.exit) == (&spared.goal, &spared.agent, spared.exit)
            && known.turns == 1
            && since >= SignedDuration::ZERO
            && since < ONCE
    };
    Ok(lines(&bytes).rev().any(|known| same(&known)))
}

fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = Spared> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

fn all(mut file: &File) -> io::Result<Vec<Spared>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(lines(&bytes).collect())
}

/// Writes the file anew: one line for each day, lane and answer of the time that is over.
fn sum_up(mut file: &File, now: Timestamp) -> io::Result<()> {
    let (mut over, mut rest) = (BTreeMap::<_, Spared>::new(), Vec::new());
    for spared in all(file)? {
        let age = now.duration_since(spared.at);
        if age <= RECENT {
            rest.push(spared);
        } else if age <= KEPT {
            let day = spared.at.as_second().div_euclid(24 * 60 * 60);
            let key = (day, spared.goal.clone(), spared.agent.clone(), spared.exit);
            over.entry(key)
                .and_modify(|sum| sum.turns = sum.turns.saturating_add(spared.turns))
                .or_insert(spared);
        }
    }
    let mut text = Vec::new();
    for spared in over.into_values().chain(rest) {
        serde_json::to_writer(&mut text, &spared)?;
        text.push(b'\n');
    }
    file.set_len(0)?;
    file.write_all(&text)
}

#[cfg(test)]
mod tests;
