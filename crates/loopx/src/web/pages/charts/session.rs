//! One session's line: turns that are over, and what it shows now.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};

use super::draw::{View, fill, length, patterns, table};
use crate::app::SessionView;
use crate::app::charting::lanes::Whom;
use crate::app::charting::turns::Ran;

/// How far back it goes.
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many turns are drawn, the latest.
const TURNS: usize = 300;
/// How many are in the table.
const ROWS: usize = 50;
/// A row's height.
const HIGH: u32 = 28;

/// The line.
pub fn line(view: &SessionView, turns: &[Ran], zone: &TimeZone, now: Timestamp) -> Markup {
    let facts = &view.facts;
    let word = facts.state.word().replace('_', " ");
    let earliest = now.checked_sub(WEEK).unwrap_or(Timestamp::MIN);
    let began = facts.started_at.into_iter().chain(turns.first().map(|ran| ran.from)).min();
    let least = now.checked_sub(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MIN);
    let from = began.map_or(earliest, |began| began.clamp(earliest, least));
    let window = View::over(from, now, zone);
    let turns: Vec<&Ran> = turns.iter().filter(|ran| ran.to > from).collect();
    let shown: Vec<&Ran> = turns.iter().rev().take(TURNS).rev().copied().collect();
    let since = facts.since.filter(|since| *since < now).map(|since| since.max(from));
    let whom = state(view);
    let words = format!(
        "{} over; {}",
        match turns.len() {
            0 => "no turn is known to be".to_owned(),
            1 => "1 turn that is".to_owned(),
            more => format!("{more} turns that are"),
        },
        since.map_or_else(
            || "since when it is as it is now is not known".to_owned(),
            |since| { format!("{word} for {}", length(now.duration_since(since).as_secs())) }
        )
    );
    html! {
        section.charts aria-labelledby="line" {
            h2 #line { "In time" }
            (patterns())
            figure.timeline.alone {
                svg width="100%" height=(HIGH) role="img" aria-label=(words) focusable="false" {
                    @if let Some(at) = facts.started_at.filter(|at| *at >= from) {
                        line.now x1=(window.place(at)) x2=(window.place(at)) y1="0" y2=(HIGH) { title { "began " (window.clock(at)) } }
                    }
                    @for ran in &shown {
                        @let start = ran.from.max(from);
                        rect x=(window.place(start)) width=(window.width(start, ran.to)) y="8" height="20" class=(Whom::AtWork.class()) {
                            title { "a turn, " (window.clock(ran.from)) " to " (window.clock(ran.to)) }
                        }
                    }
                    @if let Some(since) = since {
                        rect x=(window.place(since)) width=(window.width(since, now)) y=(if whom == Whom::Nobody { 24 } else { 0 })
                            height=(if whom == Whom::Nobody { 4 } else { HIGH }) class=(whom.class()) fill=[fill(whom.class())] {
                            title { (word) " since " (window.clock(since)) }
                        }
                    }
                    line.base x1="0" x2="100%" y1="27.5" y2="27.5" {}
                }
                (window.axis())
            }
            p.since {
                (words) ". What lies between turns is not recorded: it may have waited, or been idle. A turn with a question in "
                "it began earlier than it is drawn, by as long as the question was open."
                @if turns.len() > shown.len() { " The latest " (shown.len()) " turns are drawn." }
            }
            @if !turns.is_empty() {
                (table("Turns, as a table", &["turn", "from", "to", "at work"], html! {
                    @for (number, ran) in turns.iter().enumerate().rev().take(ROWS) {
                        tr {
                            th scope="row" { (number + 1) }
                            td { (window.clock(ran.from)) }
                            td { (window.clock(ran.to)) }
                            td { (length(ran.to.duration_since(ran.from).as_secs())) }
                        }
                    }
                    @if turns.len() > ROWS { tr { th scope="row" { "before" } td colspan="3" { (turns.len() - ROWS) " more" } } }
                }))
            }
        }
    }
}

/// Whom it waits on now.
const fn state(view: &SessionView) -> Whom {
    use loopx_contract::WaitingOn;
    match view.waiting_on {
        WaitingOn::User => Whom::You,
        WaitingOn::Controller => Whom::Controller,
        WaitingOn::Runtime => Whom::Runtime,
        WaitingOn::ExternalEvidence => Whom::Evidence,
        WaitingOn::Agent => Whom::AtWork,
        WaitingOn::None => Whom::Nobody,
    }
}
