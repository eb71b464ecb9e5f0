//! Processes that die at any moment.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use loopx_store::SqliteStore;

use super::writer::Ack;
use super::{count, log, prepare, start};
use crate::processes::{said, word};

/// Rounds that share a goal.
const ROUNDS: usize = 10;

#[test]
fn what_was_acknowledged_survives_kill() {
    let rounds = count("LOOPX_KILLS", 20);
    let folder = tempfile::tempdir().unwrap();
    let goals: Vec<String> = (0..=rounds / ROUNDS).map(|number| format!("goal-{number}")).collect();
    let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
    prepare(&mut SqliteStore::open(folder.path()).unwrap(), &goals);
    let mut acknowledged: Vec<Ack> = Vec::new();
    for round in 0..rounds {
        let more = format!("{} r{round} 1000000", goals[round / ROUNDS]);
        let mut children: Vec<_> =
            (0..4).map(|number| start("writes", folder.path(), number, &more)).collect();
        let mut first = BufReader::new(children[0].stdout.take().unwrap()).lines();
        let begun = first.by_ref().map(Result::unwrap).find_map(|line| word(&line)).unwrap();
        // Somewhere in the next 120 ms; the writers' own pace adds to the chance.
        std::thread::sleep(Duration::from_micros((round as u64 * 7919 + 13) % 120_000));
        for child in &mut children {
            child.kill().unwrap();
        }
        let mut words = vec![begun];
        words.extend(first.map_while(Result::ok).filter_map(|line| word(&line)));
        for child in &mut children {
            words.extend(child.stdout.is_some().then(|| said(child)).into_iter().flatten());
            child.wait().unwrap();
        }
        acknowledged.extend(words.iter().map(|word| Ack::parse(word).unwrap()));
        let mut store = SqliteStore::open(folder.path()).unwrap();
        log::sound(&mut store, &acknowledged).unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
    let mut store = SqliteStore::open(folder.path()).unwrap();
    for ack in acknowledged.iter().filter(|ack| ack.kind == "add") {
        let request = super::writer::add(&ack.goal, ack.number(), &ack.name);
        let ids = &mut loopx_store::conformance::script::Ids::apart(77);
        let receipt =
            loopx_store::Store::apply(&mut store, &request, loopx_store::conformance::script::at(200), ids);
        assert!(receipt.is_ok_and(|receipt| receipt.replayed && receipt.revision == ack.revision), "{ack:?}");
    }
    log::sound(&mut store, &acknowledged).unwrap();
    assert!(acknowledged.len() > rounds, "{} acknowledged", acknowledged.len());
    println!("kill -9: {rounds} rounds of 4 writers, {} acknowledged, 0 lost", acknowledged.len());
}
