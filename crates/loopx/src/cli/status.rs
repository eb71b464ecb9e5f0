//! `loopx status`: whom every goal and session is waiting on.

mod watch;

use std::sync::Arc;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use loopx_contract::GoalId;
use loopx_core::first_screen::GoalLine;
use loopx_runtimes::hooks::{Dropped, Spool};

use crate::app::documents::StatusDocument;
use crate::app::placing::{Only, Place};
use crate::app::plane::Seen;
use crate::app::times::parse_instant;
use crate::app::{GoalView, Overview, SessionView};
use crate::cli::Context;
use crate::cli::view;
use crate::cli::{index, list};
use crate::error::CliError;
use crate::ui::{Tone, Ui, Weight};

/// Show whom every goal and session is waiting on (the default).
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// One goal, with every lane in full.
    #[arg(value_name = "GOAL", id = "one_goal")]
    goal: Option<String>,
    /// The first screen as it was at this instant, from the log (RFC 3339).
    #[arg(long, value_name = "INSTANT")]
    at: Option<String>,
    /// Look at every session file now, not only at those that may matter.
    #[arg(long, conflicts_with = "at")]
    fresh: bool,
    /// Keep it on the terminal, and show each change at once, until `q` or Ctrl-C.
    #[arg(long, conflicts_with_all = ["at", "fresh"])]
    watch: bool,
    /// Tell it when something begins to wait on you: see notify.* in `loopx config --help`.
    #[arg(long, requires = "watch")]
    notify: bool,
}

/// How many sessions without a goal are listed before the rest is counted.
const LISTED: usize = 40;

/// So long it is said that events of hooks were dropped.
const LATELY: SignedDuration = SignedDuration::from_hours(24);

/// What one look brought.
struct Looked {
    overview: Overview,
    /// The one goal that is shown, with all its lanes.
    only: Option<GoalId>,
    /// What was seen of sessions; nothing of an instant gone by.
    seen: Option<Arc<Seen>>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.watch {
        return watch::run(args, context);
    }
    let looked = look(args, context)?;
    if context.json() {
        context
            .ui
            .json(&StatusDocument::of(&looked.overview, looked.seen.as_ref().map(|seen| &seen.sweep)))?;
    } else {
        let zone = list::zone(context);
        show(&mut context.ui, &looked.overview, looked.only.is_some(), looked.seen.as_deref(), &zone);
    }
    if looked.seen.is_some() {
        dropped(context);
        index::go_on(context)?;
    }
    Ok(0)
}

fn look(args: &Args, context: &mut Context) -> Result<Looked, CliError> {
    let only = match args.goal.as_deref().or(context.named_goal()).map(str::to_owned) {
        Some(name) => Some(context.find_goal(&name)?),
        None => None,
    };
    let agent = context.named_agent()?;
    if args.at.is_none() {
        context.known(&Only { goal: only.clone(), agent: agent.clone() })?;
    }
    let (world, seen) = if let Some(at) = &args.at {
        (context.plane()?.world_at(parse_instant(at)?, only.as_ref())?, None)
    } else {
        let now = context.now();
        if args.fresh {
            context.plane()?.look_as_far_as(loopx_runtimes::Scope::Fresh);
        }
        let (world, seen) = context.plane()?.world(now, only.as_ref())?;
        (world, Some(seen))
    };
    if let Some(goal) = &only
        && !world.goals.contains_key(goal)
    {
        return Err(context.no_goal(goal));
    }
    if let (Some(goal), Some(agent)) = (&only, &agent) {
        context.note_meant(goal, agent);
    }
    let overview = world.asked(only.as_ref(), agent.as_ref())?;
    Ok(Looked { overview, only, seen })
}

fn show(ui: &mut Ui, overview: &Overview, in_full: bool, seen: Option<&Seen>, zone: &TimeZone) {
    for goal in &overview.goals {
        if in_full {
            let unbound = Place::Goal(goal.id.clone());
            for view in overview.sessions.iter().filter(|view| view.place == unbound) {
                view::session(ui, view, overview.now);
            }
            for decision in &goal.lanes {
                view::lane(ui, decision, zone);
            }
        } else if let Some(line) = goal.line() {
            goal_line(ui, goal, &line, zone);
        }
        if goal.unbound_prompts > 0 {
            let prompts = goal.unbound_prompts;
            let words =
                if prompts == 1 { "1 session asks".to_owned() } else { format!("{prompts} sessions ask") };
            let place = if in_full { "above" } else { "below" };
            let text = format!("{words} you something in {}, in no lane: see {place}", goal.id);
            let text = ui.tone(Tone::Alert, &text);
            ui.weigh(Weight::Urgent);
            ui.line(&format!("             {text}"));
            ui.weigh(Weight::Usual);
        }
    }
    sessions(ui, overview, in_full, seen);
}

