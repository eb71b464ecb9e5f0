//! The log: written and read back.

use loopx_core::{Names, ProofFloor};
use loopx_store::{EventsOf, SqliteStore, Store};

use crate::common::{at, filled, goal, goal_added};

#[test]
fn events_read_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    filled(&base, &["one", "two"], 3);
    let mut store = SqliteStore::open(&base).unwrap();
    let events = store.events(EventsOf::All { after: 0 }, 100).unwrap();
    assert_eq!(events.iter().map(|event| event.place).collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    assert_eq!(events[4].recorded.event, goal_added(ProofFloor::None));
    assert_eq!(events[4].recorded.goal, goal("two"));
    let of_two = store.events(EventsOf::Goal { goal: &goal("two"), after: 2 }, 1).unwrap();
    assert_eq!(of_two.len(), 1);
    assert_eq!(of_two[0].recorded.revision, 3);
    assert_eq!(store.load(&goal("one"), &Names::default()).unwrap().revision, 4);
    assert_eq!(store.state_at(&goal("one"), at(0)).unwrap().revision, 1);
    assert_eq!(store.goals().unwrap().len(), 2);
    assert!(store.doctor().unwrap().is_empty());
}

#[test]
fn reading_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    let mut store = SqliteStore::open(&base).unwrap();
    assert!(store.goals().unwrap().is_empty());
    assert!(store.load(&goal("one"), &Names::default()).is_err());
    assert!(!base.exists());
}

#[test]
fn files_are_their_owners_alone() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    let _store = filled(&base, &["one"], 1);
    assert_eq!(base.metadata().unwrap().mode() & 0o777, 0o700);
    for file in base.read_dir().unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
}
