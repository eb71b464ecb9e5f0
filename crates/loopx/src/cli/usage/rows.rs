//! The rows of `loopx usage`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use loopx_contract::{AgentId, GoalId, RuntimeId};
use loopx_runtimes::{Inherited, Tokens, either};
use loopx_safety::Handle;
use serde::Serialize;

use crate::app::placing::Place;
use crate::app::plane::Spent;

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A session, with what it started.
    Session,
    /// A goal.
    Goal,
    /// An agent's lane.
    Agent,
    /// A runtime.
    Runtime,
    /// A day of the time zone here.
    Day,
}

impl By {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Goal => "goal",
            Self::Agent => "agent",
            Self::Runtime => "runtime",
            Self::Day => "day",
        }
    }
}

/// One row: what it is of, and the sum.
#[derive(Debug, Serialize)]
pub struct Row {
    #[serde(flatten)]
    of: Of,
    #[serde(flatten)]
    pub sum: Sum,
}

/// What a row is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
enum Of {
    Session { session_id: Handle, runtime_id: RuntimeId, goal_id: Option<GoalId>, agent_id: Option<AgentId> },
    Goal { goal_id: Option<GoalId> },
    Agent { goal_id: Option<GoalId>, agent_id: Option<AgentId> },
    Runtime { runtime_id: RuntimeId },
    Day { day: Option<Date> },
}

fn or_none(id: Option<&impl ToString>, none: &str) -> String {
    id.map_or_else(|| none.to_owned(), ToString::to_string)
}

impl Row {
    /// The first column.
    pub fn label(&self) -> String {
        match &self.of {
            Of::Session { session_id, runtime_id, .. } => format!("{runtime_id} {session_id}"),
            Of::Goal { goal_id } => or_none(goal_id.as_ref(), "no goal"),
            Of::Agent { goal_id, agent_id } => match goal_id {
                Some(goal) => format!("{goal} / {}", or_none(agent_id.as_ref(), "no lane")),
                None => "no goal".to_owned(),
            },
            Of::Runtime { runtime_id } => runtime_id.to_string(),
            Of::Day { day } => day.map_or_else(|| "no instant".to_owned(), |day| day.to_string()),
        }
    }
}

/// What was spent.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sum {
    /// Sessions that spent something.
    sessions: u64,
    /// Finished turns.
    turns: u64,
    /// Input tokens, cached ones included.
    input_tokens: u64,
    /// Input tokens read from a cache.
    cached_input_tokens: u64,
    /// Output tokens, reasoning ones included.
    output_tokens: u64,
    /// Of these the reasoning ones, of the runtimes that tell them apart.
    reasoning_output_tokens: Option<u64>,
    /// From prompt to turn's end, open questions left out, in seconds.
    active_seconds: u64,
    /// From a turn's end to the next prompt and while questions were open, in seconds.
    waiting_seconds: u64,
    /// The newest instant, UTC.
    last_at: Option<Timestamp>,
    #[serde(skip)]
    millis: loopx_runtimes::Spell,
}

impl Sum {
    fn add(&mut self, at: Option<Timestamp>, spent: &loopx_runtimes::Spent) {
        let Tokens { input, cached, output, reasoning } = spent.tokens;
        self.join(&Self {
            turns: spent.turns,
            input_tokens: input,
            cached_input_tokens: cached,
            output_tokens: output,
            reasoning_output_tokens: reasoning,
            millis: spent.time,
            last_at: at,
            ..Self::default()
        });
    }

    fn join(&mut self, other: &Self) {
        self.turns = self.turns.saturating_add(other.turns);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.reasoning_output_tokens = either(self.reasoning_output_tokens, other.reasoning_output_tokens);
        self.millis = self.millis.plus(other.millis);
        self.active_seconds = self.millis.active / 1000;
        self.waiting_seconds = self.millis.waiting / 1000;
        self.last_at = self.last_at.max(other.last_at);
    }

    /// The numbers of a row.
    pub fn columns(&self) -> String {
        format!(
            "{:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
            self.sessions,
            self.turns,
            short(self.input_tokens),
            short(self.cached_input_tokens),
            short(self.output_tokens),
            self.reasoning_output_tokens.map_or_else(|| "–".to_owned(), short),
            time(self.active_seconds),
            time(self.waiting_seconds),
        )
    }
}

/// A count in three digits or so.
pub fn short(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let number = count as f64;
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{:.1} k", number / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} M", number / 1e6),
        _ => format!("{:.1} G", number / 1e9),
    }
}

/// A length of time in its largest unit.
pub fn time(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{}.{} h", seconds / 3600, seconds % 3600 / 360),
    }
}

/// The rows, the total of them, and how many sessions could not be counted.
pub fn sum(by: By, spent: &[Spent], zone: &TimeZone) -> (Vec<Row>, Sum, u64) {
    let mut rows: BTreeMap<Of, Sum> = BTreeMap::new();
    let mut total = Sum::default();
    let mut unknown = 0;
    for one in spent {
        if one.spender.inherited == Inherited::Unknown {
            unknown += 1;
            continue;
        }
        total.sessions += 1;
        // A session is of one goal, lane and runtime, but of many days.
        let mut parts: BTreeMap<Option<Date>, Sum> = BTreeMap::new();
        for (at, spent) in &one.spender.spent {
            let day = at.filter(|_| by == By::Day).map(|at| zone.to_datetime(at).date());
            parts.entry(day).or_default().add(*at, spent);
        }
        for (day, part) in parts {
            total.join(&part);
            let sum = rows.entry(of(by, one, day)).or_default();
            sum.sessions += 1;
            sum.join(&part);
        }
    }
    let mut rows: Vec<Row> = rows.into_iter().map(|(of, sum)| Row { of, sum }).collect();
    if by == By::Session {
        rows.sort_by_key(|row| std::cmp::Reverse(row.sum.last_at));
    }
    (rows, total, unknown)
}

fn of(by: By, spent: &Spent, day: Option<Date>) -> Of {
    let (goal_id, agent_id) = match &spent.place {
        Place::Lane(goal, agent) => (Some(goal.clone()), Some(agent.clone())),
        Place::Goal(goal) => (Some(goal.clone()), None),
        Place::Nowhere => (None, None),
    };
    let runtime_id = || spent.spender.runtime.clone();
    match by {
        By::Session => {
            Of::Session { session_id: spent.spender.session, runtime_id: runtime_id(), goal_id, agent_id }
        }
        By::Goal => Of::Goal { goal_id },
        By::Agent => Of::Agent { goal_id, agent_id },
        By::Runtime => Of::Runtime { runtime_id: runtime_id() },
        By::Day => Of::Day { day },
    }
}
