//! `loopx log`: what happened, with who did it and what proves it.

use std::collections::VecDeque;

use loopx_contract::GoalId;
use loopx_core::{Actor, Channel, Recorded, Who};
use loopx_store::{EventsOf, Logged};
use serde::Serialize;
use serde_json::Value;

use crate::cli::Context;
use crate::cli::list::{Table, Words, when, word};
use crate::error::CliError;
use crate::ui::Tone;

/// Show what happened on a goal, or on every goal: by whom, through which door, proved how.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only what came after this place: a revision of the goal, or with --all a place in the store.
    #[arg(long, value_name = "N")]
    after: Option<u64>,
    /// At most so many: the first ones with --after, else the newest.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Every goal, although one is named or bound.
    #[arg(long)]
    all: bool,
    /// Print one JSON document a line.
    #[arg(long, conflicts_with = "json")]
    jsonl: bool,
}

const CHANNELS: Words<Channel> = &[
    ("cli", Channel::Cli),
    ("page", Channel::Page),
    ("mcp", Channel::Mcp),
    ("hook", Channel::Hook),
    ("ingest", Channel::Ingest),
    ("import", Channel::Import),
];

/// How many events are read at once.
const CHUNK: usize = 512;

#[derive(Serialize)]
struct LogDocument<'a> {
    schema_version: &'static str,
    /// None: of every goal.
    goal_id: Option<&'a GoalId>,
    /// Give it to --after to go on from here.
    next_after: u64,
    events: Vec<EventDocument<'a>>,
}

#[derive(Serialize)]
struct LineDocument<'a> {
    schema_version: &'static str,
    #[serde(flatten)]
    event: EventDocument<'a>,
}

#[derive(Serialize)]
struct EventDocument<'a> {
    /// Its place among the events of all goals.
    place: u64,
    #[serde(flatten)]
    recorded: &'a Recorded,
}

impl<'a> EventDocument<'a> {
    fn of(logged: &'a Logged) -> Self {
        Self { place: logged.place, recorded: &logged.recorded }
    }
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let goal = if args.all { None } else { context.goal_if_any()? };
    if let Some(goal) = &goal {
        super::named::state(context, goal)?;
    }
    let from = args.after.unwrap_or(0);
    let events = match args.after {
        Some(after) => chunk(context, goal.as_ref(), after, args.limit)?,
        None => newest(context, goal.as_ref(), args.limit)?,
    };
    let cursor = |logged: &Logged| if goal.is_some() { logged.recorded.revision } else { logged.place };
    if context.json() {
        return context
            .ui
            .json(&LogDocument {
                schema_version: "loopx_log_v0",
                goal_id: goal.as_ref(),
                next_after: events.last().map_or(from, cursor),
                events: events.iter().map(EventDocument::of).collect(),
            })
            .map(|()| 0);
    }
    if args.jsonl {
        for logged in &events {
            let event = EventDocument::of(logged);
            context.ui.json_line(&LineDocument { schema_version: "loopx_event_v0", event })?;
        }
        return Ok(0);
    }
    if events.is_empty() {
        context.ui.note("nothing happened here");
        return Ok(0);
    }
    show(context, &events, goal.is_none(), cursor);
    Ok(0)
}

fn chunk(
    context: &mut Context,
    goal: Option<&GoalId>,
    after: u64,
    limit: usize,
) -> Result<Vec<Logged>, CliError> {
    let of = match goal {
        Some(goal) => EventsOf::Goal { goal, after },
        None => EventsOf::All { after },
    };
    Ok(context.plane()?.store().events(of, limit)?)
}

/// The newest events, oldest of them first.
fn newest(context: &mut Context, goal: Option<&GoalId>, limit: usize) -> Result<Vec<Logged>, CliError> {
    let mut after = match goal {
        Some(goal) => {
            let last = context.plane()?.state(goal)?.revision;
            last.saturating_sub(u64::try_from(limit).unwrap_or(u64::MAX))
        }
        None => 0,
    };
    let mut kept = VecDeque::new();
    loop {
        let read = chunk(context, goal, after, CHUNK)?;
        let Some(last) = read.last() else { return Ok(kept.into()) };
        after = if goal.is_some() { last.recorded.revision } else { last.place };
        kept.extend(read);
        kept.drain(..kept.len().saturating_sub(limit));
    }
}

/// All that happened on a goal.
pub(super) fn whole(context: &mut Context, goal: &GoalId) -> Result<Vec<Recorded>, CliError> {
    let mut all = Vec::new();
    let mut after = 0;
    loop {
        let read = chunk(context, Some(goal), after, CHUNK)?;
        let Some(last) = read.last() else { return Ok(all) };
        after = last.recorded.revision;
        all.extend(read.into_iter().map(|logged| logged.recorded));
    }
}

/// Who, through which door, proved how.
fn by(actor: &Actor) -> [String; 3] {
    let who = match &actor.who {
        Who::Person => "person".to_owned(),
        Who::Lane(agent) => agent.to_string(),
        Who::System => "loopx".to_owned(),
    };
    [who, word(CHANNELS, &actor.channel).to_owned(), actor.proof.word().to_owned()]
}

fn show(context: &mut Context, events: &[Logged], with_goal: bool, cursor: impl Fn(&Logged) -> u64) {
    let mut table = if with_goal {
        Table::new(["place", "goal", "when", "who", "door", "proof", "event", "what"])
    } else {
        Table::new(["rev", "when", "who", "door", "proof", "event", "what"])
    };
    for logged in events {
        let recorded = &logged.recorded;
        let mut row = vec![cursor(logged).to_string()];
        if with_goal {
            row.push(recorded.goal.to_string());
        }
        row.push(when(context, recorded.at));
        row.extend(by(&recorded.actor));
        row.push(context.ui.tone(Tone::Bold, recorded.event.name()));
        row.push(context.ui.plain(&details(recorded)));
        table.row(row);
    }
    table.show(&mut context.ui);
}

/// What an event says beside its name: `field=value`, without what says nothing.
fn details(recorded: &Recorded) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(&recorded.event) else { return String::new() };
    let said = fields.iter().filter(|(name, _)| *name != "type");
    let said = said.filter_map(|(name, value)| value_of(value).map(|value| format!("{name}={value}")));
    said.collect::<Vec<_>>().join(" ")
}

fn value_of(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(word) => Some(word.clone()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(value_of).collect();
            (!items.is_empty()).then(|| items.join(","))
        }
        Value::Object(fields) => {
            if let (1, Some(Value::String(text))) = (fields.len(), fields.get("text")) {
                return Some(format!("“{text}”"));
            }
            let fields: Vec<String> = fields
                .iter()
                .filter_map(|(name, value)| value_of(value).map(|value| format!("{name}:{value}")))
                .collect();
            (!fields.is_empty()).then(|| fields.join(","))
        }
    }
}
