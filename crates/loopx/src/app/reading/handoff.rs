//! How a person reads a handoff.

use jiff::Timestamp;
use loopx_contract::AgentId;
use loopx_core::handoff::{Handoff, HandoffState};

/// How it stands now, in a word.
pub fn state_word(handoff: &Handoff, now: Timestamp) -> &'static str {
    match handoff.state {
        HandoffState::Offered if handoff.is_offered(now) => "offered",
        HandoffState::Offered | HandoffState::Expired => "expired",
        HandoffState::Accepted => "accepted",
        HandoffState::FollowedUp => "followed_up",
        HandoffState::Declined => "declined",
        HandoffState::Withdrawn => "withdrawn",
    }
}

/// Its place in a list: what is offered first, then what was taken.
pub fn rank(handoff: &Handoff, now: Timestamp) -> u8 {
    match handoff.state {
        HandoffState::Offered if handoff.is_offered(now) => 0,
        HandoffState::Accepted => 1,
        HandoffState::Offered
        | HandoffState::FollowedUp
        | HandoffState::Declined
        | HandoffState::Expired
        | HandoffState::Withdrawn => 2,
    }
}

/// Whom it is for.
pub fn receiver(handoff: &Handoff) -> &str {
    handoff.to.as_ref().map_or("any lane", AgentId::as_str)
}
