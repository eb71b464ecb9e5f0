//! Several processes on one store, and processes that die at any moment. The test binary starts itself again as a writer.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use loopx_contract::TodoId;
use loopx_core::{Names, ProofFloor, Refusal};
use loopx_store::conformance::script::{Ids, Script, agent_add, at, claim, goal, goal_add, keyed, todo_add};
use loopx_store::{SqliteStore, Store, StoreError};

const ROLE: &str = "LOOPX_STORE_TEST_ROLE";

fn start(role: &str, base: &Path, number: usize, more: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::another_process", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env("LOOPX_STORE_TEST_BASE", base)
        .env("LOOPX_STORE_TEST_NUMBER", number.to_string())
        .env("LOOPX_STORE_TEST_MORE", more)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The words after `said:` that a process said.
pub fn said(child: &mut Child) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // A line that is cut by the death of the process was not said.
    lines.map_while(Result::ok).filter_map(|line| word(&line)).collect()
}

/// A line that is cut by the death of the process ends without the mark, and was not said.
pub fn word(line: &str) -> Option<String> {
    line.split_once("said:")?.1.strip_suffix('.').map(str::to_owned)
}

pub fn say(word: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\nsaid:{word}.\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

#[test]
fn another_process() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let base = std::env::var("LOOPX_STORE_TEST_BASE").unwrap();
    let number: usize = std::env::var("LOOPX_STORE_TEST_NUMBER").unwrap().parse().unwrap();
    let more = std::env::var("LOOPX_STORE_TEST_MORE").unwrap();
    let mut store = SqliteStore::open(Path::new(&base)).unwrap();
    let mut ids = Ids::apart(number as u64 + 1);
    match role.as_str() {
        "claims" => {
            let todo = TodoId::parse(&more).unwrap();
            match store.apply(&claim("one", &format!("lane{number}"), &todo), at(100), &mut ids) {
                Ok(_) => say("won"),
                Err(StoreError::Refused(Refusal::Held { holder, .. })) => say(holder.as_str()),
                Err(error) => panic!("{error:?}"),
            }
        }
        "same key" => {
            let receipt =
                store.apply(&keyed(todo_add("one", "lane0", "once"), "key"), at(100), &mut ids).unwrap();
            say(&format!(
                "{} {} {:?} {:?}",
                receipt.command, receipt.revision, receipt.subject, receipt.events
            ));
        }
        "adds" => {
            for turn in 0.. {
                let name = format!("{more}-{number}-{turn}");
                let add = keyed(todo_add("one", "lane0", &format!("part {name}")), &name);
                let receipt = store.apply(&add, at(100), &mut ids).unwrap();
                say(&format!("{} {name}", receipt.revision));
            }
        }
        "holds the lock" => {
            let file =
                std::fs::File::options().write(true).open(Path::new(&base).join("loopx.lock")).unwrap();
            file.lock().unwrap();
            say("held");
            std::thread::sleep(Duration::from_mins(1));
        }
        "reads" => {
            for _ in 0..200 {
                let goals = store.goals().unwrap();
                assert!(goals.iter().all(|goal| goal.damage.is_none()), "{goals:?}");
                store.load(&goal("one"), &Names::default()).unwrap();
                store = SqliteStore::open(Path::new(&base)).unwrap();
            }
            say("read");
        }
        other => panic!("{other}"),
    }
}

const MANY: usize = 8;

fn prepared(base: &Path) -> (SqliteStore, TodoId) {
    let mut store = SqliteStore::open(base).unwrap();
    let mut script = Script::new(&mut store);
    script.done(&goal_add("one", ProofFloor::None));
    for number in 0..MANY {
        script.done(&agent_add("one", &format!("lane{number}")));
    }
    script.done(&agent_add("one", "left"));
    let todo = script.todo("one", "wanted by all");
    (store, todo)
}

#[test]
fn of_many_processes_one_gets_the_todo() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, todo) = prepared(folder.path());
    let children: Vec<_> =
        (0..MANY).map(|number| start("claims", folder.path(), number, todo.as_str())).collect();
    let mut words: Vec<String> = children.into_iter().flat_map(|mut child| said(&mut child)).collect();
    words.sort();
    assert_eq!(words.len(), MANY);
    assert_eq!(words.iter().filter(|word| *word == "won").count(), 1, "{words:?}");
    let state = store.load(&goal("one"), &Names::default()).unwrap();
    let holder = state.todos.get(&todo).unwrap().claim.as_ref().unwrap().agent.to_string();
    assert_eq!(words.iter().filter(|word| **word == holder).count(), MANY - 1, "{words:?}");
}

#[test]
fn many_processes_with_one_key_get_one_receipt() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, _) = prepared(folder.path());
    let before = store.goals().unwrap()[0].revision;
    let children: Vec<_> = (0..MANY).map(|number| start("same key", folder.path(), number, "")).collect();
    let words: BTreeSet<String> = children.into_iter().flat_map(|mut child| said(&mut child)).collect();
    assert_eq!(words.len(), 1, "{words:?}");
    assert_eq!(store.goals().unwrap()[0].revision, before + 1);
}

#[test]
fn a_reader_beside_writers_never_sees_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, _) = prepared(folder.path());
    let mut writers: Vec<_> = (0..2).map(|number| start("adds", folder.path(), number, "busy")).collect();
    let mut reader = start("reads", folder.path(), 9, "");
    assert_eq!(said(&mut reader), ["read"]);
    for writer in &mut writers {
        writer.kill().unwrap();
        writer.wait().unwrap();
    }
    assert_eq!(store.doctor().unwrap(), []);
}

#[test]
fn a_writer_waits_for_a_bounded_time() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, todo) = prepared(folder.path());
    let mut holder = start("holds the lock", folder.path(), 0, "");
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    while !lines.next().unwrap().unwrap().contains("said:held") {}
    let start = std::time::Instant::now();
    let refused = store.apply(&claim("one", "left", &todo), at(100), &mut Ids::apart(7));
    assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
    assert!(start.elapsed() < Duration::from_secs(15));
    assert!(store.load(&goal("one"), &Names::default()).is_ok(), "readers go on");
    holder.kill().unwrap();
    holder.wait().unwrap();
    store.apply(&claim("one", "left", &todo), at(100), &mut Ids::apart(7)).unwrap();
}
