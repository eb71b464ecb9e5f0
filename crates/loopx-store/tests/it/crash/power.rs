//! Power losses, replayed: the file calls of real writers are recorded, and the disk is made anew as it could be found
//! after the power went at any of their moments.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};

use super::disk::{Chance, Disk, Kept};
use super::replay::{self, Variant};
use super::trace::{self, CALLS, Change};
use super::writer::{Ack, GOAL};
use super::{count, have, process};
use crate::processes::word;

/// Records three writers, the first of which makes the store. Gives the trace.
fn record(folder: &Path, base: &Path, turns: usize) -> Vec<u8> {
    let trace = folder.join("trace");
    let script = "LOOPX_CRASH_ROLE=prepares \"$@\" && {
        for number in 0 1 2; do LOOPX_CRASH_NUMBER=$number \"$@\" & done; wait; }";
    let trace_flag = format!("trace={CALLS}");
    let before = [
        "strace", "-f", "-y", "--seccomp-bpf", "-s", "10000000", "-o", trace.to_str().unwrap(), "-e", &trace_flag,
        "sh", "-c", script, "sh",
    ];
    let more = format!("{GOAL} p {turns}");
    let output = process(&before, "writes", base, 0, &more).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    std::fs::read(trace).unwrap()
}

/// Where a disk can be laid out fast: syncs are of no use there.
fn fast() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Moments to look at: those before and after each sync, after each acknowledgement, and others between.
fn chosen(weighty: &[bool], most: usize) -> BTreeSet<usize> {
    let spread = |kind: bool, most: usize| {
        let all: Vec<usize> = (0..weighty.len()).filter(|at| weighty[*at] == kind).collect();
        let most = most.clamp(1, all.len().max(1));
        (0..most).filter_map(|part| all.get(part * all.len() / most).copied()).collect::<Vec<_>>()
    };
    spread(true, most / 2).into_iter().chain(spread(false, most / 2)).collect()
}

#[test]
fn what_was_acknowledged_survives_a_power_loss() {
    if !have("strace") {
        return;
    }
    let wanted = count("LOOPX_CUTS", 20);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let base = folder.join("new").join("base");
    let calls = trace::read(&record(&folder, &base, count("LOOPX_TURNS", 30)), &base);

    // Each call has two moments: its beginning and its end.
    let mut line: Vec<(usize, usize, bool)> = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        line.extend([(call.begin, number, false), (call.end, number, true)]);
    }
    line.sort_unstable();
    let weighty: Vec<bool> = line
        .iter()
        .map(|(_, number, _)| matches!(calls[*number].change, Change::Sync(_) | Change::Said(_)))
        .collect();
    let moments = chosen(&weighty, wanted);
    let said = |text: &str| text.lines().filter_map(word).filter_map(|word| Ack::parse(&word)).collect::<Vec<_>>();
    let acks: Vec<Ack> = calls
        .iter()
        .filter_map(|call| if let Change::Said(text) = &call.change { Some(said(text)) } else { None })
        .flatten()
        .collect();
    assert!(acks.len() > 20, "{} acknowledged", acks.len());
    let checkpoints = calls.iter().filter(|call| matches!(&call.change, Change::Length(path, 0) if path.ends_with("loopx.db-wal"))).count();

    let (sender, receiver) = mpsc::sync_channel::<Variant>(4);
    let receiver = Mutex::new(receiver);
    let failed = Mutex::new(Vec::new());
    let mut variants = 0;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Ok(variant) = receiver.lock().unwrap().recv() else { return };
                    let folder = tempfile::tempdir_in(fast()).unwrap();
                    if let Err(error) = replay::check(&variant, &acks, folder.path()) {
                        let (moment, kept, seal) = (variant.moment, variant.kept, variant.recognised);
                        failed.lock().unwrap().push(format!("{moment} {kept:?} recognised {seal}: {error}"));
                    }
                }
            });
        }
        let (mut disk, mut acknowledged) = (Disk::default(), 0);
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        for (moment, (_, number, ended)) in line.iter().enumerate() {
            let call = &calls[*number];
            if *ended {
                disk.end(call);
            } else {
                disk.begin(call);
                if let Change::Said(text) = &call.change {
                    acknowledged += said(text).len();
                }
            }
            if !moments.contains(&moment) {
                continue;
            }
            let all = [Kept::Nothing, Kept::Everything, Kept::Some, Kept::Torn, Kept::Torn];
            for (kept, turn) in all.into_iter().zip(0..) {
                if turn > 0 && !disk.is_unsure() {
                    break;
                }
                let files = disk.after_loss(&base, kept, &mut chance);
                let recognised = chance.below(2) == 0;
                sender.send(Variant { files, acknowledged, kept, moment, recognised }).unwrap();
                variants += 1;
            }
        }
        drop(sender);
    });
    let failed = failed.into_inner().unwrap();
    println!(
        "power loss: {} calls and {} acknowledged by 3 writers, {checkpoints} checkpoints; {} moments of {}, {variants} disks, {} wrong",
        calls.len(), acks.len(), moments.len(), line.len(), failed.len()
    );
    assert!(failed.is_empty(), "{:#?}", &failed[..failed.len().min(12)]);
}
