//! Every damage is noticed, named, kept to its goal where it can be, and never read as if it were sound.

use std::fs;
use std::path::{Path, PathBuf};

use loopx_core::{Names, ProofFloor};
use loopx_store::conformance::script::{Script, agent_add, goal, goal_add, keyed, todo_add};
use loopx_store::{DamageCode, EventsOf, SqliteStore, Store, StoreError};

/// Two goals and a key. Everything is in the database file, nothing in the write-ahead log.
fn sound(folder: &Path) -> PathBuf {
    let base = folder.join("base");
    let mut store = SqliteStore::open(&base).unwrap();
    let mut script = Script::new(&mut store);
    for id in ["one", "two"] {
        script.done(&goal_add(id, ProofFloor::None));
        script.done(&agent_add(id, "left"));
        for number in 0..12 {
            script.finished(id, &format!("finished work item number {number}"));
            script.todo(id, &format!("open work item number {number}"));
        }
        script.done(&keyed(todo_add(id, "left", "once"), "key"));
    }
    drop(store);
    base
}

fn settled(base: &Path) {
    let conn = rusqlite::Connection::open(base.join("loopx.db")).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(conn);
    SqliteStore::open(base).unwrap().goals().unwrap();
}

fn sql(base: &Path, statement: &str) {
    let conn = rusqlite::Connection::open(base.join("loopx.db")).unwrap();
    assert!(conn.execute(statement, []).unwrap() > 0, "{statement}");
}

