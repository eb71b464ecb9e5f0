//! Measures the store: `store_bench build DIR [EVENTS]`, then `read DIR`, `verify DIR`; `commits DIR [COUNT]` and
//! `writers DIR [PROCESSES] [SECONDS]` make a store of their own, and `week DIR [EVENTS] [NOW]` one with a goal that was busy
//! for the week before that second.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use loopx_contract::{GateId, RunId, TodoId};
use loopx_core::TurnKey;
use loopx_core::event::LogAudience;
use loopx_core::gate::GateActor;
use loopx_core::quota::{Amount, Quota};
use loopx_core::run::RunKind;
use loopx_core::todo::{Priority, Succession, TodoClass};
use loopx_core::{AuthorityCommand, Event, Names};
use loopx_store::conformance::script::{
    Ids, Script, agent, agent_add, at, authority, claim, goal, goal_add, person, text, todo_add,
};
use loopx_store::{SqliteStore, Store};

const GOALS: u64 = 20;
const TODOS: u64 = 500;
const OPEN: u64 = 50;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let word = |at: usize| args.get(at).map(String::as_str);
    let number = |at: usize, or: u64| word(at).map_or(or, |text| text.parse().unwrap());
    let folder = Path::new(word(2).unwrap());
    match word(1) {
        Some("build") => build(folder, number(3, 1_000_000)),
        Some("week") => week(folder, number(3, 100_000), number(4, 0)),
        Some("read") => read(folder),
        Some("once") => once(folder),
        Some("verify") => verify(folder),
        Some("commits") => commits(folder, number(3, 2000)),
        Some("writers") => writers(folder, number(3, 8), number(4, 5)),
        Some("writer") => writer(folder, number(3, 0), number(4, 5)),
        other => panic!("{other:?}: build, read, once, verify, commits or writers"),
    }
}

fn todo(number: u64) -> TodoId {
    TodoId::parse(&format!("todo_{number:016}")).unwrap()
}

fn build(folder: &Path, events: u64) {
    let start = Instant::now();
    let mut store = SqliteStore::open(folder).unwrap();
    for index in 0..GOALS {
        let id = format!("goal-{index:02}");
        let mut script = Script::new(&mut store);
        script.done(&goal_add(&id, loopx_core::ProofFloor::None));
        for lane in ["left", "right"] {
            script.done(&agent_add(&id, lane));
        }
        let quota = Quota { window_minutes: 24 * 60, turns: Some(200), minutes: None, tokens: None };
        let set = AuthorityCommand::QuotaSet { agent: Some(agent("left")), quota };
        script.done(&authority(&id, set));
        let mut batch = Vec::new();
        let wanted = events / GOALS;
        let each = wanted / TODOS;
        for number in 0..TODOS {
            let mut second = i64::try_from(number * each).unwrap();
            let mut push = |event| {
                second += 1;
                batch.push((at(second), event));
            };
            push(Event::TodoAdded {
                todo: todo(number),
                title: text(&format!("make part {number} of {id} work as the design says")).into(),
                audience: LogAudience::Agent,
                priority: Priority::P2,
                class: TodoClass::Advance,
                globs: vec![text("crates/store/src/**").into()],
                needs: Vec::new(),
                blocked_by: Vec::new(),
                by: Some(agent("left")),
            });
            for step in 0..each.saturating_sub(2) {
                push(if step % 10 == 9 {
                    Event::Spent {
                        key: TurnKey::parse(&format!("turn-{number}-{step}")).unwrap(),
                        agent: Some(agent("left")),
                        amount: Amount { turns: 1, minutes: 3, tokens: 4000 },
                        // One a quarter of an hour.
                        spent_at: at(i64::try_from((number * each + step) / 10 * 900).unwrap()),
                    }
                } else {
                    Event::RunRecorded {
                        run: RunId::parse(&format!("run_{:016}", number * each + step)).unwrap(),
                        agent: agent("left"),
                        kind: RunKind::Progress,
                        todo: Some(todo(number)),
                        session: None,
                        validation: None,
                        summary: Some(
                            text("moved one step on and wrote down what is left to be done").into(),
                        ),
                        event_id: None,
                        outcome_id: None,
                    }
                });
            }
            if number % (TODOS / OPEN) != 0 {
                push(Event::TodoFinished {
                    todo: todo(number),
                    agent: Some(agent("left")),
                    succession: Succession::NoneNeeded,
                    uses: std::collections::BTreeSet::new(),
                });
            }
            if batch.len() >= 10_000 {
                store.append_all(&goal(&id), &person(), std::mem::take(&mut batch)).unwrap();
            }
        }
        store.append_all(&goal(&id), &person(), batch).unwrap();
    }
    println!("built in {:?}", start.elapsed());
}

