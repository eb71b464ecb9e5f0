//! A projection as the rules see it: whatever could be read.

use crate::projection::{GateState, Mode, QuotaState, WaitingOn};

/// What could be read of a projection; what couldn't is none, and no rule speaks of it.
#[derive(Default)]
pub(super) struct View<'a> {
    pub goal_id: Option<&'a str>,
    pub agent_id: Option<&'a str>,
    pub runtime_id: Option<&'a str>,
    pub session_id: Slot<'a>,
    pub redacted: Option<bool>,
    pub run_id: Slot<'a>,
    pub todo_id: Slot<'a>,
    pub event_id: Slot<'a>,
    pub outcome_id: Slot<'a>,
    pub waiting_on: Option<WaitingOn>,
    pub next_action: Option<&'a str>,
    pub open_user_todo: Slot<'a>,
    pub executable: Slot<'a>,
    pub validation: Option<&'a str>,
    pub gate: Option<GateState>,
    pub quota: Option<QuotaState>,
    pub mode: Option<Mode>,
    /// Transcripts, credentials, paths: as stated.
    pub copied: [Option<bool>; 3],
}

impl View<'_> {
    /// Whether a runtime is named; none where that can't be read.
    pub fn is_attached(&self) -> Option<bool> {
        self.runtime_id.map(|id| id != "none")
    }
}

/// A text or null.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Slot<'a> {
    #[default]
    Unreadable,
    Null,
    Text(&'a str),
}

impl<'a> Slot<'a> {
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Unreadable => None,
        }
    }

    pub fn is_text(self) -> bool {
        self.text().is_some()
    }

    pub fn is_null(self) -> bool {
        self == Slot::Null
    }
}

pub(super) const WAITING_ON: &str = "/first_screen/waiting_on";
pub(super) const QUOTA: &str = "/first_screen/quota_state";
pub(super) const GATE: &str = "/first_screen/gate_state";
pub(super) const EXECUTABLE: &str = "/first_screen/first_executable_agent_todo";
pub(super) const USER_TODO: &str = "/first_screen/open_user_todo";
pub(super) const VALIDATION: &str = "/first_screen/latest_validation";
pub(super) const MODE: &str = "/first_screen/boundary/mode";
/// The flags, in the order of [`View::copied`].
pub(super) const COPIED: [&str; 3] = ["raw_transcripts_copied", "credentials_copied", "private_paths_copied"];
