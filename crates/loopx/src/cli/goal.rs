//! `loopx goal`: what is to be reached, what it may touch and who may decide.

pub mod authority;
mod show;

use loopx_contract::GoalId;
use loopx_core::command::GoalAdd;
use loopx_core::scope::Glob;
use loopx_core::{AuthorityCommand, ProofFloor};
use loopx_safety::PublicText;

use crate::cli::list::{Words, words};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Add, edit, pause, close and show goals.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(Add),
    Edit(Edit),
    Scope(Scope),
    Authority(authority::Args),
    /// Pause the goal: no lane is given work until it is resumed.
    Pause(Which),
    /// Make a paused, done or archived goal active again.
    Resume(Which),
    /// Say that the goal is reached.
    Done(Which),
    /// Put the goal away: `status` and `goal list` show it no more.
    Archive(Which),
    List(show::List),
    /// Show all that is set for one goal.
    Show(Which),
}

/// The least proof of a person that decisions on a goal need.
pub(super) const PROOFS: Words<ProofFloor> =
    &[("none", ProofFloor::None), ("terminal", ProofFloor::Terminal), ("passphrase", ProofFloor::Passphrase)];

/// Add a goal.
#[derive(Debug, clap::Args)]
struct Add {
    /// Its id: a letter or digit, then letters, digits, '_', '.' or '-'.
    #[arg(value_name = "ID")]
    id: String,
    /// What is to be reached, in one line.
    #[arg(long, value_name = "TEXT")]
    objective: String,
    /// The least proof its decisions will need: none is for scripts and tests.
    #[arg(long, value_name = "PROOF", value_parser = words(PROOFS))]
    proof: Option<ProofFloor>,
    /// A glob of what may be read, from the project's folder; may be given again.
    #[arg(long, value_name = "GLOB")]
    read: Vec<String>,
    /// A glob of what may be written, from the project's folder; may be given again.
    #[arg(long, value_name = "GLOB")]
    write: Vec<String>,
    /// How private data is to be treated.
    #[arg(long, value_name = "TEXT")]
    private_data_rule: Option<String>,
    /// When a lane must stop.
    #[arg(long, value_name = "TEXT")]
    stop_condition: Option<String>,
}

/// Edit the objective, the private-data rule or the stop condition; what is not named stays.
#[derive(Debug, clap::Args)]
struct Edit {
    #[command(flatten)]
    which: Which,
    /// The new objective.
    #[arg(long, value_name = "TEXT")]
    objective: Option<String>,
    /// The new stop condition.
    #[arg(long, value_name = "TEXT")]
    stop_condition: Option<String>,
    /// The new private-data rule.
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_private_data_rule")]
    private_data_rule: Option<String>,
    /// Take the private-data rule away.
    #[arg(long)]
    clear_private_data_rule: bool,
}

/// Set what may be read and written; what is not named stays.
#[derive(Debug, clap::Args)]
struct Scope {
    #[command(flatten)]
    which: Which,
    /// A glob of all that may be read from now on; may be given again.
    #[arg(long, value_name = "GLOB", conflicts_with = "clear_read")]
    read: Vec<String>,
    /// A glob of all that may be written from now on; may be given again.
    #[arg(long, value_name = "GLOB", conflicts_with = "clear_write")]
    write: Vec<String>,
    /// Say nothing of what may be read.
    #[arg(long)]
    clear_read: bool,
    /// Allow no todo that names files.
    #[arg(long)]
    clear_write: bool,
}

/// Which goal is meant.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// The goal; else --goal, LOOPX_GOAL or the folder's binding.
    #[arg(value_name = "GOAL", id = "which_goal")]
    name: Option<String>,
}

impl Which {
    /// The goal.
    pub(super) fn goal(&self, context: &mut Context) -> Result<GoalId, CliError> {
        match &self.name {
            Some(name) => context.find_goal(name),
            None => context.goal(),
        }
    }
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Add(args) => add(args, context),
        Verb::Edit(args) => edit(args, context),
        Verb::Scope(args) => scope(args, context),
        Verb::Authority(args) => authority::run(args, context),
        Verb::Pause(which) => set(which, context, "pause", "paused", AuthorityCommand::GoalPause),
        Verb::Resume(which) => set(which, context, "resume", "resumed", AuthorityCommand::GoalResume),
        Verb::Done(which) => set(which, context, "close as done", "done:", AuthorityCommand::GoalDone),
        Verb::Archive(which) => set(which, context, "archive", "archived", AuthorityCommand::GoalArchive),
        Verb::List(list) => show::list(list, context),
        Verb::Show(which) => show::one(which, context),
    }
}

