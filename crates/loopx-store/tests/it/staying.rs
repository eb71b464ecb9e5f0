//! One who stays is told of every goal what a fresh reader is told, whatever was written meanwhile.

use std::path::Path;

use loopx_contract::{GoalId, Ref};
use loopx_core::ProofFloor;
use loopx_core::binding::{Binding, BindingTarget};
use loopx_core::command::AuthorityCommand as Command;
use loopx_store::conformance::script::{
    Ids, Script, agent, agent_add, at, authority, goal, goal_add, keyed, person, todo_add,
};
use loopx_store::{DamageCode, GoalSummary, PurgeTarget, SqliteStore, Store};

type Told = (Vec<GoalSummary>, Vec<(GoalId, Binding)>);

fn told(store: &mut SqliteStore) -> Told {
    (store.goals().unwrap(), store.bindings().unwrap())
}

/// Both are told the same, the one who stays twice.
#[track_caller]
fn agrees(base: &Path, stays: &mut SqliteStore, after: &str) -> Told {
    let fresh = told(&mut SqliteStore::open(base).unwrap());
    assert_eq!(told(stays), fresh, "after {after}");
    assert_eq!(told(stays), fresh, "again after {after}");
    fresh
}

fn folder(name: &str) -> BindingTarget {
    BindingTarget::Folder(Ref::parse(name).unwrap())
}

fn bind(goal: &str, name: &str, lane: Option<&str>) -> loopx_core::Request {
    authority(goal, Command::Bind { target: folder(name), agent: lane.map(agent) })
}

#[test]
fn whatever_is_written_is_told_to_one_who_stays() {
    let room = tempfile::tempdir().unwrap();
    let base = room.path().join("base");
    let mut stays = SqliteStore::open(&base).unwrap();
    agrees(&base, &mut stays, "nothing");
    let mut store = SqliteStore::open(&base).unwrap();
    let mut write = |request: &loopx_core::Request, number: u64| {
        let mut script = Script::new(&mut store);
        script.ids = Ids::apart(usize::try_from(number).unwrap() as _);
        script.done(request)
    };
    // The first goal's name comes last: what is bound is told in the order of its numbers.
    write(&goal_add("two", ProofFloor::None), 1);
    agrees(&base, &mut stays, "a goal");
    write(&goal_add("one", ProofFloor::None), 2);
    write(&agent_add("one", "left"), 3);
    agrees(&base, &mut stays, "another goal");
    write(&bind("one", "folder_one", Some("left")), 4);
    assert_eq!(agrees(&base, &mut stays, "a bind").1.len(), 1);
    write(&bind("two", "folder_two", None), 5);
    write(&bind("two", "folder_three", None), 6);
    assert_eq!(agrees(&base, &mut stays, "more of them").1.len(), 3);
    write(&authority("two", Command::Unbind { target: folder("folder_two") }), 7);
    assert_eq!(agrees(&base, &mut stays, "an unbind").1.len(), 2);
    write(&authority("one", Command::GoalPause), 8);
    let paused = agrees(&base, &mut stays, "a pause");
    write(&authority("one", Command::GoalResume), 9);
    assert_ne!(agrees(&base, &mut stays, "a resume"), paused);
    let receipt = write(&keyed(todo_add("one", "left", "to be purged"), "k"), 10);
    agrees(&base, &mut stays, "a todo");
    let target = PurgeTarget::Revisions(vec![receipt.revision]);
    store.purge(&goal("one"), &target, &person(), at(1000), None).unwrap();
    agrees(&base, &mut stays, "a purge");
}

#[test]
fn what_another_wrote_is_told_to_one_who_stays() {
    let room = tempfile::tempdir().unwrap();
    let (base, copy) = (room.path().join("base"), room.path().join("copy.db"));
    let mut store = SqliteStore::open(&base).unwrap();
    for id in ["one", "two"] {
        Script::new(&mut store).done(&goal_add(id, ProofFloor::None));
        Script::new(&mut store).done(&bind(id, &format!("folder_{id}"), None));
    }
    let mut stays = SqliteStore::open(&base).unwrap();
    agrees(&base, &mut stays, "two goals");
    store.backup(&copy).unwrap();
    Script::new(&mut store).done(&bind("one", "folder_more", None));
    assert_eq!(agrees(&base, &mut stays, "a bind").1.len(), 3);
    drop(store);
    let conn = rusqlite::Connection::open(base.join("loopx.db")).unwrap();
    conn.execute("DELETE FROM event WHERE goal = 2 AND revision = 2", []).unwrap();
    drop(conn);
    let (goals, bound) = agrees(&base, &mut stays, "a foreign write");
    assert_eq!(goals[1].damage.as_ref().map(|damage| damage.code), Some(DamageCode::EventMissing));
    assert_eq!(bound.len(), 2, "nothing is taken of a goal that is damaged");
}
