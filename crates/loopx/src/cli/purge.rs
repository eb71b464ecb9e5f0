//! `loopx purge`: removes texts that should never have been written. The log's chain stays valid.

use loopx_contract::GoalId;
use loopx_core::actor::{Actor, Channel, Who};
use loopx_core::goal::AuthorityRole;
use loopx_safety::PublicText;
use loopx_store::{PurgeTarget, StoreError};
use serde::Serialize;

use crate::cli::Context;
use crate::cli::context::because;
use crate::cli::goal::authority;
use crate::error::CliError;

/// Remove texts from a goal's log for good, and from every page of the store. It can't be undone.
///
/// Ids and keys are no texts and stay. If it is cut off, the next command that writes finishes it.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(false))]
pub struct Args {
    /// The texts of every event that names this todo, gate, run, reward or handoff.
    #[arg(long, value_name = "ID", group = "what")]
    id: Option<String>,
    /// The texts of the event with this revision; may be given again. See `loopx log`.
    #[arg(long, value_name = "N", group = "what", num_args = 1..)]
    revision: Vec<u64>,
}

#[derive(Serialize)]
struct PurgeDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    /// The revision that says so.
    revision: u64,
    /// The revisions whose texts are gone.
    purged: &'a [u64],
    texts: u64,
    /// Copies of the store from before, beside it: the texts are still in them.
    copies: &'a [String],
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let (goal, target) = meant(args, context)?;
    let what = match &target {
        PurgeTarget::Id(id) => format!("every event of {id}"),
        PurgeTarget::Revisions(revisions) => {
            let numbers: Vec<String> = revisions.iter().map(ToString::to_string).collect();
            format!("revisions {}", numbers.join(", "))
        }
    };
    let needed = context.needed(&[&goal])?;
    let question = format!("remove the texts of {what} from goal {goal} for good");
    let (proof, lacking) = context.prove_for(&needed, &question)?;
    let actor = Actor { who: Who::Person, channel: Channel::Cli, proof };
    let now = context.now();
    let sources = authority_sources(context, &goal);
    let ring = context.take_keyring();
    let signer = ring.as_ref().and_then(|ring| ring.signer_of(&needed.keys));
    let purged = context.plane()?.store().purge(&goal, &target, &actor, now, signer);
    let summary = purged.map_err(|error| {
        let pending = matches!(error, StoreError::PurgePending);
        because(error.into(), lacking.filter(|_| !pending))
    })?;
    if let Some(ring) = ring.as_ref().filter(|_| !needed.keys.is_empty()) {
        context.mark(ring, &[(goal.clone(), summary.revision)]);
    }
    // A pointer is found by its source's label: without that nobody could ever take it away.
    let left = authority_sources(context, &goal);
    for (role, label) in sources.iter().filter(|source| !left.contains(source)) {
        authority::forget(context, &goal, *role, label)?;
    }
    if context.json() {
        context.ui.json(&PurgeDocument {
            schema_version: "loopx_purge_v0",
            goal_id: &goal,
            revision: summary.revision,
            purged: &summary.purged,
            texts: summary.texts,
            copies: &summary.copies,
        })?;
    } else {
        let (texts, events) = (summary.texts, summary.purged.len());
        context.ui.line(&format!(
            "purged {texts} texts of {events} events of {goal} at revision {}",
            summary.revision
        ));
    }
    if !summary.copies.is_empty() {
        let copies = summary.copies.join(", ");
        context.ui.note(&format!("the texts are still in {copies}: remove what is not needed"));
    }
    context.ui.note("backups and exports that were made before still hold the texts");
    Ok(0)
}

/// The goal, and what of it.
fn meant(args: &Args, context: &mut Context) -> Result<(GoalId, PurgeTarget), CliError> {
    let Some(text) = &args.id else {
        return Ok((context.goal()?, PurgeTarget::Revisions(args.revision.clone())));
    };
    let only = match context.named_goal().map(str::to_owned) {
        Some(name) => Some(context.find_goal(&name)?),
        None => None,
    };
    let mut found = context.find_ids(text)?;
    found.retain(|found| only.as_ref().is_none_or(|only| found.goal == *only));
    if let Some(whole) = found.iter().position(|found| found.id == *text) {
        found = vec![found.swap_remove(whole)];
    }
    match found.as_slice() {
        [one] => Ok((one.goal.clone(), PurgeTarget::Id(one.id.clone()))),
        [] => Err(CliError::not_found(format!("nothing is called {text}")).hint("see `loopx log`")),
        [..] => Err(CliError::usage(format!("{text} is ambiguous")).hint("type more of it")),
    }
}

/// What the goal leans on, by role and label. Of a log that can't be read that is nothing.
fn authority_sources(context: &mut Context, goal: &GoalId) -> Vec<(AuthorityRole, PublicText)> {
    let state = context.plane().ok().and_then(|plane| plane.state(goal).ok());
    let sources = state.and_then(|state| state.goal).map(|goal| goal.authority_sources).unwrap_or_default();
    sources.into_iter().map(|source| (source.role, source.label)).collect()
}
