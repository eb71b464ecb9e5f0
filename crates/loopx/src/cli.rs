//! The command line: one file a verb, an `Args` whose doc comments are the help, and one `run`.

mod context;
mod receipt;
mod view;

pub mod next;
pub mod project;
pub mod status;
pub mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use context::{Context, Globals};

use crate::env::Env;
use crate::error::CliError;
use crate::ui::Ui;

/// Whom is each agent session waiting on? LoopX owns goals, todos, gates and quota, observes agents' sessions
/// read-only, and answers per goal and agent.
#[derive(Parser)]
#[command(name = "loopx", version, about, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// What to do; without a verb: status.
#[derive(Subcommand)]
enum Verb {
    Status(status::Args),
    Next(next::Args),
    Why(why::Args),
    Project(project::Args),
}

/// Parses, runs and turns the outcome into an exit code.
pub fn main(env: &Env, args: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return Ui::new(env, crate::ui::ColorChoice::Auto).usage(&error),
    };
    let mut context = match Context::new(env.clone(), cli.globals) {
        Ok(context) => context,
        Err(error) => return Ui::new(env, crate::ui::ColorChoice::Auto).fail(&error, false),
    };
    match run(cli.verb, &mut context) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let json = context.json();
            context.ui.fail(&error, json)
        }
    }
}

fn run(verb: Option<Verb>, context: &mut Context) -> Result<u8, CliError> {
    match verb.unwrap_or_else(|| Verb::Status(status::Args::default())) {
        Verb::Status(args) => status::run(&args, context),
        Verb::Next(args) => next::run(&args, context),
        Verb::Why(args) => why::run(&args, context),
        Verb::Project(args) => project::run(&args, context),
    }
}
