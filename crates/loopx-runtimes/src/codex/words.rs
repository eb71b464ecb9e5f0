//! What has to be read out of words: versions, arguments, and messages that the runtime wrote itself.

use crate::reader::field::{Raw, is_true, object, text};

/// The first version that writes turn markers, as far as recordings tell.
const MARKED_SINCE: (u64, u64) = (0, 106);

/// Whether a version marks turns; `None` where it tells nothing.
pub fn marks_turns(version: &str) -> Option<bool> {
    let mut parts = version.split(['.', '-']);
    let major: u64 = parts.next()?.parse().ok()?;
    let minor: u64 = parts.next()?.parse().ok()?;
    // Builds from source call themselves 0.0.0.
    ((major, minor) != (0, 0)).then_some((major, minor) >= MARKED_SINCE)
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Arguments<'a> {
    #[serde(borrow)]
    sandbox_permissions: Raw<'a>,
    #[serde(borrow)]
    with_escalated_permissions: Raw<'a>,
}

/// Whether a call's arguments ask for more than the sandbox gives.
pub fn escalates(arguments: &str) -> bool {
    object::<Arguments<'_>>(arguments).is_some_and(|arguments| {
        text(arguments.sandbox_permissions).is_some_and(|value| value == "require_escalated")
            || is_true(arguments.with_escalated_permissions)
    })
}

#[derive(serde::Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Raw<'a>,
}

/// Whether a user's message was written by the runtime.
pub fn injected(content: Raw<'_>) -> bool {
    const MARKS: [&str; 6] = [
        "<environment_context>",
        "<user_instructions>",
        "# AGENTS.md",
        "<permissions",
        "<turn_aborted>",
        "<skill",
    ];
    let Some(parts) = content.and_then(|raw| serde_json::from_str::<Vec<Part<'_>>>(raw.get()).ok()) else {
        return false;
    };
    let first = parts.first().and_then(|part| text(part.text));
    first.is_some_and(|text| MARKS.iter().any(|mark| text.trim_start().starts_with(mark)))
}
