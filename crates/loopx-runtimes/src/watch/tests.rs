use std::fs;
use std::io::{Read as _, Write as _};

use super::*;

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(400);

struct Scene {
    folder: tempfile::TempDir,
    sources: Sources,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let sources = Sources {
            codex_homes: vec![at("codex")],
            claude_roots: vec![at("claude")],
            proc_root: at("proc"),
            machine_id: at("machine-id"),
            spool: None,
            workers: None,
        };
        fs::create_dir_all(at("codex/sessions/2026/11/30")).unwrap();
        fs::create_dir_all(at("own")).unwrap();
        Self { folder, sources }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn append(&self, name: &str) {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(self.at(name)).unwrap();
        file.write_all(b"{}\n").unwrap();
    }

    fn watch(&self) -> Watch {
        let watch = Watch::new(
            &self.sources,
            Own { folder: &self.at("own"), log: &["loopx.db-wal"], told: &["hooks.jsonl"] },
        );
        assert!(watch.is_told());
        watch
    }
}

#[test]
fn a_line_that_is_written_wakes_and_one_that_is_read_does_not() {
    let scene = Scene::new();
    let file = "codex/sessions/2026/11/30/rollout.jsonl";
    scene.append(file);
    let mut watch = scene.watch();
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
    scene.append(file);
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    while watch.wait(SHORT, Instant::now()) != Woken::Elapsed {}
    let mut read = Vec::new();
    fs::File::open(scene.at(file)).unwrap().read_to_end(&mut read).unwrap();
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
}

#[test]
fn a_new_file_in_a_new_folder_wakes() {
    let scene = Scene::new();
    let mut watch = scene.watch();
    fs::create_dir_all(scene.at("codex/sessions/2026/12/01")).unwrap();
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    while watch.wait(SHORT, Instant::now()) != Woken::Elapsed {}
    scene.append("codex/sessions/2026/12/01/rollout.jsonl");
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
}

#[test]
fn a_runtime_that_appears_later_is_watched() {
    let scene = Scene::new();
    let mut watch = scene.watch();
    fs::create_dir_all(scene.at("claude/projects/one")).unwrap();
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Appeared);
    while watch.wait(SHORT, Instant::now()) != Woken::Elapsed {}
    scene.append("claude/projects/one/session.jsonl");
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    // It goes away, and another one takes its place.
    fs::remove_dir_all(scene.at("claude")).unwrap();
    fs::create_dir_all(scene.at("claude/projects/two")).unwrap();
    while watch.wait(STEP * 2, Instant::now()) != Woken::Elapsed {}
    scene.append("claude/projects/two/session.jsonl");
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
}

#[test]
fn what_a_look_writes_itself_woke_it_again() {
    let scene = Scene::new();
    let mut watch = scene.watch();
    scene.append("own/index.db");
    scene.append("own/index.db-wal");
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
    scene.append("own/loopx.db-wal");
    assert_ne!(watch.wait(LONG, Instant::now()), Woken::Elapsed);
}

#[test]
fn the_log_alone_is_told_from_what_tells_of_sessions() {
    let scene = Scene::new();
    let file = "codex/sessions/2026/11/30/rollout.jsonl";
    let woken = |names: &[&str]| {
        let mut watch = scene.watch();
        for name in names {
            scene.append(name);
        }
        let mut woken = Vec::new();
        while woken.last() != Some(&Woken::Elapsed) {
            woken.push(watch.wait(SHORT, Instant::now()));
        }
        woken
    };
    let of_log = woken(&["own/loopx.db-wal", "own/loopx.db-wal", "own/index.db"]);
    assert!(of_log[0] == Woken::Logged && !of_log.contains(&Woken::Changed), "{of_log:?}");
    for sessions in [["own/loopx.db-wal", file], ["own/hooks.jsonl", "own/loopx.db-wal"]] {
        let of_both = woken(&sessions);
        assert!(of_both.contains(&Woken::Changed), "{sessions:?}: {of_both:?}");
    }
}

