//! How a person reads a gate.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_core::gate::{Gate, GateActor, GateDecision, GateStanding, Uses};

use super::{covers, instant, relative};

/// Who decides it, in a word.
pub const fn actor_word(gate: &Gate) -> &'static str {
    match gate.actor {
        GateActor::User => "user",
        GateActor::Controller => "controller",
    }
}

/// What was decided, with what proved it; empty where nothing was.
pub fn decision(gate: &Gate, zone: &TimeZone, now: Timestamp) -> String {
    let ran_out = |at| if at <= now { relative(at, now) } else { instant(at, zone, now) };
    decision_with(gate, now, ran_out)
}

/// The same, its instants written by `written`: how far off one is does not stay so.
pub fn decision_with(gate: &Gate, now: Timestamp, written: impl Fn(Timestamp) -> String) -> String {
    let mut words = match &gate.state {
        GateDecision::Requested => return String::new(),
        GateDecision::Approved { until, uses } => {
            let (once, taken) = match uses {
                Uses::Any => ("", String::new()),
                Uses::Single => (" for one use", String::new()),
                Uses::Taken(todo) => (" for one use", format!(", taken by {todo}")),
                Uses::Used => (" for one use", ", used".to_owned()),
            };
            let until = match until {
                Some(until) if *until <= now => format!(", ran out {}", written(*until)),
                Some(until) => format!(" until {}", written(*until)),
                None => String::new(),
            };
            format!("approved{once}{until}{taken}")
        }
        GateDecision::Rejected { reason } => match reason {
            Some(reason) => format!("rejected: {reason}"),
            None => "rejected".to_owned(),
        },
        GateDecision::Deferred { until, condition, met } => {
            let mut words = "deferred".to_owned();
            if let Some(until) = until {
                words += &format!(" until {}", written(*until));
            }
            if let Some(condition) = condition {
                words += &format!(" until {condition}");
            }
            if *met {
                words += ", which is met";
            }
            words
        }
        GateDecision::Withdrawn => "withdrawn".to_owned(),
    };
    if let Some(proof) = gate.proof {
        words += &format!(", proof {}", proof.word());
    }
    words
}

/// What is to be decided, for the one who has to confirm it: question, what it covers, who asked.
pub fn question(gate: &Gate, now: Timestamp) -> String {
    let by = gate.asked_by.as_ref().map_or("a person".to_owned(), |agent| format!("agent {agent}"));
    format!(
        "{} “{}”, asked by {by} {}, covers {}",
        gate.id,
        gate.question,
        relative(gate.created_at, now),
        covers(&gate.covers)
    )
}

/// What needs a person first, then what holds, then what is free.
pub const fn rank(standing: GateStanding) -> u8 {
    match standing {
        GateStanding::Requested => 0,
        GateStanding::Rejected => 1,
        GateStanding::Deferred => 2,
        GateStanding::Approved => 3,
        GateStanding::Withdrawn => 4,
    }
}
