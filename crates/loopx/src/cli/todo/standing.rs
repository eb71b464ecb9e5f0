//! `loopx todo defer`, `drop` and `reopen`.

use loopx_core::command::{TodoDefer, TodoDrop, TodoReopen};
use loopx_core::{AuthorityCommand, LaneCommand};

use crate::cli::args::{self, When};
use crate::cli::{Context, named, receipt, words};
use crate::error::CliError;

/// Put a todo off. A user todo, or one that another lane holds, is a person's to put off.
#[derive(Debug, clap::Args)]
pub struct Defer {
    /// Which todo.
    todo: String,
    /// Until then; without it, until it is reopened.
    #[arg(long, value_name = "WHEN", value_parser = args::when)]
    until: Option<When>,
}

/// Drop a todo. A user todo, or one that another lane holds, is a person's to drop.
#[derive(Debug, clap::Args)]
pub struct Drop {
    /// Which todo.
    todo: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Open a deferred, finished or dropped todo again. A user todo is a person's to reopen.
#[derive(Debug, clap::Args)]
pub struct Reopen {
    /// Which todo.
    todo: String,
}

/// Runs `defer`.
pub fn defer(args: &Defer, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let now = context.now();
    let until = args.until.map(|when| when.at(now)).transpose()?;
    let asks = super::asks_to_end(context, &goal, &todo)?;
    let mut what = format!("put off {}", crate::app::reading::todo::named(&todo));
    if let Some(until) = until {
        what += &format!(" until {}", words::instant(context, until, now));
    }
    let defer = TodoDefer { todo: todo.id, until };
    let receipt = super::change(
        context,
        &goal,
        asks,
        &what,
        defer,
        LaneCommand::TodoDefer,
        AuthorityCommand::TodoDefer,
    )?;
    receipt::show_subject(context, &receipt, "deferred")
}

/// Runs `drop`.
pub fn discard(args: &Drop, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let reason = named::text(context, "reason", args.reason.as_deref())?;
    let asks = super::asks_to_end(context, &goal, &todo)?;
    let what = format!("drop {}", crate::app::reading::todo::named(&todo));
    let dropped = TodoDrop { todo: todo.id, reason };
    let receipt = super::change(
        context,
        &goal,
        asks,
        &what,
        dropped,
        LaneCommand::TodoDrop,
        AuthorityCommand::TodoDrop,
    )?;
    receipt::show_subject(context, &receipt, "dropped")
}

/// Runs `reopen`.
pub fn reopen(args: &Reopen, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let todo = named::todo(context, &goal, &args.todo)?;
    let asks = super::asks(&todo);
    let what = format!("open again {}", crate::app::reading::todo::named(&todo));
    let reopen = TodoReopen { todo: todo.id };
    let receipt = super::change(
        context,
        &goal,
        asks,
        &what,
        reopen,
        LaneCommand::TodoReopen,
        AuthorityCommand::TodoReopen,
    )?;
    receipt::show_subject(context, &receipt, "reopened")
}