fn code(result: Result<impl std::fmt::Debug, StoreError>) -> DamageCode {
    match result {
        Err(StoreError::Damaged(damage)) => {
            assert!(damage.way_out().contains('`'), "a way out is a command");
            damage.code
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_foreign_write_closes_its_goal_alone() {
    use DamageCode as D;
    let cases = [
        ("UPDATE event SET body = replace(body, 'P2', 'P0') WHERE goal = 1 AND revision = 3", D::ChainBroken),
        ("UPDATE event SET at = at + 1 WHERE goal = 1 AND revision = 3", D::ChainBroken),
        (
            "UPDATE event SET actor = replace(actor, 'terminal', 'browser') WHERE goal = 1 AND revision = 1",
            D::ChainBroken,
        ),
        ("UPDATE event SET hash = zeroblob(32) WHERE goal = 1 AND revision = 5", D::ChainBroken),
        ("DELETE FROM event WHERE goal = 1 AND revision = 7", D::EventMissing),
        (
            "DELETE FROM event WHERE goal = 1 AND revision = (SELECT max(revision) FROM event WHERE goal = 1)",
            D::EventMissing,
        ),
        (
            "INSERT INTO event SELECT NULL, goal, 99, command, at, actor, body, imported, hash, signature FROM event WHERE goal = 1 AND revision = 3",
            D::HeadDiffers,
        ),
        ("UPDATE text SET text = 'other' WHERE goal = 1 AND revision = 3", D::TextChanged),
        ("UPDATE text SET text = NULL, key = NULL WHERE goal = 1 AND revision = 3", D::TextChanged),
        ("DELETE FROM text WHERE goal = 1 AND revision = 3", D::TextChanged),
        (
            "UPDATE entity SET body = replace(body, 'open', 'dropped') WHERE goal = 1 AND kind = 2",
            D::RowsDiffer,
        ),
        (
            "DELETE FROM entity WHERE place = (SELECT min(place) FROM entity WHERE goal = 1 AND kind = 2)",
            D::RowsDiffer,
        ),
        ("DELETE FROM entity WHERE place = (SELECT max(place) FROM entity WHERE goal = 1)", D::RowsDiffer),
        ("UPDATE head SET revision = revision - 1 WHERE goal = 1", D::HeadDiffers),
        ("UPDATE head SET body = replace(body, 'active', 'paused') WHERE goal = 1", D::HeadDiffers),
        ("DELETE FROM head WHERE goal = 1", D::HeadDiffers),
        ("DELETE FROM key WHERE goal = 1", D::KeysDiffer),
        ("UPDATE key SET last = last - 1 WHERE goal = 1", D::KeysDiffer),
        ("DELETE FROM goal WHERE num = 1", D::RolledBack),
    ];
    for (statement, want) in cases {
        let folder = tempfile::tempdir().unwrap();
        let base = sound(folder.path());
        sql(&base, statement);
        let mut store = SqliteStore::open(&base).unwrap();
        assert_eq!(code(store.load(&goal("one"), &Names::default())), want, "{statement}");
        assert_eq!(code(store.events(EventsOf::Goal { goal: &goal("one"), after: 0 }, 9)), want);
        let two = store.load(&goal("two"), &Names::default()).unwrap();
        let all = store.events(EventsOf::All { after: 0 }, 1000).unwrap();
        assert!(all.iter().all(|event| event.recorded.goal == goal("two")));
        assert_eq!(all.len() as u64, two.revision);
        let mut script = Script::new(&mut store);
        script.ids = loopx_store::conformance::script::Ids::apart(9);
        script.todo("two", "goes on");
        assert_eq!(code(script.apply(&todo_add("one", "left", "no more"))), want);
        // Another process, after that write.
        let mut store = SqliteStore::open(&base).unwrap();
        let goals = store.goals().unwrap();
        let damage: Vec<_> =
            goals.iter().map(|goal| goal.damage.as_ref().map(|damage| damage.code)).collect();
        assert_eq!(damage, [Some(want), None], "{statement}");
        assert_eq!(store.doctor().unwrap().len(), 1);
    }
}

#[test]
fn rows_are_built_again_from_a_sound_log() {
    let folder = tempfile::tempdir().unwrap();
    let base = sound(folder.path());
    sql(&base, "DELETE FROM entity WHERE goal = 1");
    let mut store = SqliteStore::open(&base).unwrap();
    assert!(store.load(&goal("one"), &Names::default()).is_err());
    store.rebuild(&goal("one")).unwrap();
    assert_eq!(store.load(&goal("one"), &Names::default()).unwrap().todos.len(), 13);
    assert_eq!(store.doctor().unwrap(), []);
}

fn all_goals(base: &Path) -> Vec<Option<DamageCode>> {
    let goals = SqliteStore::open(base).unwrap().goals().unwrap();
    goals.iter().map(|goal| goal.damage.as_ref().map(|damage| damage.code)).collect()
}

#[test]
fn a_file_that_is_gone_or_cut_closes_every_goal() {
    type Harm = fn(&Path);
    let cases: [(Harm, DamageCode); 5] = [
        (|base| fs::remove_file(base.join("loopx.db")).unwrap(), DamageCode::MissingFile),
        (|base| fs::write(base.join("loopx.db"), b"").unwrap(), DamageCode::NotADatabase),
        (
            |base| fs::write(base.join("loopx.db"), b"not a database at all".repeat(300)).unwrap(),
            DamageCode::NotADatabase,
        ),
        (
            |base| {
                fs::remove_file(base.join("loopx.db")).unwrap();
                rusqlite::Connection::open(base.join("loopx.db"))
                    .unwrap()
                    .execute("CREATE TABLE t (x)", [])
                    .unwrap();
                fs::set_permissions(
                    base.join("loopx.db"),
                    std::os::unix::fs::PermissionsExt::from_mode(0o600),
                )
                .unwrap();
            },
            DamageCode::NotADatabase,
        ),
        (
            |base| {
                let file = fs::File::options().write(true).open(base.join("loopx.db")).unwrap();
                file.set_len(8192).unwrap();
            },
            DamageCode::Unreadable,
        ),
    ];
    for (harm, want) in cases {
        let folder = tempfile::tempdir().unwrap();
        let base = sound(folder.path());
        settled(&base);
        harm(&base);
        assert_eq!(all_goals(&base), [Some(want), Some(want)]);
        let mut store = SqliteStore::open(&base).unwrap();
        assert_eq!(store.bindings().unwrap(), []);
        assert_eq!(code(Script::new(&mut store).apply(&goal_add("new", ProofFloor::None))), want);
        assert_eq!(code(store.load(&goal("one"), &Names::default())), want);
        assert!(!store.doctor().unwrap().is_empty());
    }
}

#[test]
fn an_older_copy_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let base = sound(folder.path());
    settled(&base);
    let old = fs::read(base.join("loopx.db")).unwrap();
    let mut store = SqliteStore::open(&base).unwrap();
    Script::new(&mut store).done(&agent_add("one", "later"));
    drop(store);
    settled(&base);
    fs::write(base.join("loopx.db"), old).unwrap();
    assert_eq!(all_goals(&base), [Some(DamageCode::RolledBack), None]);
    fs::remove_file(base.join("seal.json")).unwrap();
    assert_eq!(all_goals(&base), [None, None], "accepted, as its way out says");
}

#[test]
fn a_lost_write_ahead_log_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let base = sound(folder.path());
    settled(&base);
    let mut store = SqliteStore::open(&base).unwrap();
    Script::new(&mut store).done(&agent_add("one", "later"));
    drop(store);
    fs::remove_file(base.join("loopx.db-wal")).unwrap();
    fs::remove_file(base.join("loopx.db-shm")).unwrap();
    assert_eq!(all_goals(&base), [Some(DamageCode::RolledBack), None]);
}

#[test]
fn a_stale_or_broken_seal_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let base = sound(folder.path());
    for seal in ["", "{}", "not json"] {
        fs::write(base.join("seal.json"), seal).unwrap();
        assert_eq!(all_goals(&base), [None, None]);
    }
}

