//! What Linux tells of processes and locks: whether a pid is the process it was, and who holds a lock.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::Sources;
use crate::reader::small;

/// The most that is read of a file under the process folder.
const CAP: u64 = 4 << 20;

/// How much of the list of locks the kernel tells at once, less the longest line, in bytes.
const PAGE: usize = (4 << 10) - 128;

/// How often a list is read that is longer.
const READINGS: usize = 3;

/// The inode of the first pid namespace, a constant of the kernel: from there every process and lock is seen.
const FIRST_PID_NAMESPACE: u64 = 0xEFFF_FFFC;

/// One line of `/proc/<pid>/stat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// The process's own name.
    pub(crate) comm: String,
    /// Its parent.
    pub(crate) parent: u32,
    /// The group of processes it belongs to; 0 where its leader lies outside this pid namespace.
    pub(crate) group: u32,
    /// The process that leads its session; 0 as above.
    pub(crate) session: u32,
    /// The device of the terminal that controls its session, as the kernel packs it; 0 without one.
    pub(crate) terminal: u32,
    /// The group in front there; -1 without a terminal, 0 as above.
    pub(crate) front: i64,
    /// Clock ticks from boot to its start: field 22.
    pub(crate) start: u64,
    /// Whether it has ended and only waits for its parent.
    pub(crate) ended: bool,
    /// Whether it was stopped: it works on nothing, and whether it ever will again can't be told.
    pub(crate) stopped: bool,
}

/// What is known of a pid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    /// It lives.
    Lives(Stat),
    /// There is none.
    Gone,
    /// It can't be told: no process folder here.
    Unknown,
}

/// When the machine was booted, by its clock as it goes at present; to the second.
pub(crate) fn booted(proc_root: &Path) -> Option<Timestamp> {
    let bytes = small(&proc_root.join("stat"), CAP).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let seconds = text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Timestamp::from_second(seconds).ok()
}

/// How long after the boot a process began that began at this tick.
pub(crate) fn since_boot(tick: u64) -> Option<SignedDuration> {
    let seconds = tick.checked_div(rustix::param::clock_ticks_per_second())?;
    Some(SignedDuration::from_secs(seconds.try_into().ok()?))
}

/// The stat line of a process, by the name of its folder.
pub(crate) fn stat_of(proc_root: &Path, name: &str) -> Option<Stat> {
    let bytes = small(&proc_root.join(name).join("stat"), CAP).ok()?;
    stat(&String::from_utf8_lossy(&bytes))
}

/// Looks a pid up.
pub(crate) fn process(proc_root: &Path, pid: u32) -> Process {
    match small(&proc_root.join(pid.to_string()).join("stat"), CAP) {
        Ok(bytes) => match stat(&String::from_utf8_lossy(&bytes)) {
            Some(stat) if stat.ended => Process::Gone,
            Some(stat) => Process::Lives(stat),
            None => Process::Unknown,
        },
        Err(_) if proc_root.join("self").join("ns").exists() && !proc_root.join(pid.to_string()).exists() => {
            Process::Gone
        }
        Err(_) => Process::Unknown,
    }
}

