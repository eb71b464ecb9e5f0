//! Texts that should never have been written.

use loopx_core::{Event, Names, Proof, Refusal};

use super::Make;
use super::script::{Script, at, goal, keyed, person, todo_add};
use crate::error::StoreError;
use crate::store::{EventsOf, PurgeTarget};

pub(super) fn purged(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let request = keyed(todo_add("one", "left", "the words to go"), "k");
    script.done(&request);
    let kept = script.todo("one", "words that stay");
    let one = goal("one");
    let summary = store.purge(&one, &PurgeTarget::Revisions(vec![4, 1000]), &person(), at(50), None).unwrap();
    assert_eq!((summary.purged, summary.texts, summary.revision), (vec![4], 1, 6));
    let state = store.load(&one, &Names::default()).unwrap();
    assert_eq!(state.todos.values().filter(|todo| todo.title.is_purged()).count(), 1);
    assert_eq!(state.todos.get(&kept).unwrap().title.as_str(), "words that stay");
    let events = store.events(EventsOf::Goal { goal: &one, after: 3 }, 9).unwrap();
    assert_eq!(events[2].recorded.event, Event::Purged { revisions: vec![4] });
    assert!(!format!("{events:?}").contains("the words to go"));
    assert!(store.doctor().unwrap().is_empty());
    assert!(Script::new(&mut *store).done(&request).replayed, "a purge does not open a key again");
    let mut lines = Vec::new();
    store.export(&mut lines, &[]).unwrap();
    let mut other = make();
    other.import(&mut &lines[..], &person()).unwrap();
    assert!(other.doctor().unwrap().is_empty());
    let by_id = PurgeTarget::Id(kept.to_string());
    assert_eq!(store.purge(&one, &by_id, &person(), at(51), None).unwrap().purged, [5]);
    let nothing = store.purge(&one, &PurgeTarget::Revisions(vec![77]), &person(), at(52), None);
    assert!(matches!(nothing, Err(StoreError::Refused(Refusal::NoThing(_)))), "{nothing:?}");
}

pub(super) fn needs_proof(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    script.todo("one", "the words to go");
    let mut weak = person();
    weak.proof = Proof::None;
    let refused = store.purge(&goal("one"), &PurgeTarget::Revisions(vec![4]), &weak, at(50), None);
    assert!(matches!(refused, Err(StoreError::Refused(Refusal::NeedsProof { .. }))), "{refused:?}");
    let events = store.events(EventsOf::Goal { goal: &goal("one"), after: 4 }, 9).unwrap();
    assert!(matches!(events[0].recorded.event, Event::Refused { .. }));
    assert!(store.doctor().unwrap().is_empty());
}
