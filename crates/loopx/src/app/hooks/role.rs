//! Which file of a runtime's settings.

use std::path::PathBuf;

use loopx_runtimes::{Runtime, Sources};
use serde::{Deserialize, Serialize};

/// A settings file by what it is for. Its path is not said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Claude Code's settings of the user.
    ClaudeSettings,
    /// Codex's hooks of the user.
    CodexHooks,
    /// Codex's settings of the user.
    CodexConfig,
}

impl Role {
    /// The files of a runtime that something of ours may stand in.
    pub const fn of(runtime: Runtime) -> &'static [Self] {
        match runtime {
            Runtime::ClaudeCode => &[Self::ClaudeSettings],
            Runtime::Codex => &[Self::CodexHooks, Self::CodexConfig],
        }
    }

    /// Whose file it is.
    pub const fn runtime(self) -> Runtime {
        match self {
            Self::ClaudeSettings => Runtime::ClaudeCode,
            Self::CodexHooks | Self::CodexConfig => Runtime::Codex,
        }
    }

    /// The file's name.
    pub const fn file(self) -> &'static str {
        match self {
            Self::ClaudeSettings => "settings.json",
            Self::CodexHooks => "hooks.json",
            Self::CodexConfig => "config.toml",
        }
    }

    /// What it is called.
    pub const fn words(self) -> &'static str {
        match self {
            Self::ClaudeSettings => "Claude Code's settings.json",
            Self::CodexHooks => "Codex's hooks.json",
            Self::CodexConfig => "Codex's config.toml",
        }
    }

    /// Where it lies: in the folder that the runtime itself looks into.
    pub fn path(self, sources: &Sources) -> Option<PathBuf> {
        let folders = match self.runtime() {
            Runtime::ClaudeCode => &sources.claude_roots,
            Runtime::Codex => &sources.codex_homes,
        };
        folders.first().map(|folder| folder.join(self.file()))
    }
}

/// What a runtime is called.
pub const fn called(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::ClaudeCode => "Claude Code",
        Runtime::Codex => "Codex",
    }
}
