//! Claude Code.
use crate::Sources;
use crate::inspect::{InspectError, Inspection, Verdict};
use crate::sweep::Look;
use jiff::Timestamp;
use loopx_safety::InstallKey;
use std::path::Path;
pub(crate) fn observe(_: &Sources, _: &mut Look<'_>) {}
pub(crate) fn inspect(
    _: &Path,
    _: &InstallKey,
    _: Timestamp,
    _: Option<&Sources>,
) -> Result<Inspection, InspectError> {
    Ok(Inspection { verdict: Verdict::NotASession, evidence: Vec::new() })
}
pub(crate) fn session_of_pid(_: &Sources, _: u32) -> Option<String> {
    None
}
