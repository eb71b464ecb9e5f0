//! What a status line tells of its runtime's limits. It is kept beside what hooks tell, and apart from it: nothing of it
//! says how a session stands.
//!
//! Source: recorded input of Claude Code 2.1.332's status line.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use loopx_contract::{Limit, LimitWindow};
use loopx_safety::Private;
use serde::{Deserialize, Serialize};

use super::event::id;
use crate::Runtime;
use crate::evidence::AHEAD;
use crate::reader::field::{Hundredths, Integer, Object, Text, epoch_seconds};
use crate::reader::skim;
use crate::spool::{Entries, Entry, FORGOTTEN};

/// The lengths of Claude Code's windows, in minutes.
const FIVE_HOURS: u32 = 5 * 60;
const SEVEN_DAYS: u32 = 7 * 24 * 60;

/// A runtime's windows, as one session's status line told them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Windows {
    /// The windows.
    pub limits: Vec<Limit>,
    /// When this was told first, UTC.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub told_at: Timestamp,
    /// The runtime.
    pub runtime: Runtime,
    /// The runtime's own id of the session.
    pub session: String,
}

/// The session's id is not told.
impl fmt::Debug for Windows {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limits, told_at, runtime, session } = self;
        to.debug_struct("Windows")
            .field("limits", limits)
            .field("told_at", told_at)
            .field("runtime", runtime)
            .field("session", &Private::new(session))
            .finish()
    }
}

/// The windows that each session told last.
#[derive(Clone, Default)]
pub struct Told(pub(super) Entries<Windows>);

impl Told {
    /// Those of a session, and when they were new. One whose reset has passed counts no more.
    pub fn of(&self, runtime: Runtime, session: &str, now: Timestamp) -> Option<Windows> {
        let mut told = self.0.get(&(runtime, session.to_owned()))?.last()?.clone();
        told.limits.retain(|limit| limit.resets_at.is_none_or(|at| at > now));
        Some(told)
    }
}

/// What is read of the status line's input. Every field may be missing or of another type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow)]
    session_id: Text<'a>,
    rate_limits: Object<RateLimits>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RateLimits {
    five_hour: Object<Window>,
    seven_day: Object<Window>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Window {
    /// The used share in percent; it may have a fraction.
    used_percentage: Hundredths,
    /// When it resets, epoch seconds.
    resets_at: Integer,
}

impl Windows {
    /// What the input of Claude Code's status line says; nothing where it tells no windows: with an API key, and before
    /// the first answer.
    pub fn read(bytes: &[u8], at: Timestamp) -> Option<Self> {
        let payload: Payload<'_> = skim::object(bytes).ok()?;
        let told = payload.rate_limits.get()?;
        let windows = [
            (LimitWindow::Primary, FIVE_HOURS, told.five_hour.get()),
            (LimitWindow::Secondary, SEVEN_DAYS, told.seven_day.get()),
        ];
        let limits: Vec<Limit> = windows
            .into_iter()
            .filter_map(|(window, minutes, told)| {
                let told = told?;
                let resets_at = epoch_seconds(told.resets_at);
                // It says nothing without either.
                (told.used_percentage.0.is_some() || resets_at.is_some()).then_some(Limit {
                    window,
                    used_basis_points: told.used_percentage.0,
                    window_minutes: Some(minutes),
                    resets_at,
                    reached: false,
                    seen_at: Some(at),
                })
            })
            .collect();
        if limits.is_empty() {
            return None;
        }
        let session = id(&payload.session_id)?;
        Some(Self { limits, told_at: at, runtime: Runtime::ClaudeCode, session })
    }

    /// Whether another note says the same of the same session, be it at another time.
    pub fn repeats(&self, other: &Self) -> bool {
        let values = |limit: &Limit| Limit { seen_at: None, ..limit.clone() };
        self.runtime == other.runtime
            && self.session == other.session
            && self.limits.iter().map(values).eq(other.limits.iter().map(values))
    }
}

impl Entry for Windows {
    type Session = (Runtime, String);

    fn at(&self) -> Timestamp {
        self.told_at
    }

    fn session(&self) -> Self::Session {
        (self.runtime, self.session.clone())
    }

    fn keep(notes: &mut BTreeSet<Self>, now: Timestamp) {
        keep(notes, now);
    }
}

/// Leaves of one session's notes the newest: that is, of those that say the same as it, the first. What was told longer
/// ago than the longest window is over.
fn keep(notes: &mut BTreeSet<Windows>, now: Timestamp) {
    // What lies far ahead was written under another clock.
    let latest = now.checked_add(AHEAD).unwrap_or(now);
    let counts = |note: &&Windows| note.told_at <= latest && now.duration_since(note.told_at) <= FORGOTTEN;
    let mut by_time: Vec<&Windows> = notes.iter().filter(counts).collect();
    by_time.sort_by_key(|note| note.told_at);
    let newest = by_time.last().copied();
    let same = |note: &&Windows| newest.is_some_and(|newest| note.repeats(newest));
    let first = by_time.iter().rev().copied().take_while(same).last().cloned();
    *notes = first.into_iter().collect();
}

#[cfg(test)]
mod tests;
