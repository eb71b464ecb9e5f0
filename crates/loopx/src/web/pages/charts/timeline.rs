//! Whom each lane waited on, from one instant to the next.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::GoalId;
use loopx_core::past::{Span, Told};
use maud::{Markup, html};

use super::draw::{View, fill, length, table};
use crate::app::charting::GoalCharts;
use crate::app::charting::lanes::{LanePast, Share, Whom};

/// How many spans a lane may have before slots of equal length stand for them.
const SPANS: usize = 160;
/// How many slots that are.
const SLOTS: i32 = 160;
/// How many spans of a lane are in the table, the latest.
const ROWS: usize = 50;
/// How many rows the table has, of all lanes.
const ALL_ROWS: usize = 300;

/// A row's height.
const HEIGHT: u32 = 22;

/// Where a mark stands in its row and how high it is: what needs somebody is highest.
const fn height(whom: Whom) -> (u32, u32) {
    match whom {
        Whom::You | Whom::Controller | Whom::Runtime => (0, HEIGHT),
        Whom::AtWork => (6, 16),
        Whom::Evidence => (10, 12),
        Whom::AgentsTurn => (15, 7),
        Whom::Nobody => (20, 2),
    }
}

/// What the marks mean.
fn legend() -> Markup {
    html! {
        ul.legend aria-label="What the marks mean" {
            @for whom in Whom::ALL {
                li { (swatch(whom)) (whom.words()) }
            }
        }
    }
}

/// A sample of a mark.
pub fn swatch(whom: Whom) -> Markup {
    let (y, height) = height(whom);
    html! {
        svg.swatch width="22" height=(HEIGHT) aria-hidden="true" focusable="false" {
            rect x="0" y=(y) width="22" height=(height) class=(whom.class()) fill=[fill(whom.class())] {}
        }
    }
}

/// The lanes of goals, of each in its order.
pub fn of(goals: &[GoalCharts], view: &View<'_>, most: usize) -> Markup {
    let all = || goals.iter().flat_map(|goal| goal.lanes.iter().map(move |lane| (&goal.id, lane)));
    let count = all().count();
    let mut is_by_slots = false;
    let lanes: Vec<(&GoalId, &LanePast, Vec<Mark>)> = all()
        .take(most)
        .map(|(goal, lane)| {
            let (marks, slots) = marks(&lane.spans, view);
            is_by_slots |= slots;
            (goal, lane, marks)
        })
        .collect();
    html! {
        section.charts aria-label="Whom each lane waited on" {
            (view.heading("Whom each lane waited on"))
            @if lanes.is_empty() { p.since { "There are no lanes, so nothing waited." } } @else {
                (legend())
                figure.timeline {
                    @for (goal, lane, marks) in &lanes { (row(goal, lane, marks, view)) }
                    div.row { span.label {} (view.axis()) }
                    @if count > lanes.len() { p.since { (count - lanes.len()) " more lanes are on their goals' pages." } }
                    @if is_by_slots {
                        @let slot = (view.to.as_second() - view.from.as_second()) / i64::from(SLOTS);
                        p.since { "Where a lane changed very often, each mark is " (length(slot)) " long and shows what took most of it." }
                    }
                    (behind(&lanes, view))
                }
            }
        }
    }
}

fn row(goal: &GoalId, lane: &LanePast, marks: &[Mark], view: &View<'_>) -> Markup {
    html! {
        div.row {
            a.label href={ "/goals/" (goal) "/" (lane.agent) } {
                @if !view.is_of_one { b { (goal) } " / " }
                (lane.agent)
            }
            svg width="100%" height=(HEIGHT) role="img" aria-label=(words(lane)) focusable="false" {
                @for mark in marks {
                    @let (y, height) = height(mark.whom);
                    rect x=(view.place(mark.from)) width=(view.width(mark.from, mark.to)) y=(y) height=(height)
                        class=(mark.whom.class()) fill=[fill(mark.whom.class())] {
                        title { (mark.whom.words()) ", " (view.clock(mark.from)) " to " (view.clock(mark.to)) }
                    }
                }
                line.base x1="0" x2="100%" y1="21.5" y2="21.5" {}
            }
        }
    }
}

/// A lane in a sentence.
fn words(lane: &LanePast) -> String {
    let shares = Share::sum([lane]);
    if shares.is_empty() {
        return format!("{}: nothing is known", lane.agent);
    }
    let words: Vec<String> =
        shares.iter().map(|share| format!("{} {}", share.whom.words(), length(share.seconds))).collect();
    format!("{}: {}", lane.agent, words.join("; "))
}

#[derive(Clone, Copy)]
struct Mark {
    from: Timestamp,
    to: Timestamp,
    whom: Whom,
}

/// The marks of a lane, those of the same whom as one; and whether slots stand for them.
fn marks(spans: &[Span], view: &View<'_>) -> (Vec<Mark>, bool) {
    let exact = joined(spans.iter().map(|span| Mark { from: span.from, to: span.to, whom: Whom::of(span) }));
    if exact.len() <= SPANS {
        return (exact, false);
    }
    let slot = view.to.duration_since(view.from) / SLOTS;
    let slots = (0..SLOTS).filter_map(|number| {
        let from = view.from.checked_add(slot * number).ok()?;
        let to = if number + 1 == SLOTS { view.to } else { from.checked_add(slot).ok()? };
        let first = exact.partition_point(|mark| mark.to <= from);
        let mut sums: BTreeMap<Whom, SignedDuration> = BTreeMap::new();
        for mark in exact.iter().skip(first).take_while(|mark| mark.from < to) {
            let sum = sums.entry(mark.whom).or_default();
            *sum = sum.saturating_add(mark.to.min(to).duration_since(mark.from.max(from)));
        }
        let whom = sums.into_iter().max_by_key(|(whom, sum)| (*sum, std::cmp::Reverse(*whom)))?.0;
        Some(Mark { from, to, whom })
    });
    (joined(slots), true)
}

fn joined(marks: impl Iterator<Item = Mark>) -> Vec<Mark> {
    let mut joint: Vec<Mark> = Vec::new();
    for mark in marks {
        match joint.last_mut() {
            Some(last) if last.whom == mark.whom && last.to == mark.from => last.to = mark.to,
            Some(_) | None => joint.push(mark),
        }
    }
    joint
}

fn behind(lanes: &[(&GoalId, &LanePast, Vec<Mark>)], view: &View<'_>) -> Markup {
    let each = ROWS.min((ALL_ROWS / lanes.len().max(1)).max(1));
    table(
        "Whom each lane waited on, as a table",
        &["lane", "from", "to", "for", "waited on", "row", "told by"],
        html! {
            @for (goal, lane, _) in lanes {
                @for span in lane.spans.iter().rev().take(each) {
                    tr {
                        th scope="row" { (goal) " / " (lane.agent) }
                        td { (view.clock(span.from)) }
                        td { (view.clock(span.to)) }
                        td { (length(span.length().as_secs())) }
                        td { (Whom::of(span).words()) }
                        td { code { (span.stand.row.name()) } }
                        td { @match span.told { Told::ByLog => "the log", Told::BySession => "a session" } }
                    }
                }
                @if lane.spans.len() > each {
                    tr { th scope="row" { (goal) " / " (lane.agent) } td colspan="6" { (lane.spans.len() - each) " earlier" } }
                }
            }
        },
    )
}
