//! How a person reads a session.

use loopx_contract::{
    Check, CheckLabel, CheckOutcome, EvidenceTier, Hint, LimitWindow, Liveness, MissingFact, SessionState,
    Turn,
};

/// Its state.
pub const fn state(state: SessionState) -> &'static str {
    match state {
        SessionState::Running => "running",
        SessionState::WaitingPermission => "waiting for permission",
        SessionState::WaitingAnswer => "waiting for an answer",
        SessionState::Idle => "idle",
        SessionState::Background => "working in the background",
        SessionState::Interrupted => "interrupted",
        SessionState::Errored => "ended its turn with an error",
        SessionState::RateLimited => "at the runtime's limit",
        SessionState::Ended => "ended",
        SessionState::Unknown => "not known to run or to wait",
    }
}

/// What a statement rests on.
pub const fn tier(tier: EvidenceTier) -> &'static str {
    match tier {
        EvidenceTier::Clock => "its age alone",
        EvidenceTier::Transcript => "the session's own file",
        EvidenceTier::Hook => "what the runtime told a hook",
        EvidenceTier::Lock => "a lock that its process holds",
        EvidenceTier::Registry => "the runtime's registry, its process checked",
        EvidenceTier::Server => "the runtime's server",
        EvidenceTier::Caller => "a call from inside it",
    }
}

/// Whether its process lives.
pub const fn liveness(liveness: Liveness) -> &'static str {
    match liveness {
        Liveness::Alive => "proved alive",
        Liveness::Dead => "proved dead",
        Liveness::Unproved => "not proved either way",
    }
}

/// Whether a turn is open.
pub const fn turn(turn: Turn) -> &'static str {
    match turn {
        Turn::Open => "open",
        Turn::Closed => "closed",
        Turn::Unknown => "not told",
    }
}

/// What would have to be known.
pub const fn missing(fact: MissingFact) -> &'static str {
    match fact {
        MissingFact::Liveness => "whether its process lives",
        MissingFact::PermissionState => "whether an open call waits for permission",
        MissingFact::TurnState => "whether a turn is open",
        MissingFact::TurnMarkers => "marks of turns, which this version of the runtime does not write",
        MissingFact::LastActivity => "any instant of activity",
        MissingFact::SessionMeta => "the record that names the session",
        MissingFact::Source => "by which front end it was started",
        MissingFact::Records => "records that could not be read",
        MissingFact::File => "its file, which can't be read",
        MissingFact::OlderRecords => "an older part of its file, which was not looked at",
        MissingFact::LimitReset => "when the limit resets",
        MissingFact::SessionState => "its state at that instant",
    }
}

/// What points somewhere without proving it.
pub const fn hint(hint: Hint) -> &'static str {
    match hint {
        Hint::EscalationRequested => "the open call asked for more permission: it likely waits for approval",
        Hint::DerivedStoreDisagrees => "the runtime's own summary says otherwise than its records",
        Hint::ProjectProcess => "a process works in the session's folder; it may be another session's",
    }
}

/// What a check checks.
pub const fn check_label(label: CheckLabel) -> &'static str {
    match label {
        CheckLabel::Test => "tests",
        CheckLabel::Lint => "lint",
        CheckLabel::Build => "build",
    }
}

/// How a check ended.
pub fn check(check: &Check) -> String {
    let outcome = match check.outcome {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Failed => "failed",
        CheckOutcome::Cancelled => "stopped before its end",
        CheckOutcome::Unknown => "outcome unknown",
    };
    let exit = check.exit_code.map(|code| format!(", exit {code}")).unwrap_or_default();
    let whose = if check.compound && check.exit_code.is_some() { " (of the whole command)" } else { "" };
    format!("{outcome}{exit}{whose}")
}

/// Which of a runtime's windows.
pub const fn window(window: LimitWindow) -> &'static str {
    match window {
        LimitWindow::Primary => "the shorter window",
        LimitWindow::Secondary => "the longer window",
        LimitWindow::Other => "another limit",
    }
}
