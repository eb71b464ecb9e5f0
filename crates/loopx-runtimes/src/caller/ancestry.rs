//! Ancestors of a process, and which of them is a runtime.

use std::path::Path;

use super::{Caller, CallerRuntime};
use crate::process::{self, Process};

/// No process tree is deeper; a loop in a fake one ends.
pub(super) const DEPTH: usize = 64;

/// Packages whose scripts have names that tell nothing.
const PACKAGES: [(&str, CallerRuntime); 8] = [
    ("@openai/codex", CallerRuntime::Codex),
    ("@anthropic-ai/claude-code", CallerRuntime::ClaudeCode),
    ("@google/gemini-cli", CallerRuntime::GeminiCli),
    ("@github/copilot", CallerRuntime::CopilotCli),
    ("opencode-ai", CallerRuntime::OpenCode),
    ("@sourcegraph/amp", CallerRuntime::Amp),
    ("pi-coding-agent", CallerRuntime::Pi),
    ("cursor-agent", CallerRuntime::Cursor),
];

/// A process above the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its id.
    pub pid: u32,
    /// Its own name, at most 15 bytes of it.
    pub comm: String,
    /// The first words of its command line.
    pub args: Vec<String>,
}

/// A process itself.
pub(super) fn process(proc_root: &Path, pid: u32) -> Option<Ancestor> {
    let Process::Lives(stat) = process::process(proc_root, pid) else { return None };
    Some(Ancestor { pid, comm: stat.comm, args: process::command(proc_root, pid) })
}

/// The ancestors of a process, nearest first, itself left out. What can't be read ends the walk.
pub fn ancestors(proc_root: &Path, pid: u32) -> Vec<Ancestor> {
    let mut found = Vec::new();
    let Process::Lives(mut stat) = process::process(proc_root, pid) else { return found };
    while stat.parent > 0 && found.len() < DEPTH {
        let pid = stat.parent;
        let Process::Lives(parent) = process::process(proc_root, pid) else { break };
        found.push(Ancestor { pid, comm: parent.comm.clone(), args: process::command(proc_root, pid) });
        stat = parent;
    }
    found
}

/// The nearest ancestor that is a runtime.
pub fn runtime_among(ancestors: &[Ancestor]) -> Option<Caller> {
    ancestors.iter().find_map(|ancestor| {
        let runtime = runtime_of(ancestor)?;
        Some(Caller { runtime, session: None, pid: Some(ancestor.pid) })
    })
}

fn runtime_of(ancestor: &Ancestor) -> Option<CallerRuntime> {
    let argv0 = ancestor.args.first().map_or("", String::as_str);
    if let Some(runtime) = named(base(argv0)).or_else(|| named(&ancestor.comm)) {
        return Some(runtime);
    }
    // A script's interpreter tells its own name: the script is the first word that is no option.
    let interpreted = |name: &str| {
        name.starts_with("node")
            || name.starts_with("python")
            || matches!(name, "bun" | "deno" | "MainThread")
    };
    if !interpreted(base(argv0)) && !interpreted(&ancestor.comm) {
        return None;
    }
    let script = ancestor.args.iter().skip(1).find(|word| !word.starts_with('-'))?;
    script_of(script)
}

fn named(name: &str) -> Option<CallerRuntime> {
    Some(match name.strip_suffix(".exe").unwrap_or(name) {
        "codex" | "codex-exec" | "codex-tui" => CallerRuntime::Codex,
        "claude" | "claude-code" => CallerRuntime::ClaudeCode,
        "cursor-agent" => CallerRuntime::Cursor,
        "gemini" => CallerRuntime::GeminiCli,
        "opencode" => CallerRuntime::OpenCode,
        "copilot" => CallerRuntime::CopilotCli,
        "pi" => CallerRuntime::Pi,
        "goose" | "goosed" => CallerRuntime::Goose,
        "amp" => CallerRuntime::Amp,
        "crush" => CallerRuntime::Crush,
        "aider" => CallerRuntime::Aider,
        _ => return None,
    })
}

/// By the script's name, else by the package it lies in.
fn script_of(script: &str) -> Option<CallerRuntime> {
    let name = base(script);
    let stem = name.split('.').next().unwrap_or(name);
    if let Some(runtime) = named(stem) {
        return Some(runtime);
    }
    PACKAGES.iter().find(|(package, _)| script.contains(&format!("/{package}/"))).map(|(_, runtime)| *runtime)
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
