//! `loopx goal list` and `loopx goal show`.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_core::State;
use loopx_core::goal::{Goal, GoalState};
use loopx_safety::PublicText;
use serde::Serialize;

use super::{Which, authority, joined};
use crate::app::documents::GoalSetDocument;
use crate::app::documents::goal::{agents, open_todos, requested_gates};
use crate::cli::list::{Table, counted, when};
use crate::cli::{Context, named, quota};
use crate::error::CliError;
use crate::ui::Tone;

/// List the goals that are not archived.
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// The archived ones too.
    #[arg(long)]
    all: bool,
}

#[derive(Serialize)]
struct ListDocument {
    schema_version: &'static str,
    goals: Vec<RowDocument>,
}

#[derive(Serialize)]
struct RowDocument {
    goal_id: GoalId,
    /// None if its log is damaged.
    state: Option<GoalState>,
    /// What is wrong with its log, by name.
    damage: Option<&'static str>,
    revision: u64,
    objective: Option<PublicText>,
    agents: Vec<AgentId>,
    open_todos: usize,
    requested_gates: usize,
}

/// Lists them.
pub(super) fn list(args: &List, context: &mut Context) -> Result<u8, CliError> {
    let now = context.now();
    let mut goals = Vec::new();
    for summary in context.plane()?.goals()? {
        if summary.state == Some(GoalState::Archived) && !args.all {
            continue;
        }
        let state = match summary.damage {
            None => context.plane()?.state(&summary.id)?,
            Some(_) => State::default(),
        };
        goals.push(RowDocument {
            goal_id: summary.id,
            state: summary.state,
            damage: summary.damage.map(|damage| damage.code.word()),
            revision: summary.revision,
            objective: state.goal.as_ref().map(|goal| goal.objective.clone()),
            agents: agents(&state),
            open_todos: open_todos(&state, now),
            requested_gates: requested_gates(&state, now),
        });
    }
    if context.json() {
        context.ui.json(&ListDocument { schema_version: "loopx_goal_list_v0", goals })?;
        return Ok(0);
    }
    if goals.is_empty() {
        context.ui.note("no goals: `loopx goal add ID --objective …` or `loopx init` adds one");
        return Ok(0);
    }
    let mut table = Table::new(["goal", "state", "lanes", "open todos", "gates", "objective"]);
    for goal in goals {
        let state = match (goal.state, goal.damage) {
            (_, Some(damage)) => context.ui.tone(Tone::Alert, &format!("damaged: {damage}")),
            (Some(state), None) => state.word().to_owned(),
            (None, None) => "–".to_owned(),
        };
        table.row(vec![
            goal.goal_id.to_string(),
            state,
            goal.agents.len().to_string(),
            goal.open_todos.to_string(),
            goal.requested_gates.to_string(),
            goal.objective.map_or_else(|| "see `loopx doctor`".to_owned(), |text| text.to_string()),
        ]);
    }
    table.show(&mut context.ui);
    Ok(0)
}

/// Shows one.
pub(super) fn one(which: &Which, context: &mut Context) -> Result<u8, CliError> {
    let id = which.goal(context)?;
    let state = named::state(context, &id)?;
    let Some(goal) = &state.goal else { return Err(loopx_core::Refusal::NoGoal(id).into()) };
    let now = context.now();
    if context.json() {
        let document = GoalSetDocument::of(context.plane()?, &state, now)?;
        context.ui.json(&document)?;
        return Ok(0);
    }
    show(context, goal, &state, now);
    Ok(0)
}

fn show(context: &mut Context, goal: &Goal, state: &State, now: Timestamp) {
    let heading = context.ui.tone(Tone::Bold, goal.id.as_str());
    let since = when(context, goal.created_at);
    context.ui.line(&format!("{heading}  {}, revision {}", goal.state.word(), state.revision));
    let boundary = &goal.boundary;
    let scope = |globs: &[loopx_core::scope::Glob], none: &str| {
        if globs.is_empty() { none.to_owned() } else { joined(globs) }
    };
    let dash = || "–".to_owned();
    let lanes: Vec<&str> = state.agents.iter().map(|(id, _)| id.as_str()).collect();
    let lanes =
        if lanes.is_empty() { "none: `loopx agent add` registers one".to_owned() } else { lanes.join(" ") };
    let mut rows = vec![
        ("objective", goal.objective.to_string()),
        ("added", since),
        ("decisions", format!("need proof {}", goal.proof.word())),
        ("reads", scope(&boundary.read, "nothing is said of it")),
        ("writes", scope(&boundary.write, "nothing that a todo names")),
        ("private data", boundary.private_data_rule.as_ref().map_or_else(dash, ToString::to_string)),
        ("stops when", boundary.stop_condition.to_string()),
        ("quota", quota::in_words(&goal.quota)),
        ("lanes", lanes),
        (
            "open",
            format!(
                "{}, {}",
                counted(open_todos(state, now), "todo"),
                counted(requested_gates(state, now), "gate")
            ),
        ),
    ];
    rows.extend(goal.authority_sources.iter().map(|source| ("leans on", authority::in_words(source))));
    let mut table = Table::plain();
    for (label, value) in rows {
        table.row(vec![context.ui.tone(Tone::Dim, &format!("  {label}")), value]);
    }
    table.show(&mut context.ui);
}
