//! `loopx check`: what is to be published is checked first: projections against the contract, or any text.

mod files;
mod projections;
mod text;

use std::path::PathBuf;

use loopx_safety::TierKind;

use crate::cli::Context;
use crate::error::CliError;

/// Check what you want to publish: projections, or with `--text` any files.
///
/// Without `--text`: run the contract's acceptance checks over projections: JSON, an array of them, or one a line. Exit
/// code 7 if anything stands against one of them, 0 if there are warnings only.
///
/// With `--text`: screen every line and every name of every file for credentials, paths, hosts, mail, addresses and the
/// like. Exit code 7 on a finding, 0 if there is none. A finding names file, line, columns and class, never the text.
/// Hidden files are looked into; `.git` is not, links are not followed, and what `.gitignore`, `.ignore` and
/// `.git/info/exclude` name is left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  loopx check projection.json
  loopx check --text .
  loopx check --text --tier showcase --allow allow.toml docs examples
  loopx check --text --sarif . > loopx.sarif")]
pub struct Args {
    /// Files, folders of them (every file in them), or `-` for stdin.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How far the texts may travel: public fixtures are for the showcase.
    #[arg(long, value_enum, value_name = "TIER", default_value = "local")]
    tier: Tier,
    /// The accepted controlled-writeback contract that stands beside the projections: its goal, and perhaps
    /// its agent and runtime.
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    writeback: Option<PathBuf>,
    /// Screen files of any kind, line by line.
    #[arg(long)]
    text: bool,
    /// With `--text`: exceptions, each with its reason: `[[allow]]` tables of TOML with `path`, `class` and `reason`.
    #[arg(long, value_name = "FILE", requires = "text")]
    allow: Option<PathBuf>,
    /// With `--text`: look into ignored files too.
    #[arg(long, requires = "text")]
    no_ignore: bool,
    /// With `--text`: print SARIF 2.1.0.
    #[arg(long, requires = "text", conflicts_with = "json")]
    sarif: bool,
}

/// How far texts may travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Tier {
    /// This machine's control plane.
    Local,
    /// Public pages.
    Showcase,
}

impl Tier {
    const fn kind(self) -> TierKind {
        match self {
            Self::Local => TierKind::Local,
            Self::Showcase => TierKind::Showcase,
        }
    }
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.text { text::run(args, context) } else { projections::run(args, context) }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
