//! Todos: titles, claims, finishing, what stands in the way.

use loopx_core::command::{
    AuthorityCommand, LaneCommand, TodoAdd, TodoDefer, TodoDrop, TodoEdit, TodoReopen, TodoUnblock,
};
use loopx_core::testing::{agent, glob, text};
use loopx_core::todo::{Blocker, Blocking, Succession, TodoState};
use loopx_core::{Event, Refusal, RefusalCode};

use super::*;

#[test]
fn the_same_open_title_is_the_same_todo() {
    let mut world = world();
    let first = add(&mut world, "prune");
    let again = as_lane(&mut world, "birch", LaneCommand::TodoAdd(titled(" prune "))).unwrap();
    assert_eq!((again.events.len(), again.subject), (0, Subject::Todo(first.clone())));
    assert_ne!(add(&mut world, "Prune"), first, "case makes a difference");
    assert_ne!(add_for_user(&mut world, "prune"), first, "a person's todo is another");
    finish(&mut world, "ash", &first).unwrap();
    assert_ne!(add(&mut world, "prune"), first, "a finished todo is not open");
    let reopened = as_lane(&mut world, "ash", LaneCommand::TodoReopen(TodoReopen { todo: first }));
    assert_eq!(code(reopened), Some(RefusalCode::Conflict), "its title is taken");
}

#[test]
fn of_two_lanes_one_gets_the_todo() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    let until = world.state.todos.get(&todo).unwrap().claim.as_ref().unwrap().until;
    let holder = agent("ash");
    assert_eq!(claim(&mut world, "birch", &todo), Err(Refusal::Held { todo: todo.clone(), holder, until }));
    pass(&mut world, 10);
    let again = claim(&mut world, "ash", &todo).unwrap();
    assert!(matches!(again.events[..], [Event::TodoRenewed { .. }]), "{again:?}");
    assert_eq!(world.state.todos.get(&todo).unwrap().epoch, 1, "the token stays");
    pass(&mut world, 60);
    claim(&mut world, "birch", &todo).unwrap();
    assert_eq!(world.state.todos.get(&todo).unwrap().epoch, 2);
}

#[test]
fn a_lease_is_a_minute_to_thirty_days() {
    for (lease_minutes, taken) in [(0, false), (1, true), (43_200, true), (43_201, false)] {
        let mut world = world();
        let todo = add(&mut world, "prune");
        let claim = LaneCommand::TodoClaim { todo, agent: agent("ash"), lease_minutes };
        assert_eq!(as_lane(&mut world, "ash", claim).is_ok(), taken, "{lease_minutes}");
    }
}

#[test]
fn a_token_of_a_lost_claim_finishes_nothing() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    pass(&mut world, 31);
    claim(&mut world, "birch", &todo).unwrap();
    let late = LaneCommand::TodoFinish(finishing(&todo, Some("ash"), Some(1)));
    let stale = Refusal::StaleToken { todo: todo.clone(), given: 1, current: 2 };
    assert_eq!(as_lane(&mut world, "ash", late), Err(stale));
    assert_eq!(code(finish(&mut world, "ash", &todo)), Some(RefusalCode::Conflict));
    let own = LaneCommand::TodoFinish(finishing(&todo, Some("birch"), Some(2)));
    assert!(as_lane(&mut world, "birch", own).is_ok());
}

#[test]
fn a_lapsed_claim_that_nobody_took_over_still_finishes() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    pass(&mut world, 31);
    let late = LaneCommand::TodoFinish(finishing(&todo, Some("ash"), Some(1)));
    assert!(as_lane(&mut world, "ash", late).is_ok());
}

#[test]
fn work_that_a_lane_is_not_fit_for_is_refused() {
    for (change, fits) in [
        (TodoAdd { needs: [text("graft")].into(), ..titled("a") }, false),
        (TodoAdd { needs: [text("prune")].into(), ..titled("a") }, true),
        (TodoAdd { globs: vec![glob("src/core/**")], ..titled("a") }, true),
        (TodoAdd { globs: vec![glob("docs/**")], ..titled("a") }, false),
    ] {
        let mut world = world();
        let name = format!("{change:?}");
        let todo = the_todo(as_lane(&mut world, "ash", LaneCommand::TodoAdd(change)));
        let refused = (!fits).then_some(RefusalCode::Boundary);
        assert_eq!(code(claim(&mut world, "birch", &todo)), refused, "claim {name}");
        assert_eq!(code(finish(&mut world, "birch", &todo)), refused, "finish {name}");
    }
}