#[test]
fn a_log_that_was_only_opened_woke_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let scene = Scene::new();
    scene.append("own/loopx.db-wal");
    let mut watch = scene.watch();
    fs::set_permissions(scene.at("own/loopx.db-wal"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
}

#[test]
fn a_file_that_may_be_read_again_did_not_wake_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let scene = Scene::new();
    let file = "codex/sessions/2026/11/30/rollout.jsonl";
    scene.append(file);
    let mut watch = scene.watch();
    fs::set_permissions(scene.at(file), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
}

#[test]
fn a_process_that_is_gone_wakes() {
    let scene = Scene::new();
    fs::create_dir_all(scene.at("proc/self/ns")).unwrap();
    fs::create_dir_all(scene.at("proc/77")).unwrap();
    fs::write(scene.at("proc/77/stat"), "77 (codex) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1 2\n")
        .unwrap();
    let mut watch = scene.watch();
    watch.living(vec![77]);
    assert_eq!(watch.wait(STEP * 2, Instant::now()), Woken::Elapsed);
    fs::remove_dir_all(scene.at("proc/77")).unwrap();
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
}

#[test]
fn many_changes_at_once_are_few() {
    let scene = Scene::new();
    let file = "codex/sessions/2026/11/30/rollout.jsonl";
    scene.append(file);
    let mut watch = scene.watch();
    for _ in 0..5000 {
        scene.append(file);
    }
    // All of them are told of by then.
    std::thread::sleep(SHORT * 2);
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
}

#[test]
fn a_waker_ends_a_wait_from_elsewhere() {
    let scene = Scene::new();
    let mut watch = scene.watch();
    let waker = watch.waker();
    let other = std::thread::spawn(move || waker.wake());
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Called);
    other.join().unwrap();
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
    assert!(!watch.waker().is_stirred());
    // A wait that begins later is ended as well.
    watch.waker().wake();
    assert!(watch.waker().is_stirred());
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Called);
}

#[test]
fn what_was_told_and_not_taken_is_known() {
    let scene = Scene::new();
    let mut watch = scene.watch();
    assert!(!watch.waker().is_stirred());
    scene.append("codex/sessions/2026/11/30/rollout.jsonl");
    let until = Instant::now() + LONG;
    while !watch.waker().is_stirred() && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(watch.waker().is_stirred());
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    while watch.wait(SHORT, Instant::now()) != Woken::Elapsed {}
    assert!(!watch.waker().is_stirred());
}

#[test]
fn the_sessions_that_were_written_to_are_named() {
    const SESSION: &str = "88a73867-150f-4f26-a74c-8cf20a491c54";
    const THREAD: &str = "01a229a5-924c-7440-b3e2-411a8a756bc4";
    let scene = Scene::new();
    fs::create_dir_all(scene.at("claude/projects/one")).unwrap();
    let mut watch = scene.watch();
    scene.append(&format!("codex/sessions/2026/11/30/rollout-2026-11-30T12-00-00-{THREAD}.jsonl"));
    scene.append(&format!("claude/projects/one/{SESSION}.jsonl"));
    scene.append("claude/projects/one/notes.txt");
    while watch.wait(SHORT, Instant::now()) != Woken::Elapsed {}
    let key = InstallKey::from_bytes([7; 32], "made up");
    let named = [(Runtime::Codex, THREAD), (Runtime::ClaudeCode, SESSION)];
    let named = named.map(|(runtime, native)| session_handle(&key, runtime, native));
    assert_eq!(watch.touched(&key), BTreeSet::from(named));
    assert!(watch.touched(&key).is_empty());
    // Of too many the whole list is brought up to date.
    for number in 0..=TOUCHED {
        scene.append(&format!("claude/projects/one/{number}.jsonl"));
    }
    let mut woken = Vec::new();
    while woken.last() != Some(&Woken::Elapsed) {
        woken.push(watch.wait(SHORT, Instant::now()));
    }
    assert!(woken.contains(&Woken::Appeared), "{woken:?}");
}

#[test]
fn a_command_that_begins_wakes_while_permission_is_asked_for() {
    const RUNTIME: u32 = 40;
    let scene = Scene::new();
    let write = |name: &str, text: &str| {
        let path = scene.at(&format!("proc/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let begins = |pid: u32| {
        write(
            &format!("{pid}/stat"),
            &format!("{pid} (sh) S {RUNTIME} 1 {pid} 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0\n"),
        );
        write(&format!("{RUNTIME}/task/{RUNTIME}/children"), &format!("{pid} "));
    };
    let mut watch = scene.watch();
    begins(41);
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed, "nothing asks");
    watch.asking(&[RUNTIME]);
    // It may have begun after the look: it is looked once more, and not again.
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    watch.asking(&[RUNTIME]);
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed);
    begins(42);
    assert_eq!(watch.wait(LONG, Instant::now()), Woken::Changed);
    watch.asking(&[]);
    begins(43);
    assert_eq!(watch.wait(SHORT, Instant::now()), Woken::Elapsed, "nothing asks any more");
}
