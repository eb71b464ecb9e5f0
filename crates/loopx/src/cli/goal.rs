//! `loopx goal`.

use crate::cli::Context;
use crate::error::CliError;

/// goal
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, _context: &mut Context) -> Result<u8, CliError> {
    Err(CliError::internal("goal is not here yet"))
}
