//! Check 3: a missing runtime fact is an explicit null or blocker, never a guessed action.
//!
//! A projection doesn't say whose lane it is, and a person's lane has no session and misses nothing. So a lane
//! without a session is an error only where it is told to be an automation's: by the caller, by naming a runtime,
//! or by a screen that a person's lane never has. Else it is a warning.

use super::Lane;
use super::finding::{Code, Findings};
use super::view::{EXECUTABLE, VALIDATION, View};
use crate::projection::{QuotaState, WaitingOn};
use crate::session::MissingFact;

/// What stands where a null should, compared in lower case.
const PLACEHOLDERS: [&str; 12] =
    ["none", "null", "nil", "unknown", "undefined", "missing", "n/a", "na", "tbd", "todo", "-", "?"];

pub(super) fn check(view: &View<'_>, lane: Lane, findings: &mut Findings) {
    placeholders(view, findings);
    unnamed(view, lane, findings);
    guessed(view, findings);
}

fn placeholders(view: &View<'_>, findings: &mut Findings) {
    let refs = [
        (view.session_id, "/runtime/session_id"),
        (view.run_id, "/loopx_refs/run_id"),
        (view.todo_id, "/loopx_refs/todo_id"),
        (view.event_id, "/loopx_refs/event_id"),
        (view.outcome_id, "/loopx_refs/outcome_id"),
    ];
    for (slot, pointer) in refs {
        if slot.text().is_some_and(|text| PLACEHOLDERS.contains(&text.to_lowercase().as_str())) {
            findings.error(3, Code::PlaceholderRef, pointer, "what is missing is null");
        }
    }
}

/// How sure it is that a runtime fact is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lacks {
    Nothing,
    /// So it is, unless this is a person's lane.
    MaybeSession,
    Session,
    State,
}

fn unnamed(view: &View<'_>, lane: Lane, findings: &mut Findings) {
    let Some(validation) = view.validation else { return };
    if names_missing(validation) {
        return;
    }
    match lacks(view, lane) {
        Lacks::Nothing => {}
        Lacks::MaybeSession => {
            let hint = "no session is attached: unless this is a person's lane, end with \"missing: \" and the facts";
            findings.warning(3, Code::MissingFactUnnamed, VALIDATION, hint);
        }
        Lacks::Session => {
            let hint = "no session is attached: end with \"missing: \" and the facts";
            findings.error(3, Code::MissingFactUnnamed, VALIDATION, hint);
        }
        Lacks::State => {
            let hint = "the session's state is unknown: end with \"missing: \" and the facts";
            findings.error(3, Code::MissingFactUnnamed, VALIDATION, hint);
        }
    }
}

fn lacks(view: &View<'_>, lane: Lane) -> Lacks {
    let action = view.next_action.map(str::to_lowercase).unwrap_or_default();
    match view.is_attached() {
        Some(true) if view.session_id.is_null() && view.redacted == Some(false) => Lacks::Session,
        // A runtime whose limit has an unknown reset is known to be limited: it is throttled, not blocked.
        Some(true)
            if view.waiting_on == Some(WaitingOn::Runtime)
                && view.quota == Some(QuotaState::Blocked)
                && action.contains("unknown") =>
        {
            Lacks::State
        }
        None | Some(true) => Lacks::Nothing,
        Some(false) => match lane {
            Lane::Human => Lacks::Nothing,
            Lane::Automation => Lacks::Session,
            Lane::Unknown if is_automation(view) || action.contains("no session attached") => Lacks::Session,
            Lane::Unknown => Lacks::MaybeSession,
        },
    }
}

/// A person's lane waits on no runtime, and no limit stops it.
fn is_automation(view: &View<'_>) -> bool {
    let limited = view.quota == Some(QuotaState::Throttled)
        && matches!(view.waiting_on, Some(WaitingOn::None | WaitingOn::Controller));
    limited || view.waiting_on == Some(WaitingOn::Runtime)
}

fn guessed(view: &View<'_>, findings: &mut Findings) {
    if !view.executable.is_text() {
        return;
    }
    // A call from inside the session proves it running, whatever else is missing; the state itself is then known.
    let stateless = view.is_attached() == Some(true) && view.validation.is_some_and(misses_state);
    if stateless || view.waiting_on == Some(WaitingOn::Runtime) {
        let hint = "null while the session's state is unknown: it may be at work, or wait for an answer";
        findings.error(3, Code::GuessedAction, EXECUTABLE, hint);
    }
}

fn misses_state(validation: &str) -> bool {
    let lower = validation.to_lowercase();
    after_missing(&lower).any(|(_, after)| {
        after
            .trim_start_matches([':', ' '])
            .split([',', ';'])
            .any(|fact| fact.trim().replace(' ', "_") == MissingFact::SessionState.word())
    })
}

/// Whether a text says that something is missing, and what.
pub(super) fn names_missing(validation: &str) -> bool {
    let lower = validation.to_lowercase();
    let says = |text: &str| text.contains(char::is_alphanumeric);
    after_missing(&lower).any(|(before, after)| match after.trim_start().strip_prefix(':') {
        Some(facts) => says(facts),
        None => says(after) || says(before) && !before.contains("nothing"),
    })
}

/// What stands before and after each word "missing".
fn after_missing(lower: &str) -> impl Iterator<Item = (&str, &str)> {
    lower.match_indices("missing").filter_map(|(at, word)| {
        let (before, after) = (&lower[..at], &lower[at + word.len()..]);
        let inside = before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        (!inside).then_some((before, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_fact_is_named_in_words() {
        for text in [
            "no validation recorded; missing: session",
            "last run validated test; missing: liveness, turn_state",
            "Missing: session_id",
            "no session: session_id is missing",
        ] {
            assert!(names_missing(text), "{text}");
        }
        for text in ["last run validated test", "missing:", "missing", "last run; missing: ", "dismissing it"]
        {
            assert!(!names_missing(text), "{text}");
        }
        assert!(misses_state("x; missing: liveness, session_state"));
        assert!(misses_state("x; missing: session state"));
        assert!(!misses_state("x; missing: permission_state"));
    }
}
