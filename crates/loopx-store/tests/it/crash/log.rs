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

/// The commands of a goal as they stand in its log, those of the writing loop only.
pub fn commands(store: &mut SqliteStore, id: &str) -> Told<BTreeSet<Ack>> {
    let all = told("events", store.events(EventsOf::Goal { goal: &goal(id), after: 0 }, usize::MAX))?;
    let mut names: BTreeMap<TodoId, String> = BTreeMap::new();
    let mut commands: BTreeMap<u64, (String, Option<String>, Vec<&'static str>, u64)> = BTreeMap::new();
    for (logged, revision) in all.iter().zip(1..) {
        let recorded = &logged.recorded;
        if recorded.revision != revision {
            return Err(format!("{id} jumps from {} to {}", revision - 1, recorded.revision));
        }
        let (word, name) = match &recorded.event {
            Event::TodoAdded { todo, title, .. } => {
                let name = title.text.as_str().trim_start_matches("part ").to_owned();
                names.insert(todo.clone(), name.clone());
                ("add", Some(name))
            }
            Event::TodoClaimed { todo, .. } => ("claim", names.get(todo).cloned()),
            Event::TodoFinished { todo, .. } => ("finish", names.get(todo).cloned()),
            Event::RunRecorded { summary: Some(summary), .. } => {
                ("run", Some(summary.text.as_str().trim_start_matches("did part ").to_owned()))
            }
            Event::Spent { key, .. } => ("spend", Some(key.0.clone())),
            _ => continue,
        };
        let entry = commands.entry(recorded.command).or_default();
        if entry.1.is_some() && entry.1 != name {
            return Err(format!("{id}: command {} is of {:?} and of {name:?}", recorded.command, entry.1));
        }
        entry.1 = name;
        entry.2.push(word);
        entry.3 = revision;
    }
    let mut found = BTreeSet::new();
    for (command, (_, name, mut words, revision)) in commands {
        words.sort_unstable();
        let kind = match words.as_slice() {
            ["add"] => "add",
            ["claim"] => "claim",
            ["finish", "run", "spend"] => "finish",
            half => return Err(format!("{id}: half of a command at {command}: {half:?}")),
        };
        let name = name.ok_or_else(|| format!("{id}: a command of no todo at {command}"))?;
        found.insert(Ack { goal: id.to_owned(), kind: kind.to_owned(), name, command, revision });
    }
    Ok(found)
}

/// Everything acknowledged is there; of each writer's life at most one command more is.
pub fn holds<'a>(store: &mut SqliteStore, acks: impl Iterator<Item = &'a Ack> + Clone) -> Told<()> {
    let damage: Vec<_> =
        told("goals", store.goals())?.into_iter().filter(|goal| goal.damage.is_some()).collect();
    if !damage.is_empty() {
        return Err(format!("damage: {damage:?}"));
    }
    let goals: BTreeSet<&str> = acks.clone().map(|ack| ack.goal.as_str()).collect();
    let mut found = BTreeSet::new();
    for id in goals {
        found.extend(commands(store, id)?);
    }
    for ack in acks.clone() {
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
pub fn sound<'a>(store: &mut SqliteStore, acks: impl Iterator<Item = &'a Ack> + Clone) -> Told<()> {
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
    let receipt =
        told("next", store.apply(&add(&last.goal, last.number(), &name), at(200), &mut Ids::apart(0x3f_fff1)))?;
    if receipt.replayed { Err(format!("{name} is there already")) } else { Ok(()) }
}
