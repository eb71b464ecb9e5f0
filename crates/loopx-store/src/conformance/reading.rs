//! What is read is what was written.

use loopx_contract::IdKind;
use loopx_core::Names;

use super::Make;
use super::script::{Script, at, claim, goal};
use crate::store::EventsOf;

pub(super) fn working_set(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let (closed, open) = (script.finished("one", "closed"), script.todo("one", "open"));
    let state = store.load(&goal("one"), &Names::default()).unwrap();
    assert!(state.todos.contains(&open) && !state.todos.contains(&closed));
    let names = Names { todos: [closed.clone()].into(), ..Names::default() };
    assert!(store.load(&goal("one"), &names).unwrap().todos.contains(&closed));
}

pub(super) fn events(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    for id in ["one", "two"] {
        script.goal(id);
        script.finished(id, "work");
    }
    script.finished("one", "more");
    let all = store.events(EventsOf::All { after: 0 }, 1000).unwrap();
    assert!(all.windows(2).all(|pair| pair[0].place < pair[1].place));
    let mut paged = Vec::new();
    let mut after = 0;
    loop {
        let page = store.events(EventsOf::All { after }, 4).unwrap();
        let Some(last) = page.last() else { break };
        after = last.place;
        paged.extend(page);
    }
    assert_eq!(paged, all);
    let one = goal("one");
    let of_one = store.events(EventsOf::Goal { goal: &one, after: 0 }, 1000).unwrap();
    assert_eq!(of_one, all.iter().filter(|event| event.recorded.goal == one).cloned().collect::<Vec<_>>());
    assert!(of_one.iter().zip(1..).all(|(event, revision)| event.recorded.revision == revision));
    assert_eq!(store.events(EventsOf::Goal { goal: &one, after: 2 }, 3).unwrap(), of_one[2..5]);
    assert!(store.events(EventsOf::Goal { goal: &one, after: 99 }, 3).unwrap().is_empty());
}

pub(super) fn state_at(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let todo = script.todo("one", "work");
    let claimed = script.second;
    script.done(&claim("one", "left", &todo));
    let one = goal("one");
    let then = store.state_at(&one, at(claimed - 1)).unwrap();
    assert!(then.todos.get(&todo).unwrap().claim.is_none());
    assert!(store.state_at(&one, at(claimed)).unwrap().todos.get(&todo).unwrap().claim.is_some());
    assert!(store.state_at(&one, at(-1)).unwrap().goal.is_none());
}

pub(super) fn ids(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    script.goal("two");
    let (first, second) = (script.todo("one", "first"), script.finished("two", "second"));
    let found = store.find_ids(second.as_str(), 9).unwrap();
    assert_eq!((found.len(), found[0].kind, found[0].goal.as_str()), (1, IdKind::Todo, "two"));
    let mut all: Vec<_> = store.find_ids("todo_", 9).unwrap().into_iter().map(|found| found.id).collect();
    all.sort();
    assert_eq!(all, [first.to_string(), second.to_string()]);
    assert_eq!(store.find_ids("todo_", 1).unwrap().len(), 1);
    assert_eq!(store.find_ids("le", 9).unwrap().len(), 2, "lanes are found too");
    assert!(store.find_ids("todo_zzz", 9).unwrap().is_empty());
}

pub(super) fn rows_equal_the_fold(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let mut closed = Names::default();
    for number in 0..5 {
        closed.todos.insert(script.finished("one", &format!("closed {number}")));
        script.todo("one", &format!("open {number}"));
    }
    let one = goal("one");
    let folded = store.state_at(&one, at(9999)).unwrap();
    assert_eq!(store.load(&one, &closed).unwrap(), folded);
    assert!(store.doctor().unwrap().is_empty());
}
