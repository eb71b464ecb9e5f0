//! How decisions and sessions are shown: in words, shape and colour, and as JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use loopx_contract::{AgentId, GoalId, Projection, SessionFacts, WaitingOn};
use loopx_core::Decision;
use loopx_core::first_screen::GoalLine;
use loopx_runtimes::Skipped;
use serde::Serialize;

use crate::app::placing::Place;
use crate::app::{GoalView, SessionView};
use crate::cli::windows;
use crate::ui::{Tone, Ui};

/// One lane's decision as JSON.
#[derive(Serialize)]
pub struct LaneDocument<'a> {
    row: &'static str,
    row_number: u8,
    exit: u8,
    lacking: &'a [&'static str],
    projection: &'a Projection,
}

impl<'a> LaneDocument<'a> {
    /// The document of a decision.
    pub fn of(decision: &'a Decision) -> Self {
        Self {
            row: decision.row.name(),
            row_number: decision.row.number(),
            exit: decision.exit,
            lacking: &decision.lacking,
            projection: &decision.projection,
        }
    }
}

/// One goal as JSON.
#[derive(Serialize)]
pub struct GoalDocument<'a> {
    goal_id: &'a GoalId,
    waiting_on: WaitingOn,
    /// Prompts in sessions of the goal that belong to no lane.
    unbound_prompts: usize,
    /// The lane whose projection is the goal's line.
    first_agent_id: Option<&'a AgentId>,
    /// How many of the other lanes wait on whom.
    others: BTreeMap<&'static str, usize>,
    lanes: Vec<LaneDocument<'a>>,
}

impl<'a> GoalDocument<'a> {
    /// The document of a goal.
    pub fn of(view: &'a GoalView) -> Self {
        let line = view.line();
        let others = line.iter().flat_map(|line| &line.others).map(|(whom, count)| (whom.word(), *count));
        Self {
            goal_id: &view.id,
            waiting_on: line.as_ref().map_or(WaitingOn::Controller, GoalLine::waiting_on),
            unbound_prompts: view.unbound_prompts,
            first_agent_id: line.as_ref().map(|line| &line.first.projection.agent_id),
            others: others.collect(),
            lanes: view.lanes.iter().map(LaneDocument::of).collect(),
        }
    }
}

/// One session as JSON.
#[derive(Serialize)]
pub struct SessionDocument<'a> {
    waiting_on: WaitingOn,
    goal_id: Option<&'a GoalId>,
    agent_id: Option<&'a AgentId>,
    session: &'a SessionFacts,
}

impl<'a> SessionDocument<'a> {
    /// The document of a session.
    pub fn of(view: &'a SessionView) -> Self {
        let (goal_id, agent_id) = match &view.place {
            Place::Lane(goal, agent) => (Some(goal), Some(agent)),
            Place::Goal(goal) => (Some(goal), None),
            Place::Nowhere => (None, None),
        };
        Self { waiting_on: view.waiting_on, goal_id, agent_id, session: &view.facts }
    }
}

/// What could not be read as a session, counted by kind, as JSON.
#[derive(Serialize)]
pub struct SkippedDocument {
    kind: &'static str,
    count: u64,
}

impl SkippedDocument {
    /// The documents of all kinds.
    pub fn all(skipped: &[Skipped]) -> Vec<Self> {
        skipped.iter().map(|skipped| Self { kind: skipped.kind.word(), count: skipped.count }).collect()
    }
}

/// Whom something waits on: word, shape and colour.
pub fn waits_on(ui: &Ui, waiting_on: WaitingOn) -> String {
    let (shape, word, tone) = match waiting_on {
        WaitingOn::User => ("●", "you", Tone::Alert),
        WaitingOn::Controller => ("▲", "controller", Tone::Alert),
        WaitingOn::Runtime => ("?", "runtime", Tone::Warn),
        WaitingOn::Agent => ("▶", "agent", Tone::Good),
        WaitingOn::ExternalEvidence => ("◷", "evidence", Tone::Dim),
        WaitingOn::None => ("–", "nobody", Tone::Dim),
    };
    ui.tone(tone, &format!("{shape} {word:<10}"))
}

