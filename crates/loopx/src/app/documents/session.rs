//! Sessions as JSON: all that are seen, and one.

use jiff::Timestamp;
use loopx_contract::WaitingOn;
use schemars::JsonSchema;
use serde::Serialize;

use super::{SessionDocument, SkippedDocument};
use crate::app::SessionView;
use crate::app::plane::Sweep;

const SESSIONS: &str = "loopx_sessions_v0";
const SESSION: &str = "loopx_session_v0";

/// The sessions that are seen, those that wait on a person first, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct SessionsDocument<'a> {
    #[schemars(extend("const" = SESSIONS))]
    schema_version: &'static str,
    /// The instant looked at, UTC.
    #[schemars(with = "String", extend("format" = "date-time"))]
    now: Timestamp,
    sessions: Vec<SessionDocument<'a>>,
    /// Session files that were not read because they are old.
    older_sessions: u64,
    /// What could not be read, counted by kind.
    skipped: Vec<SkippedDocument>,
}

impl<'a> SessionsDocument<'a> {
    /// The document of sessions in the order they are shown in.
    pub fn of(now: Timestamp, shown: &[&'a SessionView], sweep: &Sweep) -> Self {
        Self {
            schema_version: SESSIONS,
            now,
            sessions: shown.iter().map(|view| SessionDocument::of(view)).collect(),
            older_sessions: sweep.older,
            skipped: SkippedDocument::all(&sweep.skipped),
        }
    }

    /// The order they are shown in: by whom they wait on, the latest first.
    pub fn order(view: &SessionView) -> (u8, std::cmp::Reverse<Option<Timestamp>>) {
        (WaitingOn::attention(view.waiting_on), std::cmp::Reverse(view.facts.last_activity))
    }
}

/// All that is known of one session, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct OneSessionDocument<'a> {
    #[schemars(extend("const" = SESSION))]
    schema_version: &'static str,
    #[serde(flatten)]
    session: SessionDocument<'a>,
}

impl<'a> OneSessionDocument<'a> {
    /// The document of a session.
    pub fn of(view: &'a SessionView) -> Self {
        Self { schema_version: SESSION, session: SessionDocument::of(view) }
    }
}
