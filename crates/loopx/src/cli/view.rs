//! How decisions and sessions are shown: in words, shape and colour.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::{SessionFacts, WaitingOn};
use loopx_core::Decision;
use loopx_core::first_screen::Failure;

use crate::app::SessionView;
use crate::app::placing::Place;
use crate::app::reading::Reading;
pub use crate::app::reading::ago;
use crate::cli::{list, windows};
use crate::ui::{Tone, Ui, Weight};

fn whom(ui: &Ui, reading: &Reading) -> String {
    ui.tone(reading.tone, &format!("{} {:<10}", reading.shape, reading.word))
}

/// Whom a session waits on: word, shape and colour.
pub fn waits_on(ui: &Ui, waiting_on: WaitingOn) -> String {
    whom(ui, &Reading::of(waiting_on))
}

/// Whom a lane waits on: word, shape and colour. One that has nothing to do is not shown at work.
pub fn lane_waits_on(ui: &Ui, decision: &Decision) -> String {
    whom(ui, &Reading::of_lane(decision))
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
