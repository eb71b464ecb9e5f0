//! `loopx sessions`: every session that is seen, one of them, one file, and the failed one that is dismissed.

mod dismiss;
mod inspect;
pub(super) mod private;
mod show;

use std::sync::Arc;

use loopx_contract::WaitingOn;
use loopx_runtimes::Scope;

use crate::app::documents::SessionsDocument;
use crate::app::plane::Seen;
use crate::app::{Overview, SessionView};
use crate::cli::Context;
use crate::cli::view;
use crate::error::CliError;
use crate::ui::Tone;

/// List the sessions of Codex and Claude Code on this machine, and look closely at one.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    list: ListArgs,
}

/// What to do with sessions.
#[derive(Debug, clap::Subcommand)]
enum What {
    List(ListArgs),
    Show(show::Args),
    Inspect(inspect::Args),
    Dismiss(dismiss::Args),
}

/// List the sessions of the last 14 days, those that wait on you first (the default).
#[derive(Debug, Default, clap::Args)]
struct ListArgs {
    /// Only those that wait on you.
    #[arg(long)]
    waiting: bool,
    /// Those too that nothing was written to for 14 days.
    #[arg(long)]
    all: bool,
    /// Show native ids, folders and resume commands too: at a terminal only.
    #[arg(long)]
    private: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.what {
        None => list(&args.list, context),
        Some(What::List(args)) => list(args, context),
        Some(What::Show(args)) => show::run(args, context),
        Some(What::Inspect(args)) => inspect::run(args, context),
        Some(What::Dismiss(args)) => dismiss::run(args, context),
    }
}

fn list(args: &ListArgs, context: &mut Context) -> Result<u8, CliError> {
    if args.private {
        private::allow(context)?;
    }
    if args.all {
        context.plane()?.look_as_far_as(Scope::Old);
    }
    let only = context.only()?;
    let (overview, seen) = look(context)?;
    let mut shown: Vec<&SessionView> =
        overview.sessions.iter().filter(|view| only.takes(&view.place)).collect();
    shown.retain(|view| !args.waiting || view.waiting_on == WaitingOn::User);
    shown.sort_by_key(|view| SessionsDocument::order(view));
    if context.json() {
        context.ui.json(&SessionsDocument::of(overview.now, &shown, &seen.sweep))?;
        return Ok(0);
    }
    let ui = &mut context.ui;
    if shown.is_empty() {
        ui.line(if args.waiting { "no session waits on you" } else { "no sessions" });
    }
    for view in shown {
        view::session(ui, view, overview.now);
        if let Some(origin) = seen.origins.get(&view.facts.session_id).filter(|_| args.private) {
            private::show(ui, &view.facts.runtime_id, origin);
        }
    }
    if seen.sweep.older > 0 {
        let text = format!("  {} older sessions: see `loopx sessions list --all`", seen.sweep.older);
        let text = ui.tone(Tone::Dim, &text);
        ui.line(&text);
    }
    for skipped in &seen.sweep.skipped {
        ui.note(&format!("{} files could not be read as sessions: {}", skipped.count, skipped.kind.word()));
    }
    Ok(0)
}

/// Every session with its place.
pub(super) fn look(context: &mut Context) -> Result<(Overview, Arc<Seen>), CliError> {
    let now = context.now();
    let (world, seen) = context.plane()?.world(now, None)?;
    Ok((world.overview(None)?, seen))
}
