//! How a person reads a run.

use loopx_core::reward::Judgement;
use loopx_core::run::{Run, RunKind, ValidationOutcome};

/// What a run was, in a word.
pub const fn kind_word(run: &Run) -> &'static str {
    match run.kind {
        RunKind::Progress => "progress",
        RunKind::Validation => "validation",
        RunKind::Blocker => "blocker",
        RunKind::NoProgress => "no progress",
        RunKind::Handoff => "handoff",
        RunKind::Projection => "projection",
    }
}

/// What was checked and how it ended.
pub fn check(run: &Run) -> String {
    let Some(validation) = &run.validation else { return String::new() };
    let outcome = match validation.outcome {
        ValidationOutcome::Passed => "passed",
        ValidationOutcome::Failed => "failed",
        ValidationOutcome::Unknown => "outcome unknown",
    };
    let exit = validation.exit_code.map(|code| format!(", exit {code}")).unwrap_or_default();
    format!("{} {outcome}{exit}", validation.label)
}

/// A judgement of a run, in a word.
pub const fn judgement_word(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Good => "good",
        Judgement::Mixed => "mixed",
        Judgement::Bad => "bad",
    }
}
