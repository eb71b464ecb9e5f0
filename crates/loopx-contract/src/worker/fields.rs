//! The fields of a line, each judged by itself.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loopx_safety::{Class, Private, PrivateWords, TierKind, screen_with};
use serde::de::DeserializeOwned;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error, StrDeserializer};

use super::fault::{Fault, Field, Problem};
use super::value::{Object, Value};
use super::{LONGEST_ID, LONGEST_PATH, MOST};
use crate::ids::{IdError, RuntimeId};

/// The words that a field may be.
pub(super) type Words = &'static [&'static str];

pub(super) const VERSIONS: Words = &["session_facts_v0"];
pub(super) const STATES: Words = &[
    "running",
    "waiting_permission",
    "waiting_answer",
    "idle",
    "background",
    "interrupted",
    "errored",
    "rate_limited",
    "ended",
    "unknown",
];
pub(super) const TIERS: Words = &["clock", "transcript", "hook", "lock", "registry", "server", "caller"];
pub(super) const TURNS: Words = &["open", "closed", "unknown"];
pub(super) const MISSING: Words = &[
    "liveness",
    "permission_state",
    "turn_state",
    "turn_markers",
    "last_activity",
    "session_meta",
    "source",
    "records",
    "file",
    "older_records",
    "limit_reset",
    "session_state",
];
pub(super) const HINTS: Words = &["escalation_requested", "derived_store_disagrees", "project_process"];
pub(super) const WINDOWS: Words = &["primary", "secondary", "other"];
pub(super) const LABELS: Words = &["test", "lint", "build"];
pub(super) const OUTCOMES: Words = &["passed", "failed", "cancelled", "unknown"];

/// The members of an object that were not asked for yet, and what was found so far.
pub(super) struct Members<'a, 'w> {
    left: Object<'a>,
    words: &'w PrivateWords,
    faults: Vec<Fault>,
    dropped: u64,
    /// In which field of the line these are, and which element of it.
    inside: Option<(&'static str, Option<usize>)>,
}

impl<'a, 'w> Members<'a, 'w> {
    pub(super) const fn new(left: Object<'a>, words: &'w PrivateWords) -> Self {
        Self { left, words, faults: Vec::new(), dropped: 0, inside: None }
    }

    /// What was found, and how many keys nobody asked for.
    pub(super) fn end(self) -> (Vec<Fault>, u64) {
        (self.faults, self.dropped.saturating_add(self.left.len() as u64))
    }

    fn field(&self, name: &'static str) -> Field {
        match self.inside {
            Some((outer, item)) => Field { name: outer, item, part: Some(name) },
            None => Field { name, item: None, part: None },
        }
    }

    fn fault(&mut self, name: &'static str, problem: Problem) {
        let fault = Fault { field: Some(self.field(name)), problem };
        // What is wrong with a field is no reason to miss it.
        if !self.faults.iter().any(|known| known.field == fault.field) {
            self.faults.push(fault);
        }
    }

    /// A field that has to be there.
    pub(super) fn must(&mut self, name: &'static str, is_there: bool) {
        if !is_there {
            self.fault(name, Problem::Missing);
        }
    }