#[test]
fn what_stands_in_the_way_keeps_a_todo_from_being_taken() {
    let mut world = world();
    let (first, then) = (add(&mut world, "first"), add(&mut world, "then"));
    let on = Blocker::Todo(first.clone());
    as_lane(&mut world, "ash", LaneCommand::TodoBlock { todo: then.clone(), on }).unwrap();
    let held = Refusal::HeldBy { todo: then.clone(), by: first.to_string() };
    assert_eq!(claim(&mut world, "ash", &then), Err(held));
    finish(&mut world, "ash", &first).unwrap();
    assert!(claim(&mut world, "ash", &then).is_ok());
}

#[test]
fn a_todo_waits_neither_for_itself_nor_for_what_is_not_there() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let itself = LaneCommand::TodoBlock { todo: todo.clone(), on: Blocker::Todo(todo.clone()) };
    assert_eq!(code(as_lane(&mut world, "ash", itself)), Some(RefusalCode::Invalid));
    let nowhere = Blocker::Todo("todo_nowhere".parse().unwrap());
    let unknown = LaneCommand::TodoBlock { todo: todo.clone(), on: nowhere };
    assert_eq!(code(as_lane(&mut world, "ash", unknown)), Some(RefusalCode::NotFound));
}

#[test]
fn a_blocking_user_todo_holds_what_it_covers_for_every_lane() {
    let mut world = world();
    let (todo, other) = (add(&mut world, "prune"), add(&mut world, "graft"));
    let wish = for_user("buy a saw", only(&todo), Blocking::Blocking);
    let wish = the_todo(as_lane(&mut world, "ash", LaneCommand::TodoAdd(wish)));
    let held = Refusal::HeldBy { todo: todo.clone(), by: wish.to_string() };
    assert_eq!(claim(&mut world, "birch", &todo), Err(held));
    assert!(claim(&mut world, "birch", &other).is_ok());
    as_person(&mut world, AuthorityCommand::TodoFinish(finishing(&wish, None, None))).unwrap();
    assert!(claim(&mut world, "birch", &todo).is_ok());
}

#[test]
fn a_persons_todo_is_a_persons_to_change() {
    let commands = |todo: &TodoId| {
        [
            LaneCommand::TodoEdit(TodoEdit {
                todo: todo.clone(),
                title: Some(text("new")),
                priority: None,
                class: None,
                globs: None,
                needs: None,
                covers: None,
                blocking: None,
            }),
            LaneCommand::TodoFinish(finishing(todo, Some("ash"), None)),
            LaneCommand::TodoDrop(TodoDrop { todo: todo.clone(), reason: None }),
            LaneCommand::TodoDefer(TodoDefer { todo: todo.clone(), until: None }),
        ]
    };
    let mut world = world();
    let todo = add_for_user(&mut world, "buy a saw");
    let work = add(&mut world, "prune");
    for command in commands(&todo) {
        let name = command.name();
        assert_eq!(code(as_lane(&mut world, "ash", command)), Some(RefusalCode::NeedsPerson), "{name}");
    }
    let on = Blocker::Todo(todo.clone());
    as_lane(&mut world, "ash", LaneCommand::TodoBlock { todo: work.clone(), on: on.clone() }).unwrap();
    let off = TodoUnblock { todo: work, off: on };
    let by_lane = as_lane(&mut world, "ash", LaneCommand::TodoUnblock(off.clone()));
    assert_eq!(code(by_lane), Some(RefusalCode::NeedsPerson));
    assert!(as_person(&mut world, AuthorityCommand::TodoUnblock(off)).is_ok());
}

#[test]
fn another_lanes_work_is_not_dropped_or_put_off() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    claim(&mut world, "ash", &todo).unwrap();
    let drop = TodoDrop { todo: todo.clone(), reason: None };
    let defer = TodoDefer { todo: todo.clone(), until: None };
    let by_lane = as_lane(&mut world, "birch", LaneCommand::TodoDrop(drop));
    assert_eq!(code(by_lane), Some(RefusalCode::Conflict));
    let by_lane = as_lane(&mut world, "birch", LaneCommand::TodoDefer(defer.clone()));
    assert_eq!(code(by_lane), Some(RefusalCode::Conflict));
    as_person(&mut world, AuthorityCommand::TodoDefer(defer)).unwrap();
    assert_eq!(world.state.todos.get(&todo).unwrap().claim, None);
}

