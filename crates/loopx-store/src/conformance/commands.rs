//! Commands in, receipts out.

use loopx_core::{Event, Names, ProofFloor, Refusal, RefusalCode, Subject};

use super::Make;
use super::script::{Script, at, claim, goal, goal_add, keyed, lane, text, todo_add};
use crate::error::StoreError;
use crate::store::EventsOf;

pub(super) fn recorded(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let receipt = script.done(&todo_add("one", "left", "work"));
    assert_eq!((receipt.command, receipt.revision, receipt.replayed), (4, 4, false));
    assert_eq!(receipt.events.len(), 1);
    assert_eq!(receipt.events[0].at, at(3));
    assert_eq!(receipt.events[0].actor, lane("left"));
    let state = store.load(&goal("one"), &Names::default()).unwrap();
    let Subject::Todo(todo) = receipt.subject else { panic!("no todo") };
    assert_eq!(state.todos.get(&todo).unwrap().title, text("work"));
    assert_eq!(state.revision, 4);
    let goals = store.goals().unwrap();
    assert_eq!((goals.len(), goals[0].revision, goals[0].damage.is_none()), (1, 4, true));
}

pub(super) fn retried(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    let add = keyed(goal_add("one", ProofFloor::None), "g");
    let first_goal = script.done(&add);
    script.goal("two");
    let request = keyed(todo_add("two", "left", "work"), "k");
    let first = script.done(&request);
    script.todo("two", "more");
    for (request, first) in [(&request, first), (&add, first_goal)] {
        let again = script.done(request);
        assert!(again.replayed && !first.replayed);
        assert_eq!(crate::Receipt { replayed: false, ..again }, first);
    }
    assert_eq!(store.goals().unwrap().iter().map(|goal| goal.revision).collect::<Vec<_>>(), [1, 5]);
}

pub(super) fn key_reused(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    script.done(&keyed(todo_add("one", "left", "work"), "k"));
    for other in [todo_add("one", "left", "other"), todo_add("one", "right", "work")] {
        assert_eq!(script.apply(&keyed(other, "k")), Err(StoreError::Refused(Refusal::KeyReused)));
    }
    script.goal("two");
    assert!(!script.done(&keyed(todo_add("two", "left", "other"), "k")).replayed, "a key is of one goal");
}

pub(super) fn already_so(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let first = script.done(&todo_add("one", "left", "work"));
    let request = keyed(todo_add("one", "left", "work"), "k");
    let same = script.done(&request);
    assert_eq!((same.events.len(), &same.subject, same.revision), (0, &first.subject, 4));
    script.todo("one", "more");
    let again = script.done(&request);
    assert_eq!(crate::Receipt { replayed: false, ..again }, same);
}

pub(super) fn one_winner(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let (first, second) = (script.todo("one", "first"), script.todo("one", "second"));
    script.done(&claim("one", "left", &first));
    let late = script.apply(&claim("one", "right", &first));
    let Err(StoreError::Refused(Refusal::Held { holder, .. })) = late else { panic!("{late:?}") };
    assert_eq!(holder.as_str(), "left");
    script.done(&claim("one", "right", &second));
}

pub(super) fn refusal_recorded(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let mut request = super::script::agent_add("one", "third");
    request.actor = lane("left");
    let refused = script.apply(&keyed(request, "k"));
    assert!(matches!(refused, Err(StoreError::Refused(Refusal::NeedsPerson { .. }))), "{refused:?}");
    let events = store.events(EventsOf::Goal { goal: &goal("one"), after: 3 }, 9).unwrap();
    assert_eq!(events.len(), 1);
    let Event::Refused { command, code } = &events[0].recorded.event else { panic!("{events:?}") };
    assert_eq!((command.as_str(), *code), ("agent add", RefusalCode::NeedsPerson));
    let mut script = Script::new(&mut *store);
    assert!(!script.done(&keyed(super::script::agent_add("one", "third"), "k")).replayed);
}

pub(super) fn refusal_unrecorded(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    let none = script.apply(&todo_add("one", "left", "work"));
    assert_eq!(none, Err(StoreError::Refused(Refusal::NoGoal(goal("one")))));
    assert!(script.store.goals().unwrap().is_empty());
    script.goal("one");
    assert!(script.apply(&goal_add("one", ProofFloor::None)).is_err());
    assert_eq!(store.goals().unwrap()[0].revision, 3);
}

pub(super) fn case_clash(make: Make<'_>) {
    let mut store = make();
    let mut script = Script::new(&mut *store);
    script.goal("one");
    let clash = script.apply(&goal_add("One", ProofFloor::None));
    assert_eq!(clash, Err(StoreError::Refused(Refusal::GoalExists(goal("one")))));
    assert!(store.load(&goal("ONE"), &Names::default()).is_err());
}
