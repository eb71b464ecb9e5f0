//! Logs that leave and come in, and what stays here.

use loopx_contract::Ref;
use loopx_core::{Names, Proof, Refusal};
use loopx_safety::Private;

use super::Make;
use super::script::{Script, at, goal, lane, person};
use crate::error::StoreError;
use crate::store::{EventsOf, Store};

fn export(store: &mut dyn Store) -> Vec<u8> {
    let mut lines = Vec::new();
    store.export(&mut lines, &[]).unwrap();
    lines
}

pub(super) fn pointers(make: Make<'_>) {
    let mut store = make();
    let handle = Ref::parse("fil_x").unwrap();
    assert!(store.pointer(&handle).unwrap().is_none());
    store.set_pointer(&handle, Private::new(b"first")).unwrap();
    store.set_pointer(&handle, Private::new(b"second")).unwrap();
    assert_eq!(store.pointer(&handle).unwrap().unwrap().expose(), b"second");
    assert_eq!(store.pointers().unwrap().len(), 1);
    assert!(!String::from_utf8(export(&mut *store)).unwrap().contains("second"));
    store.remove_pointer(&handle).unwrap();
    assert!(store.pointers().unwrap().is_empty());
}

pub(super) fn exported(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    script.goal("two");
    script.finished("one", "work");
    let lines = export(&mut *store);
    let mut other = make();
    let summary = other.import(&mut &lines[..], &person()).unwrap();
    assert_eq!((summary.events, summary.known, summary.goals.len()), (9, 0, 2));
    let (here, there) =
        (store.events(EventsOf::All { after: 0 }, 99), other.events(EventsOf::All { after: 0 }, 99));
    let (mut here, mut there) = (here.unwrap(), there.unwrap());
    here.sort_by_key(|event| (event.recorded.goal.to_string(), event.recorded.revision));
    there.sort_by_key(|event| (event.recorded.goal.to_string(), event.recorded.revision));
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(here.recorded.event, there.recorded.event);
        assert_eq!(there.recorded.actor.proof, Proof::Imported);
        assert_eq!(here.recorded.actor.who, there.recorded.actor.who);
    }
    assert_eq!(here.len(), there.len());
    assert!(other.doctor().unwrap().is_empty());
    let again = other.import(&mut &lines[..], &person()).unwrap();
    assert_eq!((again.events, again.known), (0, 9));
    Script::new(&mut *other).todo("one", "goes on here");
}

pub(super) fn continued(make: Make<'_>) {
    let mut store = make();
    Script::new(&mut *store).goal("one");
    let mut other = make();
    other.import(&mut &export(&mut *store)[..], &person()).unwrap();
    let mut script = Script::new(&mut *store);
    script.second = 10;
    script.todo("one", "later");
    let longer = export(&mut *store);
    let refused = other.import(&mut &longer[..], &lane("left"));
    assert!(matches!(refused, Err(StoreError::Refused(Refusal::NeedsPerson { .. }))), "{refused:?}");
    let mut weak = person();
    weak.proof = Proof::None;
    let refused = other.import(&mut &longer[..], &weak);
    assert!(matches!(refused, Err(StoreError::Refused(Refusal::NeedsProof { .. }))), "{refused:?}");
    assert_eq!(other.import(&mut &longer[..], &person()).unwrap().events, 1);
    // Both go on by themselves: neither takes the other's.
    Script::new(&mut *other).todo("one", "there");
    Script::new(&mut *store).todo("one", "here");
    let forked = other.import(&mut &export(&mut *store)[..], &person());
    assert!(matches!(forked, Err(StoreError::Import { line: 6, .. })), "{forked:?}");
    assert!(other.doctor().unwrap().is_empty());
}

pub(super) fn tampered(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    script.todo("one", "work to be done");
    let lines = String::from_utf8(export(&mut *store)).unwrap();
    let mut dropped: Vec<_> = lines.lines().collect();
    dropped.remove(3);
    for (changed, line) in [
        (lines.replace("work to be done", "work to be gone"), 5),
        (lines.replace("\"automation\"", "\"human\""), 3),
        (dropped.join("\n"), 4),
        (lines.replace("loopx_export_v0", "loopx_export_v9"), 1),
        (lines.replace("\"revision\":2", "\"revision\":\"2\""), 3),
        (lines.replace("work to be done", "see /home/someone/x"), 5),
        (String::new(), 1),
    ] {
        let mut other = make();
        let refused = other.import(&mut changed.as_bytes(), &person());
        let Err(StoreError::Import { line: at, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(at, line);
        assert!(other.goals().unwrap().is_empty(), "nothing was imported");
    }
    let cut = lines.lines().take(3).collect::<Vec<_>>().join("\n");
    let mut other = make();
    assert_eq!(other.import(&mut cut.as_bytes(), &person()).unwrap().events, 2, "a shorter log is a log");
    assert_eq!(other.load(&goal("one"), &Names::default()).unwrap().revision, 2);
    assert!(other.state_at(&goal("one"), at(0)).unwrap().goal.is_some());
}
