//! `loopx statusline`: whom it all waits on, short enough for a prompt.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::WaitingOn;
use loopx_core::Row;
use serde::Serialize;

use crate::app::Overview;
use crate::app::placing::{Only, Place};
use crate::app::waits::{Reason, Wait};
use crate::cli::Context;
use crate::error::{CliError, ErrorKind};
use crate::ui::{ColorChoice, Tone};

/// Print one short line for a shell's prompt or tmux: how many things wait on you, what, and for how long.
///
/// It never fails: where nothing is set up, or something is wrong, the line is empty. `loopx doctor` says why; of a goal
/// or agent that is not there, stderr says so. Words that it does not know are an error of usage: they print nothing on
/// stdout, so a prompt stays what it is.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The longest line, in characters.
    #[arg(long, value_name = "CHARACTERS", default_value_t = 60, value_parser = width)]
    width: u16,
}

/// The narrowest line.
const NARROWEST: u16 = 8;

/// A width as it is typed.
fn width(typed: &str) -> Result<u16, String> {
    let width = typed.parse().ok().filter(|width| *width >= NARROWEST);
    width.ok_or_else(|| format!("give a whole number of characters, {NARROWEST} to {}", u16::MAX))
}

/// What the line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    waiting_on: WaitingOn,
    count: usize,
    row: Option<Row>,
    reason: Option<Reason>,
    since: Option<Timestamp>,
}

#[derive(Serialize)]
struct Document {
    schema_version: &'static str,
    /// When it was looked, UTC.
    now: Timestamp,
    /// Null where there is nothing to say.
    waiting_on: Option<WaitingOn>,
    /// How many asks and prompts wait on you, each counted once; else how many lanes, or sessions of no goal, wait on
    /// them for the same.
    count: usize,
    /// The row of the first of them.
    row: Option<Row>,
    /// What of yours it waits for.
    reason: Option<Reason>,
    /// Since when that waits on you, UTC.
    since: Option<Timestamp>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let now = context.now();
    let line = look(context, now).unwrap_or_else(|error| {
        match error.kind {
            // Nobody would look for a word that was mistyped.
            ErrorKind::NotFound | ErrorKind::Usage => context.ui.error(&error),
            ErrorKind::Internal | ErrorKind::Conflict | ErrorKind::Refused => {}
        }
        None
    });
    if context.json() {
        context.ui.json(&Document {
            schema_version: "loopx_statusline_v0",
            now,
            waiting_on: line.map(|line| line.waiting_on),
            count: line.map_or(0, |line| line.count),
            row: line.and_then(|line| line.row),
            reason: line.and_then(|line| line.reason),
            since: line.and_then(|line| line.since),
        })?;
        return Ok(0);
    }
    let Some(line) = line else {
        context.ui.line("");
        return Ok(0);
    };
    let text = cut(&line.text(now), args.width.into());
    // A prompt counts every character: colour is for who asks for it.
    let is_colored = context.config.color() == ColorChoice::Always;
    let text = if is_colored { context.ui.tone(line.tone(), &text) } else { text };
    context.ui.line(&text);
    Ok(0)
}

/// Looks at what is asked for; nothing where LoopX was never used.
fn look(context: &mut Context, now: Timestamp) -> Result<Option<Line>, CliError> {
    if !context.home()?.data.is_dir() {
        return Ok(None);
    }
    let only = context.only()?;
    context.known(&only)?;
    if let (Some(goal), Some(agent)) = (&only.goal, &only.agent) {
        context.registered_lane(goal, agent)?;
    }
    let (world, _) = context.plane()?.world(now, only.goal.as_ref())?;
    let overview = world.overview(only.goal.as_ref())?;
    Ok(line(&overview, &only))
}

/// The line: of what waits on a person the longest, else of the lane that needs somebody soonest, else of sessions.
fn line(overview: &Overview, only: &Only) -> Option<Line> {
    let lanes = || overview.goals.iter().flat_map(|goal| &goal.lanes);
    let lanes =
        || lanes().filter(|lane| only.agent.as_ref().is_none_or(|only| *only == lane.projection.agent_id));
    let waits = overview.waits(only);
    if let Some(first) = waits.iter().min_by_key(|wait| (wait.since.is_none(), wait.since)) {
        let row = Some(first.reason.row());
        let asks: BTreeSet<_> = waits.iter().map(Wait::ask).collect();
        let (count, reason) = (asks.len(), Some(first.reason));
        return Some(Line { waiting_on: WaitingOn::User, count, row, reason, since: first.since });
    }
    let whom = |lane: &&loopx_core::Decision| lane.projection.first_screen.waiting_on;
    if let Some(first) = lanes().min_by_key(|lane| (whom(lane).attention(), lane.row)) {
        let waiting_on = whom(&first);
        let count = lanes().filter(|lane| whom(lane) == waiting_on && lane.row == first.row).count();
        return Some(Line { waiting_on, count, row: Some(first.row), reason: None, since: None });
    }
    let nowhere =
        || overview.sessions.iter().filter(|view| view.place == Place::Nowhere && only.agent.is_none());
    let first = nowhere().map(|view| view.waiting_on).min_by_key(|whom| whom.attention())?;
    let count = nowhere().filter(|view| view.waiting_on == first).count();
    (first != WaitingOn::None).then_some(Line {
        waiting_on: first,
        count,
        row: None,
        reason: None,
        since: None,
    })
}

