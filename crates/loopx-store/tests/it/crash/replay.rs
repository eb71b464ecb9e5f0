//! One disk after a power loss: laid out, opened and looked at.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use loopx_store::SqliteStore;
use serde_json::Value;

use super::disk::Kept;
use super::log::{self, Told};
use super::writer::Ack;

/// What a disk could hold after a power loss.
#[derive(Debug)]
pub struct Variant {
    pub files: BTreeMap<String, Vec<u8>>,
    /// How many commands were acknowledged by then.
    pub acknowledged: usize,
    pub kept: Kept,
    pub moment: usize,
    /// Whether the seal is to find the files as it remembers them, wherever their sizes allow it.
    pub recognised: bool,
}

/// Lays a disk out in `folder`, which is empty, and looks at it.
pub fn check(variant: &Variant, acks: &[Ack], folder: &Path) -> Told<()> {
    let acks = &acks[..variant.acknowledged];
    let base = folder.join("base");
    if !variant.files.is_empty() {
        log::told("folder", DirBuilder::new().mode(0o700).create(&base))?;
    }
    for (name, bytes) in &variant.files {
        // What stands in the shared memory is worth nothing after a start, and may be anything.
        let garbage = [0x5a; 65_536];
        match (name.as_str(), variant.kept) {
            ("loopx.db-shm", Kept::Torn) => log::told("file", lay(&base.join(name), &garbage))?,
            ("loopx.db-shm", _) => {}
            _ => log::told("file", lay(&base.join(name), bytes))?,
        }
    }
    if variant.recognised {
        recognise(&base);
    }
    let mut store = log::told("open", SqliteStore::open(&base))?;
    log::sound(&mut store, acks.iter())?;
    drop(store);
    match acks.iter().rev().find(|ack| ack.kind == "add") {
        Some(last) => log::goes_on(&mut log::told("open", SqliteStore::open(&base))?, last),
        None => Ok(()),
    }
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
        let (Some(stamp), Ok(found)) = (stamp, File::options().write(true).open(base.join(name))) else { continue };
        let time = |key: &str| stamp.get(key).and_then(Value::as_u64);
        let at = Duration::new(time("seconds")?, u32::try_from(time("nanoseconds")?).ok()?);
        found.set_modified(SystemTime::UNIX_EPOCH + at).ok()?;
        stamp.insert("inode".to_owned(), found.metadata().ok()?.ino().into());
    }
    let seal = serde_json::to_string(&sealed["seal"]).ok()?;
    let sum = blake3::hash(seal.as_bytes()).to_hex();
    std::fs::write(&file, format!("{{\"seal\":{seal},\"sum\":\"{sum}\"}}")).ok()
}
