//! A program that runs: all the processes of one browser are one.

use std::path::{Path, PathBuf};

use super::ancestry::DEPTH;
use crate::Sources;
use crate::process::{Process, process};

/// A program that runs, by its first process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    pid: u32,
    /// Clock ticks from boot to its start: an id is given again.
    start: u64,
}

impl Program {
    /// The program that a process is of: its first process is the uppermost one above it that runs the same file.
    /// Nothing where the system does not tell.
    pub fn of(sources: &Sources, pid: u32) -> Option<Self> {
        let root = &sources.proc_root;
        let (file, mut found) = (executable(root, pid)?, Self::at(root, pid)?);
        for _ in 0..DEPTH {
            let Process::Lives(stat) = process(root, found.pid) else { return None };
            let above = Self::at(root, stat.parent);
            let Some(above) = above.filter(|above| executable(root, above.pid).as_ref() == Some(&file))
            else {
                return Some(found);
            };
            found = above;
        }
        None
    }

    fn at(root: &Path, pid: u32) -> Option<Self> {
        match process(root, pid) {
            Process::Lives(stat) => Some(Self { pid, start: stat.start }),
            Process::Gone | Process::Unknown => None,
        }
    }
}

/// The file that a process runs.
fn executable(root: &Path, pid: u32) -> Option<PathBuf> {
    std::fs::read_link(root.join(pid.to_string()).join("exe")).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn all_processes_of_a_browser_are_one_program_and_another_copy_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Sources { proc_root: folder.path().to_owned(), ..Sources::none() };
        let process = |pid: u32, parent: u32, file: &str| {
            let at = folder.path().join(pid.to_string());
            let _ = fs::remove_dir_all(&at);
            fs::create_dir_all(&at).expect("a folder");
            let line = format!("{pid} (x) S {parent} 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 {pid}00 1 2\n");
            fs::write(at.join("stat"), line).expect("a file");
            symlink(file, at.join("exe")).expect("a link");
        };
        process(1, 0, "/sbin/init");
        process(10, 1, "/bin/sh");
        process(11, 10, "/usr/bin/browser");
        process(12, 11, "/usr/bin/browser");
        process(13, 12, "/usr/bin/browser");
        process(20, 1, "/usr/bin/browser");
        process(21, 11, "/usr/bin/agent");
        let of = |pid| Program::of(&sources, pid);
        assert!(of(13).is_some() && of(13) == of(11) && of(12) == of(11));
        assert_ne!(of(20), of(11));
        assert_ne!(of(21), of(11));
        assert_eq!(of(99), None);
        // Its file can't be read: whoever hides is nobody.
        fs::remove_file(folder.path().join("13/exe")).expect("a link");
        assert_eq!(of(13), None);
        // The id was given again.
        let before = of(20);
        let line = "20 (x) S 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 999 1 2\n";
        fs::write(folder.path().join("20/stat"), line).expect("a file");
        assert_ne!(of(20), before);
    }
}
