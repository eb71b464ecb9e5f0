//! `loopx completions`.

use crate::cli::Context;
use crate::error::CliError;

/// completions
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, _context: &mut Context) -> Result<u8, CliError> {
    Err(CliError::internal("completions is not here yet"))
}