/// What a reader gets of a goal: all of it, or nothing.
fn reading(base: &Path, id: &str) -> Result<(loopx_core::State, Vec<loopx_store::Logged>), StoreError> {
    let mut store = SqliteStore::open(base)?;
    let state = store.load(&goal(id), &Names::default())?;
    Ok((state, store.events(EventsOf::Goal { goal: &goal(id), after: 0 }, 10_000)?))
}

#[test]
fn a_flipped_bit_is_never_read_as_sound() {
    let folder = tempfile::tempdir().unwrap();
    let base = sound(folder.path());
    settled(&base);
    let mut store = SqliteStore::open(&base).unwrap();
    Script::new(&mut store).done(&agent_add("one", "later"));
    drop(store);
    let right = ["one", "two"].map(|id| reading(&base, id).unwrap());
    let kept =
        ["loopx.db", "loopx.db-wal", "seal.json"].map(|name| (name, fs::read(base.join(name)).unwrap()));
    let times =
        ["loopx.db", "loopx.db-wal"].map(|name| fs::metadata(base.join(name)).unwrap().modified().unwrap());
    let flips: usize = std::env::var("LOOPX_FLIPS").map_or(120, |text| text.parse().unwrap());
    let (mut noticed, mut apart) = (0, 0);
    for flip in 0..flips {
        let (name, bytes) = &kept[usize::from(flip % 4 == 3)];
        let at = (flip * 7919 + flip * flip * 31) % bytes.len();
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (flip % 8);
        for hidden in [false, true] {
            for (name, bytes) in &kept {
                fs::write(base.join(name), bytes).unwrap();
            }
            let _ = fs::remove_file(base.join("loopx.db-shm"));
            fs::write(base.join(name), &flipped).unwrap();
            if hidden {
                // As if the disk had done it: with a seal that fits.
                for ((name, _), time) in kept.iter().zip(times) {
                    let file = fs::File::options().write(true).open(base.join(name)).unwrap();
                    file.set_times(fs::FileTimes::new().set_modified(time)).unwrap();
                }
            }
            let found = ["one", "two"].map(|id| reading(&base, id));
            let mut wrong = 0;
            for ((found, right), id) in found.into_iter().zip(&right).zip(["one", "two"]) {
                match found {
                    Ok(found) => assert!(found == *right, "flip {flip} at {at} of {name}: {id} differs"),
                    Err(StoreError::Damaged(_) | StoreError::Newer { .. } | StoreError::Older { .. }) => {
                        wrong += 1;
                    }
                    Err(error) => panic!("flip {flip} at {at} of {name}: {error:?}"),
                }
            }
            noticed += usize::from(wrong > 0);
            apart += usize::from(wrong == 1);
        }
    }
    assert!(noticed > flips / 2 && apart > 0, "noticed {noticed}, of one goal alone {apart}");
}

#[test]
fn a_database_that_could_not_be_looked_at_was_taken_for_none() {
    // As where no permission is left for the folder; here its files' names are longer than the system takes.
    let mut base = tempfile::tempdir().unwrap().keep();
    let made = base.clone();
    while base.as_os_str().len() < 4090 {
        let left = 4090 - base.as_os_str().len() - 1;
        base.push("x".repeat(if left > 200 { 100 } else { left }));
    }
    fs::create_dir_all(&base).unwrap();
    let looked = SqliteStore::open(&base).and_then(|mut store| store.goals().map(|goals| goals.len()));
    fs::remove_dir_all(made).unwrap();
    assert!(matches!(looked, Err(StoreError::Io { .. })), "{looked:?}");
}
