//! A made-up machine: homes, a process folder, a machine id.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use loopx_contract::SessionFacts;
use loopx_runtimes::{Index, Observed, Scope, Sources, Sweep, observe};
use loopx_safety::{Handle, InstallKey};
use tempfile::TempDir;

/// The first pid namespace.
pub const FIRST: &str = "pid:[4026531836]";
/// The machine of the recordings.
pub const MACHINE: &str = "9f8e7d6c5b4a39281706f5e4d3c2b1a0";
/// The process of the recordings and the tick it began at.
pub const PID: (u32, u64) = (2336, 118_955);

/// The folder of recordings.
pub fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// The lines of a recording.
pub fn recording(name: &str) -> String {
    text(&recordings().join(name))
}

/// A file's text.
#[expect(clippy::disallowed_methods, reason = "a recording is short, and ours")]
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// A minute after the newest instant in a recording.
pub fn after(text: &str) -> Timestamp {
    let newest = text.match_indices("\"timestamp\":\"").filter_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        rest.split('"').next()?.parse::<Timestamp>().ok()
    });
    newest.max().unwrap_or(Timestamp::UNIX_EPOCH) + SignedDuration::from_mins(1)
}

/// Makes a file look as if it was last written then.
pub fn written(path: &Path, at: Timestamp) {
    let since = std::time::Duration::from_millis(u64::try_from(at.as_millisecond()).unwrap_or_default());
    let times = fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH + since);
    fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

/// An install key.
pub fn key() -> InstallKey {
    InstallKey::from_bytes([7; 32], "0123456789abcdef")
}

/// The machine.
pub struct Scene {
    root: TempDir,
}

impl Scene {
    pub fn new() -> Self {
        let scene = Self { root: TempDir::new().unwrap() };
        scene.write("machine-id", &format!("{MACHINE}\n"));
        scene.write("proc/locks", "");
        scene.namespace(FIRST);
        scene
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn sources(&self) -> Sources {
        Sources {
            codex_homes: vec![self.path("codex")],
            claude_roots: vec![self.path("claude")],
            proc_root: self.path("proc"),
            machine_id: self.path("machine-id"),
            spool: Some(loopx_runtimes::hooks::Spool::of(self.root.path())),
            workers: Some(loopx_runtimes::worker::Spool::of(self.root.path())),
        }
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn namespace(&self, name: &str) {
        let link = self.path("proc/self/ns/pid");
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(name, link).unwrap();
    }

    pub fn process(&self, pid: u32, parent: u32, comm: &str, start: u64) {
        let line = format!("{pid} ({comm}) S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start} 0 0\n");
        self.write(&format!("proc/{pid}/stat"), &line);
    }

    pub fn rollout(&self, thread: &str, text: &str) -> PathBuf {
        self.write(&format!("codex/sessions/2026/11/29/rollout-2026-11-29T23-30-46-{thread}.jsonl"), text)
    }

    pub fn lock(&self, thread: &str) -> PathBuf {
        self.write(&format!("codex/thread-writer-locks/{thread}.lock"), "")
    }

    /// Says in the process folder that a file is locked.
    pub fn hold(&self, lock: &Path) {
        use std::os::unix::fs::MetadataExt;
        let meta = fs::metadata(lock).unwrap();
        let (major, minor) = (rustix::fs::major(meta.dev()), rustix::fs::minor(meta.dev()));
        let line = format!("1: FLOCK  ADVISORY  WRITE 4711 {major:02x}:{minor:02x}:{} 0 EOF\n", meta.ino());
        self.write("proc/locks", &line);
    }

    pub fn transcript(&self, session: &str, text: &str) -> PathBuf {
        self.write(&format!("claude/projects/-home-ann-atlas/{session}.jsonl"), text)
    }

    pub fn entry(&self, text: &str) {
        self.write("claude/sessions/2336.json", text);
    }

    pub fn alive(&self) {
        self.process(PID.0, 1, "claude", PID.1);
    }

    pub fn sweep(&self, now: Timestamp) -> Sweep {
        look(&self.sources(), now, &BTreeSet::new())
    }

    pub fn only(&self, now: Timestamp) -> Observed {
        let mut sweep = self.sweep(now);
        assert_eq!(sweep.sessions.len(), 1, "{sweep:?}");
        sweep.sessions.remove(0)
    }

    pub fn facts(&self, now: Timestamp) -> SessionFacts {
        self.only(now).facts
    }
}

/// One look at every session, without an index.
pub fn look(sources: &Sources, now: Timestamp, also: &BTreeSet<Handle>) -> Sweep {
    observe(sources, &mut Index::in_memory(&key()), &key(), now, also, Scope::Hot)
}

/// An entry of the live registry.
pub fn entry(session: &str, status: &str, waiting_for: Option<&str>, at: Timestamp) -> String {
    let waiting = waiting_for.map(|what| format!(",\"waitingFor\":\"{what}\"")).unwrap_or_default();
    format!(
        "{{\"pid\":2336,\"sessionId\":\"{session}\",\"cwd\":\"/home/ann/atlas\",\"startedAt\":1795995242123,\
         \"procStart\":\"118955\",\"version\":\"2.1.332\",\"kind\":\"interactive\",\
         \"pidDomain\":\"linux:{MACHINE}:{FIRST}\",\"status\":\"{status}\",\"updatedAt\":{at},\
         \"statusUpdatedAt\":{at}{waiting}}}",
        at = at.as_millisecond()
    )
}
