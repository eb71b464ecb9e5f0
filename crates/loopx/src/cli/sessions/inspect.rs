//! `loopx sessions inspect`: the verdict on one file, and the lines it rests on.

use std::path::PathBuf;

use jiff::Timestamp;
use loopx_contract::SessionFacts;
use loopx_runtimes::{InspectError, Inspection, LineEvidence, Runtime, SkipKind, Verdict};
use loopx_safety::InstallKey;
use serde::Serialize;

use crate::app::home::{Home, install_key};
use crate::app::sources;
use crate::app::times::parse_instant;
use crate::cli::{Context, args};
use crate::error::CliError;

/// Judge one session file and print the verdict with the lines it rests on, as JSON: never their text.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Whose format: codex or claude_code, or a runtime id of theirs.
    #[arg(long, value_name = "RUNTIME", value_parser = args::runtime)]
    runtime: Runtime,
    /// Judge it as of this instant (RFC 3339); default: now.
    #[arg(long, value_name = "INSTANT")]
    at: Option<String>,
    /// Take locks and registries that stand beside it into account, not the file alone.
    #[arg(long)]
    live: bool,
}

#[derive(Serialize)]
struct InspectionDocument<'a> {
    schema_version: &'static str,
    session: Judged<'a>,
    evidence: Vec<Lines>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Judged<'a> {
    Session(&'a SessionFacts),
    Not { state: &'static str, tier: Option<&'static str>, missing: [&'static str; 0] },
}

/// A range of lines, from 1.
#[derive(Serialize)]
struct Lines {
    first_line: u64,
    last_line: u64,
    what: &'static str,
}

impl Lines {
    fn of(evidence: &LineEvidence) -> Self {
        Self { first_line: evidence.first, last_line: evidence.last, what: evidence.what.word() }
    }
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let now = args.at.as_deref().map_or_else(|| Ok(context.now()), parse_instant)?;
    let inspection = inspect(args, context, now)?;
    let session = match &inspection.verdict {
        Verdict::Session(facts) => Judged::Session(facts),
        verdict @ (Verdict::Child | Verdict::NotASession) => {
            Judged::Not { state: verdict.word(), tier: None, missing: [] }
        }
    };
    let evidence = inspection.evidence.iter().map(Lines::of).collect();
    context.ui.json(&InspectionDocument { schema_version: "loopx_inspection_v0", session, evidence })?;
    Ok(0)
}

fn inspect(args: &Args, context: &Context, now: Timestamp) -> Result<Inspection, CliError> {
    let file = context.env.cwd.as_deref().unwrap_or(std::path::Path::new("/")).join(&args.file);
    let key = match Home::of(&context.env) {
        Some(home) => install_key(&home.data)?,
        // Without a place to keep a key, handles last for this run.
        None => InstallKey::generate()
            .map_err(|_| CliError::internal("failed to draw a key: the system gives no random numbers"))?
            .into(),
    };
    let sources = args.live.then(|| sources::of(&context.env));
    match loopx_runtimes::inspect(&file, args.runtime, &key, now, sources.as_ref()) {
        Err(InspectError { kind: SkipKind::NotASession }) => {
            Ok(Inspection { verdict: Verdict::NotASession, evidence: Vec::new() })
        }
        Err(InspectError { kind: SkipKind::Vanished }) => {
            let typed = args.file.to_string_lossy();
            Err(CliError::not_found(format!("no file {typed}")).hint("look for a typing error"))
        }
        Err(error) => Err(CliError::internal(format!("failed to {error}"))
            .hint("it must be a plain file that you may read")),
        Ok(inspection) => Ok(inspection),
    }
}
