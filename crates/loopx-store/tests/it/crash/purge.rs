//! A purge that dies at any call: the log is as before or as after, and whoever writes next leaves no byte of the text.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use loopx_core::{Event, Names};
use loopx_store::conformance::script::{Ids, Script, at, goal, person};
use loopx_store::{EventsOf, PurgeTarget, SqliteStore, Store};

use super::{count, have, process};
use crate::processes::{say, word};

const GOAL: &str = "one";
const NEEDLE: &str = "the canary sings at dawn";

/// A store with a text to purge, a name for its revision, and pages around it.
fn fill(base: &Path) -> u64 {
    let mut store = SqliteStore::open(base).unwrap();
    let mut script = Script::new(&mut store);
    script.goal(GOAL);
    for number in 0..20 {
        script.todo(GOAL, &format!("filler number {number} of the same length"));
    }
    script.todo(GOAL, NEEDLE);
    let revision = store.load(&goal(GOAL), &Names::default()).unwrap().revision;
    let mut script = Script::new(&mut store);
    script.ids = Ids::apart(3);
    for number in 20..30 {
        script.todo(GOAL, &format!("filler number {number} of the same length"));
    }
    revision
}

/// What the process that is to die does.
pub fn purge(base: &Path, revision: usize) {
    let target = PurgeTarget::Revisions(vec![revision as u64]);
    let summary =
        SqliteStore::open(base).unwrap().purge(&goal(GOAL), &target, &person(), at(500), None).unwrap();
    say(&format!("purged {}", summary.texts));
}

/// The files that hold the text.
fn holding(base: &Path) -> Vec<String> {
    let files = base.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let holds =
        |file: &Path| fs::read(file).unwrap().windows(NEEDLE.len()).any(|part| part == NEEDLE.as_bytes());
    files.filter(|file| holds(file)).map(|file| file.file_name().unwrap().to_string_lossy().into()).collect()
}

/// Whether the log says that something was purged, and whether the text is gone from what is read of it.
fn state(store: &mut SqliteStore) -> (bool, bool) {
    let events = store.events(EventsOf::Goal { goal: &goal(GOAL), after: 0 }, 1000).unwrap();
    let said = events.iter().any(|logged| matches!(logged.recorded.event, Event::Purged { .. }));
    let is_it =
        |event: &Event| matches!(event, Event::TodoAdded { title, .. } if title.text.as_str() == NEEDLE);
    (said, !events.iter().any(|logged| is_it(&logged.recorded.event)))
}

/// What came of one death.
#[derive(Default)]
struct Ends {
    before: usize,
    after: usize,
    /// Deaths after which the text was gone from the log, and stood in a file.
    left: usize,
}

/// One run that is killed at the `when`-th of these calls. False if it came to its end.
fn dies(call: &str, when: usize, ends: &mut Ends) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    let revision = fill(&base);
    let (trace, at_call) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={when}"));
    let before = ["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &at_call];
    let mut child =
        process(&before, "purges", &base, usize::try_from(revision).unwrap(), "").spawn().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let ended = child.wait().unwrap().success();
    let acknowledged = said.lines().filter_map(word).any(|word| word.starts_with("purged"));
    let case = format!("{call} {when}");

    let mut store = SqliteStore::open(&base).unwrap();
    assert_eq!(store.doctor().unwrap(), [], "{case}");
    let (purged, gone) = state(&mut store);
    assert_eq!(purged, gone, "{case}: half");
    assert!(purged || !acknowledged, "{case}: acknowledged and lost");
    if purged {
        ends.after += 1;
        ends.left += usize::from(!holding(&base).is_empty());
        // Whoever writes next finishes it, whatever is written.
        let mut script = Script::new(&mut store);
        script.ids = Ids::apart(9);
        script.todo(GOAL, "something else");
    } else {
        ends.before += 1;
        let target = PurgeTarget::Revisions(vec![revision]);
        store.purge(&goal(GOAL), &target, &person(), at(600), None).unwrap();
    }
    assert_eq!(holding(&base), Vec::<String>::new(), "{case}");
    assert_eq!(store.doctor().unwrap(), [], "{case}");
    drop(store);
    assert_eq!(SqliteStore::open(&base).unwrap().doctor().unwrap(), [], "{case}");
    !ended
}

#[test]
fn a_purge_that_dies_at_any_call_is_before_or_after_and_is_finished_by_whoever_writes_next() {
    if !have("strace") {
        return;
    }
    let step = count("LOOPX_FAULT_STEP", 17).div_ceil(4);
    let mut ends = Ends::default();
    let mut runs = 0;
    for (call, step) in [
        ("pwrite64", step),
        ("fdatasync", 1),
        ("ftruncate", 1),
        ("fsync", 1),
        ("rename", 1),
        ("fcntl", step * 3),
    ] {
        let mut when = 1;
        while when < 400 && dies(call, when, &mut ends) {
            runs += 1;
            when += step;
        }
    }
    println!(
        "purge: {runs} deaths, {} before, {} after, {} with bytes left",
        ends.before, ends.after, ends.left
    );
    assert!(ends.before > 2 && ends.after > 5, "{} before, {} after", ends.before, ends.after);
    assert!(ends.left > 0, "none died between the commit and the last byte");
}
