//! Where Claude Code keeps its transcripts.

use std::path::Path;

use crate::adapter::{Of, Root, any};
use crate::codex::is_uuid;
use crate::reader::files;

/// The folders of one root: `projects/<folder>/<uuid>.jsonl`, and what subagents leave beside and below.
pub fn roots(root: &Path) -> [Root; 4] {
    let root = |of, folders, wanted| Root { path: root.join("projects"), of, folders, wanted };
    [
        root(Of::Sessions, &[any as fn(&str) -> bool], is_session),
        root(Of::Children, &[any], is_agent),
        root(Of::Children, &[any, is_uuid, is_subagents], is_agent),
        root(Of::Children, &[any, is_uuid, is_subagents, is_workflows, any], is_agent),
    ]
}

fn is_session(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(is_uuid)
}

fn is_agent(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| stem.starts_with("agent-"))
}

fn is_subagents(name: &str) -> bool {
    name == "subagents"
}

fn is_workflows(name: &str) -> bool {
    name == "workflows"
}

/// The session that a subagent's file lies below.
pub fn parent(path: &Path) -> Option<&str> {
    path.ancestors().skip(1).find_map(|folder| folder.file_name()?.to_str().filter(|name| is_uuid(name)))
}

/// The session's id in a transcript's name.
pub fn session_id(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str().filter(|stem| is_uuid(stem))
}

/// How many subagents a session has started, by their files beside it.
pub fn subagents(transcript: &Path) -> u32 {
    let folder = transcript.with_extension("").join("subagents");
    let walk = files(&folder, is_agent);
    u32::try_from(walk.files.len()).unwrap_or(u32::MAX)
}

/// The root a transcript lies in, where it lies in one.
pub fn root_of(transcript: &Path) -> Option<&Path> {
    transcript.ancestors().find(|folder| folder.ends_with("projects"))?.parent()
}
