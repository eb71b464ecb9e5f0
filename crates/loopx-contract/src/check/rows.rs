//! What the decision can say at all: its rows, as far as one projection shows them.
//!
//! `waiting_on` and `quota_state` are the table's own columns. `gate_state` follows from what a row holds: a row
//! below "held" without an executable todo has no gate or ask that touches, one with such a todo no blocked gate.

use crate::projection::GateState::{self, Approved, Blocked, Clear, Deferred, OperatorGate, UserTodo};
use crate::projection::QuotaState::{self, Eligible, MonitorQuietSkip, Throttled};
use crate::projection::WaitingOn::{self, Agent, Controller, ExternalEvidence, Runtime, User};

/// One or more rows that look alike.
struct Row {
    waiting_on: WaitingOn,
    quota: QuotaState,
    gates: &'static [GateState],
    /// Only where a session is attached.
    session: bool,
}

const ANY: &[GateState] = &[Clear, UserTodo, OperatorGate, Blocked, Deferred, Approved];
/// Beside an executable todo.
const WITH_TODO: &[GateState] = &[Clear, UserTodo, OperatorGate, Deferred, Approved];
const BOTH_ASKS: &[GateState] = &[UserTodo, OperatorGate];

const fn row(waiting_on: WaitingOn, quota: QuotaState, gates: &'static [GateState]) -> Row {
    Row { waiting_on, quota, gates, session: false }
}

const fn with_session(waiting_on: WaitingOn, quota: QuotaState, gates: &'static [GateState]) -> Row {
    Row { waiting_on, quota, gates, session: true }
}

const ROWS: &[Row] = &[
    // integrity, unknown lane, paused, rejected, unfit, stuck
    row(Controller, QuotaState::Blocked, ANY),
    // closed
    row(WaitingOn::None, QuotaState::Blocked, &[Clear]),
    // prompt
    with_session(User, QuotaState::OperatorGate, ANY),
    // held
    row(User, QuotaState::OperatorGate, BOTH_ASKS),
    row(Controller, QuotaState::OperatorGate, &[OperatorGate]),
    // working
    with_session(Agent, Throttled, ANY),
    with_session(Agent, MonitorQuietSkip, &[Clear, Blocked, Deferred]),
    // unsure, failed, limited
    row(Runtime, QuotaState::Blocked, ANY),
    row(Runtime, Throttled, WITH_TODO),
    // deferred
    row(ExternalEvidence, QuotaState::OperatorGate, &[Deferred]),
    // throttled
    row(WaitingOn::None, Throttled, WITH_TODO),
    row(Controller, Throttled, WITH_TODO),
    // ready, and working with a todo to go on with
    row(Agent, Eligible, WITH_TODO),
    // peers, succession
    row(Agent, MonitorQuietSkip, &[Clear]),
    row(Agent, Throttled, &[Clear]),
    // evidence, asked, quiet
    row(ExternalEvidence, MonitorQuietSkip, &[Clear]),
    row(User, MonitorQuietSkip, &[Clear]),
    row(WaitingOn::None, MonitorQuietSkip, &[Clear]),
];

/// How a combination fits the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Some row gives it.
    Fits,
    /// No row gives this pair.
    NoPair,
    /// A row gives the pair, none with this gate.
    NoGate,
}

/// Whether some row gives this. `attached` is none where that can't be read.
pub(super) fn fit(
    waiting: WaitingOn,
    quota: QuotaState,
    gate: Option<GateState>,
    attached: Option<bool>,
) -> Fit {
    let mut pairs = ROWS.iter().filter(|row| row.waiting_on == waiting && row.quota == quota).peekable();
    if pairs.peek().is_none() {
        return Fit::NoPair;
    }
    let fits = |row: &Row| {
        gate.is_none_or(|gate| row.gates.contains(&gate)) && !(row.session && attached == Some(false))
    };
    if pairs.any(fits) { Fit::Fits } else { Fit::NoGate }
}