/// One goal with four lanes, in which something changes whom they wait on again and again.
fn week(folder: &Path, events: u64, now: u64) {
    const STEP: u64 = 8;
    let mut store = SqliteStore::open(folder).unwrap();
    let mut script = Script::new(&mut store);
    script.done(&goal_add("busy", loopx_core::ProofFloor::None));
    for lane in ["north", "east", "south", "west"] {
        script.done(&agent_add("busy", lane));
    }
    let quota = Quota { window_minutes: 24 * 60, turns: Some(100_000), minutes: None, tokens: None };
    script.done(&authority("busy", AuthorityCommand::QuotaSet { agent: None, quota }));
    let instant = |number: u64| {
        let gone = (events - number) * 7 * 86_400_000 / events;
        Timestamp::from_millisecond(i64::try_from(now * 1000 - gone).unwrap()).unwrap()
    };
    let gate = |number: u64| GateId::parse(&format!("gate_{number:016}")).unwrap();
    let mut batch = Vec::new();
    for number in (0..events).step_by(usize::try_from(STEP).unwrap()) {
        let (north, started) = (agent("north"), instant(number));
        let run = |kind, step| Event::RunRecorded {
            run: RunId::parse(&format!("run_{:016}", number + step)).unwrap(),
            agent: agent("north"),
            kind,
            todo: Some(todo(number)),
            session: None,
            validation: None,
            summary: None,
            event_id: None,
            outcome_id: None,
        };
        let steps = [
            Event::TodoAdded {
                todo: todo(number),
                title: text("make a part of it").into(),
                audience: LogAudience::Agent,
                priority: Priority::P2,
                class: TodoClass::Advance,
                globs: Vec::new(),
                needs: Vec::new(),
                blocked_by: Vec::new(),
                by: None,
            },
            Event::TodoClaimed {
                todo: todo(number),
                agent: north.clone(),
                until: started + jiff::SignedDuration::from_hours(1),
                epoch: 1,
                takes: std::collections::BTreeSet::new(),
            },
            run(RunKind::Progress, 2),
            Event::Spent {
                key: TurnKey::parse(&format!("turn-{number}")).unwrap(),
                agent: Some(north.clone()),
                amount: Amount { turns: 1, minutes: 3, tokens: 4000 },
                spent_at: started,
            },
            Event::GateAsked {
                gate: gate(number),
                question: text("may it go on?").into(),
                actor: GateActor::User,
                covers: loopx_core::todo::Covers::goal(),
                expires_at: None,
                linked_todo: None,
                by: None,
            },
            Event::GateWithdrawn { gate: gate(number) },
            run(RunKind::NoProgress, 6),
            Event::TodoFinished {
                todo: todo(number),
                agent: Some(north),
                succession: Succession::NoneNeeded,
                uses: std::collections::BTreeSet::new(),
            },
        ];
        batch.extend(steps.into_iter().zip(number..).map(|(event, number)| (instant(number), event)));
    }
    store.append_all(&goal("busy"), &person(), batch).unwrap();
}

/// What `status` does.
fn status(folder: &Path) -> (usize, usize) {
    let mut store = SqliteStore::open(folder).unwrap();
    let goals = store.goals().unwrap();
    let mut todos = 0;
    for goal in &goals {
        todos += store.load(&goal.id, &Names::default()).unwrap().todos.len();
    }
    (goals.len(), todos)
}

fn read(folder: &Path) {
    let (goals, todos) = status(folder);
    let mut inside: Vec<_> = (0..50).map(|_| timed(|| assert!(status(folder).0 > 0))).collect();
    say(&format!("open store and load {goals} goals, {todos} todos, in one process"), &mut inside);
    let me = std::env::current_exe().unwrap();
    let mut outside: Vec<_> = (0..100)
        .map(|_| {
            timed(|| {
                let mut child = Command::new(&me);
                assert!(child.arg("once").arg(folder).stdout(Stdio::null()).status().unwrap().success());
            })
        })
        .collect();
    say("the same with process start", &mut outside);
    let mut store = SqliteStore::open(folder).unwrap();
    let goals = store.goals().unwrap();
    let mut warm: Vec<_> = (0..50)
        .map(|_| {
            timed(|| goals.iter().for_each(|goal| drop(store.load(&goal.id, &Names::default()).unwrap())))
        })
        .collect();
    say("load all goals, store open", &mut warm);
    let mut found: Vec<_> =
        (0..50).map(|_| timed(|| drop(store.find_ids("todo_00000000000000", 9).unwrap()))).collect();
    say("find ids by prefix", &mut found);
}

