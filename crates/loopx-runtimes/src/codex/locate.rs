//! Where Codex keeps its rollouts and locks.

use std::path::{Path, PathBuf};

use crate::reader::{Walk, files};

/// The rollouts of one home: `sessions/YYYY/MM/DD/rollout-….jsonl`, packed ones too. Archived ones are not looked at.
pub fn rollouts(home: &Path) -> Walk {
    files(&home.join("sessions"), 3, |name| {
        name.starts_with("rollout-") && (has_extension(name, "jsonl") || is_packed(Path::new(name)))
    })
}

/// The lock of a thread's writer.
pub fn lock(home: &Path, thread: &str) -> PathBuf {
    home.join("thread-writer-locks").join(format!("{thread}.lock"))
}

/// The home a rollout lies in, where it lies in one.
pub fn home_of(rollout: &Path) -> Option<&Path> {
    rollout.ancestors().find(|folder| folder.ends_with("sessions"))?.parent()
}

/// The thread's id at the end of a rollout's name.
pub fn thread_id(path: &Path) -> Option<&str> {
    let stem = path.file_stem()?.to_str()?;
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

/// Whether a rollout was packed: that happens after a week without a word, and resuming unpacks it.
pub fn is_packed(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(".jsonl.zst"))
}

fn has_extension(name: &str, wanted: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == wanted)
}
