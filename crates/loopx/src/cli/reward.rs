//! `loopx reward`: a person's judgement of one run.

use std::collections::BTreeSet;

use jiff::Timestamp;
use loopx_contract::{GoalId, RewardId, RunId, TodoId};
use loopx_core::command::RewardGive;
use loopx_core::reward::Judgement;
use loopx_core::{AuthorityCommand, Event, Proof, Recorded};
use loopx_safety::PublicText;
use serde::Serialize;

use crate::cli::list::{Table, Words, when, word, words};
use crate::cli::{Context, log, named, receipt};
use crate::error::CliError;

/// Judge a run, and list the judgements: they grant nothing and score no model.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Give(Give),
    List(List),
}

const JUDGEMENTS: Words<Judgement> =
    &[("good", Judgement::Good), ("mixed", Judgement::Mixed), ("bad", Judgement::Bad)];

/// Judge one run.
#[derive(Debug, clap::Args)]
struct Give {
    /// The run, by any unique start of its id.
    #[arg(value_name = "RUN")]
    run: String,
    /// The judgement.
    #[arg(value_name = "JUDGEMENT", value_parser = words(JUDGEMENTS))]
    judgement: Judgement,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// What to do about it: becomes an agent todo.
    #[arg(long, value_name = "TEXT")]
    lesson: Option<String>,
}

/// List the judgements, newest last.
#[derive(Debug, clap::Args)]
struct List {}

#[derive(Serialize)]
struct ListDocument<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    rewards: Vec<RewardDocument>,
}

#[derive(Serialize)]
struct RewardDocument {
    reward_id: RewardId,
    run_id: RunId,
    judgement: Judgement,
    reason: Option<PublicText>,
    lesson: Option<TodoId>,
    at: Timestamp,
    proof: Proof,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    match &args.verb {
        Verb::Give(args) => give(args, context),
        Verb::List(_) => list(context),
    }
}

fn give(args: &Give, context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let run = named::run_id(context, &goal, &args.run)?;
    let mut what = format!("judge {run} {}", word(JUDGEMENTS, &args.judgement));
    let reason = named::text(context, "reason", args.reason.as_deref())?;
    let lesson = named::text(context, "lesson", args.lesson.as_deref())?;
    if let Some(lesson) = &lesson {
        what += &format!(", and add the todo: {lesson}");
    }
    let give = RewardGive { run, judgement: args.judgement, reason, lesson };
    let receipt = context.authority(&goal, &what, AuthorityCommand::RewardGive(give))?;
    receipt::show_subject(context, &receipt, "gave")
}

fn rewards(recorded: Vec<Recorded>) -> Vec<RewardDocument> {
    let mut rewards = Vec::new();
    let mut undone = BTreeSet::new();
    for Recorded { command, at, actor, event, .. } in recorded {
        if let Event::Undone { command } = event {
            undone.insert(command);
        } else if let Event::RewardGiven { reward, run, judgement, reason, lesson } = event {
            let reason = reason.map(|reason| reason.text);
            let proof = actor.proof;
            let reward =
                RewardDocument { reward_id: reward, run_id: run, judgement, reason, lesson, at, proof };
            rewards.push((command, reward));
        }
    }
    rewards.into_iter().filter(|(command, _)| !undone.contains(command)).map(|(_, reward)| reward).collect()
}

fn list(context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    named::state(context, &goal)?;
    let rewards = rewards(log::whole(context, &goal)?);
    if context.json() {
        context.ui.json(&ListDocument { schema_version: "loopx_reward_list_v0", goal_id: &goal, rewards })?;
        return Ok(0);
    }
    if rewards.is_empty() {
        context.ui.note(&format!("no judgements on goal {goal}: `loopx reward give RUN good` gives one"));
        return Ok(0);
    }
    let mut table = Table::new(["run", "judgement", "when", "proof", "lesson", "reason"]);
    for reward in rewards {
        table.row(vec![
            reward.run_id.to_string(),
            word(JUDGEMENTS, &reward.judgement).to_owned(),
            when(context, reward.at),
            reward.proof.word().to_owned(),
            reward.lesson.map_or_else(|| "–".to_owned(), |todo| todo.to_string()),
            reward.reason.map_or_else(|| "–".to_owned(), |reason| reason.to_string()),
        ]);
    }
    table.show(&mut context.ui);
    Ok(0)
}