/// What is said where no agent has anything to do.
const NOTHING: &str = "nothing to do";

/// What is asked of a person.
const fn asked(reason: Reason) -> &'static str {
    match reason {
        Reason::PermissionPrompt => "a permission prompt",
        Reason::Question => "a question",
        Reason::Decision => "a decision",
        Reason::Todo => "a todo that holds work",
        Reason::Wish => "a todo",
    }
}

/// Why nothing goes on; nothing where the line says that already.
const fn why(row: Row) -> Option<&'static str> {
    match row {
        Row::Integrity => Some("damaged log"),
        Row::UnknownLane => Some("no such goal or agent"),
        Row::Closed => Some("goal closed"),
        Row::Paused => Some("paused"),
        Row::Prompt => Some("a prompt"),
        Row::Held => Some("a decision"),
        Row::Unsure => Some("running or waiting, unknown"),
        Row::Rejected => Some("rejected"),
        Row::Deferred => Some("put off"),
        Row::Unfit => Some("no agent fits"),
        Row::Failed => Some("failed"),
        Row::Limited => Some("runtime's limit reached"),
        Row::Throttled => Some("quota used up"),
        Row::Peers => Some("others have it"),
        Row::Stuck => Some("todos block each other"),
        Row::Succession => Some("what comes next?"),
        Row::Asked => Some("a todo"),
        Row::Working | Row::Ready | Row::Evidence | Row::Quiet => None,
    }
}

impl Line {
    fn text(self, now: Timestamp) -> String {
        let count = self.count;
        let whom = match self.waiting_on {
            WaitingOn::User => format!("{count} on you"),
            WaitingOn::Controller => format!("{count} to set right"),
            WaitingOn::Runtime => format!("{count} to look at"),
            WaitingOn::Agent => match self.row {
                Some(Row::Ready) => format!("{count} ready to start"),
                Some(Row::Peers | Row::Succession) => NOTHING.to_owned(),
                _ => format!("{count} at work"),
            },
            WaitingOn::ExternalEvidence => format!("{count} on something outside"),
            // It is to do, and must wait.
            WaitingOn::None if self.row == Some(Row::Throttled) => format!("{count} to wait"),
            WaitingOn::None => NOTHING.to_owned(),
        };
        let mut text = format!("loopx: {whom}");
        if let Some(what) = self.reason.map(asked).or_else(|| self.row.and_then(why)) {
            text += &format!(" · {what}");
        }
        if let Some(since) = self.since {
            text += &format!(", for {}", short(since, now));
        }
        text
    }

    const fn tone(self) -> Tone {
        match self.waiting_on {
            WaitingOn::User | WaitingOn::Controller => Tone::Alert,
            WaitingOn::Runtime => Tone::Warn,
            WaitingOn::Agent => Tone::Good,
            WaitingOn::ExternalEvidence | WaitingOn::None => Tone::Dim,
        }
    }
}

/// How long ago, in the largest unit that is not zero.
fn short(at: Timestamp, now: Timestamp) -> String {
    match now.duration_since(at).as_secs().max(0) {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// At most so many characters of it.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_never_longer_than_asked() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().expect("an instant");
        let line = |since: &str| Line {
            waiting_on: WaitingOn::User,
            count: 2,
            row: Some(Row::Held),
            reason: Some(Reason::Decision),
            since: since.parse().ok(),
        };
        assert_eq!(line("2026-11-30T11:57:00Z").text(now), "loopx: 2 on you · a decision, for 3m");
        assert_eq!(line("2026-11-30T12:57:00Z").text(now), "loopx: 2 on you · a decision, for 0s");
        assert_eq!(line("2026-11-27T11:57:00Z").text(now), "loopx: 2 on you · a decision, for 3d");
        for width in 8..40 {
            let cut = cut(&line("2026-11-30T11:57:00Z").text(now), width);
            assert!(cut.chars().count() <= width && cut.starts_with("loopx: "), "{cut}");
        }
    }
}
