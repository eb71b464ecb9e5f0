//! How a person reads the contract's words: the same at every door.

pub mod gate;
pub mod handoff;
pub mod quota;
pub mod run;
pub mod session;
pub mod todo;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::{GateState, Mode, QuotaState, Ref, WaitingOn};
use loopx_core::agent::AgentState;
use loopx_core::first_screen::Fact;
use loopx_core::gate::GateStanding;
use loopx_core::quota::Frees;
use loopx_core::todo::{Blocker, Covers};
use loopx_core::{Decision, Row};

use crate::app::overview::World;
use crate::app::times::local;
use crate::app::waits::Waits;
use crate::ui::Tone;

/// How a person reads whom something waits on.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// A sign that tells it without colour.
    pub shape: &'static str,
    /// The word.
    pub word: &'static str,
    /// The colour.
    pub tone: Tone,
    /// After a count of lanes.
    pub of_lanes: &'static str,
}

impl Reading {
    /// Of a session, or of all that wait on the same.
    pub const fn of(waiting_on: WaitingOn) -> Self {
        let (shape, word, tone, of_lanes) = match waiting_on {
            WaitingOn::User => ("●", "you", Tone::Alert, "on you"),
            WaitingOn::Controller => ("▲", "controller", Tone::Alert, "on the controller"),
            WaitingOn::Runtime => ("?", "runtime", Tone::Warn, "on the runtime"),
            WaitingOn::Agent => ("▶", "at work", Tone::Good, "at work"),
            WaitingOn::ExternalEvidence => ("◷", "evidence", Tone::Dim, "on evidence"),
            WaitingOn::None => ("–", "nobody", Tone::Dim, "on nobody"),
        };
        Self { shape, word, tone, of_lanes }
    }

    /// Of a lane. It may wait on its agent without any agent being at work: then the row says what it is.
    pub const fn of_lane(decision: &Decision) -> Self {
        let waiting_on = decision.projection.first_screen.waiting_on;
        match (waiting_on, decision.row) {
            (WaitingOn::Agent, Row::Ready) => {
                Self { shape: "▷", word: "ready", tone: Tone::Good, of_lanes: "ready" }
            }
            (WaitingOn::Agent, Row::Succession) => {
                Self { shape: "▷", word: "agent", tone: Tone::Good, of_lanes: "on the agent" }
            }
            (WaitingOn::Agent, Row::Peers) => {
                Self { shape: "–", word: "idle", tone: Tone::Dim, of_lanes: "idle" }
            }
            _ => Self::of(waiting_on),
        }
    }
}

/// What a group of lanes is headed with.
pub const fn heading(waiting_on: WaitingOn) -> &'static str {
    match waiting_on {
        WaitingOn::User => "Waiting on you",
        WaitingOn::Controller => "To set right: waiting on the controller",
        WaitingOn::Runtime => "Waiting on the runtime",
        WaitingOn::Agent => "The agent's turn",
        WaitingOn::ExternalEvidence => "Waiting on evidence",
        WaitingOn::None => "Waiting on nobody",
    }
}

/// Whom lanes may wait on, those that need somebody first.
pub const BY_ATTENTION: [WaitingOn; 6] = [
    WaitingOn::User,
    WaitingOn::Controller,
    WaitingOn::Runtime,
    WaitingOn::Agent,
    WaitingOn::ExternalEvidence,
    WaitingOn::None,
];

/// A fact that a decision rests on.
pub fn fact(fact: &Fact, world: &World) -> String {
    match fact {
        Fact::Damage => "a damaged log, or a text in it that may not be shown".to_owned(),
        Fact::Unregistered => "no registration of the goal or the agent".to_owned(),
        Fact::GoalState => "the goal's state".to_owned(),
        Fact::AgentState => "the agent's pause".to_owned(),
        Fact::Session(id) => match world.session(id) {
            Some(facts) => {
                let (state, tier) = (session::state(facts.state), session::tier(facts.tier));
                format!("session {}: {state}, by {tier}: {}", Ref::as_str(id), facts.rule.words())
            }
            None => format!("session {}", Ref::as_str(id)),
        },
        Fact::Gate(id) => format!("gate {id}"),
        Fact::Todo(id) => format!("todo {id}"),
        Fact::Claim(id) => format!("the claim on {id}"),
        Fact::Offer(id) => format!("the offer {id}"),
        Fact::Limit => "a limit that is used up".to_owned(),
        Fact::LastFinished(id) => format!("the end of {id}, without a word on what follows"),
    }
}

/// The answer, before anything else is read: what waits on the person, in how many lanes, and in sessions of no lane.
pub fn headline(waits: Waits) -> String {
    let Waits { asks, lanes, prompts, to_set_right } = waits;
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let of_lanes = match lanes {
        0 => None,
        // Each asks for one thing.
        _ if asks == lanes => Some(counted(lanes, "lane")),
        _ => Some(format!("{} in {}", counted(asks, "thing"), counted(lanes, "lane"))),
    };
    let of_none = match prompts {
        0 => None,
        1 => Some("1 prompt in no lane".to_owned()),
        _ => Some(format!("{prompts} prompts in no lane")),
    };
    let what: Vec<String> = of_lanes.into_iter().chain(of_none).collect();
    let verb = if waits.count() == 1 { "waits" } else { "wait" };
    match (what.as_slice(), to_set_right) {
        ([], 0) => "Nothing waits on you".to_owned(),
        ([], right) => format!("{} to set right", counted(right, "lane")),
        (what, 0) => format!("{} {verb} on you", what.join(" and ")),
        (what, right) => format!("{} {verb} on you, {right} to set right", what.join(" and ")),
    }
}

