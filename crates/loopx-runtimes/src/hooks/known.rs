//! Which events a version of a runtime knows. An old version may refuse a settings file that names others.
//!
//! Measured on the packages of the vendors' registry: each event is in the list of events of the version named here,
//! and not in that of the version before it. Codex has read a hooks file since 0.114.0; it is on by itself since 0.124.0.

use super::names;
use crate::{Runtime, Version};

/// An event, and the first version that knows it.
type Since = (&'static str, Version);

const fn since(event: &'static str, major: u32, minor: u32, patch: u32) -> Since {
    (event, Version::new(major, minor, patch))
}

const CLAUDE_CODE: [Since; 16] = [
    since("PreToolUse", 1, 0, 23),
    since("PostToolUse", 1, 0, 23),
    since("Notification", 1, 0, 23),
    since("Stop", 1, 0, 31),
    since("SubagentStop", 1, 0, 41),
    since("PreCompact", 1, 0, 48),
    since("UserPromptSubmit", 1, 0, 53),
    since("SessionStart", 1, 0, 62),
    since("SessionEnd", 1, 0, 85),
    since("PermissionRequest", 2, 0, 45),
    since("PostToolUseFailure", 2, 0, 56),
    since("Elicitation", 2, 1, 63),
    since("ElicitationResult", 2, 1, 63),
    since("PostCompact", 2, 1, 76),
    since("StopFailure", 2, 1, 78),
    since("PermissionDenied", 2, 1, 88),
];

const CODEX: [Since; 11] = [
    since("SessionStart", 0, 124, 0),
    since("UserPromptSubmit", 0, 124, 0),
    since("PreToolUse", 0, 124, 0),
    since("PermissionRequest", 0, 124, 0),
    since("PostToolUse", 0, 124, 0),
    since("Stop", 0, 124, 0),
    since("PreCompact", 0, 129, 0),
    since("PostCompact", 0, 129, 0),
    since("SubagentStop", 0, 133, 0),
    since("SessionEnd", 0, 145, 0),
    since("Interrupt", 0, 150, 0),
];

/// What is taken of a version that could not be found out: every version with hooks knows it.
const fn oldest(runtime: Runtime) -> Version {
    match runtime {
        Runtime::Codex => Version::new(0, 124, 0),
        Runtime::ClaudeCode => Version::new(1, 0, 31),
    }
}

/// The first version whose status line is told of limits.
const LIMITS: Version = Version::new(2, 1, 80);

/// The events that are taken of a runtime and that its version knows, in the order of a session. Of a version that is
/// not known, those of the oldest with hooks.
pub fn known(runtime: Runtime, version: Option<Version>) -> Vec<&'static str> {
    let version = version.unwrap_or(oldest(runtime));
    let table: &[Since] = match runtime {
        Runtime::Codex => &CODEX,
        Runtime::ClaudeCode => &CLAUDE_CODE,
    };
    let is_known = |event: &&str| table.iter().any(|(name, since)| name == event && *since <= version);
    let mut known: Vec<_> = names(runtime).into_iter().filter(is_known).collect();
    known.sort_by_key(|event| ORDER.iter().position(|one| one == event));
    known
}

/// The events in the order in which a session fires them.
const ORDER: [&str; 17] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "Elicitation",
    "ElicitationResult",
    "Notification",
    "PreCompact",
    "PostCompact",
    "SubagentStop",
    "Interrupt",
    "Stop",
    "StopFailure",
    "SessionEnd",
];

/// Whether a version runs hooks without being told to. One that is not known is taken to.
pub fn has_hooks(runtime: Runtime, version: Option<Version>) -> bool {
    !known(runtime, version).is_empty()
}

/// Whether a version tells its status line how much of its limits is used.
pub fn tells_limits(runtime: Runtime, version: Option<Version>) -> bool {
    match runtime {
        Runtime::Codex => false,
        Runtime::ClaudeCode => version.is_some_and(|version| version >= LIMITS),
    }
}

/// The first version of Codex that runs no hook which its user has not trusted.
const TRUST: Version = Version::new(0, 131, 0);

/// Whether a version runs hooks only once its user has trusted them. One that is not known is taken to.
pub fn asks_trust(runtime: Runtime, version: Option<Version>) -> bool {
    match runtime {
        Runtime::Codex => version.is_none_or(|version| version >= TRUST),
        Runtime::ClaudeCode => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(runtime: Runtime, text: &str) -> Vec<&'static str> {
        known(runtime, Some(text.parse().expect("a version")))
    }

    #[test]
    fn the_newest_versions_know_every_event_that_is_taken() {
        for (runtime, newest) in [(Runtime::ClaudeCode, "2.1.332"), (Runtime::Codex, "0.171.0")] {
            let mut known = at(runtime, newest);
            known.sort_unstable();
            assert_eq!(known, names(runtime).into_iter().collect::<Vec<_>>());
        }
    }

    /// The lists of these versions as their packages have them, as far as they are taken.
    #[test]
    fn older_versions_get_no_event_that_they_do_not_know() {
        let shared = ["SessionStart", "UserPromptSubmit", "PreToolUse"];
        let list = |rest: &[&'static str]| [&shared[..], rest].concat();
        assert_eq!(
            at(Runtime::ClaudeCode, "1.0.128"),
            list(&["PostToolUse", "Notification", "PreCompact", "SubagentStop", "Stop", "SessionEnd"])
        );
        assert_eq!(
            at(Runtime::ClaudeCode, "2.0.45"),
            list(&[
                "PermissionRequest",
                "PostToolUse",
                "Notification",
                "PreCompact",
                "SubagentStop",
                "Stop",
                "SessionEnd"
            ])
        );
        assert_eq!(
            at(Runtime::ClaudeCode, "2.0.76"),
            list(&[
                "PermissionRequest",
                "PostToolUse",
                "PostToolUseFailure",
                "Notification",
                "PreCompact",
                "SubagentStop",
                "Stop",
                "SessionEnd"
            ])
        );
        assert_eq!(at(Runtime::ClaudeCode, "1.0.37"), ["PreToolUse", "PostToolUse", "Notification", "Stop"]);
        assert_eq!(at(Runtime::Codex, "0.125.0"), list(&["PermissionRequest", "PostToolUse", "Stop"]));
    }

    #[test]
    fn a_version_without_hooks_gets_none() {
        assert!(at(Runtime::ClaudeCode, "1.0.22").is_empty() && at(Runtime::Codex, "0.123.0").is_empty());
        assert!(!has_hooks(Runtime::Codex, Some(Version::new(0, 106, 0))));
    }

    #[test]
    fn of_an_unknown_version_the_smallest_set_is_taken() {
        assert_eq!(known(Runtime::ClaudeCode, None), ["PreToolUse", "PostToolUse", "Notification", "Stop"]);
        assert_eq!(known(Runtime::Codex, None), at(Runtime::Codex, "0.124.0"));
        assert!(!tells_limits(Runtime::ClaudeCode, None));
    }

    #[test]
    fn limits_are_told_from_one_version_on() {
        assert!(tells_limits(Runtime::ClaudeCode, Some(Version::new(2, 1, 80))));
        assert!(!tells_limits(Runtime::ClaudeCode, Some(Version::new(2, 1, 79))));
    }
}
