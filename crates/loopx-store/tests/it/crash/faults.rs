//! Disks that are full and folders that can't be written: refused clearly, nothing lost, and on it goes afterwards.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use loopx_core::Names;
use loopx_store::conformance::script::{Ids, at, goal};
use loopx_store::{SqliteStore, Store, StoreError};

use super::writer::{Ack, GOAL, add, refused};
use super::{have, log, prepare, process};
use crate::processes::{say, word};

/// Adds todos until one is refused, waits for a line, and goes on with the same one.
pub fn fill(base: &Path) {
    let mut store = SqliteStore::open(base).unwrap();
    let mut ids = Ids::apart(1);
    let (mut refusals, mut revision) = (0, 0);
    let mut last = u64::MAX;
    for turn in 0.. {
        let name = format!("f-0-{turn}");
        let receipt = match store.apply(&add(GOAL, 0, &name), at(100), &mut ids) {
            Ok(receipt) => receipt,
            Err(error) => {
                refusals += 1;
                // It is as it was, here and to others.
                let here = store.load(&goal(GOAL), &Names::default()).unwrap();
                assert_eq!(here.revision, revision);
                let there = SqliteStore::open(base).unwrap().load(&goal(GOAL), &Names::default()).unwrap();
                assert_eq!(here, there);
                say(&refused(&error));
                std::io::stdin().lock().read_line(&mut String::new()).unwrap();
                last = turn + 20;
                store.apply(&add(GOAL, 0, &name), at(100), &mut ids).unwrap()
            }
        };
        assert!(!receipt.replayed && refusals < 2, "{receipt:?}");
        revision = receipt.revision;
        say(&format!("{GOAL} add {name} {} {revision}", receipt.command));
        if turn == last {
            return;
        }
    }
}

/// Runs `fill` until it is refused, lets it go on by `free`, and looks at what it said. Gives the refusal.
fn filled(child: &mut Child, base: &Path, free: impl FnOnce(&Child)) -> String {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acks = Vec::new();
    let mut next = |acks: &mut Vec<Ack>| loop {
        let word = lines.by_ref().map(Result::unwrap).find_map(|line| word(&line))?;
        match Ack::parse(&word) {
            Some(ack) if word.starts_with(GOAL) => acks.push(ack),
            Some(_) | None => return Some(word),
        }
    };
    let refusal = next(&mut acks).unwrap();
    let before = acks.len();
    assert!(before > 5, "{refusal} after {before}");
    free(child);
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert_eq!(next(&mut acks), None);
    assert!(child.wait().unwrap().success());
    assert_eq!(acks.len(), before + 21);
    log::sound(&mut SqliteStore::open(base).unwrap(), &acks).unwrap();
    println!("{before} commands, then `{refusal}`, then 21 more, 0 lost");
    refusal
}

fn run(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// A file system of its own, gone when dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(folder: &Path) -> Option<Self> {
        let path = folder.to_str()?;
        let mounted = run("mount", &["-t", "tmpfs", "-o", "size=1m,mode=700", "loopx-test", path]);
        if !mounted {
            eprintln!("\n!!! SKIPPED: nothing can be mounted here, so this test shows nothing !!!\n");
        }
        mounted.then(|| Self(folder.to_owned()))
    }

    fn again(&self, options: &str) {
        assert!(run("mount", &["-o", &format!("remount,{options}"), self.0.to_str().unwrap()]), "{options}");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &["-l", self.0.to_str().unwrap()]);
    }
}

#[test]
fn a_full_disk_refuses_and_takes_more_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Mounted::new(folder.path()) else { return };
    let base = folder.path().join("base");
    prepare(&mut SqliteStore::open(&base).unwrap(), &[GOAL]);
    let mut child = process::<&str>(&[], "fills", &base, 0, "").stdin(Stdio::piped()).spawn().unwrap();
    let refusal = filled(&mut child, &base, |_| disk.again("size=16m"));
    assert_eq!(refusal, "refused:disk_full:the disk is full: nothing was recorded");
}

#[test]
fn a_file_that_may_not_grow_refuses_and_takes_more_once_it_may() {
    if !have("prlimit") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    prepare(&mut SqliteStore::open(&base).unwrap(), &[GOAL]);
    let before = ["bash", "-c", "trap '' XFSZ; ulimit -S -f 1024; exec \"$@\"", "bash"];
    let mut child = process(&before, "fills", &base, 0, "").stdin(Stdio::piped()).spawn().unwrap();
    let refusal = filled(&mut child, &base, |child| {
        let pid = child.id().to_string();
        assert!(run("prlimit", &["--pid", &pid, "--fsize=unlimited:"]));
    });
    assert!(refusal.starts_with("refused:failed:the disk failed"), "{refusal}");
}

#[test]
fn a_folder_that_turns_read_only_refuses_reads_on_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Mounted::new(folder.path()) else { return };
    disk.again("size=16m");
    let base = folder.path().join("base");
    let mut ids = Ids::apart(1);
    let mut first = SqliteStore::open(&base).unwrap();
    prepare(&mut first, &[GOAL]);
    first.apply(&add(GOAL, 0, "r-0-0"), at(100), &mut ids).unwrap();
    let before = first.load(&goal(GOAL), &Names::default()).unwrap();
    drop(first);
    disk.again("ro");
    let mut store = SqliteStore::open(&base).unwrap();
    let refused = store.apply(&add(GOAL, 0, "r-0-1"), at(100), &mut ids);
    assert!(matches!(refused, Err(StoreError::ReadOnly)), "{refused:?}");
    assert_eq!(store.load(&goal(GOAL), &Names::default()).unwrap(), before);
    assert_eq!(SqliteStore::open(&base).unwrap().load(&goal(GOAL), &Names::default()).unwrap(), before);
    disk.again("rw");
    let mut fresh = SqliteStore::open(&base).unwrap();
    for store in [&mut store, &mut fresh] {
        let receipt = store.apply(&add(GOAL, 0, "r-0-1"), at(100), &mut ids).unwrap();
        assert_eq!(receipt.revision, before.revision + 1);
    }
    assert_eq!(store.doctor().unwrap(), []);
}
