//! `loopx quota show`: limits, what is used of them, and when a used-up one frees; and the windows of the runtimes.

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId};
use loopx_core::Names;
use loopx_core::State;
use loopx_core::quota::{Amount, Frees, Observed, Quota, Spending};
use loopx_core::state::LedgerPart;
use serde::Serialize;

use crate::app::counting::{Counting, WINDOW};
use crate::app::overview::World;
use crate::app::placing::Place;
use crate::cli::list::{Table, when, zone};
use crate::cli::view::ago;
use crate::cli::windows::{self, Window};
use crate::cli::{Context, named};
use crate::error::CliError;
use crate::ui::Tone;

/// Show the limits of the goal and its lanes, what was spent in each window, and the runtimes' own windows.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    goal_id: &'a GoalId,
    now: Timestamp,
    limits: Vec<Row<'a>>,
    /// The runtimes' own windows, as the goal's sessions told them last.
    runtime_windows: Vec<Window<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    /// None: the goal as a whole, its lanes included.
    agent_id: Option<&'a AgentId>,
    /// Where nothing is limited, a day.
    window_minutes: u32,
    turns: Counted,
    minutes: Counted,
    tokens: Counted,
    used_up: bool,
    /// When a used-up limit frees if nothing more is spent; none: never, or nothing is used up.
    frees_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct Counted {
    /// Of each lane the larger one of what was reported and what was observed.
    used: u64,
    limit: Option<u64>,
    /// What agents reported.
    reported: u64,
    /// What was observed in the runtimes' records.
    observed: u64,
}

fn row<'a>(
    state: &State,
    observed: &Observed,
    agent_id: Option<&'a AgentId>,
    quota: Quota,
    now: Timestamp,
) -> Row<'a> {
    let spending = Spending::of(&state.ledger, observed, agent_id);
    let window_minutes = if quota.window_minutes == 0 { WINDOW } else { quota.window_minutes };
    let quota = Quota { window_minutes, ..quota };
    let frees = spending.used_up(&quota, now);
    let all =
        [spending.used_in(&quota, now), spending.reported_in(&quota, now), spending.observed_in(&quota, now)];
    let used = |limit, of: fn(&Amount) -> u64| {
        let [used, reported, observed] = all.each_ref().map(of);
        Counted { used, limit, reported, observed }
    };
    Row {
        agent_id,
        window_minutes,
        turns: used(quota.turns, |amount| amount.turns),
        minutes: used(quota.minutes, |amount| amount.minutes),
        tokens: used(quota.tokens, |amount| amount.tokens),
        used_up: frees.is_some(),
        frees_at: match frees {
            Some(Frees::At(at)) => Some(at),
            Some(Frees::Never) | None => None,
        },
    }
}

/// Shows it.
pub(super) fn run(context: &mut Context) -> Result<u8, CliError> {
    let goal = context.goal()?;
    let names = Names { ledger: LedgerPart::All, ..Names::default() };
    let state = named::loaded(context, &goal, &names)?;
    let now = context.now();
    let whole = state.goal.as_ref().map_or_else(Quota::default, |goal| goal.quota);
    let only = context.named_agent()?;
    let world = look(context, &goal)?;
    let observed = world.observed(&goal);
    let mut limits = vec![row(&state, observed, None, whole, now)];
    let lanes = state.agents.iter().filter(|(id, _)| only.as_ref().is_none_or(|only| only == *id));
    limits.extend(lanes.map(|(id, agent)| row(&state, observed, Some(id), agent.quota, now)));
    let of = |place: &Place| match place {
        Place::Lane(of, agent) => *of == goal && only.as_ref().is_none_or(|only| only == agent),
        Place::Goal(of) => *of == goal && only.is_none(),
        Place::Nowhere => false,
    };
    let sessions = world.sessions.iter().filter(|view| of(&view.place)).map(|view| &view.facts);
    let runtime_windows = windows::of(sessions, now);
    if context.json() {
        context.ui.json(&Document {
            schema_version: "loopx_quota_v0",
            goal_id: &goal,
            now,
            limits,
            runtime_windows,
        })?;
        return Ok(0);
    }
    let mut table = Table::new(["whose", "window", "turns", "minutes", "tokens", ""]);
    for row in limits {
        let frees = match (row.used_up, row.frees_at) {
            (false, _) => String::new(),
            (true, Some(at)) => format!("used up until {}", when(context, at)),
            (true, None) => "used up for good: a limit is 0".to_owned(),
        };
        let cell = |used: &Counted| match used.limit {
            Some(limit) => format!("{} of {limit}", used.used),
            None => used.used.to_string(),
        };
        table.row(vec![
            row.agent_id.map_or_else(|| format!("goal {goal}"), ToString::to_string),
            crate::app::reading::quota::length(row.window_minutes),
            cell(&row.turns),
            cell(&row.minutes),
            cell(&row.tokens),
            context.ui.tone(Tone::Warn, &frees),
        ]);
    }
    table.show(&mut context.ui);
    let text = "used: of each lane the larger of what was reported and what its sessions' records tell";
    let text = context.ui.tone(Tone::Dim, text);
    context.ui.line(&text);
    show_windows(context, &runtime_windows, now);
    Ok(0)
}

/// The goal's sessions, and what they spent, whether or not it is limited.
fn look(context: &mut Context, goal: &GoalId) -> Result<World, CliError> {
    let now = context.now();
    let plane = context.plane()?;
    plane.count(Counting::All);
    Ok(plane.world(now, Some(goal))?.0)
}

fn show_windows(context: &mut Context, windows: &[Window<'_>], now: Timestamp) {
    if windows.is_empty() {
        return;
    }
    let zone = zone(context);
    let mut table = Table::new(["runtime", "window", "used", "resets", "told"]);
    for window in windows {
        let limit = window.limit;
        let used = windows::used(limit);
        table.row(vec![
            window.runtime().to_string(),
            windows::name(limit),
            if limit.is_used_up() { context.ui.tone(Tone::Warn, &used) } else { used },
            windows::resets(limit, now, &zone),
            ago(limit.seen_at, now),
        ]);
    }
    context.ui.line("");
    table.show(&mut context.ui);
}
