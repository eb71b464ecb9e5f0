//! `loopx restore`: puts a backup in the place of the store.

use std::path::{Path, PathBuf};

use loopx_core::ProofFloor;
use loopx_store::{SqliteStore, StoreError};
use serde::Serialize;

use crate::app::keyring::Keyring;
use crate::app::passphrase;
use crate::cli::{Context, bound};
use crate::error::CliError;

/// Put a backup in the place of the store. It is verified first, and what was there is kept beside it.
///
/// It needs a person at a terminal, and the passphrase where one is set up: an older store takes decisions back.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file that `loopx backup` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize)]
struct RestoreDocument {
    schema_version: &'static str,
    restored: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let file = bound::cwd(context)?.join(&args.file);
    let typed = args.file.to_string_lossy();
    if !file.is_file() {
        return Err(
            CliError::not_found(format!("no file {typed}")).hint("name a file that `loopx backup` wrote")
        );
    }
    // How little proof the goals ask for is itself in what is to be replaced.
    let floor = match passphrase::sealed(&context.home()?.data)? {
        Some(_) => ProofFloor::Passphrase,
        None => ProofFloor::Terminal,
    };
    let (proof, lacking) = context.prove(floor, "replace the whole store by a backup")?;
    if !floor.accepts(proof) {
        let why = lacking.unwrap_or("it needs a person's decision");
        return Err(CliError::refused(format!("restore refused: {why}"))
            .hint("run it yourself in a terminal outside the agent's session"));
    }
    let data = context.home()?.data;
    SqliteStore::open(&data)?.restore(&file).map_err(|error| {
        if matches!(error, StoreError::Backup | StoreError::Damaged(_) | StoreError::Database { .. }) {
            return CliError::usage(format!("{typed} is no sound backup; nothing was changed"))
                .hint("name a file that `loopx backup` wrote");
        }
        error.into()
    })?;
    if let Some(ring) = context.take_keyring() {
        forget_older(&ring, &data)?;
    }
    if context.json() {
        context.ui.json(&RestoreDocument { schema_version: "loopx_restore_v0", restored: true })?;
    } else {
        context.ui.line("restored; what was there is kept as loopx.replaced.db");
    }
    Ok(0)
}

/// A person with the passphrase has put an older log in the place of one that was marked: it counts from now on.
fn forget_older(ring: &Keyring, data: &Path) -> Result<(), CliError> {
    let Some(mut sealed) = passphrase::sealed(data)? else { return Ok(()) };
    let older = sealed.marks.differ(&mut SqliteStore::open(data)?)?;
    sealed.marks.forget(&older);
    ring.mark(&mut sealed, data)
}
