//! Where Claude Code keeps its transcripts.

use std::path::Path;

use crate::adapter::Root;
use crate::codex::is_uuid;
use crate::reader::{Of, Step, files};

/// The folder of one root: `projects/<folder>/<uuid>.jsonl`, and what subagents leave beside and below.
pub fn root(root: &Path) -> Root {
    Root { path: root.join("projects"), steps }
}

fn steps(depth: usize, name: &str) -> Step {
    match depth {
        0 => Step::Enter(Of::Sessions),
        1 if name.strip_suffix(".jsonl").is_some_and(is_uuid) => Step::Take(Of::Sessions),
        1 if is_uuid(name) => Step::Enter(Of::Children),
        2 if name == "subagents" => Step::Enter(Of::Children),
        3 if name == "workflows" => Step::Enter(Of::Children),
        4 => Step::Enter(Of::Children),
        1 | 3 | 5 if is_agent(name) => Step::Take(Of::Children),
        _ => Step::Pass,
    }
}

fn is_agent(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| stem.starts_with("agent-"))
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
    let wanted = |_, name: &str| if is_agent(name) { Step::Take(Of::Sessions) } else { Step::Pass };
    let walk = files(&folder, wanted);
    u32::try_from(walk.files.len()).unwrap_or(u32::MAX)
}

/// The root a transcript lies in, where it lies in one.
pub fn root_of(transcript: &Path) -> Option<&Path> {
    transcript.ancestors().find(|folder| folder.ends_with("projects"))?.parent()
}
