//! Charts as JSON, for programs.

use jiff::Timestamp;
use jiff::civil::Date;
use loopx_contract::{AgentId, GoalId, WaitingOn};
use loopx_core::past::{Span, Told};
use loopx_core::quota::{Measure, Pace};
use schemars::JsonSchema;
use serde::Serialize;

use super::days::{Day, Outcome};
use super::lanes::{LanePast, Share, Whom};
use super::limits::Limited;
use super::{Charts, GoalCharts};

const CHARTS: &str = "loopx_charts_v0";

/// What charts are drawn from, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct ChartsDocument<'a> {
    #[schemars(extend("const" = CHARTS))]
    schema_version: &'static str,
    /// From when on whom lanes waited on is told, UTC.
    #[schemars(with = "String", extend("format" = "date-time"))]
    from: Timestamp,
    /// Until when, UTC.
    #[schemars(with = "String", extend("format" = "date-time"))]
    to: Timestamp,
    goals: Vec<GoalChartsDocument<'a>>,
    /// Goals whose log can't be read.
    damaged_goals: &'a [GoalId],
    /// Whether all that session files tell of turns was read.
    turns_are_whole: bool,
}

impl<'a> ChartsDocument<'a> {
    /// The document of charts.
    pub fn of(charts: &'a Charts) -> Self {
        Self {
            schema_version: CHARTS,
            from: charts.from,
            to: charts.to,
            goals: charts.goals.iter().map(GoalChartsDocument::of).collect(),
            damaged_goals: &charts.damaged,
            turns_are_whole: charts.turns_are_whole,
        }
    }
}

/// One goal's charts as JSON.
#[derive(Serialize, JsonSchema)]
pub struct GoalChartsDocument<'a> {
    goal_id: &'a GoalId,
    lanes: Vec<LanePastDocument<'a>>,
    /// How long its lanes waited on whom, all together.
    shares: Vec<Share>,
    /// What lasted less than this may be missing, in seconds; none: nothing is.
    grain_seconds: Option<i64>,
    /// The last days in the operator's time zone, the oldest first.
    days: Vec<DayDocument>,
    limits: Vec<LimitDocument<'a>>,
}

impl<'a> GoalChartsDocument<'a> {
    fn of(goal: &'a GoalCharts) -> Self {
        Self {
            goal_id: &goal.id,
            lanes: goal.lanes.iter().map(LanePastDocument::of).collect(),
            shares: goal.shares(),
            grain_seconds: goal.grain.map(|grain| grain.as_secs()),
            days: goal.days.iter().map(DayDocument::of).collect(),
            limits: goal.limits.iter().map(LimitDocument::of).collect(),
        }
    }
}

/// One lane's past as JSON.
#[derive(Serialize, JsonSchema)]
pub struct LanePastDocument<'a> {
    agent_id: &'a AgentId,
    /// In order, each from where the one before it ends.
    spans: Vec<SpanDocument>,
}

impl<'a> LanePastDocument<'a> {
    fn of(lane: &'a LanePast) -> Self {
        Self { agent_id: &lane.agent, spans: lane.spans.iter().map(SpanDocument::of).collect() }
    }
}

/// What a lane waited on for a while, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct SpanDocument {
    #[schemars(with = "String", extend("format" = "date-time"))]
    from: Timestamp,
    #[schemars(with = "String", extend("format" = "date-time"))]
    to: Timestamp,
    waiting_on: WaitingOn,
    /// The row that decided.
    row: &'static str,
    /// The same as charts show it.
    whom: Whom,
    /// What tells it: the log alone, or what is recorded of a session.
    told_by: &'static str,
}

impl SpanDocument {
    fn of(span: &Span) -> Self {
        Self {
            from: span.from,
            to: span.to,
            waiting_on: span.stand.waiting_on,
            row: span.stand.row.name(),
            whom: Whom::of(span),
            told_by: match span.told {
                Told::ByLog => "log",
                Told::BySession => "session",
            },
        }
    }
}

/// One day as JSON.
#[derive(Serialize, JsonSchema)]
pub struct DayDocument {
    #[schemars(with = "String", extend("format" = "date"))]
    date: Date,
    /// How many runs came to what.
    runs: Vec<RunsDocument>,
    /// Turns that ended, as the runtimes' records tell.
    turns: u64,
}

impl DayDocument {
    fn of(day: &Day) -> Self {
        let runs = Outcome::ALL.map(|outcome| RunsDocument { outcome, count: day.runs.count(outcome) });
        Self {
            date: day.date,
            runs: runs.into_iter().filter(|runs| runs.count > 0).collect(),
            turns: day.turns,
        }
    }
}

/// How many runs of a day came to the same, as JSON.
#[derive(Serialize, JsonSchema)]
pub struct RunsDocument {
    outcome: Outcome,
    count: u64,
}

/// One limit as JSON.
#[derive(Serialize, JsonSchema)]
pub struct LimitDocument<'a> {
    /// None: the goal as a whole, its lanes included.
    agent_id: Option<&'a AgentId>,
    /// Turns, minutes or tokens.
    measure: &'static str,
    window_minutes: u32,
    limit: u64,
    used: u64,
    /// Where it leads at the pace so far: unknown, over, `used_up` or lasts.
    pace: &'static str,
    /// When it is used up at that pace, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    used_up_at: Option<Timestamp>,
    /// When what was spent first leaves the window, UTC.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    first_leaves_at: Option<Timestamp>,
    /// When all of it has, UTC, if nothing more is spent.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    all_left_at: Option<Timestamp>,
}

impl<'a> LimitDocument<'a> {
    fn of(limited: &'a Limited) -> Self {
        let burn = &limited.burn;
        let (pace, used_up_at) = match burn.pace {
            Pace::Unknown => ("unknown", None),
            Pace::Over => ("over", None),
            Pace::UsedUp(at) => ("used_up", Some(at)),
            Pace::Lasts => ("lasts", None),
        };
        Self {
            agent_id: limited.agent.as_ref(),
            measure: match burn.measure {
                Measure::Turns => "turns",
                Measure::Minutes => "minutes",
                Measure::Tokens => "tokens",
            },
            window_minutes: limited.window_minutes,
            limit: burn.limit,
            used: burn.used,
            pace,
            used_up_at,
            first_leaves_at: burn.first_leaves,
            all_left_at: burn.all_left,
        }
    }
}
