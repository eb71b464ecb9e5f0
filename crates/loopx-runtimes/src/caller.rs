//! Whether a command runs inside a runtime: by its ancestors and by the variables a runtime sets for its tools.

mod ancestry;
mod environment;
mod job;
mod program;

use loopx_safety::Private;

use crate::Sources;

pub use ancestry::{Ancestor, ancestors, runtime_among};
pub use environment::{VARIABLES, Variable, runtime_of_env};
pub use job::Job;
pub use program::Program;

/// The runtime that a command runs inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Which.
    pub runtime: CallerRuntime,
    /// The runtime's own id of the session, where the environment or the registry gives it.
    pub session: Option<Private<String>>,
    /// The runtime's process, where it is an ancestor.
    pub pid: Option<u32>,
}

/// A runtime that may start commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallerRuntime {
    /// Codex.
    Codex,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    GeminiCli,
    /// `OpenCode`.
    OpenCode,
    /// GitHub Copilot CLI.
    CopilotCli,
    /// Pi.
    Pi,
    /// Goose.
    Goose,
    /// Amp.
    Amp,
    /// Crush.
    Crush,
    /// Aider.
    Aider,
    /// One that says no more than that it is an agent.
    Other,
}

impl CallerRuntime {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeCode => "claude_code",
            Self::Cursor => "cursor",
            Self::GeminiCli => "gemini_cli",
            Self::OpenCode => "opencode",
            Self::CopilotCli => "copilot_cli",
            Self::Pi => "pi",
            Self::Goose => "goose",
            Self::Amp => "amp",
            Self::Crush => "crush",
            Self::Aider => "aider",
            Self::Other => "agent",
        }
    }
}

/// The runtime that a process runs inside, by its ancestors first and its environment second.
///
/// `ancestors` come from [`ancestors`], `var` looks a variable of the process up.
pub fn runtime_ancestor(
    sources: &Sources,
    ancestors: &[Ancestor],
    var: impl Fn(&str) -> Option<String>,
) -> Option<Caller> {
    let by_env = runtime_of_env(&var);
    let Some(mut caller) = runtime_among(ancestors) else { return by_env };
    // The variables may be inherited from a runtime further up: the nearest process decides whose they are.
    caller.session = by_env.filter(|env| env.runtime == caller.runtime).and_then(|env| env.session);
    if let (CallerRuntime::ClaudeCode, None, Some(pid)) = (caller.runtime, &caller.session, caller.pid) {
        caller.session = crate::claude_code::session_of_pid(sources, pid).map(Private::new);
    }
    Some(caller)
}

/// Whether a process is a runtime or runs inside one: by itself, by its ancestors, and by what its environment held
/// when it began. One that was let go by its parent keeps its environment.
pub fn is_of_runtime(sources: &Sources, pid: u32) -> bool {
    let Some(own) = ancestry::process(&sources.proc_root, pid) else { return false };
    if runtime_among(&[own]).is_some() {
        return true;
    }
    let environment = crate::process::environment(&sources.proc_root, pid);
    runtime_ancestor(sources, &ancestors_of(sources, pid), |name| environment.get(name)).is_some()
}

/// The ancestors of a process, from `/proc` or what stands for it.
pub fn ancestors_of(sources: &Sources, pid: u32) -> Vec<Ancestor> {
    ancestors(&sources.proc_root, pid)
}
