//! `loopx sessions show`.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use loopx_contract::SessionFacts;
use serde::Serialize;

use super::private;
use crate::app::documents::OneSessionDocument;
use crate::app::placing::Place;
use crate::app::session;
use crate::cli::Context;
use crate::cli::usage;
use crate::cli::view;
use crate::cli::{list, windows};
use crate::error::CliError;
use crate::ui::Tone;

/// Show all that is known of one session.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its handle, or a unique prefix of it.
    #[arg(value_name = "SESSION")]
    session: String,
    /// Show its native id, folder and resume command too: at a terminal only.
    #[arg(long)]
    private: bool,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    if args.private {
        private::allow(context)?;
    }
    let now = context.now();
    let (overview, seen) = session::look(context.plane()?, &args.session, now)?;
    let found = session::find(&overview.sessions, &args.session)?;
    // What was spent is told by all of its file, and by those of what it started.
    let spent = usage::of(context, found.facts.session_id)?;
    let found = &session::counted(found, spent);
    if context.json() {
        context.ui.json(&OneSessionDocument::of(found))?;
        return Ok(0);
    }
    let zone = list::zone(context);
    let ui = &mut context.ui;
    let facts = &found.facts;
    let heading = ui.tone(Tone::Bold, &facts.session_id.to_string());
    let waits = view::waits_on(ui, found.waiting_on);
    ui.line(&format!("{heading}  {}", waits.trim_end()));
    let place = match &found.place {
        Place::Lane(goal, agent) => format!("{goal} / {agent}"),
        Place::Goal(goal) => format!("{goal}, no lane"),
        Place::Nowhere => "no goal".to_owned(),
    };
    let mut lines = vec![("belongs to", place)];
    lines.extend(known(facts, overview.now, &zone));
    if let Some(spent) = &spent {
        lines.push(("spent", usage::in_words(spent)));
    }
    for (label, value) in lines {
        let label = ui.tone(Tone::Dim, &format!("  {label:<11}"));
        ui.line(&format!("{label} {value}"));
    }
    if let Some(origin) = seen.origins.get(&facts.session_id).filter(|_| args.private) {
        private::show(ui, &facts.runtime_id, origin);
    }
    Ok(0)
}

/// What is known, in our own words, numbers and instants.
fn known(facts: &SessionFacts, now: Timestamp, zone: &TimeZone) -> Vec<(&'static str, String)> {
    let words = |list: Vec<String>| if list.is_empty() { "–".to_owned() } else { list.join(", ") };
    let died = if view::died(facts, now) { format!(", {}", view::DIED) } else { String::new() };
    let mut lines = vec![
        ("runtime", facts.runtime_id.to_string()),
        ("state", format!("{}, by {}: {}", facts.state.word(), facts.tier.word(), facts.rule.words())),
        ("process", word(&facts.liveness) + &died),
        ("turn", word(&facts.turn)),
        ("since", view::ago(facts.since, now)),
        ("active", view::ago(facts.last_activity, now)),
        ("started", view::ago(facts.started_at, now)),
        ("missing", words(facts.missing.iter().map(|fact| fact.word().to_owned()).collect())),
    ];
    if !facts.hints.is_empty() {
        lines.push(("hints", words(facts.hints.iter().map(word).collect())));
    }
    for check in &facts.checks {
        let exit = check.exit_code.map_or_else(String::new, |code| format!(", exit {code}"));
        let compound = if check.compound { " of a compound command" } else { "" };
        let (label, outcome) = (word(&check.label), word(&check.outcome));
        lines.push(("check", format!("{label} {outcome}{exit}{compound}, {}", view::ago(check.at, now))));
    }
    for limit in &facts.limits {
        let (name, used) = (windows::name(limit), windows::used(limit));
        let seen = view::ago(limit.seen_at, now);
        lines.push(("limit", format!("{name}: {used}, {}, told {seen}", windows::resets(limit, now, zone))));
    }
    if facts.children > 0 {
        lines.push(("children", facts.children.to_string()));
    }
    lines
}

/// The contract's word: how a closed vocabulary serializes.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
