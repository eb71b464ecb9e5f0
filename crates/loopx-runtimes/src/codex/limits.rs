//! Codex's rate-limit windows.

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{Limit, LimitWindow};

use super::records::RateLimits;
use crate::reader::field::epoch_seconds;

/// Takes the windows of one record. A window that the record leaves out stays as it was last told.
pub fn take(limits: &mut Vec<Limit>, told: &RateLimits<'_>, at: Option<Timestamp>) {
    let reached = told.rate_limit_reached_type.get();
    let windows = [(LimitWindow::Primary, &told.primary), (LimitWindow::Secondary, &told.secondary)];
    for (window, told) in windows {
        let Some(told) = told.get() else { continue };
        set(
            limits,
            Limit {
                window,
                used_basis_points: told.used_percent.0,
                window_minutes: told.minutes.0.and_then(|minutes| minutes.try_into().ok()),
                resets_at: epoch_seconds(told.resets_at).or_else(|| {
                    let after = SignedDuration::from_secs(told.resets_in_seconds.0?);
                    at?.checked_add(after).ok()
                }),
                reached: reached.is_some_and(|which| which.contains(name(window))),
                seen_at: at,
            },
        );
    }
    let of_a_window = |which: &str| which.contains("primary") || which.contains("secondary");
    if let Some(which) = reached {
        if !of_a_window(which) {
            reach(limits, at);
        }
    } else {
        limits.retain(|limit| limit.window != LimitWindow::Other);
    }
}

/// Notes that a limit was reached, whichever it is.
pub fn reach(limits: &mut Vec<Limit>, at: Option<Timestamp>) {
    set(
        limits,
        Limit {
            window: LimitWindow::Other,
            used_basis_points: None,
            window_minutes: None,
            resets_at: None,
            reached: true,
            seen_at: at,
        },
    );
}

/// Whether an exhausted window tells when it resets.
pub fn tell_a_reset(limits: &[Limit]) -> bool {
    limits.iter().any(|limit| limit.is_used_up() && limit.resets_at.is_some())
}

const fn name(window: LimitWindow) -> &'static str {
    match window {
        LimitWindow::Primary => "primary",
        LimitWindow::Secondary => "secondary",
        LimitWindow::Other => "other",
    }
}

fn set(limits: &mut Vec<Limit>, limit: Limit) {
    limits.retain(|held| held.window != limit.window);
    limits.push(limit);
    limits.sort_by_key(|limit| limit.window);
}
