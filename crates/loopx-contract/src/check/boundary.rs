//! Check 4: read-only, unless a separate writeback contract was accepted.

use super::Writeback;
use super::finding::{Code, Findings};
use super::view::{MODE, View};
use crate::projection::Mode;

pub(super) fn check(view: &View<'_>, writeback: Option<&Writeback>, findings: &mut Findings) {
    match (view.mode, writeback) {
        (None | Some(Mode::ReadOnlyProjection), _) => {}
        (Some(Mode::ControlledWriteback), None) => {
            let hint =
                "read_only_projection, until a controlled-write contract is accepted and supplied beside it";
            findings.error(4, Code::WritebackNotAccepted, MODE, hint);
        }
        (Some(Mode::ControlledWriteback), Some(writeback)) => {
            if !writeback.covers(view) {
                let hint = "the acceptance supplied beside it covers another goal, lane or runtime";
                findings.error(4, Code::WritebackElsewhere, MODE, hint);
            }
        }
    }
}

impl Writeback {
    fn covers(&self, view: &View<'_>) -> bool {
        let agent = self.agent_id.as_ref().is_none_or(|agent| view.agent_id == Some(agent.as_str()));
        let runtime =
            self.runtime_id.as_ref().is_none_or(|runtime| view.runtime_id == Some(runtime.as_str()));
        view.goal_id == Some(self.goal_id.as_str()) && agent && runtime
    }
}
