//! Disks after power losses: made from a trace, laid out, and given to a judge.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::disk::{Chance, Disk, Kept};
use super::log::{Told, told};
use super::trace::{Call, Change};
use crate::processes::word;

/// What a disk could hold after a power loss.
#[derive(Debug)]
pub struct Variant {
    files: BTreeMap<String, Vec<u8>>,
    /// How many words were said by then.
    pub said: usize,
    kept: Kept,
    moment: usize,
    /// Whether the seal is to find the files as it remembers them, wherever their sizes allow it.
    recognised: bool,
}

/// What came of a replay.
pub struct Outcome {
    pub moments: usize,
    pub disks: usize,
    pub wrong: Vec<String>,
}

/// The words that were said in a trace.
pub fn said(calls: &[Call]) -> Vec<String> {
    calls.iter().flat_map(words).collect()
}

fn words(call: &Call) -> Vec<String> {
    if let Change::Said(text) = &call.change { text.lines().filter_map(word).collect() } else { Vec::new() }
}

/// Where a disk can be laid out fast: syncs are of no use there.
fn fast() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Moments to look at: those before and after each sync and word, and others between.
fn chosen(weighty: &[bool], most: usize) -> BTreeSet<usize> {
    let spread = |kind: bool, most: usize| {
        let all: Vec<usize> = (0..weighty.len()).filter(|at| weighty[*at] == kind).collect();
        let most = most.clamp(1, all.len().max(1));
        (0..most).filter_map(|part| all.get(part * all.len() / most).copied()).collect::<Vec<_>>()
    };
    spread(true, most / 2).into_iter().chain(spread(false, most / 2)).collect()
}

/// Cuts the power at so many moments of a trace, and judges what could be left each time.
pub fn all(
    calls: &[Call],
    base: &Path,
    mut disk: Disk,
    most: usize,
    judge: impl Fn(&Variant, &Path) -> Told<()> + Sync,
) -> Outcome {
    // Each call has two moments: its beginning and its end.
    let mut line: Vec<(usize, usize, bool)> = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        line.extend([(call.begin, number, false), (call.end, number, true)]);
    }
    line.sort_unstable();
    let weighty = |at: usize| {
        line.get(at).is_some_and(|(_, number, _)| {
            matches!(calls[*number].change, Change::Sync(_) | Change::Said(_) | Change::Rename(..))
        })
    };
    let moments = chosen(&(0..line.len()).map(|at| weighty(at) || weighty(at + 1)).collect::<Vec<_>>(), most);
    let (sender, receiver) = mpsc::sync_channel::<Variant>(4);
    let (receiver, wrong) = (Mutex::new(receiver), Mutex::new(Vec::new()));
    let (mut disks, mut heard) = (0, 0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Ok(variant) = receiver.lock().unwrap().recv() else { return };
                    let folder = tempfile::tempdir_in(fast()).unwrap();
                    let result = lay_out(&variant, folder.path()).and_then(|base| judge(&variant, &base));
                    if let Err(error) = result {
                        let Variant { moment, kept, recognised, .. } = variant;
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{moment} {kept:?} recognised {recognised}: {error}"));
                    }
                }
            });
        }
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        for (moment, (_, number, ended)) in line.iter().enumerate() {
            let call = &calls[*number];
            if *ended {
                disk.end(call);
            } else {
                disk.begin(call);
                heard += words(call).len();
            }
            if !moments.contains(&moment) {
                continue;
            }
            let ways = [Kept::Nothing, Kept::Everything, Kept::Some, Kept::Torn, Kept::Torn];
            for kept in ways.into_iter().take(if disk.is_unsure() { 5 } else { 1 }) {
                let files = disk.after_loss(base, kept, &mut chance);
                let recognised = chance.below(2) == 0;
                sender.send(Variant { files, said: heard, kept, moment, recognised }).unwrap();
                disks += 1;
            }
        }
        drop(sender);
    });
    Outcome { moments: moments.len(), disks, wrong: wrong.into_inner().unwrap() }
}

/// Lays a disk out. Gives the base folder, which may not be there.
fn lay_out(variant: &Variant, folder: &Path) -> Told<PathBuf> {
    let base = folder.join("base");
    if !variant.files.is_empty() {
        told("folder", DirBuilder::new().mode(0o700).create(&base))?;
    }
    for (name, bytes) in &variant.files {
        // What stands in the shared memory is worth nothing after a start, and may be anything.
        match (name.as_str(), variant.kept) {
            ("loopx.db-shm", Kept::Torn) => told("file", lay(&base.join(name), &vec![0x5a; 65_536]))?,
            ("loopx.db-shm", _) => {}
            _ => told("file", lay(&base.join(name), bytes))?,
        }
    }
    if variant.recognised {
        recognise(&base);
    }
    Ok(base)
}

fn lay(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(bytes)
}

/// Gives the seal the numbers of these files, and the files the times that the seal remembers: so they would be found
/// on a real disk.
fn recognise(base: &Path) -> Option<()> {
    let file = base.join("seal.json");
    let mut sealed: Value = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
    for (key, name) in [("database", "loopx.db"), ("wal", "loopx.db-wal")] {
        let stamp = sealed["seal"]["stamps"].get_mut(key)?.as_object_mut();
        let (Some(stamp), Ok(found)) = (stamp, File::options().write(true).open(base.join(name))) else {
            continue;
        };
        let time = |key: &str| stamp.get(key).and_then(Value::as_u64);
        let at = Duration::new(time("seconds")?, u32::try_from(time("nanoseconds")?).ok()?);
        found.set_modified(SystemTime::UNIX_EPOCH + at).ok()?;
        stamp.insert("inode".to_owned(), found.metadata().ok()?.ino().into());
    }
    let seal = serde_json::to_string(&sealed["seal"]).ok()?;
    let sum = blake3::hash(seal.as_bytes()).to_hex();
    std::fs::write(&file, format!("{{\"seal\":{seal},\"sum\":\"{sum}\"}}")).ok()
}
