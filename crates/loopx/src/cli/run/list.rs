//! `loopx run list`.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::run::{Run, RunKind};
use serde::Serialize;

use crate::app::reading::run as reading;
use crate::cli::{Context, named, words};
use crate::error::CliError;
use crate::ui::Tone;

/// List run history, newest first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Serialize)]
struct RunsDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    /// How many there are; `runs` holds the newest of them.
    total: usize,
    runs: Vec<&'a Run>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let only = context.named_agent()?;
    // Of one lane, all have to be looked at; two minted in the same millisecond may be in the other order.
    let newest = if only.is_some() { usize::MAX } else { args.limit.saturating_add(64) };
    let (state, all) = named::state_with_newest_runs(context, &goal, newest)?;
    let now = context.now();
    let wanted = |run: &&Run| only.as_ref().is_none_or(|agent| run.agent == *agent);
    let mut runs: Vec<&Run> = state.runs.values().filter(wanted).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.revision));
    let total = if only.is_some() { runs.len() } else { all };
    runs.truncate(args.limit);
    if context.json() {
        context.ui.json(&RunsDocument {
            schema_version: "loopx_runs_v0",
            goal_id: &goal,
            now,
            total,
            runs,
        })?;
        return Ok(0);
    }
    let rows: Vec<_> = runs.iter().map(|run| row(run, now)).collect();
    words::list(&mut context.ui, rows, "no runs recorded");
    if total > args.limit {
        context.ui.note(&format!("{} older: `--limit {total}` shows all", total - args.limit));
    }
    Ok(0)
}

fn row(run: &Run, now: Timestamp) -> (Option<Tone>, Vec<String>) {
    let open_blocker = matches!(run.kind, RunKind::Blocker) && run.resolved_at.is_none();
    let mut words = Vec::new();
    words.extend(run.summary.as_ref().map(ToString::to_string));
    let check = reading::check(run);
    if !check.is_empty() {
        words.push(check);
    }
    words.extend(run.todo.as_ref().map(ToString::to_string));
    if run.resolved_at.is_some() {
        words.push("resolved".to_owned());
    }
    let cells = vec![
        run.id.to_string(),
        words::relative(run.at, now),
        run.agent.to_string(),
        reading::kind_word(run).to_owned(),
        words.join("; "),
    ];
    (open_blocker.then_some(Tone::Warn), cells)
}
