//! Many processes after one thing at the same moment: one gets it, and each other is told who has it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use loopx_contract::{GateId, TodoId};
use loopx_core::TurnKey;
use loopx_core::command::{Decision, GateAsk, GateWithdraw, SpendDraft};
use loopx_core::gate::GateActor;
use loopx_core::quota::Amount;
use loopx_core::todo::Covers;
use loopx_core::{AuthorityCommand, Event, LaneCommand, Refusal, Request, Subject};
use loopx_store::conformance::script::{
    Ids, Script, agent, at, authority, by_lane, claim, goal, keyed, text, todo_add,
};
use loopx_store::{EventsOf, Receipt, SqliteStore, Store, StoreError};

use super::writer::{GOAL, lane};
use super::{LANES, count, prepare, process};
use crate::processes::{say, word};

/// Reads a line with what to race for, races, and says what came of it.
pub fn race(base: &Path, number: usize) {
    let mut store = SqliteStore::open(base).unwrap();
    let mut ids = Ids::apart(number as u64 + 1);
    say("ready");
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let round = words[0];
        let mut asked = |request: &Request| store.apply(request, at(100), &mut ids);

        let todo = TodoId::parse(words[1]).unwrap();
        say(&match asked(&claim(GOAL, &lane(number), &todo)) {
            Ok(_) => format!("todo {number}"),
            Err(StoreError::Refused(Refusal::Held { holder, .. })) => {
                holder.as_str().replace("lane", "todo ")
            }
            Err(error) => panic!("{error:?}"),
        });
        // A todo each, and one approval for one use over all of them.
        let mine = TodoId::parse(words[4 + number]).unwrap();
        say(&match asked(&claim(GOAL, &lane(number), &mine)) {
            Ok(_) => "gate won".to_owned(),
            Err(StoreError::Refused(Refusal::HeldBy { by, .. })) => format!("gate {by}"),
            Err(error) => panic!("{error:?}"),
        });
        let gate = GateId::parse(words[3]).unwrap();
        let withdraw = AuthorityCommand::GateWithdraw(GateWithdraw { gate, agent: None });
        say(&match asked(&authority(GOAL, withdraw)) {
            Ok(receipt) => format!("withdrawn {}", receipt.events.len()),
            Err(StoreError::Refused(Refusal::WrongState { thing, state, .. })) => {
                format!("late {thing} {state}")
            }
            Err(error) => panic!("{error:?}"),
        });
        let key = TurnKey::parse(&format!("turn-{round}")).expect("a key");
        let spend = SpendDraft {
            agent: Some(agent("lane0")),
            key,
            amount: Amount { turns: 1, minutes: 0, tokens: 0 },
            at: None,
        };
        let receipt = asked(&by_lane(GOAL, "lane0", LaneCommand::Spend(spend))).unwrap();
        say(&format!("turn {} {:?}", receipt.events.len(), receipt.subject));
        let once = keyed(todo_add(GOAL, "lane0", &format!("once {round}")), &format!("key-{round}"));
        let receipt = Receipt { replayed: false, ..asked(&once).unwrap() };
        say(&format!("key {receipt:?}"));
        say("over");
    }
}

/// Makes what a round is about: a todo for all, a gate over a todo each, and a gate to be withdrawn.
fn made(script: &mut Script<'_>, round: usize) -> (String, GateId, GateId) {
    let todo = script.todo_of("lane0", &format!("wanted {round}"));
    let each: Vec<TodoId> =
        (0..LANES).map(|number| script.todo_of("lane0", &format!("part {number} of {round}"))).collect();
    let gate = script.gate_over(&format!("may one part of {round} be done?"), each.iter().cloned());
    let decision = Decision::Approve { until: None, single_use: true };
    script.done(&authority(GOAL, AuthorityCommand::GateDecide { gate: gate.clone(), decision }));
    let other = script.gate_over(&format!("may {round} be asked?"), std::iter::once(each[0].clone()));
    let decision = Decision::Approve { until: None, single_use: false };
    script.done(&authority(GOAL, AuthorityCommand::GateDecide { gate: other.clone(), decision }));
    let each: Vec<&str> = each.iter().map(TodoId::as_str).collect();
    (format!("{round} {todo} {gate} {other} {}\n", each.join(" ")), gate, other)
}