/// How long ago, or how long until: in the largest unit that is not zero.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(at).as_secs();
    let words = match seconds.unsigned_abs() {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    };
    if seconds < 0 { format!("in {words}") } else { words }
}

/// When a used-up limit frees.
pub fn frees(frees: Frees, now: Timestamp) -> String {
    match frees {
        Frees::At(at) => format!("frees {}", age(at, now)),
        Frees::Never => "the limit is 0".to_owned(),
    }
}

/// How long ago, in the largest unit that is not zero.
pub fn ago(at: Option<Timestamp>, now: Timestamp) -> String {
    let Some(at) = at else { return "at an unknown time".to_owned() };
    let seconds = now.duration_since(at).as_secs();
    match seconds {
        ..0 => "just now".to_owned(),
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// How far ahead, rounded, or how long ago.
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    if at <= now {
        return ago(Some(at), now);
    }
    let seconds = at.duration_since(now).as_millis().saturating_add(500) / 1000;
    let (minutes, hours) = ((seconds + 30) / 60, (seconds + 1800) / 3600);
    match (seconds, minutes, hours) {
        (0..60, _, _) => format!("in {seconds} s"),
        (_, 0..60, _) => format!("in {minutes} min"),
        (_, _, 0..24) => format!("in {hours} h"),
        _ => format!("in {} d", (seconds + 43_200) / 86_400),
    }
}

/// An instant as the operator reads it, and how far off it is.
pub fn instant(at: Timestamp, zone: &TimeZone, now: Timestamp) -> String {
    format!("{} ({})", local(at, zone), relative(at, now))
}

/// What something covers.
pub fn covers(covers: &Covers) -> String {
    let mut words = Vec::new();
    if covers.goal {
        words.push("the whole goal".to_owned());
    }
    words.extend(covers.agents.iter().map(|agent| format!("agent {agent}")));
    words.extend(covers.todos.iter().map(ToString::to_string));
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

/// What stands in a todo's way, by its id or label.
pub fn blocker(blocker: &Blocker) -> String {
    match blocker {
        Blocker::Todo(id) => id.to_string(),
        Blocker::Gate(id) => id.to_string(),
        Blocker::Run(id) => id.to_string(),
        Blocker::Evidence(label) => format!("evidence “{label}”"),
    }
}

/// What the gates over a lane say.
pub const fn gate_state(state: GateState) -> &'static str {
    match state {
        GateState::Clear => "clear",
        GateState::UserTodo => "a todo of yours is owed",
        GateState::OperatorGate => "a decision is owed",
        GateState::Blocked => "blocked",
        GateState::Deferred => "put off",
        GateState::Approved => "approved",
    }
}

/// Whether a lane may spend an automatic turn.
pub const fn quota_state(state: QuotaState) -> &'static str {
    match state {
        QuotaState::Eligible => "a turn may be spent",
        QuotaState::Throttled => "used up",
        QuotaState::MonitorQuietSkip => "nothing to spend a turn on",
        QuotaState::OperatorGate => "no turn before the decision",
        QuotaState::Blocked => "no turn",
    }
}

/// How a first screen may be used.
pub const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::ReadOnlyProjection => "read only",
        Mode::ControlledWriteback => "controlled writeback",
    }
}

/// How a lane stands.
pub const fn agent_state(state: AgentState) -> &'static str {
    match state {
        AgentState::Active => "active",
        AgentState::Paused => "paused",
    }
}

/// A word of the contract, as it is spoken.
pub fn spoken(word: &str) -> String {
    word.replace('_', " ")
}

/// How a gate stands, in a word.
pub const fn standing(standing: GateStanding) -> &'static str {
    match standing {
        GateStanding::Requested => "requested",
        GateStanding::Approved => "approved",
        GateStanding::Rejected => "rejected",
        GateStanding::Deferred => "deferred",
        GateStanding::Withdrawn => "withdrawn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_for_five_lanes_was_counted_as_five() {
        for (asks, lanes, prompts, to_set_right, words) in [
            (0, 0, 0, 0, "Nothing waits on you"),
            (1, 1, 0, 0, "1 lane waits on you"),
            (2, 2, 0, 0, "2 lanes wait on you"),
            (1, 5, 0, 0, "1 thing in 5 lanes waits on you"),
            (3, 1, 0, 0, "3 things in 1 lane wait on you"),
            (0, 0, 1, 0, "1 prompt in no lane waits on you"),
            (2, 2, 3, 0, "2 lanes and 3 prompts in no lane wait on you"),
            (1, 2, 1, 0, "1 thing in 2 lanes and 1 prompt in no lane wait on you"),
            (0, 0, 0, 1, "1 lane to set right"),
            (0, 0, 0, 2, "2 lanes to set right"),
            (1, 1, 0, 2, "1 lane waits on you, 2 to set right"),
        ] {
            assert_eq!(headline(Waits { asks, lanes, prompts, to_set_right }), words);
        }
    }

    #[test]
    fn times_ahead_and_past() {
        let now: Timestamp = "2026-11-29T23:31:00Z".parse().expect("an instant");
        for (at, words) in [
            ("2026-11-30T00:16:00Z", "in 45 min"),
            ("2026-12-02T23:31:00Z", "in 3 d"),
            ("2026-11-30T00:30:59.9Z", "in 1 h"),
            ("2026-12-01T23:30:59.9Z", "in 2 d"),
            ("2026-11-29T23:31:00Z", "0 s ago"),
            ("2026-11-29T21:31:00Z", "2 h ago"),
        ] {
            assert_eq!(relative(at.parse().expect("an instant"), now), words);
        }
    }
}