/// Parses a stat line: the name may hold spaces and brackets, so what follows is counted from the last one.
pub(crate) fn stat(line: &str) -> Option<Stat> {
    let (before, after) = line.rsplit_once(')')?;
    let (_, comm) = before.split_once('(')?;
    let fields: Vec<&str> = after.split_ascii_whitespace().collect();
    Some(Stat {
        comm: comm.to_owned(),
        ended: matches!(*fields.first()?, "Z" | "X" | "x"),
        stopped: matches!(*fields.first()?, "T" | "t"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        terminal: fields.get(4)?.parse().ok()?,
        front: fields.get(5)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

/// The first words of a process's command line.
pub(crate) fn command(proc_root: &Path, pid: u32) -> Vec<String> {
    let bytes = small(&proc_root.join(pid.to_string()).join("cmdline"), CAP).unwrap_or_default();
    bytes.split(|&byte| byte == 0).take(4).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// What a process's environment held when it began, as far as it may be read.
pub(crate) struct Environment(Vec<u8>);

/// The environment of a process.
pub(crate) fn environment(proc_root: &Path, pid: u32) -> Environment {
    let path = proc_root.join(pid.to_string()).join("environ");
    Environment(small(&path, CAP).unwrap_or_default())
}

impl Environment {
    /// A variable's value.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let value = |line: &[u8]| {
            let value = line.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        self.0.split(|&byte| byte == 0).find_map(value)
    }
}

/// The inode of our own pid namespace.
pub(crate) fn pid_namespace(proc_root: &Path) -> Option<u64> {
    let link = std::fs::read_link(proc_root.join("self").join("ns").join("pid")).ok()?;
    link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

/// A child of a process that leads a session of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leader {
    /// Its id.
    pub(crate) pid: u32,
    /// Clock ticks from boot to its start.
    pub(crate) start: u64,
}

/// The children of a process that lead sessions of their own.
pub(crate) fn leaders(proc_root: &Path, pid: u32) -> Vec<Leader> {
    let tasks = std::fs::read_dir(proc_root.join(pid.to_string()).join("task"));
    let lists = tasks
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| small(&task.path().join("children"), CAP).ok());
    let children: Vec<u32> = lists
        .flat_map(|list| {
            let list = String::from_utf8_lossy(&list).into_owned();
            list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()
        })
        .collect();
    let leads = |child: &u32| match process(proc_root, *child) {
        Process::Lives(stat) if stat.session == *child => Some(Leader { pid: *child, start: stat.start }),
        Process::Lives(_) | Process::Gone | Process::Unknown => None,
    };
    children.iter().filter_map(leads).collect()
}

/// Whether a process is told something on its standard input: by a pipe or a socket. One whose input can't be seen may be.
pub(crate) fn is_told(proc_root: &Path, pid: u32) -> bool {
    let input = std::fs::read_link(proc_root.join(pid.to_string()).join("fd").join("0"));
    input.map_or(true, |input| {
        input.to_str().is_none_or(|name| name.starts_with("pipe:") || name.starts_with("socket:"))
    })
}

/// The folder that a process works in.
pub(crate) fn folder(proc_root: &Path, pid: u32) -> Option<PathBuf> {
    std::fs::read_link(proc_root.join(pid.to_string()).join("cwd")).ok()
}

/// Whether it is the process that all others of the machine descend from.
pub(crate) fn is_init(proc_root: &Path, pid: u32) -> bool {
    pid == 1 && pid_namespace(proc_root) == Some(FIRST_PID_NAMESPACE)
}

/// Where process ids count: `linux:<machine id>:pid:[<inode>]`, as Claude Code signs its entries.
pub(crate) fn domain(sources: &Sources) -> Option<String> {
    let machine = small(&sources.machine_id, 4096).ok()?;
    let machine = String::from_utf8_lossy(&machine);
    let namespace = pid_namespace(&sources.proc_root)?;
    Some(format!("linux:{}:pid:[{namespace}]", machine.trim()))
}

/// Whether a file is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// A process holds it: which one, where that is told.
    Held(Option<u32>),
    /// The file is there and nobody holds it.
    Free,
    /// There is no such file.
    Absent,
    /// It can't be told.
    Unknown,
}

/// The locks of the system at one instant. They are looked up, never tried: trying would take one.
#[derive(Debug)]
pub(crate) struct Locks {
    held: Option<Vec<HeldLock>>,
    /// Whether locks of every process are listed.
    all: bool,
}

#[derive(Debug)]
struct HeldLock {
    pid: Option<u32>,
    device: Option<(u64, u64)>,
    inode: u64,
}

impl Locks {
    /// Reads the list. It is true within a page; between two of them a lock is left out where another one went away.
    /// So a longer list is read several times: a lock that was seen once is held.
    pub(crate) fn read(proc_root: &Path) -> Self {
        let mut held: Option<Vec<HeldLock>> = None;
        for _ in 0..READINGS {
            let Ok(bytes) = small(&proc_root.join("locks"), CAP) else { break };
            let list = String::from_utf8_lossy(&bytes);
            held.get_or_insert_default().extend(list.lines().filter_map(held_lock));
            if bytes.len() < PAGE {
                break;
            }
        }
        Self { held, all: pid_namespace(proc_root) == Some(FIRST_PID_NAMESPACE) }
    }

    /// Whether a file is locked by somebody.
    pub(crate) fn of(&self, path: &Path) -> Lock {
        let meta = match std::fs::symlink_metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Lock::Absent,
            Err(_) => return Lock::Unknown,
        };
        let (Some(held), Some((device, inode))) = (&self.held, identity(&meta)) else { return Lock::Unknown };
        let mut of_inode = held.iter().filter(|lock| lock.inode == inode).peekable();
        if of_inode.peek().is_none() {
            // Neither the locks of other containers are listed, nor those of other machines on a shared disk.
            return if self.all && is_local(path) { Lock::Free } else { Lock::Unknown };
        }
        // Some file systems list another device than they give a file: then it can't be told.
        of_inode.find(|lock| lock.device == Some(device)).map_or(Lock::Unknown, |lock| Lock::Held(lock.pid))
    }
}

/// `1: FLOCK  ADVISORY  WRITE 13619 fe:00:10117943 0 EOF`; a line with `->` is one that waits.
fn held_lock(line: &str) -> Option<HeldLock> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    if fields.next()? != "FLOCK" {
        return None;
    }
    let (_, mode) = (fields.next()?, fields.next()?);
    if mode != "WRITE" {
        return None;
    }
    let pid = fields.next()?.parse().ok();
    let mut id = fields.next()?.splitn(3, ':');
    let (major, minor) = (u64::from_str_radix(id.next()?, 16), u64::from_str_radix(id.next()?, 16));
    Some(HeldLock { pid, device: major.ok().zip(minor.ok()), inode: id.next()?.parse().ok()? })
}