    /// Takes a value out; null is none.
    fn take(&mut self, name: &'static str) -> Option<Value<'a>> {
        let at = self.left.iter().position(|(key, _)| key == name)?;
        let (_, value) = self.left.swap_remove(at);
        if self.left.iter().any(|(key, _)| key == name) {
            self.left.retain(|(key, _)| key != name);
            self.fault(name, Problem::Twice);
            return None;
        }
        (value != Value::Null).then_some(value)
    }

    fn checked<T>(
        &mut self,
        name: &'static str,
        check: impl FnOnce(Value<'a>) -> Result<T, Problem>,
    ) -> Option<T> {
        let checked = check(self.take(name)?);
        checked.map_err(|problem| self.fault(name, problem)).ok()
    }

    fn text<T>(&mut self, name: &'static str, check: impl FnOnce(&str) -> Result<T, Problem>) -> Option<T> {
        self.checked(name, |value| match value {
            Value::Text(text) => check(&text),
            Value::Null
            | Value::Flag(_)
            | Value::Integer(_)
            | Value::Number
            | Value::List(_)
            | Value::Object(_) => Err(Problem::NotAText),
        })
    }

    /// One of a few words.
    pub(super) fn word<T: DeserializeOwned>(&mut self, name: &'static str, words: Words) -> Option<T> {
        self.checked(name, |value| word(&value, words))
    }

    /// A list of words; none twice, in the order of their vocabulary.
    pub(super) fn words<T: DeserializeOwned + Ord>(&mut self, name: &'static str, words: Words) -> Vec<T> {
        let list = self.checked(name, |value| {
            list(value)?.iter().map(|value| word(value, words)).collect::<Result<Vec<T>, _>>()
        });
        let mut list = list.unwrap_or_default();
        list.sort();
        list.dedup();
        list
    }

    /// An instant.
    pub(super) fn instant(&mut self, name: &'static str) -> Option<Timestamp> {
        self.checked(name, |value| match value {
            Value::Text(text) => text.parse().map_err(|_| Problem::NotAnInstant),
            Value::Null
            | Value::Flag(_)
            | Value::Integer(_)
            | Value::Number
            | Value::List(_)
            | Value::Object(_) => Err(Problem::NotAnInstant),
        })
    }

    /// A whole number of a range.
    pub(super) fn number(&mut self, name: &'static str, least: i128, most: i128) -> Option<i128> {
        self.checked(name, |value| match value {
            Value::Integer(number) if (least..=most).contains(&number) => Ok(number),
            Value::Null
            | Value::Flag(_)
            | Value::Integer(_)
            | Value::Number
            | Value::Text(_)
            | Value::List(_)
            | Value::Object(_) => Err(Problem::NotANumber { least, most }),
        })
    }

    /// A whole number of 32 bits.
    pub(super) fn small(&mut self, name: &'static str) -> Option<u32> {
        self.number(name, 0, u32::MAX.into()).and_then(|number| u32::try_from(number).ok())
    }

    /// A count of any size.
    pub(super) fn count(&mut self, name: &'static str) -> Option<u64> {
        self.number(name, 0, i64::MAX.into()).and_then(|number| u64::try_from(number).ok())
    }

    /// Yes or no.
    pub(super) fn flag(&mut self, name: &'static str) -> Option<bool> {
        self.checked(name, |value| match value {
            Value::Flag(flag) => Ok(flag),
            Value::Null
            | Value::Integer(_)
            | Value::Number
            | Value::Text(_)
            | Value::List(_)
            | Value::Object(_) => Err(Problem::NotAFlag),
        })
    }

    /// The id of a goal or agent.
    pub(super) fn id<T>(&mut self, name: &'static str, parse: fn(&str) -> Result<T, IdError>) -> Option<T> {
        let words = self.words;
        self.text(name, |text| id(text, words, parse))
    }

    /// A runtime of the user's own.
    pub(super) fn runtime_id(&mut self) -> Option<RuntimeId> {
        const NAME: &str = "runtime_id";
        let words = self.words;
        let found = self.text(NAME, |text| {
            let runtime = id(text, words, RuntimeId::parse)?;
            if runtime.is_built_in() { Err(Problem::BuiltIn) } else { Ok(runtime) }
        });
        self.must(NAME, found.is_some());
        found
    }

    /// The worker's own name of its session. It is hashed, so that random ids are as good as words.
    pub(super) fn session_id(&mut self) -> Option<Private<String>> {
        const NAME: &str = "session_id";
        let words = self.words;
        let found = self.text(NAME, |text| match screen_with(text, TierKind::Local, LONGEST_ID, words) {
            Err(refusal) if !is_opaque(refusal.class) => Err(Problem::Refused(refusal)),
            Ok(()) | Err(_) => Ok(Private::new(text.to_owned())),
        });
        self.must(NAME, found.is_some());
        found
    }

    /// An absolute path.
    pub(super) fn folder(&mut self, name: &'static str) -> Option<Private<PathBuf>> {
        self.text(name, |text| {
            let is_one = text.len() <= LONGEST_PATH
                && Path::new(text).is_absolute()
                && !text.chars().any(char::is_control);
            if is_one { Ok(Private::new(PathBuf::from(text))) } else { Err(Problem::NotAFolder) }
        })
    }

    /// An object in a field.
    pub(super) fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let members = self.checked(name, |value| match value {
            Value::Object(members) => Ok(members),
            Value::Null
            | Value::Flag(_)
            | Value::Integer(_)
            | Value::Number
            | Value::Text(_)
            | Value::List(_) => Err(Problem::NotAnObjectHere),
        })?;
        self.within((name, None), members, read)
    }

    /// A list of objects in a field.
    pub(super) fn objects<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Vec<T> {
        let list = self.checked(name, list).unwrap_or_default();
        let mut all = Vec::new();
        for (at, value) in list.into_iter().enumerate() {
            if let Value::Object(members) = value {
                all.extend(self.within((name, Some(at)), members, &mut read));
            } else {
                let field = Field { name, item: Some(at), part: None };
                self.faults.push(Fault { field: Some(field), problem: Problem::NotAnObjectHere });
            }
        }
        all
    }

    fn within<T>(
        &mut self,
        inside: (&'static str, Option<usize>),
        members: Object<'a>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let mut inner = Self { inside: Some(inside), ..Self::new(members, self.words) };
        let found = read(&mut inner);
        let (faults, dropped) = inner.end();
        self.faults.extend(faults);
        self.dropped = self.dropped.saturating_add(dropped);
        found
    }
}

/// What an id of a session may look like, for nobody sees it.
const fn is_opaque(class: Class) -> bool {
    match class {
        Class::Uuid | Class::HighEntropy | Class::DocId | Class::Host | Class::Ip => true,
        Class::Empty
        | Class::TooLong
        | Class::MultiLine
        | Class::Control
        | Class::Path
        | Class::Url
        | Class::Mail
        | Class::Credential
        | Class::Disguised
        | Class::PrivateWord
        | Class::Markup
        | Class::Handle => false,
    }
}

fn id<T>(text: &str, words: &PrivateWords, parse: fn(&str) -> Result<T, IdError>) -> Result<T, Problem> {
    let id = parse(text).map_err(Problem::NotAnId)?;
    if !words.is_empty() {
        screen_with(text, TierKind::Local, usize::MAX, words).map_err(Problem::Refused)?;
    }
    Ok(id)
}

fn word<T: DeserializeOwned>(value: &Value<'_>, words: Words) -> Result<T, Problem> {
    let no = || Problem::NotOneOf(words);
    let Value::Text(text) = value else { return Err(no()) };
    let from: StrDeserializer<'_, Error> = text.as_ref().into_deserializer();
    T::deserialize(from).map_err(|_| no())
}

fn list(value: Value<'_>) -> Result<Vec<Value<'_>>, Problem> {
    match value {
        Value::List(list) if list.len() > MOST => Err(Problem::LongList),
        Value::List(list) => Ok(list),
        Value::Null
        | Value::Flag(_)
        | Value::Integer(_)
        | Value::Number
        | Value::Text(_)
        | Value::Object(_) => Err(Problem::NotAList),
    }
}
