//! `loopx hook`: what a runtime's hook runs. It notes one event, says nothing, and ends well whatever happens: a
//! runtime takes words and exit codes of its hooks for decisions.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use clap::{Args as _, FromArgMatches as _};
use loopx_contract::{AgentId, GoalId};
use loopx_runtimes::Runtime;
use loopx_runtimes::hooks::{Around, HookEvent, Prompts, Spool, Windows};

use crate::app::home::{Home, make_folder};
use crate::app::sources;
use crate::cli::args;
use crate::clock::Clock;
use crate::env::Env;
use crate::ui::Ui;

/// The longest event that is read, in bytes: a tool's whole output may be in it.
const LONGEST: u64 = 64 << 20;

/// Note one event of a runtime's hook: run by the runtime, which tells it on stdin. Prints nothing and exits 0
/// whatever happens.
#[derive(Debug, clap::Args)]
#[command(after_help = "`loopx hooks install` puts it where a runtime finds it.")]
pub struct Args {
    /// Whose event it is: claude_code, codex.
    #[arg(value_parser = args::runtime)]
    runtime: Runtime,
    /// The runtime's hooks tell of every prompt for permission: a call that was not asked about runs.
    #[arg(long)]
    prompts: bool,
    /// Codex's `notify`: the event is the last argument. What stands before it is a program of yours, which is run with
    /// that argument afterwards.
    #[arg(long, num_args = 1.., allow_hyphen_values = true, value_name = "ARG", conflicts_with = "statusline")]
    notify: Vec<OsString>,
    /// Claude Code's status line: what comes in goes out unchanged, and the limits that it tells are noted.
    #[arg(long)]
    statusline: bool,
}

/// Answers a hook before anything else is looked at; none where no hook asks. Help is clap's.
pub fn answer(env: &Env, args: &[OsString], ui: &mut Ui) -> Option<u8> {
    let mut words = args.iter().skip(1);
    let is_help = |word: &OsString| word == "--help" || word == "-h";
    // What stands behind it is another program's.
    if words.next()? != "hook" || words.take_while(|word| *word != "--notify").any(is_help) {
        return None;
    }
    // What a runtime of tomorrow or a mistyped line asks for is no reason to disturb it.
    let command = Args::augment_args(clap::Command::new("hook"));
    let matches = command.try_get_matches_from(args.iter().skip(1)).ok();
    let args = matches.and_then(|matches| Args::from_arg_matches(&matches).ok());
    if let Some(args) = args {
        run(&args, env, ui);
    }
    Some(0)
}

/// Notes the event.
pub fn run(args: &Args, env: &Env, ui: &mut Ui) {
    if let Some((event, program)) = args.notify.split_last() {
        note(args, env, event.as_encoded_bytes());
        // Only this process has a place that can be taken: an attempt that fails changes how it takes a closed pipe.
        if let Some((program, before)) = program.split_first()
            && env.is_of_process()
        {
            // It takes our place, as it was started for: where that fails, nobody can be told.
            let _ = Command::new(program).args(before).arg(event).exec();
        }
        return;
    }
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() || io::stdin().take(LONGEST).read_to_end(&mut bytes).is_err() {
        return;
    }
    if args.statusline {
        ui.raw(&bytes);
        note_windows(env, &bytes);
    } else {
        note(args, env, &bytes);
    }
}

fn note(args: &Args, env: &Env, bytes: &[u8]) {
    let Some(home) = Home::of(env) else { return };
    let prompts = if args.prompts { Prompts::Told } else { Prompts::Untold };
    let around = Around::of(&sources::of(env), env.pid, prompts, lane(env));
    let event = if args.notify.is_empty() {
        HookEvent::read(args.runtime, bytes, Clock.now(), around)
    } else {
        HookEvent::notice(bytes, Clock.now(), around)
    };
    let Some(event) = event else { return };
    // A full disk is no reason to stop the runtime.
    let _ = make_folder(&home.data).and_then(|()| Spool::of(&home.data).append(&event));
}

fn note_windows(env: &Env, bytes: &[u8]) {
    let Some(home) = Home::of(env) else { return };
    let Some(windows) = Windows::read(bytes, Clock.now()) else { return };
    let _ = make_folder(&home.data).and_then(|()| Spool::of(&home.data).note(&windows));
}

/// What the environment names, as far as these are ids.
fn lane(env: &Env) -> Option<(GoalId, Option<AgentId>)> {
    let goal = GoalId::parse(env.var("LOOPX_GOAL")?).ok()?;
    Some((goal, env.var("LOOPX_AGENT").and_then(|agent| AgentId::parse(agent).ok())))
}
