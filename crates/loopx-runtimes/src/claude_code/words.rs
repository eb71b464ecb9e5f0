//! How a command ended, by what its call gave.

use super::records::{Block, Gave};
use crate::check::Exit;

/// Reads how a command ended. Versions before 2.0 tell no code.
pub fn how_ended(result: &Block<'_>, gave: Option<&Gave<'_>>) -> Exit {
    const REFUSED: [&str; 3] =
        ["The user doesn't want to", "Permission to use", "Claude requested permissions"];
    if result.is_error.0 {
        let words = result.gave();
        let code =
            words.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        return if let Some(code) = code {
            Exit::Code(code)
        } else if REFUSED.iter().any(|mark| words.starts_with(mark)) {
            Exit::Cancelled
        } else if words.starts_with("<tool_use_error>") {
            // It was never run.
            Exit::Unknown
        } else {
            Exit::Failed
        };
    }
    match gave {
        Some(gave) if gave.interrupted.0 => Exit::Cancelled,
        Some(gave) if gave.background_task_id.0 => Exit::Unknown,
        Some(gave) if gave.stdout.0 => Exit::Code(0),
        Some(_) | None => Exit::Unknown,
    }
}
