//! Claude Code's windows, as its status line tells them, beside the limit that its transcript says was reached.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{Limit, LimitWindow};

use crate::hooks::Windows;

/// So close together, a limit that was reached and windows that were told are of the same response.
const TOGETHER: SignedDuration = SignedDuration::from_mins(1);

/// A limit that the transcript says was reached.
pub fn reached(at: Timestamp, resets_at: Option<Timestamp>) -> Limit {
    Limit {
        window: LimitWindow::Other,
        used_basis_points: None,
        window_minutes: None,
        resets_at,
        reached: true,
        seen_at: Some(at),
    }
}

/// Lays both together: the fresher one decides whether a limit holds. Of one response, a window that is used up is the
/// limit that was reached, with its reset; else it was one that the status line does not tell.
pub fn lay(told: Option<&Windows>, reached: Option<Limit>) -> Vec<Limit> {
    let mut limits = told.map(|told| told.limits.clone()).unwrap_or_default();
    let over = |reached: &Limit| {
        let (Some(told), Some(seen)) = (told, reached.seen_at) else { return false };
        let since = told.told_at.duration_since(seen);
        since > TOGETHER || (since >= -TOGETHER && limits.iter().any(Limit::is_used_up))
    };
    let reached = reached.filter(|reached| !over(reached));
    limits.extend(reached);
    limits.sort_by_key(|limit| limit.window);
    limits
}

/// Whether an exhausted window tells when it resets.
pub fn tell_a_reset(limits: &[Limit]) -> bool {
    limits.iter().any(|limit| limit.is_used_up() && limit.resets_at.is_some())
}

#[cfg(test)]
mod tests;
