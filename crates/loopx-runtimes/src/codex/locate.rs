//! Where Codex keeps its rollouts and locks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::adapter::Root;
use crate::reader::{Of, Step, files};

/// The folders of one home: `sessions/YYYY/MM/DD/rollout-….jsonl`, flat ones of 2025, archived ones; packed ones too.
pub fn roots(home: &Path) -> [Root; 2] {
    [
        Root { path: home.join("sessions"), steps: in_sessions },
        Root { path: home.join("archived_sessions"), steps: in_archive },
    ]
}

fn in_sessions(depth: usize, name: &str) -> Step {
    match depth {
        0 | 3 if is_rollout(name) => Step::Take(Of::Sessions),
        0..=2 => Step::Enter(Of::Sessions),
        _ => Step::Pass,
    }
}

fn in_archive(_: usize, name: &str) -> Step {
    if is_rollout(name) { Step::Take(Of::Sessions) } else { Step::Pass }
}

fn is_rollout(name: &str) -> bool {
    let name = name.strip_suffix(".zst").unwrap_or(name);
    name.starts_with("rollout-") && Path::new(name).extension().is_some_and(|end| end == "jsonl")
}

/// The threads whose writer has left a lock, living or not.
pub fn locked(home: &Path) -> BTreeSet<String> {
    let is_lock = |_, name: &str| match Path::new(name).extension() {
        Some(end) if end == "lock" => Step::Take(Of::Sessions),
        Some(_) | None => Step::Pass,
    };
    let walk = files(&home.join("thread-writer-locks"), is_lock);
    let stem = |path: &Path| path.file_stem()?.to_str().map(str::to_owned);
    walk.files.iter().filter_map(|found| stem(&found.path)).collect()
}

/// The lock of a thread's writer.
pub fn lock(home: &Path, thread: &str) -> PathBuf {
    home.join("thread-writer-locks").join(format!("{thread}.lock"))
}

/// The home a rollout lies in, where it lies in one.
pub fn home_of(rollout: &Path) -> Option<&Path> {
    let is_root = |folder: &&Path| folder.ends_with("sessions") || folder.ends_with("archived_sessions");
    rollout.ancestors().find(is_root)?.parent()
}

/// The thread's id at the end of a rollout's name.
pub fn thread_id(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(".jsonl.zst").or_else(|| name.strip_suffix(".jsonl"))?;
    let id = stem.get(stem.len().checked_sub(36)?..)?;
    is_uuid(id).then_some(id)
}

/// Whether a text has the form of a UUID.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
