//! `loopx unbind`: takes a binding away.

use std::path::{Path, PathBuf};

use loopx_core::AuthorityCommand;
use loopx_core::binding::BindingTarget;

use crate::cli::bound::{self, Bound, Target};
use crate::cli::{Context, receipt};
use crate::error::CliError;

/// Take a binding of a session or folder away.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A handle of `loopx bind --list` or a folder; default: this folder.
    #[arg(value_name = "SESSION|FOLDER")]
    target: Option<PathBuf>,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let all = bound::all(context)?;
    let only = match context.named_goal().map(str::to_owned) {
        Some(goal) => Some(context.find_goal(&goal)?),
        None => None,
    };
    let meant = meant(args.target.as_deref(), context, &all)?;
    let mut there = all.iter().filter(|bound| bound.target == meant);
    let mut fitting = there.clone().filter(|bound| only.as_ref().is_none_or(|only| bound.goal == *only));
    let bound = match (fitting.next(), fitting.next()) {
        (Some(only), None) => only.clone(),
        (Some(_), Some(_)) => {
            return Err(CliError::usage("it is bound to several goals").hint("say which: `--goal GOAL`"));
        }
        (None, _) => return Err(nothing(context, &all, there.next(), args.target.as_deref())?),
    };
    let handle = bound::handle(&bound.target).clone();
    let question = format!("take {handle} from goal {}", bound.goal);
    let command = AuthorityCommand::Unbind { target: bound.target.clone() };
    let receipt = context.authority(&bound.goal, &question, command)?;
    let still = all.iter().any(|other| other.target == bound.target && other.goal != bound.goal);
    if !still {
        context.plane()?.store().remove_pointer(&handle)?;
    }
    receipt::show(context, &receipt, "unbound", Some((&handle).into()))
}

/// What is meant: by a handle among those that are bound, else as for `bind`.
fn meant(typed: Option<&Path>, context: &mut Context, all: &[Bound]) -> Result<BindingTarget, CliError> {
    let Some(text) = typed.and_then(Path::to_str).filter(|text| bound::is_handle(text)) else {
        return Ok(Target::typed(context, typed)?.handle);
    };
    let mut fitting: Vec<&BindingTarget> = all.iter().map(|bound| &bound.target).collect();
    fitting.retain(|target| bound::handle(target).as_str().starts_with(text));
    fitting.sort();
    fitting.dedup();
    match fitting.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(CliError::not_found(format!("{text} is not bound")).hint("see `loopx bind --list`")),
        [..] => Err(CliError::usage(format!("{text} is ambiguous")).hint("type more of it")),
    }
}

/// Nothing is bound so: what is there instead.
fn nothing(
    context: &mut Context,
    all: &[Bound],
    elsewhere: Option<&Bound>,
    typed: Option<&Path>,
) -> Result<CliError, CliError> {
    if let Some(bound) = elsewhere {
        return Ok(CliError::not_found("it is not bound to that goal")
            .hint(format!("it is bound to {}: `--goal {}`", bound.goal, bound.goal)));
    }
    let folder = bound::cwd(context)?.join(typed.unwrap_or(Path::new("")));
    Ok(match bound::over(context, all, &folder)? {
        Some(bound) => CliError::not_found("the folder itself is not bound, but one above it is")
            .hint(format!("take that one away: `loopx unbind {}`", bound::handle(&bound.target))),
        None => CliError::not_found("it is not bound").hint("see `loopx bind --list`"),
    })
}
