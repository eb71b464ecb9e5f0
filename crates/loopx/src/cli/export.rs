//! `loopx export`: goals with their whole logs, as JSON lines that `import` reads.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use loopx_contract::GoalId;
use loopx_safety::io_words;
use serde::Serialize;

use crate::cli::{Context, bound};
use crate::error::{CliError, ErrorKind};

/// Write goals with their whole logs as JSON lines. Paths and pointers of this machine stay here.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which goals; default: all.
    #[arg(value_name = "GOAL")]
    goals: Vec<String>,
    /// A new file to write; default: stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct ExportDocument<'a> {
    schema_version: &'static str,
    goals: &'a [GoalId],
    events: u64,
    /// Damaged goals that were left out.
    left_out: Vec<&'a GoalId>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let named = args.goals.iter().map(String::as_str).chain(context.named_goal()).map(str::to_owned);
    let named: Vec<String> = named.collect();
    let goals = named.iter().map(|name| context.find_goal(name)).collect::<Result<Vec<_>, _>>()?;
    let mut lines = Vec::new();
    let summary = context.plane()?.store().export(&mut lines, &goals)?;
    for damage in &summary.left_out {
        let goal = damage.goal.as_ref().map_or_else(String::new, |goal| format!("{goal}: "));
        context.ui.note(&format!("left out {goal}{}; see `loopx doctor`", damage.code.meaning()));
    }
    let Some(file) = &args.out else {
        if lines.is_empty() {
            context.ui.note("nothing to export yet");
        }
        context.ui.raw(&lines);
        return Ok(0);
    };
    write_new(&bound::cwd(context)?.join(file), &lines)
        .map_err(|kind| not_written(kind, "the export", file))?;
    if context.json() {
        context.ui.json(&ExportDocument {
            schema_version: "loopx_export_summary_v0",
            goals: &summary.goals,
            events: summary.events,
            left_out: summary.left_out.iter().filter_map(|damage| damage.goal.as_ref()).collect(),
        })?;
    } else {
        let (goals, events) = (summary.goals.len(), summary.events);
        context.ui.line(&format!("exported {goals} goals, {events} events"));
    }
    Ok(0)
}

/// Writes a file that was not there, for its owner's eyes only.
fn write_new(file: &Path, bytes: &[u8]) -> Result<(), std::io::ErrorKind> {
    let open = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let written = open.and_then(|mut out| out.write_all(bytes).and_then(|()| out.sync_all()));
    written.map_err(|error| {
        if error.kind() != std::io::ErrorKind::AlreadyExists {
            // Half an export is none.
            let _gone = fs::remove_file(file);
        }
        error.kind()
    })
}

/// A file that could not be written, as the caller typed it.
pub fn not_written(kind: std::io::ErrorKind, what: &str, typed: &Path) -> CliError {
    let typed = typed.to_string_lossy();
    if kind == std::io::ErrorKind::AlreadyExists {
        return CliError::new(ErrorKind::Conflict, format!("{typed} is there already"))
            .hint("name a new file, or move that one away");
    }
    CliError::internal(format!("failed to write {what} to {typed}: {}", io_words(kind)))
        .hint("name a file in a folder that is there and can be written")
}
