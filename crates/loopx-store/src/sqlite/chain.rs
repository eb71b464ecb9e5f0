//! The checksum chain of a log, and the texts that are bound into it without being part of it.
//!
//! An event's JSON holds `{"text_ref": …}` where it had `{"text": …}`: the text's hash under a random key that lies
//! beside it. Once both are gone, nothing can be tried out against the hash that stays.

use loopx_core::Event;
use serde_json::{Map, Value};

use super::fault::Fault;
use super::head::Purpose;
use crate::damage::DamageCode;
use crate::error::StoreError;

static CHAIN: Purpose = Purpose::new(|| blake3::Hasher::new_derive_key("loopx.dev event chain v1"));

pub(crate) type Hash = [u8; 32];

/// What stands where a purged text stood; the same as `PublicText::purged`.
const PURGED: &str = "[purged]";

/// One text with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub key: [u8; 32],
    pub text: String,
}

/// The parts of an event that its checksum covers, as they are stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    pub goal: &'a str,
    pub revision: u64,
    pub command: u64,
    pub at: i64,
    pub actor: &'a str,
    pub body: &'a str,
}

impl Link<'_> {
    /// The checksum after `before`.
    pub(crate) fn hash(&self, before: &Hash) -> Hash {
        let mut hasher = CHAIN.hasher();
        hasher.update(before);
        hasher.update(&self.revision.to_le_bytes());
        hasher.update(&self.command.to_le_bytes());
        hasher.update(&self.at.to_le_bytes());
        for field in [self.goal, self.actor, self.body] {
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}

/// Takes the texts out of an event. Gives its JSON without them and the texts in their order.
pub(crate) fn part(event: &Event) -> Result<(String, Vec<Kept>), Fault> {
    let mut value = serde_json::to_value(event).map_err(unwritable)?;
    let mut texts = Vec::new();
    take(&mut value, &mut texts)?;
    Ok((serde_json::to_string(&value).map_err(unwritable)?, texts))
}

/// Puts the texts back into an event; none stands for a purged one.
pub(crate) fn join(body: &str, texts: &[Option<Kept>]) -> Result<Event, Fault> {
    let mut value: Value =
        serde_json::from_str(body).map_err(|_| Fault::Damaged(DamageCode::UnknownEvent))?;
    let mut left = texts.iter();
    put(&mut value, &mut left)?;
    if left.next().is_some() {
        return Err(Fault::Damaged(DamageCode::TextChanged));
    }
    serde_json::from_value(value).map_err(|_| Fault::Damaged(DamageCode::UnknownEvent))
}

pub(crate) fn unwritable(_: serde_json::Error) -> Fault {
    Fault::Store(StoreError::Io { what: "writing JSON", kind: std::io::ErrorKind::InvalidData })
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|_| StoreError::Io { what: "asking for random bytes", kind: std::io::ErrorKind::Other })?;
    Ok(bytes)
}

fn commitment(key: &[u8; 32], text: &str) -> String {
    blake3::keyed_hash(key, text.as_bytes()).to_hex().to_string()
}

fn take(value: &mut Value, texts: &mut Vec<Kept>) -> Result<(), Fault> {
    match value {
        Value::Object(map) => {
            if let Some(text) = only(map, "text").map(str::to_owned) {
                let key = random()?;
                let mut held = Map::new();
                held.insert("text_ref".to_owned(), commitment(&key, &text).into());
                *map = held;
                texts.push(Kept { key, text });
                return Ok(());
            }
            map.values_mut().try_for_each(|value| take(value, texts))
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| take(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn put<'a>(value: &mut Value, texts: &mut impl Iterator<Item = &'a Option<Kept>>) -> Result<(), Fault> {
    match value {
        Value::Object(map) => {
            let Some(reference) = only(map, "text_ref") else {
                return map.values_mut().try_for_each(|value| put(value, texts));
            };
            let text = match texts.next() {
                Some(Some(kept)) if commitment(&kept.key, &kept.text) == reference => kept.text.as_str(),
                Some(None) => PURGED,
                Some(Some(_)) | None => return Err(Fault::Damaged(DamageCode::TextChanged)),
            };
            let mut held = Map::new();
            held.insert("text".to_owned(), text.into());
            *map = held;
            Ok(())
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| put(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn only<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    if map.len() == 1 { map.get(key)?.as_str() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopx_safety::PublicText;

    #[test]
    fn texts_leave_and_come_back() {
        let text = |text: &str| PublicText::new(text).expect("clean").into();
        let event = Event::GoalAdded {
            objective: text("reach it"),
            proof: loopx_core::ProofFloor::None,
            read: vec![text("src/**"), text("docs/**")],
            write: Vec::new(),
            private_data_rule: None,
            stop_condition: text("when done"),
        };
        let (body, texts) = part(&event).expect("parted");
        assert!(!body.contains("reach") && !body.contains("docs") && texts.len() == 4);
        let mut kept: Vec<_> = texts.into_iter().map(Some).collect();
        assert_eq!(join(&body, &kept).expect("joined"), event);
        kept[0] = None;
        let Ok(Event::GoalAdded { objective, .. }) = join(&body, &kept) else { panic!("not joined") };
        assert!(objective.text.is_purged());
        kept.swap(1, 2);
        assert!(join(&body, &kept).is_err());
    }
}
