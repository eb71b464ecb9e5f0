//! `loopx top`: the terminal screen.

use crate::app::serving::Topping;
use crate::cli::{Context, list};
use crate::error::CliError;

/// Keep whom every lane waits on on the terminal, with each lane in full.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs it.
pub fn run(_args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() || !context.ui.is_terminal() {
        return Err(CliError::usage("`top` needs a terminal to draw on, and draws no JSON")
            .hint("`loopx status --json` says how things are now, `loopx follow --jsonl` each change"));
    }
    let top = context.doors.terminal;
    let zone = list::zone(context);
    top(Topping { zone, env: &context.env, colored: context.ui.is_colored() })?;
    Ok(0)
}
