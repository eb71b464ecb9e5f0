//! New ids of ours.

use loopx_contract::{GateId, HandoffId, RewardId, RunId, Suffix, TodoId};

/// Where minted ids come from. An argument, so that `decide` stays pure.
pub trait IdSource {
    /// The next sortable suffix.
    fn suffix(&mut self) -> Suffix;
}

/// Mints the ids of one command.
pub(crate) struct Mint<'a>(pub &'a mut dyn IdSource);

impl Mint<'_> {
    pub(crate) fn todo(&mut self) -> TodoId {
        TodoId::mint(&self.0.suffix())
    }
    pub(crate) fn gate(&mut self) -> GateId {
        GateId::mint(&self.0.suffix())
    }
    pub(crate) fn run(&mut self) -> RunId {
        RunId::mint(&self.0.suffix())
    }
    pub(crate) fn reward(&mut self) -> RewardId {
        RewardId::mint(&self.0.suffix())
    }
    pub(crate) fn handoff(&mut self) -> HandoffId {
        HandoffId::mint(&self.0.suffix())
    }
}
