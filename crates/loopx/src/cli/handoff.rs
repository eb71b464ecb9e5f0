//! `loopx handoff`: one todo from lane to lane.

mod offer;
mod receive;
mod show;

use crate::cli::Context;
use crate::error::CliError;

/// Hand a todo over to another lane.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Offer(offer::Args),
    Accept(receive::Accept),
    Decline(receive::Decline),
    Withdraw(receive::Withdraw),
    FollowUp(receive::FollowUp),
    #[command(visible_alias = "list")]
    Show(show::Args),
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Offer(args) => offer::run(args, context),
        Verb::Accept(args) => receive::accept(args, context),
        Verb::Decline(args) => receive::decline(args, context),
        Verb::Withdraw(args) => receive::withdraw(args, context),
        Verb::FollowUp(args) => receive::follow_up(args, context),
        Verb::Show(args) => show::run(args, context),
    }
}