fn once(folder: &Path) {
    println!("{:?}", status(folder));
}

fn verify(folder: &Path) {
    let mut store = SqliteStore::open(folder).unwrap();
    let start = Instant::now();
    let damage = store.doctor().unwrap();
    println!("doctor: {:?}, damage {damage:?}", start.elapsed());
}

fn commits(folder: &Path, count: u64) {
    let mut store = SqliteStore::open(folder).unwrap();
    let mut script = Script::new(&mut store);
    script.goal("commits");
    let mut took = Vec::new();
    for number in 0..count {
        let request = todo_add("commits", "left", &format!("part {}", number % 40));
        let add = timed(|| drop(script.done(&request)));
        if number < 40 {
            took.push(add);
        }
    }
    say("todo add that commits", &mut took);
    let todo = script.todo("commits", "held");
    script.done(&claim("commits", "left", &todo));
    let renew = |lease_minutes| {
        let (todo, agent) = (todo.clone(), agent("left"));
        let renew = loopx_core::LaneCommand::TodoRenew { todo, agent, token: None, lease_minutes };
        loopx_store::conformance::script::by_lane("commits", "left", renew)
    };
    let mut took: Vec<_> = (0..count)
        .map(|number| renew(60 + u32::try_from(number % 100).unwrap()))
        .map(|request| timed(|| drop(script.done(&request))))
        .collect();
    say("claim renewed durably, 41 todos open", &mut took);
}

fn writers(folder: &Path, processes: u64, seconds: u64) {
    let mut store = SqliteStore::open(folder).unwrap();
    let mut script = Script::new(&mut store);
    for process in 0..processes {
        script.goal(&format!("goal-{process}"));
    }
    let before: u64 = store.goals().unwrap().iter().map(|goal| goal.revision).sum();
    let me = std::env::current_exe().unwrap();
    let start = Instant::now();
    let children: Vec<_> = (0..processes)
        .map(|process| {
            let mut child = Command::new(&me);
            child.arg("writer").arg(folder).arg(process.to_string()).arg(seconds.to_string());
            child.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut acknowledged = 0_u64;
    let mut took: Vec<Duration> = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            acknowledged += 1;
            took.push(Duration::from_micros(line.parse().unwrap()));
        }
    }
    let elapsed = start.elapsed();
    let after: u64 = store.goals().unwrap().iter().map(|goal| goal.revision).sum();
    let rate = f64::from(u32::try_from(acknowledged).unwrap()) / elapsed.as_secs_f64();
    say(
        &format!(
            "{processes} writers, {acknowledged} commits, {rate:.0}/s, {} lost",
            before + acknowledged - after
        ),
        &mut took,
    );
    println!("doctor: {:?}", store.doctor().unwrap());
}

fn writer(folder: &Path, process: u64, seconds: u64) {
    let mut store = SqliteStore::open(folder).unwrap();
    let id = format!("goal-{process}");
    let mut script = Script::new(&mut store);
    script.ids = Ids::apart(process + 1);
    let todo = script.todo(&id, "held");
    println!("0");
    script.done(&claim(&id, "left", &todo));
    println!("0");
    let start = Instant::now();
    let mut lease = 1;
    while start.elapsed() < Duration::from_secs(seconds) {
        lease = lease % 1000 + 1;
        let (todo, agent) = (todo.clone(), agent("left"));
        let renew = loopx_core::LaneCommand::TodoRenew { todo, agent, token: None, lease_minutes: lease };
        let request = loopx_store::conformance::script::by_lane(&id, "left", renew);
        let mut events = 0;
        let took = timed(|| events = script.done(&request).events.len());
        (0..events).for_each(|_| println!("{}", took.as_micros()));
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn say(what: &str, took: &mut [Duration]) {
    took.sort();
    let at = |part: usize| took[(took.len() * part / 1000).min(took.len() - 1)];
    println!(
        "{what}: p50 {:?}, p95 {:?}, p99 {:?}, p99.9 {:?}, max {:?}",
        at(500),
        at(950),
        at(990),
        at(999),
        took[took.len() - 1]
    );
}
