//! `loopx follow`: a line for each first screen that is another one than before.

use std::time::Duration;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_core::first_screen::instant;
use serde::Serialize;

use crate::app::follow::{Change, Listing, Revision, Said};
use crate::app::live::{Live, Turn};
use crate::app::notify::Notifier;
use crate::app::overview::World;
use crate::app::placing::Only;
use crate::cli::Context;
use crate::cli::telling;
use crate::cli::view::{self, LaneDocument};
use crate::error::CliError;
use crate::ui::Tone;

/// Print a line for each lane whose first screen is another one, as soon as it is.
///
/// It begins with the screens as they are, goes on until Ctrl-C or until nobody reads any more, and needs no server.
/// With --after it begins with those that are other ones than at that revision: who was away misses nothing and reads
/// nothing twice.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// JSON lines: the projection of each, and the revision to go on after.
    #[arg(long)]
    jsonl: bool,
    /// Begin with what differs from this revision, the one of the last line that was read.
    #[arg(long, value_name = "REVISION")]
    after: Option<String>,
    /// Print what there is, and end.
    #[arg(long)]
    once: bool,
    /// Tell it when something begins to wait on you: see notify.* in `loopx config --help`.
    #[arg(long)]
    notify: bool,
}

/// How often a loop that nothing ends is asked whether to go on.
const STEP: Duration = Duration::from_mins(1);

#[derive(Serialize)]
struct FollowLine<'a> {
    schema_version: &'static str,
    /// What has been said, this line included: `--after` goes on here.
    revision: &'a Revision,
    /// When it was looked, UTC.
    at: Timestamp,
    goal_id: &'a GoalId,
    agent_id: &'a AgentId,
    /// `dropped` on the last line of a lane that `status` does not list any more.
    listing: Listing,
    /// Prompts in sessions of the goal that belong to no lane.
    unbound_prompts: usize,
    #[serde(flatten)]
    lane: LaneDocument<'a>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() {
        return Err(CliError::usage("`follow` prints no single document")
            .hint("`--jsonl` prints one document a line; `loopx status --json` says how things are now"));
    }
    let mut said = match &args.after {
        Some(text) => Said::after(Revision::parse(text)?),
        None => Said::default(),
    };
    let only = context.only()?;
    let mut notifier = telling::notifier(context, args.notify)?;
    let mut live = Live::new(context.plane()?);
    if context.env.is_of_process() {
        live.end().on_signals(&context.env.proc);
        live.end().on_reader_gone();
    }
    let (mut failed, mut complained) = (None, None);
    if !live.is_told() && !args.once {
        context.ui.note("the system does not tell of every change here: looking every two seconds");
    }
    loop {
        live.begin(context.plane()?);
        let now = context.now();
        match look(args, context, &only, &mut live, &mut said) {
            Ok(world) => {
                failed = None;
                if let Some(notifier) = &mut notifier {
                    let overview = world.overview(only.goal.as_ref())?;
                    telling::tell(context, notifier, &overview, &only, now);
                }
            }
            Err(error) if args.once => return Err(error),
            // It may pass: another process writes, a disk is full. It is said once.
            Err(error) if failed.as_ref() != Some(&error) => {
                context.ui.error(&error);
                failed = Some(error);
            }
            Err(_) => {}
        }
        let complaint = notifier.as_ref().and_then(Notifier::complaint);
        if complaint != complained.as_deref() {
            complained = complaint.map(str::to_owned);
            if let Some(complaint) = &complained {
                context.ui.note(complaint);
            }
        }
        if args.once {
            break;
        }
        let due = notifier.as_ref().and_then(Notifier::due);
        if !context.ui.is_open() || live.wait(context.plane()?, now, due, STEP, &|| false) == Turn::End {
            return Ok(0);
        }
    }
    if let Some(complaint) = notifier.and_then(Notifier::finish) {
        context.ui.note(&complaint);
    }
    Ok(0)
}

/// Looks once, and prints what is news.
fn look(
    args: &Args,
    context: &mut Context,
    only: &Only,
    live: &mut Live,
    said: &mut Said,
) -> Result<World, CliError> {
    let now = context.now();
    let (world, seen) = context.plane()?.world(now, only.goal.as_ref())?;
    live.looked(&seen);
    for change in said.changes(&world, only)? {
        if args.jsonl {
            line(context, &change)?;
        } else {
            words(context, &change);
        }
    }
    Ok(world)
}

fn line(context: &mut Context, change: &Change) -> Result<(), CliError> {
    let projection = &change.decision.projection;
    context.ui.json_line(&FollowLine {
        schema_version: "loopx_follow_v0",
        revision: &change.revision,
        at: change.at,
        goal_id: &projection.goal_id,
        agent_id: &projection.agent_id,
        listing: change.listing,
        unbound_prompts: change.unbound_prompts,
        lane: LaneDocument::of(&change.decision),
    })
}

fn words(context: &mut Context, change: &Change) {
    let ui = &mut context.ui;
    let projection = &change.decision.projection;
    let at = ui.tone(Tone::Dim, &instant(change.at));
    let waits = view::waits_on(ui, projection.first_screen.waiting_on);
    let name = format!("{} / {}", projection.goal_id, projection.agent_id);
    let name = ui.tone(Tone::Bold, &format!("{name:<28}"));
    let mut line = format!("{at} {waits} {name} {}", ui.plain(projection.first_screen.next_action.as_str()));
    if change.unbound_prompts > 0 {
        let count = change.unbound_prompts;
        let text = format!("; in no lane: {count} {}", if count == 1 { "prompt" } else { "prompts" });
        line += &ui.tone(Tone::Alert, &text);
    }
    match change.listing {
        Listing::Listed => {}
        Listing::Dropped => line += &ui.tone(Tone::Dim, "; not listed any more"),
    }
    ui.line(&line);
}
