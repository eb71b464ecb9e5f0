//! The runtimes that are read, and the handles of their sessions.

use std::str::FromStr;

use loopx_contract::RuntimeId;
use loopx_safety::{Handle, HandleKind, InstallKey};
use serde::{Deserialize, Serialize};

/// A family of runtimes: one format on disk, whichever front end wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runtime {
    /// Codex: terminal, exec, editor.
    Codex,
    /// Claude Code.
    ClaudeCode,
}

/// The text names no runtime that is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a runtime that loopx reads: codex, claude_code")]
pub struct UnknownRuntime;

impl Runtime {
    /// Every family.
    pub const ALL: [Self; 2] = [Self::Codex, Self::ClaudeCode];

    /// The family's word; handles are made with it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeCode => "claude_code",
        }
    }
}

impl FromStr for Runtime {
    type Err = UnknownRuntime;

    /// Reads the family's word or the runtime id of one of its front ends.
    fn from_str(text: &str) -> Result<Self, UnknownRuntime> {
        match text {
            "codex" | "codex_cli_tui" | "codex_exec" | "codex_vscode" => Ok(Self::Codex),
            "claude_code" => Ok(Self::ClaudeCode),
            _ => Err(UnknownRuntime),
        }
    }
}

/// The handle of a session, by the family and the runtime's own id of it: hooks and files give the same one.
pub fn session_handle(key: &InstallKey, runtime: Runtime, native_id: &str) -> Handle {
    key.handle(HandleKind::Session, runtime.word(), native_id)
}

/// One of our own words as a runtime id.
pub(crate) fn runtime_id(word: &'static str) -> RuntimeId {
    RuntimeId::parse(word).unwrap_or_else(|_| RuntimeId::none())
}
