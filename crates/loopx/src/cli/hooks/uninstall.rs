//! `loopx hooks uninstall`.

use loopx_runtimes::Runtime;
use loopx_safety::InstallKey;
use serde::Serialize;

use super::{Done, World, apply, confirm, diff, named};
use crate::app::home::kept_key;
use crate::app::hooks::{self, BY_HAND, Change, Record, Role, hold, uninstall};
use crate::cli::{Context, args};
use crate::error::{CliError, ErrorKind};

/// Take what LoopX put into a runtime's settings out again: exactly that, whatever else was changed since.
///
/// The difference is shown first, and a person decides. What of ours was changed by hand stays, and its place is said.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// claude or codex; without any, both.
    #[arg(value_name = "RUNTIME", value_parser = args::runtime)]
    runtimes: Vec<Runtime>,
    /// Show the difference, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Where there is no terminal to type a code at: the words "change settings".
    #[arg(long, value_name = "WORDS")]
    confirm: Option<String>,
}

#[derive(Serialize)]
struct FileDocument {
    /// Which settings file.
    file: Role,
    /// Whether it was or would be changed.
    changed: bool,
    /// Whether it went: it held nothing but ours.
    removed: bool,
    /// How many things of ours stay, because they were changed by hand.
    left: usize,
}

/// Runs it.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let world = World::of(context)?;
    let data = context.home()?.data;
    let _held = if args.dry_run { None } else { Some(hold(&data)?) };
    let mut record = Record::read(&data)?;
    let key = kept_key(&data).ok().flatten().unwrap_or_else(|| InstallKey::from_bytes([0; 32], ""));
    let mut changes = Vec::new();
    for role in named(&args.runtimes).into_iter().flat_map(Role::of) {
        changes.extend(uninstall(*role, &world.sources, &key, &record, &world.program)?);
    }
    for change in &changes {
        change.check()?;
        diff::show(context, change)?;
    }
    let files: Vec<&str> =
        changes.iter().filter(|change| change.changes()).map(|change| change.role.words()).collect();
    if !args.dry_run {
        if !files.is_empty() {
            let what = format!("take LoopX's hooks out of {}, as shown", files.join(" and "));
            confirm(context, args.confirm.as_deref(), &what)?;
        }
        apply(context, &mut record, &changes)?;
    }
    if context.json() {
        let files: Vec<FileDocument> = changes.iter().map(document).collect();
        context.ui.json(&Done {
            schema_version: "loopx_hooks_uninstall_v0",
            dry_run: args.dry_run,
            files,
        })?;
    } else {
        end(context, args, &changes);
    }
    let stays: Vec<String> = changes
        .iter()
        .filter(|change| !change.stays.is_empty())
        .map(|change| hooks::named(change.role, &change.stays))
        .collect();
    if stays.is_empty() {
        return Ok(0);
    }
    let message = format!("something of LoopX's stays, which was changed by hand: {}", stays.join(", "));
    Err(CliError::new(ErrorKind::Conflict, message).hint(BY_HAND))
}

fn document(change: &Change) -> FileDocument {
    FileDocument {
        file: change.role,
        changed: change.changes(),
        removed: change.removes(),
        left: change.stays.len(),
    }
}

fn end(context: &mut Context, args: &Args, changes: &[Change]) {
    if changes.is_empty() {
        context.ui.line("nothing of LoopX's is there");
    }
    if args.dry_run {
        context.ui.note("nothing was changed");
        return;
    }
    for change in changes {
        let state = match (change.changes(), change.removes()) {
            (_, true) => "taken away: it held nothing but LoopX's",
            (true, false) => "LoopX's hooks are out",
            (false, false) => "nothing of LoopX's was there as it was written",
        };
        context.ui.line(&format!("{}: {state}", change.role.words()));
    }
}