fn add(args: &Add, context: &mut Context) -> Result<u8, CliError> {
    let id = GoalId::parse(&args.id)?;
    context.new_id("goal id", id.as_str())?;
    let scope = |given: &[String], usual: &[String]| if given.is_empty() { usual } else { given }.to_vec();
    let read = scope(&args.read, context.config.scope_read());
    let write = scope(&args.write, context.config.scope_write());
    let proof = args.proof.unwrap_or(context.config.proof());
    let add = GoalAdd {
        objective: context.text("objective", &args.objective)?,
        proof,
        lock: context.lock_for(proof)?,
        read: named::globs(context, &read)?,
        write: named::globs(context, &write)?,
        private_data_rule: named::text(context, "private-data rule", args.private_data_rule.as_deref())?,
        stop_condition: named::text(context, "stop condition", args.stop_condition.as_deref())?,
        agents: Vec::new(),
        bind: Vec::new(),
    };
    let receipt = context.authority(&id, &format!("add goal {id}"), AuthorityCommand::GoalAdd(add))?;
    if proof == ProofFloor::Passphrase && context.lock_for(proof)?.is_none() {
        context.ui.note("no passphrase is set up yet: it takes no decision until `loopx authority lock`");
    }
    receipt::show(context, &receipt, "added", Some((&id).into()))
}

fn edit(args: &Edit, context: &mut Context) -> Result<u8, CliError> {
    let goal = args.which.goal(context)?;
    let rule = named::text(context, "private-data rule", args.private_data_rule.as_deref())?;
    let mut what = Vec::new();
    let mut say = |field: &str, text: &Option<PublicText>| {
        what.extend(text.as_ref().map(|text| format!("{field}: {text}")));
    };
    let objective = named::text(context, "objective", args.objective.as_deref())?;
    let stop_condition = named::text(context, "stop condition", args.stop_condition.as_deref())?;
    say("objective", &objective);
    say("stop condition", &stop_condition);
    say("private-data rule", &rule);
    if args.clear_private_data_rule {
        what.push("no private-data rule".to_owned());
    }
    let private_data_rule = if args.clear_private_data_rule { Some(None) } else { rule.map(Some) };
    let command = AuthorityCommand::GoalEdit { objective, stop_condition, private_data_rule };
    let receipt = context.authority(&goal, &format!("edit goal {goal}: {}", what.join("; ")), command)?;
    receipt::show(context, &receipt, "edited", None)
}

fn scope(args: &Scope, context: &mut Context) -> Result<u8, CliError> {
    let goal = args.which.goal(context)?;
    let mut side = |given: &[String], clear: bool| match (given, clear) {
        (_, true) => Ok(Some(Vec::new())),
        ([], false) => Ok(None),
        (given, false) => named::globs(context, given).map(Some),
    };
    let read = side(&args.read, args.clear_read)?;
    let write = side(&args.write, args.clear_write)?;
    let mut what = Vec::new();
    for (word, globs) in [("read", &read), ("write", &write)] {
        match globs.as_deref() {
            None => {}
            Some([]) => what.push(format!("{word} nothing that is named")),
            Some(globs) => what.push(format!("{word} {}", joined(globs))),
        }
    }
    let command = AuthorityCommand::GoalScope { read, write };
    let receipt = context.authority(&goal, &format!("let goal {goal} {}", what.join(", ")), command)?;
    receipt::show(context, &receipt, "scoped", None)
}

fn set(
    which: &Which,
    context: &mut Context,
    verb: &str,
    done: &str,
    command: AuthorityCommand,
) -> Result<u8, CliError> {
    let goal = which.goal(context)?;
    let receipt = context.authority(&goal, &format!("{verb} goal {goal}"), command)?;
    receipt::show(context, &receipt, done, None)
}

/// Globs on one line.
pub(super) fn joined(globs: &[Glob]) -> String {
    globs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
