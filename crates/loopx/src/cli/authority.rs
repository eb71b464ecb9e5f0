//! `loopx authority`: the passphrase whose key signs decisions.

mod lock;
mod status;

use loopx_safety::io_words;

use crate::app::passphrase::{self, Terminal};
use crate::cli::Context;
use crate::error::CliError;

/// Lock decisions with a passphrase, see what is locked, change the passphrase.
///
/// Once a goal is locked, each of its decisions asks for the passphrase and is signed by a key that only the passphrase
/// opens. `loopx doctor` finds a decision that isn't. Reading needs no passphrase, and lanes work on as before.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Lock(lock::Args),
    /// Show which goals are locked, and by which key. It needs no passphrase.
    Status,
    /// Change the passphrase. The key stays the same, and what it has signed stays valid.
    ///
    /// A copy of authority.json from before still opens with the old passphrase. Where somebody may have both, make a new
    /// key too: `loopx authority lock --new-key`.
    Passwd,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Lock(args) => lock::run(args, context),
        Verb::Status => status::run(context),
        Verb::Passwd => passwd(context),
    }
}

fn passwd(context: &mut Context) -> Result<u8, CliError> {
    let data = context.home()?.data;
    let Some(sealed) = passphrase::sealed(&data)? else {
        return Err(
            CliError::not_found("no passphrase is set up here").hint("set one up: `loopx authority lock`")
        );
    };
    let terminal = at_terminal(context)?;
    terminal.say("change the passphrase that decisions are signed with")?;
    let left = || CliError::refused("no passphrase was typed: nothing was changed");
    let typed = terminal.ask("the passphrase as it is now")?.ok_or_else(left)?;
    let keys = sealed.open(&typed).map_err(|why| CliError::refused(why.words()).hint("run it again"))?;
    let new = passphrase::choose(&terminal)?;
    keep(&keys.seal(&new, sealed.marks).map_err(not_kept)?, &data)?;
    context.ui.line("the passphrase is changed");
    context.ui.note("a copy of authority.json from before still opens with the old one");
    Ok(0)
}

/// The terminal of a person outside every session.
fn at_terminal(context: &mut Context) -> Result<Terminal, CliError> {
    let refused =
        |why| CliError::refused(why).hint("run it yourself in a terminal outside the agent's session");
    if context.plane()?.caller().is_some() {
        return Err(refused("this runs inside an agent's session"));
    }
    Terminal::open(&context.env).ok_or_else(|| refused("there is no terminal"))
}

fn keep(sealed: &crate::app::keyring::Sealed, data: &std::path::Path) -> Result<(), CliError> {
    sealed.write(data).map_err(not_kept)
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn not_kept(error: std::io::Error) -> CliError {
    CliError::internal(format!("failed to keep authority.json: {}", io_words(error.kind())))
        .hint("nothing was changed; see `loopx doctor`")
}
