//! `loopx gate`: decisions somebody must take.

mod ask;
mod decide;
mod list;
mod show;

use jiff::Timestamp;
use loopx_core::gate::Gate;
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
