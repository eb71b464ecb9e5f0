//! Runtimes' own windows: those that count, and how a person reads them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use loopx_contract::{Limit, LimitWindow, RuntimeId, SessionFacts};
use loopx_safety::Handle;
use serde::Serialize;

/// A window as a session of its runtime told it last, as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Window<'a> {
    runtime_id: &'a RuntimeId,
    /// The session that told it.
    session_id: Handle,
    /// The window.
    #[serde(flatten)]
    pub limit: &'a Limit,
}

impl Window<'_> {
    /// Whose it is.
    pub fn runtime(&self) -> &RuntimeId {
        self.runtime_id
    }
}

/// Each window of each runtime that counts at `now`, as told last.
pub fn of<'a>(sessions: impl Iterator<Item = &'a SessionFacts>, now: Timestamp) -> Vec<Window<'a>> {
    let mut newest: BTreeMap<(&RuntimeId, LimitWindow), Window<'a>> = BTreeMap::new();
    for facts in sessions {
        for limit in facts.limits.iter().filter(|limit| counts(limit, now)) {
            let key = (&facts.runtime_id, limit.window);
            let window = Window { runtime_id: &facts.runtime_id, session_id: facts.session_id, limit };
            let held = newest.get(&key).map(|held| (held.limit.seen_at, held.session_id));
            if held < Some((limit.seen_at, facts.session_id)) {
                newest.insert(key, window);
            }
        }
    }
    newest.into_values().collect()
}

/// Whether a window counts: its reset is not behind.
fn counts(limit: &Limit, now: Timestamp) -> bool {
    limit.resets_at.is_none_or(|at| at > now)
}

/// A window's name: its length where that is known.
pub fn name(limit: &Limit) -> String {
    match (limit.window_minutes, limit.window) {
        (Some(minutes), LimitWindow::Primary | LimitWindow::Secondary) if minutes > 0 => {
            format!("{} window", length(minutes))
        }
        (_, LimitWindow::Primary) => "primary window".to_owned(),
        (_, LimitWindow::Secondary) => "secondary window".to_owned(),
        (_, LimitWindow::Other) => "limit".to_owned(),
    }
}

/// How much of it is used.
pub fn used(limit: &Limit) -> String {
    let share = limit.used_basis_points.map(|used| match used % 100 {
        0 => format!("{} % used", used / 100),
        rest => format!("{}.{rest:02} % used", used / 100),
    });
    match (share, limit.reached) {
        (Some(share), true) => format!("{share}, reached"),
        (Some(share), false) => share,
        (None, true) => "reached".to_owned(),
        (None, false) => "use unknown".to_owned(),
    }
}

/// A length in its largest whole unit.
pub fn length(minutes: u32) -> String {
    match minutes {
        0 => "0 min".to_owned(),
        whole if whole.is_multiple_of(24 * 60) => format!("{} d", whole / (24 * 60)),
        whole if whole.is_multiple_of(60) => format!("{} h", whole / 60),
        odd => format!("{odd} min"),
    }
}
