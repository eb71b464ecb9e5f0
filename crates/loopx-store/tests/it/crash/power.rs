//! Power losses, replayed: the file calls of real processes are recorded, and the disk is made anew as it could be
//! found after the power went at any of their moments.

use std::path::{Path, PathBuf};

use loopx_store::conformance::script::{Ids, at};
use loopx_store::{SqliteStore, Store};

use super::disk::Disk;
use super::log::{self, Told, told};
use super::replay::{self, Outcome, Variant};
use super::trace::{self, CALLS, Call, Change};
use super::writer::{Ack, GOAL, add};
use super::{count, have, prepare, process};

/// Records the calls of a shell script, in which `"$@"` is this binary.
fn record(folder: &Path, base: &Path, script: &str, role: &str, more: &str) -> Vec<Call> {
    let file = folder.join("trace");
    let (path, calls) = (file.to_str().unwrap(), format!("trace={CALLS}"));
    let strace = ["strace", "-f", "-y", "--seccomp-bpf", "-s", "10000000", "-o", path, "-e", &calls];
    let before: Vec<&str> = strace.into_iter().chain(["sh", "-c", script, "sh"]).collect();
    let output = process(&before, role, base, 0, more).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    trace::read(&std::fs::read(file).unwrap(), base)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().canonicalize().unwrap();
    (kept, folder)
}

fn tell(what: &str, calls: &[Call], outcome: &Outcome) {
    let Outcome { moments, disks, wrong } = outcome;
    let (all, bad) = (calls.len() * 2, wrong.len());
    println!("{what}: {} calls; {moments} moments of {all}, {disks} disks, {bad} wrong", calls.len());
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(12)]);
}

/// Everything acknowledged is there, nothing by halves, retries get their receipts, and it goes on.
fn kept(acks: &[Ack], base: &Path) -> Told<()> {
    log::sound(&mut told("open", SqliteStore::open(base))?, acks)?;
    match acks.iter().rev().find(|ack| ack.kind == "add") {
        Some(last) => log::goes_on(&mut told("open", SqliteStore::open(base))?, last),
        None => Ok(()),
    }
}

#[test]
fn what_was_acknowledged_survives_a_power_loss() {
    if !have("strace") {
        return;
    }
    let (_kept, folder) = folder();
    // Its folders are made by the first process.
    let base = folder.join("new").join("base");
    let script = "LOOPX_CRASH_ROLE=prepares \"$@\" && {
        for number in 0 1 2; do LOOPX_CRASH_NUMBER=$number \"$@\" & done; wait; }";
    let more = format!("{GOAL} p {}", count("LOOPX_TURNS", 30));
    let calls = record(&folder, &base, script, "writes", &more);
    let acks: Vec<Ack> = replay::said(&calls).iter().map(|word| Ack::parse(word).unwrap()).collect();
    let in_database =
        |call: &&Call| matches!(&call.change, Change::Write(path, ..) if path.ends_with("loopx.db"));
    let pages = calls.iter().filter(in_database).count();
    assert!(acks.len() > 20 && pages > 20, "{} acknowledged, {pages} pages brought in", acks.len());
    let judge = |variant: &Variant, base: &Path| kept(&acks[..variant.said], base);
    let outcome = replay::all(&calls, &base, Disk::default(), count("LOOPX_CUTS", 20), judge);
    println!("{} acknowledged, {pages} pages brought into the database", acks.len());
    tell("power loss of 3 writers", &calls, &outcome);
}

/// A base, a backup of it, and more in the base since. Gives the revisions of both.
fn with_backup(base: &Path, backup: &Path) -> (u64, u64) {
    let mut ids = Ids::apart(1);
    let mut store = SqliteStore::open(base).unwrap();
    prepare(&mut store, &[GOAL]);
    let mut more = |store: &mut SqliteStore, turns: std::ops::Range<u64>| {
        turns
            .map(|turn| {
                store.apply(&add(GOAL, 0, &format!("b-0-{turn}")), at(100), &mut ids).unwrap().revision
            })
            .last()
            .unwrap()
    };
    let older = more(&mut store, 0..4);
    store.backup(backup).unwrap();
    (older, more(&mut store, 4..9))
}

#[test]
fn a_restore_cut_short_never_loses_in_silence() {
    if !have("strace") {
        return;
    }
    let (_kept, folder) = folder();
    let (base, backup) = (folder.join("base"), folder.join("backup.db"));
    let (older, newer) = with_backup(&base, &backup);
    let disk = Disk::of(&base);
    let calls = record(&folder, &base, "exec \"$@\"", "restores", backup.to_str().unwrap());
    assert_eq!(replay::said(&calls), ["restored"]);
    let judge = |variant: &Variant, base: &Path| {
        let mut store = told("open", SqliteStore::open(base))?;
        let goals = told("goals", store.goals())?;
        let right = match goals.as_slice() {
            // Noticed, named, and the restore that was cut short is done again.
            [goal] if goal.damage.is_some() && variant.said == 0 => {
                told("again", told("open", SqliteStore::open(base))?.restore(&backup))?;
                told("goals", told("open", SqliteStore::open(base))?.goals())?[0].revision == older
            }
            [goal] if goal.damage.is_none() => {
                goal.revision == older || (goal.revision == newer && variant.said == 0)
            }
            _ => false,
        };
        let damage = told("doctor", told("open", SqliteStore::open(base))?.doctor())?;
        if right && damage.is_empty() { Ok(()) } else { Err(format!("{goals:?}, then {damage:?}")) }
    };
    let outcome = replay::all(&calls, &base, disk, count("LOOPX_RESTORE_CUTS", 30), judge);
    tell("restore cut short", &calls, &outcome);
}
