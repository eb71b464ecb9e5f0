//! How what was written stands: there, changed, out of date, or there and never heard of.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use loopx_runtimes::hooks::{Spool, asks_trust};
use loopx_runtimes::{Runtime, Sources, Version};
use loopx_safety::InstallKey;
use serde::Serialize;

use super::change::{file_of, is_whole, places};
use super::entries;
use super::program::Program;
use super::record::{Record, Written};
use super::role::Role;
use super::trust;
use crate::app::settings::{Position, Rest, Taken};

/// A session that was active for less than this since the hooks were written may have fired none.
const SOON: SignedDuration = SignedDuration::from_mins(1);

/// How one file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing of ours is there.
    NotInstalled,
    /// All that was written is there.
    Installed,
    /// It is there, and the runtime runs none of it before its user has trusted it.
    Untrusted,
    /// It is there, sessions were active since, and no event has come.
    Silent,
    /// It is there, and the program that it runs is not.
    BinaryGone,
    /// It is there, and today something else would be written.
    Older,
    /// Somebody has changed what was written, or taken out some of it.
    ChangedByHand,
    /// What was written is out, but for what somebody has changed of it.
    Left,
    /// Something of ours is there that is not noted here.
    Unrecorded,
    /// The file can't be read.
    Unreadable,
}

impl State {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotInstalled => "not installed",
            Self::Installed => "installed",
            Self::Untrusted => "installed but silent: not trusted yet",
            Self::Silent => "installed but silent",
            Self::BinaryGone => "installed, and the program is gone",
            Self::Older => "installed by an older version",
            Self::ChangedByHand => "changed by hand",
            Self::Left => "not installed, but an entry like LoopX's that was changed by hand is left there",
            Self::Unrecorded => "installed, and there is no record of it",
            Self::Unreadable => "unreadable",
        }
    }
}

/// How one file stands, and by what that is seen.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The file.
    pub role: Role,
    /// How it stands.
    pub state: State,
    /// What was written into it.
    pub written: Option<Written>,
    /// Where something of ours is not as it was written.
    pub places: Vec<Position>,
    /// Where a hook of LoopX stands that is of no runtime, and notes nothing.
    pub nobodys: Vec<Position>,
    /// Whether the runtime reads the file: it takes one with comments for broken.
    pub is_read: bool,
    /// Whether something was written into another file of this kind: the runtime's folder was another one then.
    pub elsewhere: bool,
}

/// What is known of a runtime beside its file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs<'a> {
    /// Its version.
    pub version: Option<Version>,
    /// The newest event that came.
    pub heard: Option<Timestamp>,
    /// When its sessions were active.
    pub spells: &'a [Spell],
}

/// When a session was active.
#[derive(Clone, Copy, Debug)]
pub struct Spell {
    /// When it began, if that is known.
    pub from: Option<Timestamp>,
    /// When it was last active.
    pub until: Timestamp,
}

impl Signs<'_> {
    /// Whether a session that began later was active, and nothing was heard.
    fn is_silent(self, since: Timestamp) -> bool {
        let would_fire = |spell: &Spell| {
            spell.from.is_none_or(|from| from > since) && spell.until.duration_since(since) > SOON
        };
        self.heard.is_none_or(|at| at < since) && self.spells.iter().any(would_fire)
    }
}

/// How a file stands. `events` are those that would be written today; none where that is not known.
pub fn standing(
    role: Role,
    sources: &Sources,
    key: &InstallKey,
    record: &Record,
    program: &Program,
    events: Option<&[&str]>,
    signs: Signs<'_>,
) -> Standing {
    if role.path(sources).is_none_or(|path| path.symlink_metadata().is_err()) {
        let elsewhere = record.has(role);
        return Standing { elsewhere, ..Standing::of(role, State::NotInstalled) };
    }
    let Some((original, file)) = file_of(role, sources, key) else {
        return Standing::of(role, State::Unreadable);
    };
    let written = record.of(role, &file);
    let mut standing = Standing::of(role, State::NotInstalled);
    standing.elsewhere = record.elsewhere(role, &file);
    standing.is_read = entries::is_read(role, original.text());
    let pieces = written.map(|written| written.pieces.as_slice()).unwrap_or_default();
    let mut rest = Rest::of(original.text());
    let taken = entries::take(role, &mut rest, pieces);
    let Ok(taken) = taken else { return Standing { state: State::Unreadable, ..standing } };
    let Ok(left) = entries::left(role, rest.text(), program) else {
        return Standing { state: State::Unreadable, ..standing };
    };
    standing.nobodys = left.nobodys.iter().map(|at| rest.place(*at)).collect();
    standing.places = places(&rest, &taken, &left);
    let Some(written) = written else {
        let state = match (left.groups.is_empty(), left.changed.is_empty()) {
            (true, true) => State::NotInstalled,
            // Of `notify` only the record tells what was written.
            (true, false) if role != Role::CodexConfig => State::Left,
            (true | false, _) => State::Unrecorded,
        };
        return Standing { state, ..standing };
    };
    // What others use of ours holds nothing of ours.
    let is_there = taken.iter().any(|(_, taken)| matches!(taken, Taken::Out | Taken::Changed(_)));
    let is_older =
        written.wanted.program != *program || events.is_some_and(|events| written.wanted.events != events);
    // What was heard of is run, whoever trusted it.
    let is_untrusted = role == Role::CodexHooks
        && signs.heard.is_none_or(|at| at < written.at)
        && asks_trust(role.runtime(), signs.version.or(written.version))
        && trust::lacks(sources, original.text(), &written.wanted.program);
    let state = match () {
        () if !is_there && standing.places.is_empty() => State::NotInstalled,
        () if !is_whole(&taken) || !standing.places.is_empty() => State::ChangedByHand,
        () if !written.wanted.program.exists() => State::BinaryGone,
        () if is_older || !left.groups.is_empty() => State::Older,
        () if is_untrusted => State::Untrusted,
        () if signs.is_silent(written.at) => State::Silent,
        () => State::Installed,
    };
    Standing { state, written: Some(written.clone()), ..standing }
}

impl Standing {
    const fn of(role: Role, state: State) -> Self {
        Self {
            role,
            state,
            written: None,
            places: Vec::new(),
            nobodys: Vec::new(),
            is_read: true,
            elsewhere: false,
        }
    }
}

/// When the newest event of each runtime came.
pub fn last_event(data: &Path, now: Timestamp) -> BTreeMap<Runtime, Timestamp> {
    let mut last: BTreeMap<Runtime, Timestamp> = BTreeMap::new();
    for event in Spool::of(data).read(now).values().flatten() {
        let at = last.entry(event.runtime).or_insert(event.at);
        *at = (*at).max(event.at);
    }
    last
}
