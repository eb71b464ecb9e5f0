//! The writing loop, and what it acknowledges.

use std::path::Path;

use loopx_contract::{Ref, TodoId};
use loopx_core::TurnKey;
use loopx_core::command::{RunDraft, SpendDraft, TodoFinish};
use loopx_core::quota::Amount;
use loopx_core::run::RunKind;
use loopx_core::todo::Succession;
use loopx_core::{LaneCommand, Request, Subject};
use loopx_safety::Private;
use loopx_store::conformance::script::{Ids, agent, at, by_lane, claim, keyed, text, todo_add};
use loopx_store::{Receipt, SqliteStore, Store, StoreError};

use crate::processes::say;

/// The goal of tests with one.
pub const GOAL: &str = "one";

pub fn lane(number: usize) -> String {
    format!("lane{number}")
}

/// One acknowledged command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ack {
    pub goal: String,
    /// `add`, `claim`, `finish` or `pointer`.
    pub kind: String,
    /// What its texts and keys are made of.
    pub name: String,
    pub command: u64,
    pub revision: u64,
}

impl Ack {
    fn of(kind: &str, name: &str, receipt: &Receipt) -> Self {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        Self {
            goal: receipt.goal.to_string(),
            kind,
            name,
            command: receipt.command,
            revision: receipt.revision,
        }
    }

    fn said(&self) {
        say(&format!("{} {} {} {} {}", self.goal, self.kind, self.name, self.command, self.revision));
    }

    /// Reads what was said. Other words are none.
    pub fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split(' ');
        let mut next = || parts.next().map(str::to_owned);
        let (goal, kind, name) = (next()?, next()?, next()?);
        let (command, revision) = (next()?.parse().ok()?, next()?.parse().ok()?);
        Some(Self { goal, kind, name, command, revision })
    }

    /// The lane that a name belongs to: names are `RUN-NUMBER-TURN`.
    pub fn number(&self) -> usize {
        self.name.split('-').nth(1).unwrap().parse().unwrap()
    }
}

pub fn add(goal: &str, number: usize, name: &str) -> Request {
    keyed(todo_add(goal, &lane(number), &format!("part {name}")), &format!("add-{name}"))
}

/// Finishes a todo, records its run and spends its turn: three events in one command.
pub fn finish(goal: &str, number: usize, name: &str, todo: TodoId) -> Request {
    let agent = Some(agent(&lane(number)));
    let run = RunDraft {
        kind: RunKind::Progress,
        session: None,
        validation: None,
        summary: Some(text(&format!("did part {name}"))),
        event_id: None,
        outcome_id: None,
        id: None,
    };
    let amount = Amount { turns: 1, minutes: 0, tokens: 0 };
    let spend =
        SpendDraft { agent: agent.clone(), key: TurnKey::parse(name).expect("a key"), amount, at: None };
    let finish = TodoFinish {
        todo,
        agent,
        token: None,
        succession: Succession::NoneNeeded,
        run: Some(run),
        spend: Some(spend),
    };
    keyed(by_lane(goal, &lane(number), LaneCommand::TodoFinish(finish)), &format!("finish-{name}"))
}

pub fn handle(name: &str) -> Ref {
    Ref::parse(&format!("pointer-{name}")).unwrap()
}

/// Adds, claims and finishes one todo after the other. `more` is `GOAL RUN TURNS`.
pub fn write(base: &Path, number: usize, more: &str) {
    let words: Vec<&str> = more.split(' ').collect();
    let (goal, run, turns) = (words[0], words[1], words[2].parse::<u64>().unwrap());
    let mut store = SqliteStore::open(base).unwrap();
    // Ids of the rounds of a test must differ.
    let apart = run.bytes().fold(number as u64 + 1, |sum, byte| (sum * 31 + u64::from(byte)) & 0x3f_ffff);
    let mut ids = Ids::apart(apart);
    for turn in 0..turns {
        let name = format!("{run}-{number}-{turn}");
        let mut done = |kind: &str, request: &Request| {
            let receipt = store.apply(request, at(100), &mut ids).unwrap();
            Ack::of(kind, &name, &receipt).said();
            receipt
        };
        let added = done("add", &add(goal, number, &name));
        let Subject::Todo(todo) = added.subject else { panic!("{:?} is no todo", added.subject) };
        done("claim", &claim(goal, &lane(number), &todo));
        done("finish", &finish(goal, number, &name, todo));
        if turn % 4 == 3 {
            store.set_pointer(&handle(&name), Private::new(name.as_bytes())).unwrap();
            say(&format!("{goal} pointer {name} 0 0"));
        }
    }
}

/// A refusal, as a word to be said.
pub fn refused(error: &StoreError) -> String {
    format!("refused:{}:{error}", error.code().word())
}
