//! `loopx gate`: decisions somebody must take.

mod ask;
mod decide;
mod list;
mod show;

use jiff::Timestamp;
use loopx_core::gate::{Gate, GateActor, GateDecision, Uses};
use serde::Serialize;

use crate::cli::Context;
use crate::cli::words;
use crate::error::CliError;

/// Ask for decisions and take them. A decision needs a person.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Ask(ask::Args),
    Approve(decide::Approve),
    Reject(decide::Reject),
    Defer(decide::Defer),
    Met(decide::Met),
    Cover(decide::Cover),
    Withdraw(decide::Withdraw),
    Revoke(decide::Revoke),
    List(list::Args),
    Show(show::Args),
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Ask(args) => ask::run(args, context),
        Verb::Approve(args) => decide::approve(args, context),
        Verb::Reject(args) => decide::reject(args, context),
        Verb::Defer(args) => decide::defer(args, context),
        Verb::Met(args) => decide::met(args, context),
        Verb::Cover(args) => decide::cover(args, context),
        Verb::Withdraw(args) => decide::withdraw(args, context),
        Verb::Revoke(args) => decide::revoke(args, context),
        Verb::List(args) => list::run(args, context),
        Verb::Show(args) => show::run(args, context),
    }
}

/// One gate as JSON.
#[derive(Serialize)]
struct GateDocument<'a> {
    #[serde(flatten)]
    gate: &'a Gate,
    /// How it stands now: what ran out or was used counts as requested again.
    standing: &'static str,
}

impl<'a> GateDocument<'a> {
    fn of(gate: &'a Gate, now: Timestamp) -> Self {
        Self { gate, standing: words::standing(gate.standing(now)) }
    }
}

/// Who decides it, in a word.
const fn actor_word(gate: &Gate) -> &'static str {
    match gate.actor {
        GateActor::User => "user",
        GateActor::Controller => "controller",
    }
}

/// What was decided, with what proved it; empty where nothing was.
fn decision(context: &Context, gate: &Gate, now: Timestamp) -> String {
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
                Some(until) if *until <= now => format!(", ran out {}", words::relative(*until, now)),
                Some(until) => format!(" until {}", words::instant(context, *until, now)),
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
                words += &format!(" until {}", words::instant(context, *until, now));
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
fn question(gate: &Gate, now: Timestamp) -> String {
    let by = gate.asked_by.as_ref().map_or("a person".to_owned(), |agent| format!("agent {agent}"));
    format!(
        "{} “{}”, asked by {by} {}, covers {}",
        gate.id,
        gate.question,
        words::relative(gate.created_at, now),
        words::covers(&gate.covers)
    )
}
