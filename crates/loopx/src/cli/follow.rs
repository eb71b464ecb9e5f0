//! `loopx follow`: a line for each first screen that is another one than before.

use std::sync::Arc;
use std::time::Duration;

use crate::app::documents::FollowLine;
use crate::app::follow::{Change, Listing, Revision, Said};
use crate::app::live::{Live, Turn, UNTOLD};
use crate::app::placing::Only;
use crate::app::plane::Seen;
use crate::cli::Context;
use crate::cli::list;
use crate::cli::telling::Teller;
use crate::cli::view;
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

/// What is said where there is nothing to follow.
const EMPTY: &str =
    "no goals yet: `loopx init` in a project's folder adds one, and its lanes are printed here then";

/// How often a loop that nothing ends is asked whether to go on.
const STEP: Duration = Duration::from_mins(1);

/// What was printed, and of what.
struct Follower<'a> {
    args: &'a Args,
    only: Only,
    said: Said,
    teller: Teller,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if context.json() {
        return Err(CliError::usage("`follow` prints no single document")
            .hint("`--jsonl` prints one document a line; `loopx status --json` says how things are now"));
    }
    let said = match &args.after {
        Some(text) => Said::after(Revision::parse(text)?),
        None => Said::default(),
    };
    let only = context.only()?;
    context.known(&only)?;
    if args.once {
        let teller = Teller::once(context, args.notify)?;
        return Follower { args, only, said, teller }.once(context);
    }
    let live = Live::new(context.plane()?);
    let teller = Teller::stays(context, args.notify, live.waker())?;
    Follower { args, only, said, teller }.goes_on(context, live)
}

impl Follower<'_> {
    /// Looks once.
    fn once(mut self, context: &mut Context) -> Result<u8, CliError> {
        context.plane()?.stay();
        let (_, is_empty) = self.look(context)?;
        self.teller.finish();
        if is_empty {
            context.ui.note(EMPTY);
        }
        let complaints = self.teller.complaints();
        if self.args.notify && self.teller.has_failed() {
            return Err(CliError::internal(complaints.join("; "))
                .hint("mend notify.*: `loopx config edit`; what still waits then is told after a pause"));
        }
        for complaint in complaints {
            context.ui.note(&complaint);
        }
        Ok(0)
    }

    /// Looks whenever something happens.
    fn goes_on(mut self, context: &mut Context, mut live: Live) -> Result<u8, CliError> {
        if context.env.is_of_process() {
            live.end().on_signals(&context.env.proc, || ());
            live.end().on_reader_gone();
        }
        // What may pass is said once: another process writes, a disk is full, a command fails.
        let mut failed: Option<CliError> = None;
        let mut noted = Vec::new();
        let mut empty = None;
        loop {
            let now = context.now();
            live.begin(context.plane()?);
            match self.look(context) {
                Ok((seen, is_empty)) => {
                    live.looked(&seen);
                    failed = None;
                    empty = is_empty.then_some(EMPTY);
                }
                Err(error) => {
                    self.teller.settle(now);
                    if failed.as_ref() != Some(&error) {
                        context.ui.error(&error);
                    }
                    failed = Some(error);
                }
            }
            let untold = (!live.is_told()).then(|| UNTOLD.to_owned());
            let empty = empty.map(str::to_owned);
            let wrong: Vec<String> =
                untold.into_iter().chain(empty).chain(self.teller.complaints()).collect();
            for note in wrong.iter().filter(|note| !noted.contains(*note)) {
                context.ui.note(note);
            }
            noted = wrong;
            let due = self.teller.due();
            if !context.ui.is_open() || live.wait(context.plane()?, now, due, STEP, &|| false) == Turn::End {
                return Ok(0);
            }
        }
    }

    /// Prints what is news, and tells what began to wait. Gives also whether there is no goal yet.
    fn look(&mut self, context: &mut Context) -> Result<(Arc<Seen>, bool), CliError> {
        let now = context.now();
        let (world, seen) = context.plane()?.world(now, self.only.goal.as_ref())?;
        let is_empty = world.goals.is_empty();
        for change in self.said.changes(&world, &self.only)? {
            if self.args.jsonl {
                context.ui.json_line(&FollowLine::of(&change))?;
            } else {
                words(context, &change);
            }
        }
        if self.teller.is_on(context)? {
            let overview = world.overview(self.only.goal.as_ref())?;
            self.teller.tell(context, &overview, &self.only, now);
        }
        Ok((seen, is_empty))
    }
}

fn words(context: &mut Context, change: &Change) {
    let zone = list::zone(context);
    let ui = &mut context.ui;
    let projection = &change.decision.projection;
    let at = ui.tone(Tone::Dim, &list::local(change.at, &zone));
    let waits = view::lane_waits_on(ui, &change.decision);
    let name = format!("{} / {}", projection.goal_id, projection.agent_id);
    let name = ui.tone(Tone::Bold, &format!("{name:<28}"));
    let next = list::localized(projection.first_screen.next_action.as_str(), &zone);
    let mut line = format!("{at} {waits} {name} {}", ui.plain(&next));
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
