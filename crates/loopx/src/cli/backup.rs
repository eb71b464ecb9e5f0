//! `loopx backup`: a verified copy of the store while others go on.

use std::path::PathBuf;

use loopx_store::StoreError;
use serde::Serialize;

use crate::app::keyring::FILE;
use crate::cli::export::not_written;
use crate::cli::{Context, bound};
use crate::error::CliError;

/// Copy the store into a new file, while others go on, and verify the copy.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The new file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize)]
struct BackupDocument {
    schema_version: &'static str,
    verified: bool,
    /// How many goals are in it.
    goals: usize,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goals = context.plane()?.goals()?.len();
    if goals == 0 {
        return Err(CliError::not_found("nothing to back up yet").hint("see `loopx init`"));
    }
    let file = bound::cwd(context)?.join(&args.file);
    match context.plane()?.store().backup(&file) {
        Err(StoreError::Io { what: _, kind }) => return Err(not_written(kind, "the backup", &args.file)),
        done => done?,
    }
    if context.json() {
        context.ui.json(&BackupDocument { schema_version: "loopx_backup_v0", verified: true, goals })?;
    } else {
        context.ui.line(&format!("backed up {goals} goals, verified"));
    }
    context
        .ui
        .note("keep install.json with it: the handles of bound sessions and folders are made with its key");
    if context.home()?.data.join(FILE).exists() {
        context.ui.note("keep authority.json with it: without its key no locked goal can be decided on");
    }
    Ok(0)
}
