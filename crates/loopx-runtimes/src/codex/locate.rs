//! Where Codex keeps its rollouts and locks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::adapter::{Of, Root, any};
use crate::reader::files;

/// The folders of one home: `sessions/YYYY/MM/DD/rollout-….jsonl`, flat ones of 2025, archived ones; packed ones too.
pub fn roots(home: &Path) -> [Root; 3] {
    let root = |folder: &str, folders| Root {
        path: home.join(folder),
        of: Of::Sessions,
        folders,
        wanted: is_rollout,
    };
    [
        root("sessions", &[any as fn(&str) -> bool, any, any]),
        root("sessions", &[]),
        root("archived_sessions", &[]),
    ]
}

fn is_rollout(name: &str) -> bool {
    let name = name.strip_suffix(".zst").unwrap_or(name);
    name.starts_with("rollout-") && Path::new(name).extension().is_some_and(|end| end == "jsonl")
}

/// The threads whose writer has left a lock, living or not.
pub fn locked(home: &Path) -> BTreeSet<String> {
    let walk = files(&home.join("thread-writer-locks"), |name| {
        Path::new(name).extension().is_some_and(|end| end == "lock")
    });
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
