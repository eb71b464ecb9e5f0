//! Where to look, made from an environment that is handed in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::hooks::Spool;
use crate::worker;

/// The folders of the runtimes and of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// Codex's home folders: `CODEX_HOME`, else `~/.codex`.
    pub codex_homes: Vec<PathBuf>,
    /// Claude Code's folders: `CLAUDE_CONFIG_DIR`, else `~/.claude` and `~/.config/claude`.
    pub claude_roots: Vec<PathBuf>,
    /// Where processes are looked up: `/proc`.
    pub proc_root: PathBuf,
    /// The file with the machine's id: `/etc/machine-id`.
    pub machine_id: PathBuf,
    /// What hooks have told.
    pub spool: Option<Spool>,
    /// What workers have told.
    pub workers: Option<worker::Spool>,
}

impl Sources {
    /// The usual places, given the home folder and a look-up of environment variables.
    pub fn from_env(home: Option<&Path>, var: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let under = |rest: &[&str]| -> Vec<PathBuf> {
            rest.iter().filter_map(|rest| home.map(|home| home.join(rest))).collect()
        };
        Self {
            codex_homes: set("CODEX_HOME").map_or_else(|| under(&[".codex"]), |path| vec![path]),
            claude_roots: set("CLAUDE_CONFIG_DIR")
                .map_or_else(|| under(&[".claude", ".config/claude"]), |path| vec![path]),
            proc_root: PathBuf::from("/proc"),
            machine_id: PathBuf::from("/etc/machine-id"),
            spool: None,
            workers: None,
        }
    }

    /// No runtime at all: the system's folders only.
    pub fn none() -> Self {
        Self::from_env(None, |_| None)
    }
}
