//! What is written step by step equals a fold of the whole log, for random histories of commands.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::testing::World;
use loopx_core::{Names, State};
use loopx_store::{SqliteStore, Store, StoreError};

fn everything(state: &State) -> Names {
    Names {
        ledger: loopx_core::state::LedgerPart::All,
        todos: state.todos.iter().map(|(id, _)| id.clone()).collect(),
        gates: state.gates.iter().map(|(id, _)| id.clone()).collect(),
        runs: state.runs.iter().map(|(id, _)| id.clone()).collect(),
        rewards: state.rewards.iter().map(|(id, _)| id.clone()).collect(),
        handoffs: state.handoffs.iter().map(|(id, _)| id.clone()).collect(),
        spends: state.spends.iter().map(|(key, _)| key.clone()).collect(),
    }
}

/// The ledger is read as far as a quota may count it, and compared by `doctor`; the rest of a state whole.
fn without_ledger(state: State) -> State {
    State { ledger: loopx_core::table::Table::default(), ..state }
}

#[test]
fn rows_equal_the_fold_in_random_histories() {
    let rounds: u64 = std::env::var("LOOPX_HISTORIES").map_or(12, |text| text.parse().unwrap());
    for seed in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(folder.path()).unwrap();
        let mut world = World::new(seed);
        let goal: GoalId = loopx_core::testing::goal();
        let start = world.log.clone();
        for recorded in &start {
            store.append_all(&goal, &recorded.actor, vec![(recorded.at, recorded.event.clone())]).unwrap();
        }
        for step in 0..150 {
            let request = world.request();
            let mut ids = world.random.clone();
            let stored = store.apply(&request, world.now, &mut ids);
            let decided = world.submit(&request);
            match (stored, decided) {
                (Ok(receipt), Ok(decided)) => {
                    assert_eq!(receipt.subject, decided.subject);
                    let events: Vec<_> = receipt.events.into_iter().map(|recorded| recorded.event).collect();
                    assert_eq!(events, decided.events, "seed {seed}, step {step}");
                }
                (Err(StoreError::Refused(stored)), Err(refusal)) => {
                    assert_eq!(stored, refusal, "seed {seed}, step {step}: {request:?}");
                }
                (stored, decided) => {
                    panic!("seed {seed}, step {step}: {request:?}\nstored {stored:?}\ndecided {decided:?}")
                }
            }
            world.wait();
        }
        assert_eq!(store.state_at(&goal, Timestamp::MAX).unwrap(), world.state);
        let loaded = store.load(&goal, &everything(&world.state)).unwrap();
        assert_eq!(without_ledger(loaded), without_ledger(world.state.clone()), "seed {seed}");
        assert_eq!(store.doctor().unwrap(), [], "seed {seed}");
    }
}
