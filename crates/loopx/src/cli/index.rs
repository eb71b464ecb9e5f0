//! What goes on behind the screen: session files are folded into the index, a little after each look.

use std::time::{Duration, Instant};

use loopx_runtimes::Backfill;

use crate::cli::Context;
use crate::error::CliError;

/// How long a command goes on once its screen is out.
const AFTER: Duration = Duration::from_millis(200);

/// Goes on folding what the screen did not need. The rest is left to the next command.
pub fn go_on(context: &mut Context) -> Result<(), CliError> {
    let began = Instant::now();
    let now = context.now();
    context.plane()?.backfill(now, &|_: Backfill| began.elapsed() < AFTER);
    Ok(())
}
