//! Runtimes' own windows, in words and as JSON: how much of each is used, and when it resets.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::{Limit, SessionFacts};

use super::list;
use super::view::ago;
pub use crate::app::windows::{Window, name, of, used};

/// From this share on a window is worth a word beside its session, in hundredths of a percent.
const WORTH: u32 = 8000;

/// What is said beside a session: the windows that are nearly or wholly used, with when they reset.
pub fn worth_a_word(facts: &SessionFacts, now: Timestamp) -> Option<String> {
    let much = |limit: &&Limit| {
        let ahead = limit.resets_at.is_some_and(|at| at > now);
        ahead && (limit.reached || limit.used_basis_points.is_some_and(|used| used >= WORTH))
    };
    let words: Vec<String> = facts
        .limits
        .iter()
        .filter(much)
        .map(|limit| match limit.resets_at {
            Some(at) => format!("{} {}, resets {}", name(limit), used(limit), until(at, now)),
            None => format!("{} {}", name(limit), used(limit)),
        })
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// When it resets, there and from here.
pub fn resets(limit: &Limit, now: Timestamp, zone: &TimeZone) -> String {
    match limit.resets_at {
        None => "reset unknown".to_owned(),
        Some(at) => {
            let verb = if at > now { "resets" } else { "has reset" };
            format!("{verb} {} ({})", list::local(at, zone), until(at, now))
        }
    }
}

/// How far ahead, in the largest unit that is not zero; of what is behind, how long ago.
pub fn until(at: Timestamp, now: Timestamp) -> String {
    let seconds = at.duration_since(now).as_secs();
    match seconds {
        ..0 => ago(Some(at), now),
        0..60 => format!("in {seconds} s"),
        60..3600 => format!("in {} min", seconds / 60),
        3600..86_400 => format!("in {} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("in {} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

#[cfg(test)]
mod tests;