/// The line of a goal: its most urgent lane, and how many others wait on whom.
fn goal_line(ui: &mut Ui, goal: &GoalView, line: &GoalLine<'_>, zone: &TimeZone) {
    let waits = if goal.unbound_prompts > 0 {
        view::waits_on(ui, line.waiting_on())
    } else {
        view::lane_waits_on(ui, line.first)
    };
    let name = format!("{} / {}", goal.id, line.first.projection.agent_id);
    let name = ui.tone(Tone::Bold, &format!("{name:<28}"));
    let screen = &line.first.projection.first_screen;
    let next = ui.plain(&list::localized(screen.next_action.as_str(), zone));
    ui.weigh(view::weight(line.waiting_on()));
    ui.line(&format!("{waits} {name} {next}"));
    let mut rest = format!(
        "gate {}, quota {}, {}",
        screen.gate_state.word(),
        screen.quota_state.word(),
        list::localized(screen.latest_validation.as_str(), zone)
    );
    let others = view::counted(goal.lanes.iter().filter(|lane| !std::ptr::eq(*lane, line.first)));
    if !others.is_empty() {
        rest += &format!("; other lanes: {others}");
    }
    let rest = ui.tone(Tone::Dim, &rest);
    ui.weigh(Weight::Detail);
    ui.line(&format!("             {rest}"));
    ui.weigh(Weight::Usual);
}

fn sessions(ui: &mut Ui, overview: &Overview, in_full: bool, seen: Option<&Seen>) {
    let now = overview.now;
    // In full, those of no lane stand above the lanes.
    let listed = |view: &&SessionView| !in_full || !matches!(view.place, Place::Goal(_));
    let mut shown: Vec<&SessionView> = overview.sessions.iter().filter(listed).collect();
    shown.sort_by_key(|view| (view.waiting_on.attention(), std::cmp::Reverse(view.facts.last_activity)));
    if shown.is_empty() && overview.goals.is_empty() {
        if seen.is_none() {
            ui.line("nothing was in the log at that instant");
            return;
        }
        match seen.map_or(0, |seen| seen.sweep.older) {
            0 => ui.line("no goals and no sessions of Codex or Claude Code on this machine yet"),
            older => ui.line(&format!(
                "no goals yet, and no session of Codex or Claude Code in the last 14 days; {older} older ones"
            )),
        }
        unread(ui, seen);
        if seen.is_some_and(|seen| seen.sweep.older > 0) {
            ui.note("hint: `loopx usage` shows what they spent, `loopx sessions list --all` lists them");
        }
        ui.note("hint: `loopx demo` shows a sample; `loopx init` in a project's folder adds a goal");
        return;
    }
    if !overview.goals.is_empty() && !shown.is_empty() {
        ui.weigh(Weight::Detail);
        ui.line("");
        ui.weigh(Weight::Usual);
    }
    let mut group = None;
    for view in shown.iter().take(LISTED) {
        if group != Some(view.waiting_on) {
            group = Some(view.waiting_on);
            let count = shown.iter().filter(|other| other.waiting_on == view.waiting_on).count();
            let heading = view::group(ui, view.waiting_on, count);
            ui.weigh(view::weight(view.waiting_on));
            ui.line(&heading);
            ui.weigh(Weight::Usual);
        }
        view::session(ui, view, now);
    }
    let rest = shown.len().saturating_sub(LISTED) as u64 + seen.map_or(0, |seen| seen.sweep.older);
    if rest > 0 && !in_full {
        let text = ui.tone(Tone::Dim, &format!("  {rest} older sessions"));
        ui.line(&text);
    }
    unread(ui, seen);
}

/// Says so where hooks told something lately that had no place.
fn dropped(context: &mut Context) {
    let Some(dropped) = context.home().ok().and_then(|home| Spool::of(&home.data).dropped()) else { return };
    let now = context.now();
    let Dropped { from, until } = dropped;
    if until.is_some_and(|until| now.duration_since(until) > LATELY) {
        return;
    }
    let zone = list::zone(context);
    let from = list::local(from, &zone);
    let until = until.map_or_else(String::new, |until| format!(" to {}", list::local(until, &zone)));
    context.ui.note(&format!(
        "what hooks told from {from}{until} was dropped: nobody had looked for too long; see `loopx doctor`"
    ));
}

/// Says how many files could not be read.
fn unread(ui: &mut Ui, seen: Option<&Seen>) {
    // A file that is no session is nothing to worry about; one that could not be read may be a session.
    let worrying = |skipped: &&loopx_runtimes::Skipped| skipped.kind != loopx_runtimes::SkipKind::NotASession;
    let skipped: u64 =
        seen.map_or(0, |seen| seen.sweep.skipped.iter().filter(worrying).map(|skipped| skipped.count).sum());
    if skipped > 0 {
        let files = if skipped == 1 { "1 file".to_owned() } else { format!("{skipped} files") };
        ui.note(&format!("{files} could not be read: see `loopx doctor`"));
    }
}
