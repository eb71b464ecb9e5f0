//! Files, versions, copies and purges.

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use loopx_core::Names;
use loopx_store::conformance::script::{Script, at, goal, keyed, person, todo_add};
use loopx_store::{PurgeTarget, SqliteStore, Store, StoreError};

fn filled(base: &Path) -> SqliteStore {
    let mut store = SqliteStore::open(base).unwrap();
    let mut script = Script::new(&mut store);
    script.goal("one");
    script.finished("one", "closed");
    script.todo("one", "open");
    store
}

fn holds(base: &Path, needle: &[u8]) -> Vec<String> {
    let files = base.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let holding =
        files.filter(|file| fs::read(file).unwrap().windows(needle.len()).any(|part| part == needle));
    holding.map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn a_purge_leaves_no_byte_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = filled(folder.path());
    let needle = "the canary sings at dawn";
    let mut script = Script::new(&mut store);
    script.ids = loopx_store::conformance::script::Ids::apart(3);
    for number in 0..300 {
        script.todo("one", &format!("filler number {number} of the same length"));
    }
    let receipt = script.done(&keyed(todo_add("one", "left", needle), "k"));
    for number in 300..400 {
        script.todo("one", &format!("filler number {number} of the same length"));
    }
    assert!(!holds(folder.path(), needle.as_bytes()).is_empty());
    let target = PurgeTarget::Revisions(vec![receipt.revision]);
    store.purge(&goal("one"), &target, &person(), at(1000), None).unwrap();
    assert!(
        holds(folder.path(), needle.as_bytes()).is_empty(),
        "{:?}",
        holds(folder.path(), needle.as_bytes())
    );
    assert_eq!(store.doctor().unwrap(), []);
    assert_eq!(SqliteStore::open(folder.path()).unwrap().doctor().unwrap(), []);
}

#[test]
fn a_purge_names_the_copies_that_hold_the_text_still() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = filled(folder.path());
    for name in ["loopx.2.db", "loopx.1.db", "loopx.1.db-wal", "notes.db", "loopx.toml"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let unspeakable = std::ffi::OsStr::from_bytes(b"loopx.\xff.db");
    fs::write(folder.path().join(unspeakable), "").unwrap();
    let target = PurgeTarget::Revisions(vec![4]);
    let summary = store.purge(&goal("one"), &target, &person(), at(1000), None).unwrap();
    assert_eq!(summary.copies, ["loopx.1.db", "loopx.1.db-wal", "loopx.2.db", "loopx.\u{fffd}.db"]);
}

#[test]
fn a_purge_waits_for_no_reader_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = filled(folder.path());
    let conn = rusqlite::Connection::open(folder.path().join("loopx.db")).unwrap();
    conn.execute_batch("BEGIN; SELECT * FROM event;").unwrap();
    let purged = store.purge(&goal("one"), &PurgeTarget::Revisions(vec![4]), &person(), at(1000), None);
    assert_eq!(purged, Err(StoreError::PurgePending));
    conn.execute_batch("COMMIT").unwrap();
    let again =
        store.purge(&goal("one"), &PurgeTarget::Revisions(vec![4]), &person(), at(1001), None).unwrap();
    assert_eq!((again.texts, again.purged), (0, vec![4]));
    assert!(holds(folder.path(), b"closed").iter().all(|name| name != "loopx.db-wal"));
}

#[test]
fn what_others_may_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    drop(filled(&base));
    for (file, mode) in
        [(".", 0o770), (".", 0o707), ("loopx.db", 0o620), ("loopx.db-wal", 0o602), ("seal.json", 0o622)]
    {
        let path = base.join(file);
        let right = fs::metadata(&path).unwrap().mode();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let refused = SqliteStore::open(&base).err().unwrap();
        assert!(
            matches!(&refused, StoreError::Permissions { file: named, .. } if *named == file),
            "{refused:?}"
        );
        assert!(refused.hint().contains("chmod"));
        fs::set_permissions(&path, Permissions::from_mode(right)).unwrap();
    }
    assert_eq!(SqliteStore::open(&base).unwrap().goals().unwrap().len(), 1);
}

#[test]
fn an_older_store_is_migrated_after_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path()));
    let conn = rusqlite::Connection::open(folder.path().join("loopx.db")).unwrap();
    // Version 0 had the log alone.
    conn.execute_batch(
        "DROP TABLE head; DROP TABLE entity; ALTER TABLE event DROP COLUMN signature; PRAGMA user_version = 0;",
    )
    .unwrap();
    drop(conn);
    fs::remove_file(folder.path().join("seal.json")).unwrap();
    let mut store = SqliteStore::open(folder.path()).unwrap();
    assert_eq!(store.load(&goal("one"), &Names::default()).unwrap().todos.len(), 1);
    assert_eq!(store.doctor().unwrap(), []);
    let backup = folder.path().join("loopx.v0.backup.db");
    assert_eq!(fs::metadata(&backup).unwrap().mode() & 0o777, 0o600);
    let old = rusqlite::Connection::open(backup).unwrap();
    assert_eq!(old.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    let mut script = Script::new(&mut store);
    script.ids = loopx_store::conformance::script::Ids::apart(3);
    script.todo("one", "goes on");
}

