//! The environment as a value: variables, folders, arguments, ancestry. Read once in `main`, passed everywhere.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Everything a run depends on that is not in its files.
#[derive(Clone, Debug)]
pub struct Env {
    /// Environment variables.
    pub vars: BTreeMap<OsString, OsString>,
    /// The working directory, where there is one.
    pub cwd: Option<PathBuf>,
    /// Our own process id.
    pub pid: u32,
    /// The `proc` file system.
    pub proc: PathBuf,
    /// The machine's id, for process id namespaces.
    pub machine_id: PathBuf,
    /// The controlling terminal's device.
    pub tty: PathBuf,
    /// The program that runs, where the system tells.
    pub exe: Option<PathBuf>,
}

impl Env {
    /// The process's own environment.
    pub fn of_process() -> Self {
        Self {
            vars: std::env::vars_os().collect(),
            cwd: std::env::current_dir().ok(),
            pid: std::process::id(),
            proc: PathBuf::from("/proc"),
            machine_id: PathBuf::from("/etc/machine-id"),
            tty: PathBuf::from("/dev/tty"),
            exe: std::env::current_exe().ok(),
        }
    }

    /// Whether it is this very process's: its signals and its stdout are meant then.
    pub fn is_of_process(&self) -> bool {
        self.pid == std::process::id()
    }

    /// A variable that is set and not empty.
    pub fn var_os(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// A variable that is set, not empty and text.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.var_os(name).and_then(OsStr::to_str)
    }

    /// The home folder, where `HOME` names one.
    pub fn home(&self) -> Option<&Path> {
        self.var_os("HOME").map(Path::new).filter(|path| path.is_absolute())
    }

    /// Names of all variables that are text.
    pub fn var_names(&self) -> impl Iterator<Item = &str> {
        self.vars.keys().filter_map(|name| name.to_str())
    }
}
