//! The command line: one file a verb, an `Args` whose doc comments are the help, and one `run`.

mod args;
mod bound;
mod context;
mod groups;
mod index;
mod list;
mod named;
mod receipt;
mod telling;
mod view;
mod windows;
mod words;

pub mod agent;
pub mod authority;
pub mod backup;
pub mod bind;
pub mod check;
pub mod completions;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod follow;
pub mod gate;
pub mod goal;
pub mod handoff;
pub mod hook;
pub mod hooks;
pub mod import;
pub mod ingest;
pub mod init;
pub mod log;
pub mod man;
pub mod next;
pub mod project;
pub mod purge;
pub mod quota;
pub mod reference;
pub mod restore;
pub mod reward;
pub mod run;
pub mod schema;
pub mod serve;
pub mod sessions;
pub mod status;
pub mod statusline;
pub mod todo;
pub mod top;
pub mod unbind;
pub mod undo;
pub mod uninstall;
pub mod usage;
pub mod why;

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use context::{Context, Globals};

use crate::app::serving::Doors;
use crate::config::Config;
use crate::env::Env;
use crate::error::CliError;
use crate::ui::{ColorChoice, Out, Ui};

/// Whom is each agent session waiting on? LoopX owns goals, todos, gates and quota, observes agents' sessions
/// read-only, and answers per goal and agent.
#[derive(Parser)]
#[command(name = "loopx", version, about, max_term_width = 100)]
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
    Follow(follow::Args),
    Top(top::Args),
    Serve(serve::Args),
    Statusline(statusline::Args),
    Next(next::Args),
    Why(why::Args),
    Project(project::Args),
    Check(check::Args),
    Schema(schema::Args),
    Sessions(sessions::Args),
    Init(init::Args),
    Bind(bind::Args),
    Unbind(unbind::Args),
    Goal(goal::Args),
    Agent(agent::Args),
    Todo(todo::Args),
    Gate(gate::Args),
    Authority(authority::Args),
    Quota(quota::Args),
    Usage(usage::Args),
    Run(run::Args),
    Reward(reward::Args),
    Handoff(handoff::Args),
    Undo(undo::Args),
    Log(log::Args),
    Export(export::Args),
    Import(import::Args),
    Ingest(ingest::Args),
    Backup(backup::Args),
    Restore(restore::Args),
    Purge(purge::Args),
    Hooks(hooks::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Demo(demo::Args),
    Completions(completions::Args),
    Man(man::Args),
    Uninstall(uninstall::Args),
    Hook(hook::Args),
}

/// Parses, runs and turns the outcome into an exit code.
pub fn main(env: &Env, args: Vec<OsString>, out: Out, doors: Doors) -> u8 {
    let mut ui = Ui::new(out).colored(env, ColorChoice::Auto);
    if let Some(code) = completions::answer(env, &args, &mut ui) {
        return code;
    }
    if let Some(code) = hook::answer(env, &args, &mut ui) {
        return code;
    }
    let parsed = command().try_get_matches_from(args).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return ui.usage(&error),
    };
    let config = match Config::load(env) {
        Ok(config) => config,
        Err(_) if cli.verb.as_ref().is_some_and(Verb::needs_no_config) => Config::default(),
        Err(error) => return ui.fail(&error, cli.globals.json),
    };
    let mut context = Context::new(env.clone(), ui, config, cli.globals, doors);
    let code = run(cli.verb, &mut context).unwrap_or_else(|error| {
        let json = context.json();
        context.ui.fail(&error, json)
    });
    context.ui.exit(code)
}

/// The command line, its verbs in groups.
pub fn command() -> clap::Command {
    groups::grouped(Cli::command())
}

impl Verb {
    /// Whether it can be run although a config file is broken.
    fn needs_no_config(&self) -> bool {
        if let Self::Config(args) = self {
            return config::needs_no_config(args);
        }
        matches!(
            self,
            Self::Completions(_)
                | Self::Man(_)
                | Self::Schema(_)
                | Self::Doctor(_)
                | Self::Uninstall(_)
                // A prompt is not the place to say that it is broken.
                | Self::Statusline(_)
        )
    }
}

fn run(verb: Option<Verb>, context: &mut Context) -> Result<u8, CliError> {
    match verb.unwrap_or_else(|| Verb::Status(status::Args::default())) {
        Verb::Status(args) => status::run(&args, context),
        Verb::Follow(args) => follow::run(&args, context),
        Verb::Top(args) => top::run(&args, context),
        Verb::Serve(args) => serve::run(&args, context),
        Verb::Statusline(args) => statusline::run(&args, context),
        Verb::Next(args) => next::run(&args, context),
        Verb::Why(args) => why::run(&args, context),
        Verb::Project(args) => project::run(&args, context),
        Verb::Check(args) => check::run(&args, context),
        Verb::Schema(args) => schema::run(&args, context),
        Verb::Sessions(args) => sessions::run(&args, context),
        Verb::Init(args) => init::run(&args, context),
        Verb::Bind(args) => bind::run(&args, context),
        Verb::Unbind(args) => unbind::run(&args, context),
        Verb::Goal(args) => goal::run(&args, context),
        Verb::Agent(args) => agent::run(&args, context),
        Verb::Todo(args) => todo::run(&args, context),
        Verb::Gate(args) => gate::run(&args, context),
        Verb::Authority(args) => authority::run(&args, context),
        Verb::Quota(args) => quota::run(&args, context),
        Verb::Usage(args) => usage::run(&args, context),
        Verb::Run(args) => run::run(&args, context),
        Verb::Reward(args) => reward::run(&args, context),
        Verb::Handoff(args) => handoff::run(&args, context),
        Verb::Undo(args) => undo::run(&args, context),
        Verb::Log(args) => log::run(&args, context),
        Verb::Export(args) => export::run(&args, context),
        Verb::Import(args) => import::run(&args, context),
        Verb::Ingest(args) => ingest::run(&args, context),
        Verb::Backup(args) => backup::run(&args, context),
        Verb::Restore(args) => restore::run(&args, context),
        Verb::Purge(args) => purge::run(&args, context),
        Verb::Hooks(args) => hooks::run(&args, context),
        Verb::Doctor(args) => doctor::run(&args, context),
        Verb::Config(args) => config::run(&args, context),
        Verb::Demo(args) => demo::run(&args, context),
        Verb::Completions(args) => completions::run(&args, context),
        Verb::Man(args) => man::run(&args, context),
        Verb::Uninstall(args) => uninstall::run(&args, context),
        // It was answered before anything else.
        Verb::Hook(_) => Ok(0),
    }
}
