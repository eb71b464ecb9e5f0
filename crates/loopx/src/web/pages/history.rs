//! The first screen as it was at an instant, from the log, and what is recorded of sessions that covers it.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use loopx_contract::WaitingOn;
use loopx_core::Decision;
use loopx_core::first_screen::instant;
use loopx_core::past::{Seen, Stand, joined};
use maud::{Markup, html};

use super::Shell;
use super::parts::{time, whom};
use crate::app::Overview;
use crate::app::charting::turns::{Ran, in_lane};
use crate::app::reading::{BY_ATTENTION, Reading, heading};
use crate::app::times::{local, localized};

/// What the slider goes over.
#[derive(Clone, Copy)]
pub struct Span {
    /// The beginning of the log, UTC.
    pub from: Timestamp,
    /// Now, UTC.
    pub to: Timestamp,
}

/// How many places the slider has.
const PLACES: i64 = 1000;

/// How far the steps beside it go, in seconds.
const STEPS: [(&str, i64); 6] = [
    ("−1 day", -86_400),
    ("−1 hour", -3600),
    ("−1 minute", -60),
    ("+1 minute", 60),
    ("+1 hour", 3600),
    ("+1 day", 86_400),
];

/// One lane then.
struct Then<'a> {
    lane: &'a Decision,
    /// Whom it waited on, with what is known of its sessions.
    waiting_on: WaitingOn,
    reading: Reading,
    ran: Option<&'a Ran>,
}

impl<'a> Then<'a> {
    fn of(lane: &'a Decision, ran: &'a [Ran]) -> Self {
        let log = Stand { row: lane.row, waiting_on: lane.projection.first_screen.waiting_on };
        let ran = in_lane(ran, &lane.projection.goal_id, &lane.projection.agent_id);
        let turn = ran.and_then(|ran| joined(log, Seen::turn(ran.from, ran.to).stand));
        match turn {
            Some(stand) => {
                Self { lane, waiting_on: stand.waiting_on, reading: Reading::of(stand.waiting_on), ran }
            }
            None => Self { lane, waiting_on: log.waiting_on, reading: Reading::of_lane(lane), ran },
        }
    }
}

/// The page.
pub fn page(span: Span, at: Timestamp, then: &Overview, ran: &[Ran], zone: &TimeZone) -> Markup {
    let lanes: Vec<Then<'_>> =
        then.goals.iter().flat_map(|goal| &goal.lanes).map(|lane| Then::of(lane, ran)).collect();
    let length = (span.to.as_second() - span.from.as_second()).max(0);
    let main = html! {
        h1 { "The first screen then" }
        form.at action="/history" method="get" {
            label for="at" { "An instant between the beginning of the log and now" }
            input #at type="range" name="second" min="0" max=(length) value=(at.as_second() - span.from.as_second())
                step=((length / PLACES).max(1)) data-from=(span.from.as_second()) aria-valuetext=(local(at, zone));
            p.ends { span { (local(span.from, zone)) } span { "now" } }
            button { "Show" }
        }
        nav.steps aria-label="Steps" {
            @for (words, seconds) in STEPS {
                @let other = at.saturating_add(SignedDuration::from_secs(seconds)).map_or(span.to, |other| other.clamp(span.from, span.to));
                a href={ "/history?at=" (instant(other)) } { (words) }
            }
            a href="/history" { "now" }
        }
        div #then {
            h2.instant { (local(at, zone)) " " span.since { "(" (time(at)) ")" } }
            p.since { a href={ "/history?at=" (instant(at)) } { "A link to this instant" } }
            @if lanes.is_empty() { p { "Nothing was in the log at that instant." } }
            @for group in BY_ATTENTION {
                @let in_group: Vec<&Then<'_>> = lanes.iter().filter(|then| then.waiting_on == group).collect();
                @if !in_group.is_empty() {
                    section.group data-whom=(group.word()) {
                        h2 { (heading(group)) " " span.count { (in_group.len()) } }
                        ol { @for then in in_group { (lane(then, zone)) } }
                    }
                }
            }
        }
        script type="module" src="/assets/history.js" {}
    };
    Shell::of("History · LoopX", main).page()
}

fn lane(then: &Then<'_>, zone: &TimeZone) -> Markup {
    let projection = &then.lane.projection;
    html! {
        li.lane data-whom=(then.waiting_on.word()) {
            p.who {
                (whom(then.waiting_on, then.reading)) " "
                a.name href={ "/goals/" (projection.goal_id) "/" (projection.agent_id) } { b { (projection.goal_id) } " / " (projection.agent_id) }
            }
            p.next { (localized(projection.first_screen.next_action.as_str(), zone)) }
            @match then.ran {
                Some(ran) => {
                    p.since {
                        "a turn of " (ran.runtime) " " a.id href={ "/sessions/" (ran.session.to_string()) } { (ran.session.to_string()) }
                        " ran from " (local(ran.from, zone)) " to " (local(ran.to, zone))
                    }
                }
                None => {
                    @if !then.lane.lacking.is_empty() { p.since { "missing: the " (then.lane.lacking.join(", the ")) } }
                }
            }
        }
    }
}
