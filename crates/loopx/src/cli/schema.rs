//! `loopx schema`.

use crate::cli::Context;
use crate::error::CliError;

/// schema
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, _context: &mut Context) -> Result<u8, CliError> {
    Err(CliError::internal("schema is not here yet"))
}
