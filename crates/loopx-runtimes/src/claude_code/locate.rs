//! Where Claude Code keeps its transcripts.

use std::path::Path;

use crate::codex::is_uuid;
use crate::reader::{Walk, files};

/// The transcripts of one root: `projects/<folder>/<uuid>.jsonl`. Subagents' files are named otherwise.
pub fn transcripts(root: &Path) -> Walk {
    files(&root.join("projects"), 1, |name| name.strip_suffix(".jsonl").is_some_and(is_uuid))
}

/// The session's id in a transcript's name.
pub fn session_id(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str().filter(|stem| is_uuid(stem))
}

/// How many subagents a session has started, by their files beside it.
pub fn subagents(transcript: &Path) -> u32 {
    let folder = transcript.with_extension("").join("subagents");
    let walk =
        files(&folder, 0, |name| name.strip_suffix(".jsonl").is_some_and(|stem| stem.starts_with("agent-")));
    u32::try_from(walk.files.len()).unwrap_or(u32::MAX)
}

/// The root a transcript lies in, where it lies in one.
pub fn root_of(transcript: &Path) -> Option<&Path> {
    transcript.ancestors().find(|folder| folder.ends_with("projects"))?.parent()
}
