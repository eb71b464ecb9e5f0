//! `loopx log`.

use crate::cli::Context;
use crate::error::CliError;

/// log
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, _context: &mut Context) -> Result<u8, CliError> {
    Err(CliError::internal("log is not here yet"))
}