/// Whether a file lies on a disk of this machine: on a shared one another machine may hold its lock.
#[cfg(target_os = "linux")]
fn is_local(path: &Path) -> bool {
    // `linux/magic.h` and the file systems' own: NFS, SMB, CIFS, SMB2, 9P, FUSE, Ceph, AFS, Lustre, GPFS, VirtualBox.
    const SHARED: [u32; 12] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x0102_1997,
        0x6573_5546,
        0x00C3_6400,
        0x5346_414F,
        0x6B41_4653,
        0x0BD0_0BD0,
        0x4750_4653,
        0x786F_4256,
    ];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a magic number is 32 bits")]
    rustix::fs::statfs(path).is_ok_and(|disk| !SHARED.contains(&(disk.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_local(_: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn identity(meta: &std::fs::Metadata) -> Option<((u64, u64), u64)> {
    use std::os::unix::fs::MetadataExt;
    let device = meta.dev();
    let major = u64::from(rustix::fs::major(device));
    let minor = u64::from(rustix::fs::minor(device));
    Some(((major, minor), meta.ino()))
}

#[cfg(not(target_os = "linux"))]
fn identity(_: &std::fs::Metadata) -> Option<((u64, u64), u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let line = "42 (a) b (c)) S 7 42 42 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 118955 1 2";
        let stat = stat(line).unwrap();
        assert_eq!(
            (stat.comm.as_str(), stat.parent, stat.start, stat.ended),
            ("a) b (c)", 7, 118_955, false)
        );
    }

    #[test]
    fn a_held_lock_is_seen_while_others_come_and_go() {
        use std::sync::atomic::{AtomicBool, Ordering};
        if !Path::new("/proc/locks").exists() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("held.lock");
        let held = std::fs::File::create(&path).unwrap();
        held.lock().unwrap();
        let over = AtomicBool::new(false);
        let free = std::thread::scope(|scope| {
            for writer in 0..4 {
                let (folder, over) = (folder.path(), &over);
                scope.spawn(move || {
                    let file =
                        |at: u32| std::fs::File::create(folder.join(format!("{writer}-{at}"))).unwrap();
                    let files: Vec<_> = (0..8).map(file).collect();
                    while !over.load(Ordering::Relaxed) {
                        for file in &files {
                            file.lock().unwrap();
                        }
                        for file in &files {
                            file.unlock().unwrap();
                        }
                    }
                });
            }
            let looks = (0..1000).map(|_| Locks::read(Path::new("/proc")).of(&path));
            let free = looks.filter(|lock| *lock == Lock::Free).count();
            over.store(true, Ordering::Relaxed);
            free
        });
        assert_eq!(free, 0, "a held lock was said to be free");
    }

    #[test]
    fn a_waiter_and_another_kind_of_lock_hold_nothing() {
        assert!(held_lock("1: FLOCK  ADVISORY  WRITE 13619 fe:00:10117943 0 EOF").is_some());
        assert!(held_lock("1: -> FLOCK  ADVISORY  WRITE 13619 fe:00:10117943 0 EOF").is_none());
        assert!(held_lock("2: POSIX  ADVISORY  WRITE 13619 fe:00:10117943 0 EOF").is_none());
        assert!(held_lock("3: FLOCK  ADVISORY  READ 13619 fe:00:10117943 0 EOF").is_none());
    }
}
