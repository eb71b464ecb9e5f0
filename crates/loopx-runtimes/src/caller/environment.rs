//! Variables that runtimes set for what they start.

use loopx_safety::Private;

use super::{Caller, CallerRuntime};

/// A variable and what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Who sets it.
    pub runtime: CallerRuntime,
    /// What its value is.
    pub value: Value,
}

/// What a variable's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A mark: that it is set tells everything.
    Mark,
    /// The runtime's own id of the session.
    Session,
}

const fn mark(name: &'static str, runtime: CallerRuntime) -> Variable {
    Variable { name, runtime, value: Value::Mark }
}

const fn session(name: &'static str, runtime: CallerRuntime) -> Variable {
    Variable { name, runtime, value: Value::Session }
}

/// Every variable that is looked at. `doctor` and the tests that clear them read this list.
///
/// Left out is what a person has in a plain terminal: homes and keys (`CODEX_HOME`, `CLAUDE_CONFIG_DIR`), what an
/// editor sets in every terminal it opens (`CURSOR_TRACE_ID`, `CLAUDE_CODE_SSE_PORT`), and what a person may export
/// to steer a runtime (`COPILOT_MODEL`, `OPENCODE_CLIENT`).
pub const VARIABLES: &[Variable] = &[
    session("CODEX_THREAD_ID", CallerRuntime::Codex),
    mark("CODEX_CI", CallerRuntime::Codex),
    mark("CODEX_SANDBOX", CallerRuntime::Codex),
    mark("CODEX_SANDBOX_NETWORK_DISABLED", CallerRuntime::Codex),
    session("CLAUDE_CODE_SESSION_ID", CallerRuntime::ClaudeCode),
    mark("CLAUDECODE", CallerRuntime::ClaudeCode),
    mark("CLAUDE_CODE_ENTRYPOINT", CallerRuntime::ClaudeCode),
    mark("CURSOR_AGENT", CallerRuntime::Cursor),
    mark("GEMINI_CLI", CallerRuntime::GeminiCli),
    mark("OPENCODE", CallerRuntime::OpenCode),
    mark("COPILOT_CLI", CallerRuntime::CopilotCli),
    mark("PI_CODING_AGENT", CallerRuntime::Pi),
    mark("GOOSE_TERMINAL", CallerRuntime::Goose),
    session("AMP_CURRENT_THREAD_ID", CallerRuntime::Amp),
    mark("CRUSH", CallerRuntime::Crush),
    mark("AI_AGENT", CallerRuntime::Other),
];

/// The runtime whose variables are set.
pub fn runtime_of_env(var: impl Fn(&str) -> Option<String>) -> Option<Caller> {
    let set = |variable: &Variable| var(variable.name).filter(|value| !value.is_empty());
    let runtime = VARIABLES.iter().find(|variable| set(variable).is_some())?.runtime;
    let session = VARIABLES
        .iter()
        .filter(|variable| variable.runtime == runtime && variable.value == Value::Session)
        .find_map(set);
    Some(Caller { runtime, session: session.map(Private::new), pid: None })
}
