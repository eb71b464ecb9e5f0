//! The first screen as it was at an instant, from the log.

use jiff::Timestamp;
use loopx_core::first_screen::instant;
use maud::{Markup, html};

use super::Shell;
use super::parts::whom;
use crate::app::Overview;
use crate::app::reading::{BY_ATTENTION, Reading, heading};

/// What the slider goes over.
#[derive(Clone, Copy)]
pub struct Span {
    /// The beginning of the log, UTC.
    pub from: Timestamp,
    /// Now, UTC.
    pub to: Timestamp,
}

/// The page.
pub fn page(span: Span, at: Timestamp, then: &Overview) -> Markup {
    let lanes: Vec<_> = then.goals.iter().flat_map(|goal| &goal.lanes).collect();
    let main = html! {
        h1 { "At " time datetime=(instant(at)) data-exact { (instant(at)) } }
        form.at action="/history" method="get" {
            label for="at" { "Instant, in seconds since the beginning of the log" }
            input #at type="range" name="second" min="0" max=(span.to.as_second() - span.from.as_second())
                value=(at.as_second() - span.from.as_second()) step="1" data-from=(instant(span.from));
            output for="at" { (instant(at)) }
            button { "Show" }
        }
        p.since { "Sessions are not in it: nothing records what they were at an instant gone by." }
        @if lanes.is_empty() { p { "Nothing was in the log at that instant." } }
        @for group in BY_ATTENTION {
            @let in_group: Vec<_> = lanes.iter().filter(|lane| lane.projection.first_screen.waiting_on == group).collect();
            @if !in_group.is_empty() {
                section.group data-whom=(group.word()) {
                    h2 { (heading(group)) " " span.count { (in_group.len()) } }
                    ol {
                        @for lane in in_group {
                            li.lane data-whom=(group.word()) {
                                p.who {
                                    (whom(group, Reading::of_lane(lane))) " "
                                    span.name { b { (lane.projection.goal_id) } " / " (lane.projection.agent_id) }
                                }
                                p.next { (lane.projection.first_screen.next_action.as_str()) }
                            }
                        }
                    }
                }
            }
        }
    };
    Shell::of("History · LoopX", main).page()
}
