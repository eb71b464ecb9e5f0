//! `loopx hooks`: hooks of ours in a runtime's settings.

mod diff;
mod install;
mod status;
mod uninstall;

use jiff::Timestamp;
use loopx_runtimes::hooks::known;
use loopx_runtimes::{FoundBy, Installed, Runtime, Sources, Version, installed};
use loopx_safety::InstallKey;
use serde::Serialize;

use crate::app::hooks::{Change, Program, Record, Role, called};
use crate::app::proof::{self, Shown};
use crate::app::{caller, sources};
use crate::cli::Context;
use crate::error::CliError;

/// Have runtimes tell LoopX at once what happens: put hooks into their settings, look at them, take them out.
///
/// Without hooks LoopX reads what runtimes write anyway. With them it knows of a prompt, a refusal or a limit in the
/// moment it is there. A hook notes which event it was, of what session and when, and prints nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Install(install::Args),
    Status(status::Args),
    Uninstall(uninstall::Args),
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Install(args) => install::run(args, context),
        Verb::Status(args) => status::run(args, context),
        Verb::Uninstall(args) => uninstall::run(args, context),
    }
}

/// Codex asks before it runs hooks that are new to it.
const TRUST: &str = "Codex runs hooks only after you have trusted them once: start `codex` in a terminal; where it says that \
     hooks need review, trust them. `/hooks` in it shows them";

/// What a runtime makes of comments in its JSON.
const COMMENTS: &str =
    "it holds comments, which its runtime does not read: nothing in it counts, hooks neither; take them out";

/// What stands in for the code of a terminal.
const WORDS: &str = "change settings";

/// The runtimes that are named, each once; without any, all.
fn named(runtimes: &[Runtime]) -> Vec<Runtime> {
    Runtime::ALL.into_iter().filter(|one| runtimes.is_empty() || runtimes.contains(one)).collect()
}

/// What every verb here looks at.
struct World {
    sources: Sources,
    program: Program,
    now: Timestamp,
}

impl World {
    fn of(context: &Context) -> Result<Self, CliError> {
        let env = &context.env;
        Ok(Self { sources: sources::of(env), program: Program::of(env)?, now: context.now() })
    }

    /// Whether a runtime's folder is there.
    fn is_there(&self, runtime: Runtime) -> bool {
        Role::of(runtime).iter().any(|role| {
            role.path(&self.sources).is_some_and(|path| path.parent().is_some_and(std::path::Path::is_dir))
        })
    }

    fn installed(&self, context: &Context, runtime: Runtime) -> Option<Installed> {
        installed(runtime, &self.sources, context.env.var_os("PATH"))
    }
}

/// What was done, or would be, to each file.
#[derive(Serialize)]
struct Done<F> {
    schema_version: &'static str,
    /// Whether it was only shown.
    dry_run: bool,
    files: Vec<F>,
}

/// A version of a runtime, and how it was found.
#[derive(Clone, Copy, Serialize)]
struct VersionDocument {
    version: Option<Version>,
    found_by: Option<FoundBy>,
}

impl VersionDocument {
    fn of(installed: Option<Installed>) -> Self {
        Self {
            version: installed.map(|installed| installed.version),
            found_by: installed.map(|installed| installed.found_by),
        }
    }
}

/// A runtime and its version in words.
fn headed(runtime: Runtime, installed: Option<Installed>) -> String {
    let Some(Installed { version, found_by }) = installed else {
        return format!("{}, of a version that could not be found out", called(runtime));
    };
    let how = match found_by {
        FoundBy::Told => "as --runtime-version says",
        FoundBy::Package => "as the package of the program on PATH says",
        FoundBy::Name => "as the program on PATH is called",
        FoundBy::Record => "as it was when the hooks were written",
        FoundBy::Session => "as the newest session says",
    };
    format!("{} {version}, {how}", called(runtime))
}

/// The events that are known to a version, as the documents name them.
fn events(runtime: Runtime, installed: Option<Installed>) -> Vec<&'static str> {
    known(runtime, installed.map(|installed| installed.version))
}

/// A person types a code at the terminal, or has typed the words; never from inside a session.
fn confirm(context: &Context, words: Option<&str>, what: &str) -> Result<(), CliError> {
    let env = &context.env;
    // LoopX may never have been used here, so that the caller is looked for with a key of no install.
    if caller::find(env, &sources::of(env), &InstallKey::from_bytes([0; 32], "hooks")).is_some() {
        return Err(CliError::refused("this runs inside an agent's session")
            .hint("run it yourself in a terminal outside the agent's session"));
    }
    if let Some(words) = words {
        if words == WORDS {
            return Ok(());
        }
        return Err(CliError::usage("those are not the words").hint(format!("--confirm \"{WORDS}\"")));
    }
    match proof::at_terminal(env, what)? {
        Shown::Proved(_) => Ok(()),
        Shown::Nothing(why) => Err(CliError::refused(format!("nothing was changed: {why}"))
            .hint(format!("type the code back, or say --confirm \"{WORDS}\""))),
    }
}

/// Does all of these, the first that fails ends it. How many were done.
fn apply(context: &Context, record: &mut Record, changes: &[Change]) -> Result<(), CliError> {
    let data = context.home()?.data;
    for (done, change) in changes.iter().enumerate() {
        change.apply(&data, record).map_err(|error| {
            let before = match done {
                0 => String::new(),
                done => format!(" ({done} of {} files were changed before)", changes.len()),
            };
            CliError { message: format!("{}{before}", error.message), ..error }
        })?;
    }
    Ok(())
}
