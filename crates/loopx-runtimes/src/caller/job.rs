//! The job that this process is part of: who started it as one, and whether it is in front at its terminal.
//!
//! In a pid namespace of its own, as containers have, a process may be led by one outside, whose id is 0 inside. Its
//! own stat line says so; the system calls of `rustix` have no such answer, and must not be asked.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{fstat, major, minor};

use super::ancestry::DEPTH;
use crate::process::{Process, Stat, process, stat_of};

/// `/dev/tty`: whichever terminal controls the session.
const OWN_TERMINAL: (u32, u32) = (5, 0);

/// The job that this process is part of.
pub struct Job {
    proc_root: PathBuf,
    stat: Stat,
}

impl Job {
    /// As it stands now; nothing where the system does not tell.
    pub fn own() -> Option<Self> {
        Self::of(Path::new("/proc"))
    }

    fn of(proc_root: &Path) -> Option<Self> {
        Some(Self { proc_root: proc_root.to_owned(), stat: stat_of(proc_root, "self")? })
    }

    /// Whether it may read and set a terminal: the system stops one in the background that does. A terminal that does
    /// not control its session stops nobody.
    pub fn is_in_front(&self, terminal: impl AsFd) -> bool {
        let Ok(device) = fstat(terminal).map(|stat| stat.st_rdev) else { return false };
        let device = (major(device), minor(device));
        let controls = device == OWN_TERMINAL || packed(device) == self.stat.terminal;
        !controls || self.stat.front == i64::from(self.stat.group)
    }

    /// Whether a shell waits for it that can let it go on after a stop: an ancestor in the same session, but of another
    /// group.
    pub fn has_shell(&self) -> bool {
        let mut parent = self.stat.parent;
        for _ in 0..DEPTH {
            let Process::Lives(above) = process(&self.proc_root, parent) else { return false };
            if above.group != self.stat.group {
                return above.session == self.stat.session;
            }
            parent = above.parent;
        }
        false
    }
}

/// A device as `/proc/<pid>/stat` gives it.
fn packed((major, minor): (u32, u32)) -> u32 {
    (minor & 0xFF) | (major << 8) | ((minor & !0xFF) << 12)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    /// A process that has a parent, a group, a session, a terminal and a group in front there.
    fn job(own: (u32, u32, u32, i64), parents: &[(u32, u32, u32, u32)]) -> (tempfile::TempDir, Job) {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str,
                     pid: u32,
                     parent: u32,
                     group: u32,
                     session: u32,
                     (terminal, front): (u32, i64)| {
            let at = folder.path().join(name);
            fs::create_dir_all(&at).expect("a folder");
            let line = format!(
                "{pid} (sh) S {parent} {group} {session} {terminal} {front} 0 0 0 0 0 1 2 0 0 20 0 1 0 100 1 2\n"
            );
            fs::write(at.join("stat"), line).expect("a file");
        };
        let (group, session, terminal, front) = own;
        write("self", 9, 8, group, session, (terminal, front));
        for (pid, parent, group, session) in parents {
            write(&pid.to_string(), *pid, *parent, *group, *session, (terminal, front));
        }
        let job = Job::of(folder.path()).expect("a job");
        (folder, job)
    }

    #[test]
    fn a_shell_lies_above_the_job_in_its_session() {
        // The shell leads the session; what it started is a group of its own, here of two.
        assert!(job((7, 5, 0, -1), &[(8, 5, 7, 5), (5, 4, 5, 5)]).1.has_shell());
        // Another session's process lets nobody go on.
        assert!(!job((7, 7, 0, -1), &[(8, 5, 7, 7), (5, 4, 5, 5)]).1.has_shell());
        // Nobody above is of another group.
        assert!(!job((5, 5, 0, -1), &[(8, 5, 5, 5), (5, 0, 5, 5)]).1.has_shell());
    }

    #[test]
    fn a_session_led_from_outside_the_namespace_ended_the_screen() {
        assert!(!job((0, 0, 0, -1), &[(8, 1, 0, 0), (1, 0, 0, 0)]).1.has_shell());
        assert!(job((9, 0, 0, -1), &[(8, 1, 0, 0), (1, 0, 0, 0)]).1.has_shell());
    }

    #[test]
    fn only_the_sessions_own_terminal_stops_who_reads_behind() {
        let null = File::open("/dev/null").expect("a device");
        // `/dev/null` is 1:3, and stands for a terminal here.
        let own = packed((1, 3));
        assert!(job((9, 5, own, 9), &[]).1.is_in_front(&null));
        assert!(!job((9, 5, own, 5), &[]).1.is_in_front(&null));
        assert!(job((9, 5, packed((136, 3)), 5), &[]).1.is_in_front(&null));
        assert!(job((9, 5, 0, -1), &[]).1.is_in_front(&null));
        assert!(job((0, 0, own, 0), &[]).1.is_in_front(&null));
    }

    #[test]
    fn a_device_is_packed_as_the_kernel_does() {
        // `new_encode_dev` of `linux/kdev_t.h`.
        assert_eq!(packed((136, 3)), 0x8803);
        assert_eq!(packed((136, 300)), 0x0010_882C);
    }
}
