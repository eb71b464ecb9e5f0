//! `loopx completions`: verbs, options, and the ids of goals, lanes, todos and gates.
//!
//! The shell's script asks the program itself, with `LOOPX_COMPLETE` set to the shell's name: what an argument stands
//! for is known by its value's name, so that every verb's arguments are completed alike.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use loopx_core::State;
use loopx_safety::io_words;

use crate::app::ControlPlane;
use crate::app::home::Home;
use crate::cli::Context;
use crate::env::Env;
use crate::error::CliError;
use crate::ui::Ui;

/// Print a shell's completion script: it completes verbs, options and the ids of goals, lanes, todos and gates.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bash  eval \"$(loopx completions bash)\" in .bashrc
  zsh   eval \"$(loopx completions zsh)\" in .zshrc, after compinit
  fish  loopx completions fish > ~/.config/fish/completions/loopx.fish")]
pub struct Args {
    /// Which shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
    /// Complete verbs and options only: a script that never runs loopx.
    #[arg(long)]
    fixed: bool,
}

/// The variable that asks for completions.
const VARIABLE: &str = "LOOPX_COMPLETE";

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let mut script = Vec::new();
    if args.fixed {
        clap_complete::generate(args.shell, &mut super::command(), "loopx", &mut script);
    } else {
        let shell = args.shell.to_string();
        let shells = Shells::builtins();
        let completer = shells
            .completer(&shell)
            .ok_or_else(|| CliError::usage(format!("no completions for {shell}")).hint("try --fixed"))?;
        completer.write_registration(VARIABLE, "loopx", "loopx", "loopx", &mut script).map_err(|error| {
            CliError::internal(format!("failed to write the script: {}", io_words(error.kind())))
        })?;
    }
    context.ui.raw(&script);
    Ok(0)
}

/// Answers a shell that asks for completions; none if no shell asks. A fault is silence: the shell has no place for it.
pub fn answer(env: &Env, args: &[OsString], ui: &mut Ui) -> Option<u8> {
    let shells = Shells::builtins();
    let completer = shells.completer(env.var(VARIABLE)?)?;
    let words = args.iter().skip(1).skip_while(|arg| *arg != "--").skip(1).cloned().collect();
    let mut out = Vec::new();
    let mut command = command(env);
    command.build();
    if completer.write_complete(&mut command, words, env.cwd.as_deref(), &mut out).is_ok() {
        ui.raw(&out);
    }
    Some(0)
}

/// The command line, each argument with what it can be completed to here.
pub fn command(env: &Env) -> Command {
    with_ids(super::command(), env)
}

fn with_ids(command: Command, env: &Env) -> Command {
    let command = command.mut_args(|arg| match names(&arg) {
        None => arg,
        Some(what) => {
            let env = env.clone();
            arg.add(ArgValueCompleter::new(move |typed: &OsStr| candidates(&env, what, typed)))
        }
    });
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    verbs.into_iter().fold(command, |command, verb| command.mut_subcommand(verb, |verb| with_ids(verb, env)))
}

/// What an argument names.
#[derive(Clone, Copy)]
enum What {
    Goal,
    Agent,
    Todo,
    Gate,
}

/// By the name of its value.
fn names(arg: &Arg) -> Option<What> {
    match arg.get_value_names()?.first()?.as_str() {
        "GOAL" => Some(What::Goal),
        "AGENT" => Some(What::Agent),
        "TODO" => Some(What::Todo),
        "GATE" => Some(What::Gate),
        _ => None,
    }
}

/// The ids that start so, each with a word about it. Nothing is made on the way, and what can't be read is left out.
fn candidates(env: &Env, what: What, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    if !Home::of(env).is_some_and(|home| home.data.join("install.json").is_file()) {
        return Vec::new();
    }
    let Ok(mut plane) = ControlPlane::open(env) else { return Vec::new() };
    let goals = plane.goals().unwrap_or_default();
    let mut found: Vec<(String, String)> = Vec::new();
    for goal in goals.iter().filter(|goal| goal.damage.is_none()) {
        let Ok(state) = plane.state(&goal.id) else { continue };
        found.extend(ids(&state, what));
    }
    found.sort();
    found.dedup_by(|one, other| one.0 == other.0);
    let fitting = found.into_iter().filter(|(id, _)| id.starts_with(typed));
    fitting.map(|(id, about)| CompletionCandidate::new(id).help(Some(about.into()))).collect()
}

fn ids(state: &State, what: What) -> Vec<(String, String)> {
    match what {
        What::Goal => {
            state.goal.iter().map(|goal| (goal.id.to_string(), goal.objective.to_string())).collect()
        }
        What::Agent => {
            let about = |runtime: Option<_>| runtime.map_or_else(String::new, |runtime| format!("{runtime}"));
            state.agents.iter().map(|(id, agent)| (id.to_string(), about(agent.runtime.as_ref()))).collect()
        }
        What::Todo => {
            let open = state.todos.values().filter(|todo| !todo.is_closed());
            open.map(|todo| (todo.id.to_string(), todo.title.to_string())).collect()
        }
        What::Gate => {
            state.gates.values().map(|gate| (gate.id.to_string(), gate.question.to_string())).collect()
        }
    }
}
