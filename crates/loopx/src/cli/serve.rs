//! `loopx serve`: the local page.

use crate::app::serving::{Options, PORT, Serving};
use crate::cli::{Context, list};
use crate::error::CliError;

/// Serve the local page: whom every lane waits on, as it changes.
///
/// It listens on this machine's loopback interface alone, and prints an address that opens the page once, in one
/// browser. It goes on until Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The port; 0 takes a free one.
    #[arg(long, value_name = "N", default_value_t = PORT)]
    port: u16,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() {
        return Err(CliError::usage("`serve` prints no document")
            .hint("`loopx status --json` says how things are now; the page's API is at /api/v0/status"));
    }
    let page = context.doors.page;
    let zone = list::zone(context);
    page(Serving { zone, env: &context.env, ui: &mut context.ui, options: Options { port: args.port } })?;
    Ok(0)
}
