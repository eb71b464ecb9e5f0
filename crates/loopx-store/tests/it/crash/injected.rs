//! Calls that fail once, at every place: the command is refused and not recorded, or acknowledged and kept.

use std::io::Read;
use std::path::Path;

use loopx_safety::Private;
use loopx_store::conformance::script::{Ids, at};
use loopx_store::{SqliteStore, Store};

use super::writer::{Ack, GOAL, add, handle, refused};
use super::{count, have, log, prepare, process};
use crate::processes::{say, word};

/// Longer than what makes a writer bring the write-ahead log into the database.
const LONG: usize = 4_600_000;

/// Adds todos, with something long in between. Where one is refused it is tried again, or left at that.
pub fn bear(base: &Path, more: &str) {
    let mut store = SqliteStore::open(base).unwrap();
    let mut ids = Ids::apart(1);
    for turn in 0..4 {
        let name = format!("x-0-{turn}");
        let mut tries = 0;
        let receipt = loop {
            match store.apply(&add(GOAL, 0, &name), at(100), &mut ids) {
                Ok(receipt) => break receipt,
                Err(error) => say(&refused(&error)),
            }
            if more.starts_with("leaves") {
                return;
            }
            tries += 1;
            assert!(tries < 5, "{name} is refused for good");
        };
        assert!(!receipt.replayed, "{name} was refused, and recorded");
        say(&format!("{GOAL} add {name} {} {}", receipt.command, receipt.revision));
        if turn == 1 && more.ends_with("long") {
            match store.set_pointer(&handle("long"), Private::new(&vec![7; LONG])) {
                Ok(()) => {}
                Err(error) => say(&refused(&error)),
            }
        }
    }
}

/// One run in which the `when`-th of these calls fails. Gives whether anything was refused.
fn bears(call: &str, error: &str, when: usize, more: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    prepare(&mut SqliteStore::open(&base).unwrap(), &[GOAL]);
    let at = format!("inject={call}:error={error}:when={when}");
    let trace = format!("trace={call}");
    let before = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", &trace, "-e", &at];
    let mut child = process(&before, "bears", &base, 0, more).spawn().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let case = format!("{call} {error} {when} {more}");
    if !said.contains("running 1 test") {
        // It failed before it was one of ours.
        child.wait().unwrap();
        return false;
    }
    assert!(child.wait().unwrap().success(), "{case}: {said}");
    let words: Vec<String> = said.lines().filter_map(word).collect();
    let refusals = words.iter().filter(|word| word.starts_with("refused:")).count();
    let acks: Vec<Ack> =
        words.iter().filter_map(|word| Ack::parse(word)).filter(|ack| ack.goal == GOAL).collect();
    for word in words.iter().filter(|word| word.starts_with("refused:")) {
        let clear = ["refused:failed:the disk failed", "refused:disk_full:", "refused:read_only:"];
        let named = word.starts_with("refused:failed:") && !word.contains("with code");
        assert!(clear.iter().any(|start| word.starts_with(start)) || named, "{case}: {word}");
    }
    let mut store = SqliteStore::open(&base).unwrap();
    log::sound(&mut store, &acks).unwrap_or_else(|error| panic!("{case}: {error}"));
    let there = log::commands(&mut store, GOAL).unwrap().len();
    assert_eq!(there, acks.len(), "{case}: what was refused is there: {words:?}");
    refusals > 0
}

#[test]
fn a_call_that_fails_once_refuses_at_most_one_command() {
    if !have("strace") {
        return;
    }
    let step = count("LOOPX_FAULT_STEP", 17);
    let (mut runs, mut refused) = (0, 0);
    let few = ["fdatasync", "fsync", "ftruncate", "rename"].map(|call| (call, 1, 6, (step / 8).max(1)));
    let many = [("pwrite64", 1, 90, step)];
    for (call, first, last, step) in few.into_iter().chain(many) {
        for when in (first..=last).step_by(step) {
            for (error, more) in [("EIO", "leaves"), ("ENOSPC", "insists"), ("EIO", "insists long")] {
                runs += 1;
                refused += usize::from(bears(call, error, when, more));
            }
        }
    }
    // In the middle of bringing a long write-ahead log into the database.
    for when in (1200..3600).step_by(step * 40) {
        runs += 1;
        refused += usize::from(bears("pwrite64", "EIO", when, "insists long"));
    }
    println!("failing calls: {runs} runs, {refused} with a refusal, 0 acknowledged lost, 0 refused kept");
    assert!(refused > 0);
}

#[test]
fn an_open_that_fails_once_does_not_leave_the_store_read_only() {
    if !have("strace") {
        return;
    }
    let refused = (1..=24).filter(|when| bears("openat", "EMFILE", *when, "insists")).count();
    println!("failing opens: 24 runs, {refused} with a refusal, each taken when it was tried again");
    assert!(refused > 0);
}
