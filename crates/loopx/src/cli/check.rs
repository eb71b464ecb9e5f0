//! `loopx check`.

use crate::cli::Context;
use crate::error::CliError;

/// check
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, _context: &mut Context) -> Result<u8, CliError> {
    Err(CliError::internal("check is not here yet"))
}
