//! stub
use super::SqliteStore;
use crate::*;
impl SqliteStore {
    pub(super) fn purge_texts(
        &mut self,
        _: &loopx_contract::GoalId,
        _: &PurgeTarget,
        _: &loopx_core::Actor,
        _: jiff::Timestamp,
    ) -> Result<PurgeSummary, StoreError> {
        Err(StoreError::ReadOnly)
    }
    pub(super) fn export_lines(
        &mut self,
        _: &mut dyn std::io::Write,
        _: &[loopx_contract::GoalId],
    ) -> Result<ExportSummary, StoreError> {
        Err(StoreError::ReadOnly)
    }
    pub(super) fn import_lines(
        &mut self,
        _: &mut dyn std::io::BufRead,
        _: &loopx_core::Actor,
    ) -> Result<ImportSummary, StoreError> {
        Err(StoreError::ReadOnly)
    }
}