#[test]
fn a_deferred_todo_is_open_again_at_its_instant() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let until = |minutes| Some(world.now.saturating_add(jiff::SignedDuration::from_mins(minutes)).unwrap());
    let (past, ahead) = (until(-1), until(10));
    let defer = |until| LaneCommand::TodoDefer(TodoDefer { todo: todo.clone(), until });
    assert_eq!(code(as_lane(&mut world, "ash", defer(past))), Some(RefusalCode::Invalid));
    as_lane(&mut world, "ash", defer(ahead)).unwrap();
    assert_eq!(code(claim(&mut world, "ash", &todo)), Some(RefusalCode::Conflict));
    pass(&mut world, 10);
    assert!(claim(&mut world, "ash", &todo).is_ok());
}

#[test]
fn a_successor_must_be_there_and_be_another() {
    for (named, refused) in
        [(vec![], Some(RefusalCode::Invalid)), (vec!["todo_nowhere"], Some(RefusalCode::NotFound))]
    {
        let mut world = world();
        let todo = add(&mut world, "prune");
        let named = named.into_iter().map(|id| id.parse().unwrap()).collect();
        let finish =
            TodoFinish { succession: Succession::Named(named), ..finishing(&todo, Some("ash"), None) };
        assert_eq!(code(as_lane(&mut world, "ash", LaneCommand::TodoFinish(finish))), refused);
    }
}

#[test]
fn what_follows_a_finished_todo_can_be_said_later_and_taken_back() {
    let mut world = world();
    let todo = add(&mut world, "prune");
    let silent = TodoFinish { succession: Succession::Unsaid, ..finishing(&todo, Some("ash"), None) };
    as_lane(&mut world, "ash", LaneCommand::TodoFinish(silent)).unwrap();
    let unsaid =
        |world: &World| world.state.goal.as_ref().unwrap().last_finished.as_ref().unwrap().succession.clone();
    assert_eq!(unsaid(&world), Succession::Unsaid);
    let later = TodoFinish { succession: Succession::NoneNeeded, ..finishing(&todo, Some("ash"), None) };
    as_lane(&mut world, "ash", LaneCommand::TodoFinish(later.clone())).unwrap();
    assert_eq!(unsaid(&world), Succession::NoneNeeded, "the screen no longer asks for it");
    assert_eq!(world.refolded(), world.state);
    let again = as_lane(&mut world, "ash", LaneCommand::TodoFinish(later));
    assert_eq!(code(again), Some(RefusalCode::Conflict), "it was said");
    as_lane(&mut world, "ash", LaneCommand::Undo).unwrap();
    assert_eq!(unsaid(&world), Succession::Unsaid);
}

#[test]
fn no_list_grows_without_end() {
    let mut world = world();
    let many = |count: usize| (0..count).map(|n| text(&format!("skill {n}"))).collect();
    let wanting = |count| TodoAdd { needs: many(count), ..titled("graft") };
    let refused = as_lane(&mut world, "ash", LaneCommand::TodoAdd(wanting(65)));
    assert_eq!(code(refused), Some(RefusalCode::Invalid));
    assert!(as_lane(&mut world, "ash", LaneCommand::TodoAdd(wanting(64))).is_ok());
}

#[test]
fn next_is_claimed_only_if_it_is_still_what_was_shown() {
    let mut world = world();
    let first = add(&mut world, "first");
    let second = add(&mut world, "second");
    let next = |expect: &TodoId, slug| LaneCommand::NextClaim {
        agent: agent(slug),
        lease_minutes: 30,
        expect: expect.clone(),
    };
    let changed = Refusal::NextChanged { now: Some(first.clone()) };
    assert_eq!(as_lane(&mut world, "ash", next(&second, "ash")), Err(changed));
    as_lane(&mut world, "ash", next(&first, "ash")).unwrap();
    let changed = Refusal::NextChanged { now: Some(second.clone()) };
    assert_eq!(as_lane(&mut world, "birch", next(&first, "birch")), Err(changed));
    assert!(as_lane(&mut world, "birch", next(&second, "birch")).is_ok());
    assert_eq!(world.state.todos.get(&first).unwrap().state, TodoState::Open);
}