trait Makes {
    fn todo_of(&mut self, lane: &str, title: &str) -> TodoId;
    fn gate_over(&mut self, question: &str, todos: impl Iterator<Item = TodoId>) -> GateId;
}

impl Makes for Script<'_> {
    fn todo_of(&mut self, lane: &str, title: &str) -> TodoId {
        let subject = self.done(&todo_add(GOAL, lane, title)).subject;
        let Subject::Todo(todo) = subject else { panic!("{subject:?} is no todo") };
        todo
    }

    fn gate_over(&mut self, question: &str, todos: impl Iterator<Item = TodoId>) -> GateId {
        let ask = GateAsk {
            question: text(question),
            actor: GateActor::Controller,
            covers: Covers { todos: todos.collect(), ..Covers::default() },
            expires_at: None,
            agent: Some(agent("lane0")),
        };
        let subject = self.done(&by_lane(GOAL, "lane0", LaneCommand::GateAsk(ask))).subject;
        let Subject::Gate(gate) = subject else { panic!("{subject:?} is no gate") };
        gate
    }
}

#[test]
fn of_many_processes_one_wins_and_the_rest_know_whom() {
    let rounds = count("LOOPX_RACES", 10);
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(folder.path()).unwrap();
    prepare(&mut store, &[GOAL]);
    let mut children: Vec<_> = (0..LANES)
        .map(|number| {
            process::<&str>(&[], "races", folder.path(), number, "").stdin(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut outputs: Vec<_> =
        children.iter_mut().map(|child| BufReader::new(child.stdout.take().unwrap()).lines()).collect();
    let mut all_said = |last: &str| {
        let mut words = Vec::new();
        for output in &mut outputs {
            words.extend(
                output.map_while(Result::ok).filter_map(|line| word(&line)).take_while(|word| word != last),
            );
        }
        words
    };
    assert!(all_said("ready").is_empty());
    for round in 0..rounds {
        let mut script = Script::new(&mut store);
        script.ids = Ids::apart(100 + round as u64);
        let (line, gate, other) = made(&mut script, round);
        for child in &mut children {
            child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        }
        let words = all_said("over");
        let of = |kind: &str| words.iter().filter(|word| word.starts_with(kind)).collect::<Vec<_>>();
        let different = |kind: &str| of(kind).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(words.len(), 5 * LANES);
        assert_eq!((of("todo").len(), different("todo").len()), (LANES, 1), "all name one holder: {words:?}");
        assert_eq!(of("gate won").len(), 1, "{words:?}");
        assert_eq!(of(&format!("gate {gate}")).len(), LANES - 1, "the rest name the gate: {words:?}");
        assert_eq!(of("withdrawn 1").len(), 1, "{words:?}");
        assert_eq!(of(&format!("late {other} withdrawn")).len(), LANES - 1, "{words:?}");
        assert_eq!((of("turn 1").len(), of("turn 0").len()), (1, LANES - 1), "{words:?}");
        assert_eq!((of("key").len(), different("key").len()), (LANES, 1), "one receipt: {words:?}");
    }
    drop(children.iter_mut().map(|child| child.stdin.take()).collect::<Vec<_>>());
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let events = store.events(EventsOf::Goal { goal: &goal(GOAL), after: 0 }, usize::MAX).unwrap();
    let spent = events.iter().filter(|event| matches!(event.recorded.event, Event::Spent { .. })).count();
    assert_eq!(spent, rounds);
    assert_eq!(store.doctor().unwrap(), []);
    println!("races: {rounds} rounds of {LANES} processes, one winner each");
}
