//! `loopx todo edit`.

use loopx_core::command::TodoEdit;
use loopx_core::todo::{Blocking, Priority, TodoClass};
use loopx_core::{AuthorityCommand, LaneCommand};

use crate::cli::args::{self, When};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Edit a todo; what is not named stays. A user todo is a person's to edit.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which todo.
    todo: String,
    /// The new title.
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// The new priority.
    #[arg(long, short, value_name = "P0-P3", value_parser = args::priority)]
    priority: Option<Priority>,
    /// It is a thing to look at again: when next.
    #[arg(long, value_name = "WHEN", value_parser = args::when, conflicts_with = "advance")]
    monitor_at: Option<When>,
    /// It is work, not a thing to look at again.
    #[arg(long)]
    advance: bool,
    /// All that it touches from now on, as globs.
    #[arg(long, value_name = "GLOB", conflicts_with = "no_globs")]
    glob: Vec<String>,
    /// It touches nothing.
    #[arg(long)]
    no_globs: bool,
    /// All that it needs from now on, as capabilities.
    #[arg(long, value_name = "CAPABILITY", conflicts_with = "no_needs")]
    needs: Vec<String>,
    /// It needs no capability.
    #[arg(long)]
    no_needs: bool,
    /// For a user todo: all that waits for it from now on, `goal`, agents or todos.
    #[arg(long, value_name = "WHAT")]
    covers: Vec<String>,
    /// For a user todo: whether it holds what it covers.
    #[arg(
        long,
        value_enum,
        value_name = "YES|NO",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "yes"
    )]
    blocking: Option<Holds>,
}

/// Whether a user todo holds what it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Holds {
    /// It holds.
    Yes,
    /// It holds nothing.
    No,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let class = match args.monitor_at {
        Some(when) => Some(TodoClass::Monitor { next_due_at: when.at(context.now())? }),
        None => args.advance.then_some(TodoClass::Advance),
    };
    let covers = match args.covers.as_slice() {
        [] => None,
        covers => Some(named::covers(context, &goal, covers)?),
    };
    let blocking = args.blocking.map(|holds| match holds {
        Holds::Yes => Blocking::Blocking,
        Holds::No => Blocking::NonBlocking,
    });
    let edit = TodoEdit {
        todo: todo.id.clone(),
        title: named::text(context, "title", args.title.as_deref())?,
        priority: args.priority,
        class,
        globs: (args.no_globs || !args.glob.is_empty())
            .then(|| named::globs(context, &args.glob))
            .transpose()?,
        needs: (args.no_needs || !args.needs.is_empty())
            .then(|| named::names(context, "needs", &args.needs))
            .transpose()?,
        covers,
        blocking,
    };
    let nothing = TodoEdit {
        todo: todo.id.clone(),
        title: None,
        priority: None,
        class: None,
        globs: None,
        needs: None,
        covers: None,
        blocking: None,
    };
    if edit == nothing {
        return Err(CliError::usage("nothing to edit is named").hint("see `loopx todo edit --help`"));
    }
    let what = format!("edit {}", crate::app::reading::todo::named(&todo));
    let asks = super::asks(&todo);
    let receipt =
        super::change(context, &goal, asks, &what, edit, LaneCommand::TodoEdit, AuthorityCommand::TodoEdit)?;
    receipt::show_subject(context, &receipt, "edited")
}
