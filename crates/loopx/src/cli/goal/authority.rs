//! `loopx goal authority`: who and what a goal may lean on.

use loopx_contract::GoalId;
use loopx_core::AuthorityCommand;
use loopx_core::goal::{AuthorityRole, AuthoritySource, Freshness};
use loopx_safety::{Private, PublicText};
use serde::Serialize;

use super::Which;
use crate::app::documents::SourceDocument;
use crate::app::pointers;
use crate::cli::list::{Table, Words, word, words};
use crate::cli::{Context, named, receipt};
use crate::error::CliError;

/// Name who and what the goal may lean on.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(Add),
    Remove(Remove),
    List(List),
}

const ROLES: Words<AuthorityRole> = &[
    ("owner", AuthorityRole::Owner),
    ("design", AuthorityRole::Design),
    ("policy", AuthorityRole::Policy),
    ("validation", AuthorityRole::Validation),
    ("source", AuthorityRole::Source),
];

const FRESHNESS: Words<Freshness> = &[
    ("fresh", Freshness::Fresh),
    ("stale", Freshness::Stale),
    ("missing", Freshness::Missing),
    ("unread", Freshness::Unread),
];

/// Add a source, or say anew how fresh it is.
#[derive(Debug, clap::Args)]
struct Add {
    /// What it is to the goal.
    #[arg(value_name = "ROLE", value_parser = words(ROLES))]
    role: AuthorityRole,
    /// Its name, as it may be shown.
    #[arg(value_name = "LABEL")]
    label: String,
    /// How fresh what is known of it is.
    #[arg(long, value_name = "FRESHNESS", value_parser = words(FRESHNESS), default_value = "unread")]
    freshness: Freshness,
    /// Where it is, a path or URL: kept on this machine, never projected or exported.
    #[arg(long, value_name = "PATH|URL")]
    pointer: Option<String>,
}

/// Take a source away, with its pointer.
#[derive(Debug, clap::Args)]
struct Remove {
    /// What it is to the goal.
    #[arg(value_name = "ROLE", value_parser = words(ROLES))]
    role: AuthorityRole,
    /// Its name.
    #[arg(value_name = "LABEL")]
    label: String,
}

/// List the sources.
#[derive(Debug, clap::Args)]
struct List {
    #[command(flatten)]
    which: Which,
    /// Show the private pointers too: for your eyes, so not with --json.
    #[arg(long, conflicts_with = "json")]
    pointers: bool,
}

#[derive(Serialize)]
struct ListDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    authority_sources: Vec<SourceDocument>,
}

/// Runs it.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Add(args) => add(args, context),
        Verb::Remove(args) => remove(args, context),
        Verb::List(args) => list(args, context),
    }
}

fn add(args: &Add, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let label = context.name("label", &args.label)?;
    if args.pointer.as_ref().is_some_and(|pointer| pointer.trim().is_empty()) {
        return Err(
            CliError::usage("the pointer is empty").hint("give a path or URL, or leave --pointer out")
        );
    }
    let what = format!(
        "let goal {goal} lean on {label} as {}, {}",
        pointers::role(args.role),
        word(FRESHNESS, &args.freshness)
    );
    let command =
        AuthorityCommand::AuthoritySet { role: args.role, label: label.clone(), freshness: args.freshness };
    let receipt = context.authority(&goal, &what, command)?;
    if let Some(pointer) = &args.pointer {
        let plane = context.plane()?;
        let handle = pointers::handle(plane, &goal, args.role, &label);
        plane.store().set_pointer(&handle, Private::new(pointer.as_bytes()))?;
    }
    receipt::show(context, &receipt, "added", Some((&label).into()))
}

fn remove(args: &Remove, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let label = context.name("label", &args.label)?;
    let what = format!("take {label} away from goal {goal} as {}", pointers::role(args.role));
    let command = AuthorityCommand::AuthorityRemove { role: args.role, label: label.clone() };
    let receipt = context.authority(&goal, &what, command)?;
    forget(context, &goal, args.role, &label)?;
    receipt::show(context, &receipt, "removed", Some((&label).into()))
}

/// Takes a source's pointer away.
pub fn forget(
    context: &mut Context,
    goal: &GoalId,
    role: AuthorityRole,
    label: &PublicText,
) -> Result<(), CliError> {
    let plane = context.plane()?;
    let handle = pointers::handle(plane, goal, role, label);
    Ok(plane.store().remove_pointer(&handle)?)
}

/// The pointers of some sources, in their order.
fn pointers(
    context: &mut Context,
    goal: &GoalId,
    sources: &[AuthoritySource],
) -> Result<Vec<Option<Private<Vec<u8>>>>, CliError> {
    let mut found = Vec::new();
    for source in sources {
        found.push(pointers::read(context.plane()?, goal, source)?);
    }
    Ok(found)
}

/// A source in words.
pub(super) fn in_words(source: &AuthoritySource) -> String {
    format!("{} {}, {}", pointers::role(source.role), source.label, word(FRESHNESS, &source.freshness))
}

fn list(args: &List, context: &mut Context) -> Result<u8, CliError> {
    let goal = args.which.goal(context)?;
    let state = named::state(context, &goal)?;
    let sources = state.goal.as_ref().map_or_else(Vec::new, |goal| goal.authority_sources.clone());
    if context.json() {
        let kept = pointers(context, &goal, &sources)?;
        let document = |(source, pointer): (_, &Option<_>)| SourceDocument::of(source, pointer.is_some());
        let authority_sources = sources.iter().zip(&kept).map(document).collect();
        context.ui.json(&ListDocument {
            schema_version: "loopx_authority_list_v0",
            goal_id: &goal,
            authority_sources,
        })?;
        return Ok(0);
    }
    if sources.is_empty() {
        context
            .ui
            .note(&format!("goal {goal} names no authority sources: see `loopx goal authority add --help`"));
        return Ok(0);
    }
    let kept = pointers(context, &goal, &sources)?;
    let mut table = Table::new(["role", "freshness", "pointer", "label"]);
    for (source, pointer) in sources.iter().zip(kept) {
        let pointer = match pointer {
            None => "–".to_owned(),
            Some(bytes) if args.pointers => context.ui.plain(&String::from_utf8_lossy(bytes.expose())),
            Some(_) => "kept".to_owned(),
        };
        table.row(vec![
            pointers::role(source.role).to_owned(),
            word(FRESHNESS, &source.freshness).to_owned(),
            pointer,
            source.label.to_string(),
        ]);
    }
    table.show(&mut context.ui);
    Ok(0)
}