/// The heading of sessions that wait on the same.
pub fn group(ui: &Ui, waiting_on: WaitingOn, count: usize) -> String {
    let sessions = if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
    let (words, tone) = match waiting_on {
        WaitingOn::User => ("waiting on you", Tone::Alert),
        WaitingOn::Controller => ("waiting on the controller", Tone::Alert),
        WaitingOn::Runtime => ("waiting on the runtime: failed, limited, or not known to run", Tone::Warn),
        WaitingOn::Agent => ("at work", Tone::Good),
        WaitingOn::ExternalEvidence => ("waiting on evidence", Tone::Dim),
        WaitingOn::None => (
            "at rest: the last turn is over, or nothing was heard for a while and no process is known to live",
            Tone::Dim,
        ),
    };
    ui.tone(tone, &format!("{sessions} {words}"))
}

/// How long ago, in the largest unit that is not zero.
pub fn ago(at: Option<Timestamp>, now: Timestamp) -> String {
    let Some(at) = at else { return "at an unknown time".to_owned() };
    let seconds = now.duration_since(at).as_secs();
    match seconds {
        ..0 => "just now".to_owned(),
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// All of one lane, a field a line.
pub fn lane(ui: &mut Ui, decision: &Decision) {
    let projection = &decision.projection;
    let screen = &projection.first_screen;
    let dash = "–".to_owned();
    let heading = format!("{} / {}", projection.goal_id, projection.agent_id);
    let heading = ui.tone(Tone::Bold, &heading);
    let row = format!("row {} {}", decision.row.number(), decision.row.name());
    let row = ui.tone(Tone::Dim, &row);
    ui.line(&format!("{heading}  {row}"));
    let session = match &projection.runtime.session_id {
        Some(session) => format!("{} {session}", projection.runtime.runtime_id),
        None => projection.runtime.runtime_id.to_string(),
    };
    let boundary = &screen.boundary;
    let mode = match boundary.mode {
        loopx_contract::Mode::ReadOnlyProjection => "read only",
        loopx_contract::Mode::ControlledWriteback => "controlled writeback",
    };
    let mut bounds = vec![mode.to_owned()];
    let globs = |globs: &Option<Vec<loopx_safety::PublicText>>| {
        globs.as_ref().map(|globs| globs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    bounds.extend(globs(&boundary.read_scope).map(|globs| format!("reads {globs}")));
    bounds.extend(globs(&boundary.write_scope).map(|globs| format!("writes {globs}")));
    bounds.extend(boundary.private_data_rule.as_ref().map(ToString::to_string));
    bounds.push(boundary.stop_condition.to_string());
    let waiting = waits_on(ui, screen.waiting_on);
    for (label, value) in [
        ("waiting on", waiting),
        ("next", ui.plain(screen.next_action.as_str())),
        ("user todo", screen.open_user_todo.as_ref().map_or(dash.clone(), ToString::to_string)),
        ("agent todo", screen.first_executable_agent_todo.as_ref().map_or(dash.clone(), ToString::to_string)),
        ("validation", ui.plain(screen.latest_validation.as_str())),
        ("gate", screen.gate_state.word().to_owned()),
        ("quota", screen.quota_state.word().to_owned()),
        ("boundary", ui.plain(&bounds.join("; "))),
        ("session", session),
    ] {
        let label = ui.tone(Tone::Dim, &format!("  {label:<11}"));
        ui.line(format!("{label} {value}").trim_end());
    }
}

/// One session on a line.
pub fn session(ui: &mut Ui, view: &SessionView, now: Timestamp) {
    let facts = &view.facts;
    let waits = waits_on(ui, view.waiting_on);
    let mut line = format!(
        "  {waits} {:<18} {:<13} {}  {}, {}",
        facts.state.word(),
        facts.runtime_id,
        facts.session_id,
        facts.tier.word(),
        ago(facts.last_activity, now),
    );
    match &view.place {
        Place::Lane(goal, agent) => line += &format!("  {goal} / {agent}"),
        Place::Goal(goal) => line += &format!("  {goal}, no lane"),
        Place::Nowhere => {}
    }
    if let Some(words) = windows::worth_a_word(facts, now) {
        line += &ui.tone(Tone::Warn, &format!("  {words}"));
    }
    if !facts.missing.is_empty() {
        let missing: Vec<&str> = facts.missing.iter().map(|fact| fact.word()).collect();
        line += &ui.tone(Tone::Dim, &format!("  missing: {}", missing.join(", ")));
    }
    ui.line(&line);
}
