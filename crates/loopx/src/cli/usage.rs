//! `loopx usage`: what sessions spent, as observed in their own records.

mod rows;
mod spared;

use jiff::Timestamp;
use loopx_runtimes::Backfill;
use loopx_safety::Handle;
use serde::Serialize;

use crate::app::plane::Spent;
use crate::app::session;
use crate::cli::{Context, list};
use crate::error::CliError;
use crate::ui::{Progress, Tone};
use rows::{By, Row, Sum};
use spared::NotStarted;

/// Show what sessions spent: turns, tokens and time, as observed in their own records; and how many turns loops did not
/// start because `loopx next` said no.
///
/// Waits until every session file is read once; after that only what is new is read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One row for each of these; else one for each session.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = By::Session)]
    by: By,
}

/// How many sessions are listed before the rest is counted.
const LISTED: usize = 20;

#[derive(Serialize)]
struct UsageDocument<'a> {
    schema_version: &'static str,
    /// The instant asked at, UTC.
    now: Timestamp,
    /// Always true: read in the runtimes' records, not reported by agents and not billed.
    observed: bool,
    /// What the rows are.
    by: By,
    /// Where days begin and end.
    time_zone: &'a str,
    rows: &'a [Row],
    total: &'a Sum,
    /// Sessions whose own spending can't be told from what they were forked from: not counted.
    unknown_sessions: u64,
    /// Turns that loops did not start because `loopx next` said no: at most one for each lane and answer in ten minutes.
    turns_not_started: &'a NotStarted,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let now = context.now();
    let only = context.only()?;
    let mut spent = spending(context)?;
    spent.retain(|spent| only.takes(&spent.place));
    let zone = list::zone(context);
    let not_started = NotStarted::of(context, &only, &zone);
    let (rows, total, unknown_sessions) = rows::sum(args.by, &spent, &zone);
    if context.json() {
        context.ui.json(&UsageDocument {
            schema_version: "loopx_usage_v0",
            now,
            observed: true,
            by: args.by,
            time_zone: zone.iana_name().unwrap_or("UTC"),
            rows: &rows,
            total: &total,
            unknown_sessions,
            turns_not_started: &not_started,
        })?;
        return Ok(0);
    }
    show(context, args.by, &rows, &total);
    if let Some(words) = not_started.in_words() {
        let words = context.ui.tone(Tone::Good, &words);
        context.ui.line(&words);
    }
    if unknown_sessions > 0 {
        let (sessions, were) = if unknown_sessions == 1 { ("session", "was") } else { ("sessions", "were") };
        context.ui.note(&format!(
            "{unknown_sessions} {sessions} not counted: forked from a session that is gone, and what {were} \
             inherited can't be told"
        ));
    }
    Ok(0)
}

/// What every session spent, all of their files read.
fn spending(context: &mut Context) -> Result<Vec<Spent>, CliError> {
    let now = context.now();
    let progress = Progress::begin();
    let (spent, unreadable) = context.plane()?.spending(now, &|so_far: Backfill| {
        progress.show("reading session files", so_far.done, so_far.total);
        true
    })?;
    if unreadable > 0 {
        let files = list::counted(usize::try_from(unreadable).unwrap_or(usize::MAX), "session file");
        context.ui.note(&format!("{files} could not be read: what was spent there is not counted"));
    }
    Ok(spent)
}

/// What one session spent, with what it started; `None` where that can't be told.
pub fn of(context: &mut Context, handle: Handle) -> Result<Option<loopx_runtimes::Spent>, CliError> {
    Ok(session::spent(&spending(context)?, handle))
}

/// What was spent, in words.
pub fn in_words(spent: &loopx_runtimes::Spent) -> String {
    let turns = list::counted(usize::try_from(spent.turns).unwrap_or(usize::MAX), "finished turn");
    let (active, waiting) = (rows::time(spent.time.active / 1000), rows::time(spent.time.waiting / 1000));
    let (input, cached) = (rows::short(spent.tokens.input), rows::short(spent.tokens.cached));
    let output = rows::short(spent.tokens.output);
    format!("{turns}, {active} active, {waiting} waiting; tokens: {input} in ({cached} cached), {output} out")
}

fn show(context: &mut Context, by: By, rows: &[Row], total: &Sum) {
    let ui = &mut context.ui;
    if rows.is_empty() {
        ui.line("nothing was spent by any session on this machine yet");
        return;
    }
    let listed = if by == By::Session { LISTED } else { usize::MAX };
    let width = rows.iter().take(listed).map(|row| row.label().chars().count()).max().unwrap_or(0).max(8);
    let heading = format!(
        "{:<width$} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
        by.word(),
        "sessions",
        "turns",
        "input",
        "cached",
        "output",
        "reasoning",
        "active",
        "waiting"
    );
    let heading = ui.tone(Tone::Dim, &heading);
    ui.line(&heading);
    for row in rows.iter().take(listed) {
        let label = ui.plain(&row.label());
        let pad = " ".repeat(width.saturating_sub(label.chars().count()));
        ui.line(&format!("{label}{pad} {}", row.sum.columns()));
    }
    let rest = rows.len().saturating_sub(listed);
    if rest > 0 {
        let text = ui.tone(Tone::Dim, &format!("{rest} more sessions: see `loopx usage --json`"));
        ui.line(&text);
    }
    let text = ui.tone(Tone::Bold, &format!("{:<width$} {}", "total", total.columns()));
    ui.line(&text);
    if by == By::Day {
        let text = ui.tone(Tone::Dim, "a session counts on each of its days, and once in the total");
        ui.line(&text);
    }
    let text = ui.tone(Tone::Dim, "observed in the runtimes' records: tokens as they count them, no bill");
    ui.line(&text);
}
