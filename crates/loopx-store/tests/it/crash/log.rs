//! Whether a store holds what was acknowledged, and nothing by halves.

use std::collections::{BTreeMap, BTreeSet};

use loopx_contract::TodoId;
use loopx_core::Event;
use loopx_store::conformance::script::{Ids, at, goal};
use loopx_store::{EventsOf, SqliteStore, Store};

use super::writer::{Ack, add, handle};

/// What goes wrong is told, not panicked, so that thousands of variants can be looked at.
pub type Told<T> = Result<T, String>;

pub fn told<T, E: std::fmt::Debug>(what: &str, result: Result<T, E>) -> Told<T> {
    result.map_err(|error| format!("{what}: {error:?}"))
}

/// What one command came to, as it stands in the log.
#[derive(Default)]
struct Found {
    name: Option<String>,
    words: Vec<&'static str>,
    last: u64,
}

/// What an event of the writing loop is, and of what name. Others are none.
fn word_of(event: &Event, names: &mut BTreeMap<TodoId, String>) -> Option<(&'static str, Option<String>)> {
    let without = |text: &str, start: &str| text.trim_start_matches(start).to_owned();
    if let Event::TodoAdded { todo, title, .. } = event {
        let name = without(title.text.as_str(), "part ");
        names.insert(todo.clone(), name.clone());
        Some(("add", Some(name)))
    } else if let Event::TodoClaimed { todo, .. } = event {
        Some(("claim", names.get(todo).cloned()))
    } else if let Event::TodoFinished { todo, .. } = event {
        Some(("finish", names.get(todo).cloned()))
    } else if let Event::RunRecorded { summary: Some(summary), .. } = event {
        Some(("run", Some(without(summary.text.as_str(), "did part "))))
    } else if let Event::Spent { key, .. } = event {
        Some(("spend", Some(key.to_string())))
    } else {
        None
    }
}

/// The commands of a goal as they stand in its log, those of the writing loop only.
pub fn commands(store: &mut SqliteStore, id: &str) -> Told<BTreeSet<Ack>> {
    let all = told("events", store.events(EventsOf::Goal { goal: &goal(id), after: 0 }, usize::MAX))?;
    let mut names = BTreeMap::new();
    let mut commands: BTreeMap<u64, Found> = BTreeMap::new();
    for (logged, revision) in all.iter().zip(1..) {
        let recorded = &logged.recorded;
        if recorded.revision != revision {
            return Err(format!("{id} jumps from {} to {}", revision - 1, recorded.revision));
        }
        let Some((word, name)) = word_of(&recorded.event, &mut names) else { continue };
        let found = commands.entry(recorded.command).or_default();
        if found.name.is_some() && found.name != name {
            return Err(format!("{id}: command {} is of {:?} and of {name:?}", recorded.command, found.name));
        }
        found.name = name;
        found.words.push(word);
        found.last = revision;
    }
    let mut acks = BTreeSet::new();
    for (command, Found { name, mut words, last }) in commands {
        words.sort_unstable();
        let kind = match words.as_slice() {
            ["add"] => "add",
            ["claim"] => "claim",
            ["finish", "run", "spend"] => "finish",
            half => return Err(format!("{id}: half of a command at {command}: {half:?}")),
        };
        let name = name.ok_or_else(|| format!("{id}: a command of no todo at {command}"))?;
        acks.insert(Ack { goal: id.to_owned(), kind: kind.to_owned(), name, command, revision: last });
    }
    Ok(acks)
}

/// Everything acknowledged is there; of each writer's life at most one command more is.
pub fn holds(store: &mut SqliteStore, acks: &[Ack]) -> Told<()> {
    let damage: Vec<_> =
        told("goals", store.goals())?.into_iter().filter(|goal| goal.damage.is_some()).collect();
    if !damage.is_empty() {
        return Err(format!("damage: {damage:?}"));
    }
    let goals: BTreeSet<&str> = acks.iter().map(|ack| ack.goal.as_str()).collect();
    let mut found = BTreeSet::new();
    for id in goals {
        found.extend(commands(store, id)?);
    }
    for ack in acks {
        if ack.kind == "pointer" {
            let bytes = told("pointer", store.pointer(&handle(&ack.name)))?;
            if bytes.is_none_or(|bytes| bytes.expose() != ack.name.as_bytes()) {
                return Err(format!("lost: {ack:?}"));
            }
        } else if !found.remove(ack) {
            return Err(format!("lost: {ack:?}"));
        }
    }
    let mut lives = BTreeSet::new();
    for more in found {
        let life = more.name.rsplit_once('-').map(|(life, _)| life.to_owned());
        if !lives.insert(life) {
            return Err(format!("more than one command that nobody was told of: {more:?}"));
        }
    }
    Ok(())
}

/// `holds`, and `doctor` finds nothing.
pub fn sound(store: &mut SqliteStore, acks: &[Ack]) -> Told<()> {
    holds(store, acks)?;
    let damage = told("doctor", store.doctor())?;
    if damage.is_empty() { Ok(()) } else { Err(format!("doctor: {damage:?}")) }
}

/// A retry gets the first receipt, and new commands are taken.
pub fn goes_on(store: &mut SqliteStore, last: &Ack) -> Told<()> {
    let again = add(&last.goal, last.number(), &last.name);
    let receipt = told("retry", store.apply(&again, at(200), &mut Ids::apart(0x3f_fff0)))?;
    if !receipt.replayed || (last.kind == "add" && receipt.revision != last.revision) {
        return Err(format!("{last:?} was retried: {receipt:?}"));
    }
    let name = format!("after-{}-0", last.number());
    let receipt = told(
        "next",
        store.apply(&add(&last.goal, last.number(), &name), at(200), &mut Ids::apart(0x3f_fff1)),
    )?;
    if receipt.replayed { Err(format!("{name} is there already")) } else { Ok(()) }
}
