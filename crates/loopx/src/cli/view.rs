//! How decisions and sessions are shown: in words, shape and colour, and as JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::{AgentId, GoalId, Projection, SessionFacts, WaitingOn};
use loopx_core::first_screen::{Failure, GoalLine};
use loopx_core::{Decision, Row};
use loopx_runtimes::Skipped;
use serde::Serialize;

use crate::app::placing::Place;
use crate::app::{GoalView, SessionView};
use crate::cli::{list, windows};
use crate::ui::{Tone, Ui, Weight};

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

/// How a person reads whom something waits on.
struct Reading {
    shape: &'static str,
    word: &'static str,
    tone: Tone,
    /// After a count of lanes.
    of_lanes: &'static str,
}

impl Reading {
    const fn of(waiting_on: WaitingOn) -> Self {
        let (shape, word, tone, of_lanes) = match waiting_on {
            WaitingOn::User => ("●", "you", Tone::Alert, "on you"),
            WaitingOn::Controller => ("▲", "controller", Tone::Alert, "on the controller"),
            WaitingOn::Runtime => ("?", "runtime", Tone::Warn, "on the runtime"),
            WaitingOn::Agent => ("▶", "at work", Tone::Good, "at work"),
            WaitingOn::ExternalEvidence => ("◷", "evidence", Tone::Dim, "on evidence"),
            WaitingOn::None => ("–", "nobody", Tone::Dim, "on nobody"),
        };
        Self { shape, word, tone, of_lanes }
    }

    /// Of a lane. It may wait on its agent without any agent being at work: then the row says what it is.
    const fn of_lane(decision: &Decision) -> Self {
        let waiting_on = decision.projection.first_screen.waiting_on;
        match (waiting_on, decision.row) {
            (WaitingOn::Agent, Row::Ready) => {
                Self { shape: "▷", word: "ready", tone: Tone::Good, of_lanes: "ready" }
            }
            (WaitingOn::Agent, Row::Succession) => {
                Self { shape: "▷", word: "agent", tone: Tone::Good, of_lanes: "on the agent" }
            }
            (WaitingOn::Agent, Row::Peers) => {
                Self { shape: "–", word: "idle", tone: Tone::Dim, of_lanes: "idle" }
            }
            _ => Self::of(waiting_on),
        }
    }

    fn show(&self, ui: &Ui) -> String {
        ui.tone(self.tone, &format!("{} {:<10}", self.shape, self.word))
    }
}

/// Whom a session waits on: word, shape and colour.
pub fn waits_on(ui: &Ui, waiting_on: WaitingOn) -> String {
    Reading::of(waiting_on).show(ui)
}

/// Whom a lane waits on: word, shape and colour. One that has nothing to do is not shown at work.
pub fn lane_waits_on(ui: &Ui, decision: &Decision) -> String {
    Reading::of_lane(decision).show(ui)
}

/// How many of these lanes wait on whom, the most urgent first; nothing of none.
pub fn counted<'a>(lanes: impl Iterator<Item = &'a Decision>) -> String {
    let mut lanes: Vec<&Decision> = lanes.collect();
    lanes.sort_by_key(|lane| (lane.projection.first_screen.waiting_on.attention(), lane.row));
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for lane in lanes {
        let word = Reading::of_lane(lane).of_lanes;
        match counts.last_mut().filter(|(last, _)| *last == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// The heading of sessions that wait on the same.
pub fn group(ui: &Ui, waiting_on: WaitingOn, count: usize) -> String {
    let sessions = if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
    let (words, tone) = match waiting_on {
        WaitingOn::User => ("waiting on you", Tone::Alert),
        WaitingOn::Controller => ("waiting on the controller", Tone::Alert),
        WaitingOn::Runtime => {
            ("waiting on the runtime: failed, died in a turn, limited, or not known to run", Tone::Warn)
        }
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

/// How many of a lane's fields matter as much as it does itself.
const MATTERS: usize = 2;

/// All of one lane, a field a line. Whom it waits on and what is next matter most.
pub fn lane(ui: &mut Ui, decision: &Decision, zone: &TimeZone) {
    let projection = &decision.projection;
    let screen = &projection.first_screen;
    let dash = "–".to_owned();
    let heading = format!("{} / {}", projection.goal_id, projection.agent_id);
    let heading = ui.tone(Tone::Bold, &heading);
    let row = format!("row {} {}", decision.row.number(), decision.row.name());
    let row = ui.tone(Tone::Dim, &row);
    let weight = weight(screen.waiting_on);
    ui.weigh(weight);
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
    let waiting = lane_waits_on(ui, decision);
    let fields = [
        ("waiting on", waiting),
        ("next", ui.plain(&list::localized(screen.next_action.as_str(), zone))),
        ("user todo", screen.open_user_todo.as_ref().map_or(dash.clone(), ToString::to_string)),
        ("agent todo", screen.first_executable_agent_todo.as_ref().map_or(dash.clone(), ToString::to_string)),
        ("validation", ui.plain(&list::localized(screen.latest_validation.as_str(), zone))),
        ("gate", screen.gate_state.word().to_owned()),
        ("quota", screen.quota_state.word().to_owned()),
        ("boundary", ui.plain(&bounds.join("; "))),
        ("session", session),
    ];
    for (field, (label, value)) in fields.into_iter().enumerate() {
        let label = ui.tone(Tone::Dim, &format!("  {label:<11}"));
        ui.weigh(if field < MATTERS { weight } else { Weight::Detail });
        ui.line(format!("{label} {value}").trim_end());
    }
    ui.weigh(Weight::Usual);
}

/// How much a line matters by whom it says that something waits on.
pub const fn weight(waiting_on: WaitingOn) -> Weight {
    match waiting_on {
        WaitingOn::User | WaitingOn::Controller => Weight::Urgent,
        WaitingOn::Runtime | WaitingOn::Agent | WaitingOn::ExternalEvidence | WaitingOn::None => {
            Weight::Usual
        }
    }
}

/// What is said of a session that [`died`].
pub const DIED: &str = "died in its turn";

/// Whether a session's process died in its turn, so lately that it counts.
pub fn died(facts: &SessionFacts, now: Timestamp) -> bool {
    Failure::at(facts, now) == Some(Failure::Died)
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
    if died(facts, now) {
        line += &ui.tone(Tone::Warn, &format!("  {DIED}"));
    }
    if let Some(words) = windows::worth_a_word(facts, now) {
        line += &ui.tone(Tone::Warn, &format!("  {words}"));
    }
    if !facts.missing.is_empty() {
        let missing: Vec<&str> = facts.missing.iter().map(|fact| fact.word()).collect();
        line += &ui.tone(Tone::Dim, &format!("  missing: {}", missing.join(", ")));
    }
    ui.weigh(weight(view.waiting_on));
    ui.line(&line);
    ui.weigh(Weight::Usual);
}