#[test]
fn a_store_without_signatures_is_migrated_and_can_be_locked() {
    use crate::signed::{Key, lock, signed};
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path()));
    let conn = rusqlite::Connection::open(folder.path().join("loopx.db")).unwrap();
    conn.execute_batch("ALTER TABLE event DROP COLUMN signature; PRAGMA user_version = 1;").unwrap();
    drop(conn);
    let mut store = SqliteStore::open(folder.path()).unwrap();
    assert_eq!(store.load(&goal("one"), &Names::default()).unwrap().todos.len(), 1);
    assert!(folder.path().join("loopx.v1.backup.db").exists());
    let key = Key::new(1);
    signed(&mut store, &lock("one", &key), Some(&key)).unwrap();
    assert_eq!(store.doctor().unwrap(), []);
}

#[test]
fn a_newer_store_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path()));
    let conn = rusqlite::Connection::open(folder.path().join("loopx.db")).unwrap();
    conn.execute_batch("PRAGMA user_version = 7").unwrap();
    let before = fs::read(folder.path().join("seal.json")).unwrap();
    let mut store = SqliteStore::open(folder.path()).unwrap();
    let newer = StoreError::Newer { found: 7, known: 2 };
    assert_eq!(store.goals(), Err(newer.clone()));
    assert_eq!(Script::new(&mut store).apply(&todo_add("one", "left", "x")), Err(newer.clone()));
    assert!(newer.to_string().contains('7') && newer.to_string().contains('2'));
    assert_eq!(fs::read(folder.path().join("seal.json")).unwrap(), before);
}

#[test]
fn a_backup_is_whole_and_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let (base, copy) = (folder.path().join("base"), folder.path().join("copy.db"));
    let mut store = filled(&base);
    store.backup(&copy).unwrap();
    assert_eq!(fs::metadata(&copy).unwrap().mode() & 0o777, 0o600);
    assert!(store.backup(&copy).is_err(), "nothing is overwritten");
    let before = store.load(&goal("one"), &Names::default()).unwrap();
    let mut script = Script::new(&mut store);
    script.ids = loopx_store::conformance::script::Ids::apart(3);
    script.todo("one", "after the backup");
    fs::remove_file(base.join("loopx.db-wal")).unwrap();
    fs::write(base.join("loopx.db"), b"ruined").unwrap();
    let mut store = SqliteStore::open(&base).unwrap();
    assert!(store.load(&goal("one"), &Names::default()).is_err());
    store.restore(&copy).unwrap();
    assert_eq!(store.load(&goal("one"), &Names::default()).unwrap(), before);
    assert_eq!(SqliteStore::open(&base).unwrap().doctor().unwrap(), []);
    let torn = folder.path().join("torn.db");
    fs::write(&torn, &fs::read(&copy).unwrap()[..8192]).unwrap();
    assert!(store.restore(&torn).is_err());
    assert_eq!(store.load(&goal("one"), &Names::default()).unwrap(), before);
}

/// Others read and write all the while: nobody is refused, nothing is lost, and the text is gone at the end.
#[test]
fn a_purge_beside_readers_and_writers() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path()));
    let base = folder.path();
    let needle = "the canary sings at dawn";
    let revision = {
        let mut store = SqliteStore::open(base).unwrap();
        let mut script = Script::new(&mut store);
        script.ids = loopx_store::conformance::script::Ids::apart(30);
        script.done(&keyed(todo_add("one", "left", needle), "k")).revision
    };
    let (rounds, writers) = (12, 2_u8);
    std::thread::scope(|threads| {
        for writer in 0..writers {
            threads.spawn(move || {
                let mut store = SqliteStore::open(base).unwrap();
                let mut script = Script::new(&mut store);
                script.ids = loopx_store::conformance::script::Ids::apart((20 + writer).into());
                for round in 0..rounds {
                    script.todo("one", &format!("round {round} of writer {writer}"));
                }
            });
        }
        threads.spawn(|| {
            let mut store = SqliteStore::open(base).unwrap();
            for _ in 0..rounds * 4 {
                let state = store.load(&goal("one"), &Names::default()).unwrap();
                let title = |title: &str| title == needle || title == "[purged]";
                assert!(state.todos.values().any(|todo| title(todo.title.as_str())), "it is there or purged");
            }
        });
        threads.spawn(|| {
            let mut store = SqliteStore::open(base).unwrap();
            let target = PurgeTarget::Revisions(vec![revision]);
            store.purge(&goal("one"), &target, &person(), at(1000), None).unwrap();
        });
    });
    let mut store = SqliteStore::open(base).unwrap();
    assert_eq!(store.doctor().unwrap(), []);
    let state = store.load(&goal("one"), &Names::default()).unwrap();
    let added = state.todos.values().filter(|todo| todo.title.as_str().starts_with("round ")).count();
    assert_eq!(added, rounds * usize::from(writers));
    assert_eq!(holds(base, needle.as_bytes()), Vec::<String>::new());
}
