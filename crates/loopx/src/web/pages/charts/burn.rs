//! Limits: what is left of each, and where it leads at the pace so far. The runtimes' own windows.

use jiff::Timestamp;
use loopx_contract::GoalId;
use loopx_core::quota::{Burn, Measure, Pace};
use maud::{Markup, html};

use super::draw::{View, length, share, table};
use crate::app::charting::limits::Limited;
use crate::app::windows::{self, Window};
use crate::app::{reading, windows as told};

/// How many limits are drawn.
const LIMITS: usize = 24;
/// How fine a line is drawn, along and across.
const FINE: i64 = 400;
const HIGH: u64 = 100;
/// How many steps are in the table, the latest.
const ROWS: usize = 40;

/// Each limit.
pub fn of<'a>(limits: impl Iterator<Item = (&'a GoalId, &'a Limited)>, view: &View<'_>) -> Markup {
    let limits: Vec<(&GoalId, &Limited)> = limits.collect();
    html! {
        section.charts aria-label="Quota" {
            (view.heading("Quota: what is left"))
            @if limits.is_empty() { p.since { "Nothing is limited: " code { "loopx quota set" } " sets a limit." } }
            div.small {
                @for (goal, limited) in limits.iter().take(LIMITS) { (one(goal, limited, view)) }
            }
            @if limits.len() > LIMITS { p.since { (limits.len() - LIMITS) " more limits are on their goals' pages." } }
        }
    }
}

const fn unit(measure: Measure) -> &'static str {
    match measure {
        Measure::Turns => "turns",
        Measure::Minutes => "minutes",
        Measure::Tokens => "tokens",
    }
}

fn one(goal: &GoalId, limited: &Limited, view: &View<'_>) -> Markup {
    let burn = &limited.burn;
    let window = reading::quota::length(limited.window_minutes);
    let left = burn.limit.saturating_sub(burn.used);
    html! {
        figure.burn {
            figcaption {
                b { (goal) @if let Some(agent) = &limited.agent { " / " (agent) } }
                span { (left) " of " (burn.limit) " " (unit(burn.measure)) " left in " (window) }
            }
            (line(burn, i64::from(limited.window_minutes) * 60, &words(burn, view)))
            p.pace data-over[matches!(burn.pace, Pace::Over)] { (words(burn, view)) }
            (table(&format!("{} of {goal} left, as a table", unit(burn.measure)), &["until", "spent", "left"], html! {
                @for (at, spent) in burn.steps.iter().rev().take(ROWS) {
                    tr { th scope="row" { (view.clock(*at)) } td { (spent) } td { (burn.limit.saturating_sub(*spent)) } }
                }
                @if burn.steps.len() > ROWS { tr { th scope="row" { "before" } td colspan="2" { (burn.steps.len() - ROWS) " more steps" } } }
                @if burn.steps.is_empty() { tr { th scope="row" { "now" } td { "0" } td { (burn.limit) } } }
            }))
        }
    }
}

/// Where it leads, in a sentence.
fn words(burn: &Burn, view: &View<'_>) -> String {
    let leaves = match (burn.first_leaves, burn.all_left) {
        (Some(first), Some(all)) if first != all => {
            format!("; what was spent leaves the window from {} to {}", view.clock(first), view.clock(all))
        }
        (Some(first), _) => format!("; what was spent leaves the window at {}", view.clock(first)),
        (None, _) => String::new(),
    };
    let since = burn.steps.first().map(|(at, _)| format!(" (since {})", view.clock(*at))).unwrap_or_default();
    let pace = match burn.pace {
        Pace::Over if burn.limit == 0 => "the limit is 0: nothing may be spent".to_owned(),
        Pace::Over => "used up".to_owned(),
        Pace::UsedUp(at) => format!(
            "at this pace{since} used up at {}, in {}",
            view.clock(at),
            length(at.as_second() - burn.now.as_second())
        ),
        Pace::Lasts => format!("at this pace{since} it lasts"),
        Pace::Unknown if burn.used == 0 => "nothing was spent in this window".to_owned(),
        Pace::Unknown => "spent too lately to tell a pace".to_owned(),
    };
    format!("{pace}{leaves}")
}

/// What is left, from the window's beginning to as long after now.
fn line(burn: &Burn, window: i64, words: &str) -> Markup {
    let end = burn.now.saturating_add(burn.now.duration_since(burn.from)).unwrap_or(Timestamp::MAX);
    let whole = (end.as_millisecond() - burn.from.as_millisecond()).max(1);
    let along =
        |at: Timestamp| ((at.as_millisecond() - burn.from.as_millisecond()).max(0) * FINE / whole).min(FINE);
    let across = |spent: u64| {
        u64::try_from(u128::from(spent.min(burn.limit)) * u128::from(HIGH) / u128::from(burn.limit.max(1)))
            .unwrap_or(HIGH)
    };
    let now = along(burn.now);
    let mut so_far = format!("M0,{}", across(0));
    let mut height = across(u64::from(burn.limit == 0));
    for (x, y) in last_of_each(burn.steps.iter().map(|(at, spent)| (along(*at), across(*spent)))) {
        so_far += &format!("L{x},{height}L{x},{y}");
        height = y;
    }
    so_far += &format!("L{now},{height}");
    let ahead: Vec<(i64, u64)> = burn.ahead.iter().map(|(at, spent)| (along(*at), across(*spent))).collect();
    let ahead: Vec<String> = thinned(&ahead).iter().map(|(x, y)| format!("{x},{y}")).collect();
    html! {
        svg.left width="100%" height="120" role="img" aria-label={ (burn.limit.saturating_sub(burn.used)) " of " (burn.limit) " " (unit(burn.measure)) " left; " (words) } focusable="false" {
            svg x="0" y="4" width="100%" height="96" viewBox={ "0 0 " (FINE) " " (HIGH) } preserveAspectRatio="none" {
                path.area d={ (so_far) "L" (now) "," (HIGH) "L0," (HIGH) "Z" } {}
                path.so-far d=(so_far) fill="none" vector-effect="non-scaling-stroke" {}
                @if ahead.len() > 1 {
                    polyline.ahead points=(ahead.join(" ")) fill="none" vector-effect="non-scaling-stroke" stroke-dasharray="5 4" {}
                }
            }
            line.base x1="0" x2="100%" y1="100" y2="100" {}
            line.now x1=(share(now, FINE)) x2=(share(now, FINE)) y1="0" y2="104" {}
            text.top x="100%" y="14" text-anchor="end" { (burn.limit) }
            text.top x="100%" y="97" text-anchor="end" { "0" }
            text x=(share(now, FINE)) y="116" text-anchor="middle" { "now" }
            text x="0" y="116" { "−" (length(window)) }
            text x="100%" y="116" text-anchor="end" { "+" (length(window)) }
        }
    }
}

/// Of points at the same place the last.
fn last_of_each(points: impl Iterator<Item = (i64, u64)>) -> Vec<(i64, u64)> {
    let mut kept: Vec<(i64, u64)> = Vec::new();
    for point in points {
        match kept.last_mut() {
            Some(last) if last.0 == point.0 => last.1 = point.1,
            Some(_) | None => kept.push(point),
        }
    }
    kept
}

/// A line in fewer points: the first, and of each part of its way the last.
fn thinned(points: &[(i64, u64)]) -> Vec<(i64, u64)> {
    const PART: i64 = FINE / 50;
    let first = points.first().copied();
    let rest = points.iter().skip(1).map(|(x, y)| (x / PART, (*x, *y)));
    let mut parts: Vec<(i64, (i64, u64))> = Vec::new();
    for (part, point) in rest {
        match parts.last_mut() {
            Some(last) if last.0 == part => last.1 = point,
            Some(_) | None => parts.push((part, point)),
        }
    }
    first.into_iter().chain(parts.into_iter().map(|(_, point)| point)).collect()
}

/// The runtimes' own windows, as their sessions told them last.
pub fn windows(windows: &[Window<'_>], view: &View<'_>) -> Markup {
    html! {
        section.charts aria-label="The runtimes' own windows" {
            (view.heading("The runtimes' own windows"))
            @if windows.is_empty() { p.since { "No session told of a limit of its runtime that still counts." } }
            div.small {
                @for window in windows {
                    @let limit = window.limit;
                    @let reset = limit.resets_at.map_or_else(
                        || "when it resets is not told".to_owned(),
                        |at| format!("resets at {}, in {}", view.clock(at), length(at.duration_since(view.to).as_secs().max(0))),
                    );
                    figure.burn {
                        figcaption { b { (window.runtime()) } span { (told::name(limit)) ": " (windows::used(limit)) } }
                        svg.bar width="100%" height="16" role="img" aria-label={ (told::name(limit)) ": " (told::used(limit)) "; " (reset) } focusable="false" {
                            rect.whole width="100%" height="16" {}
                            @if let Some(used) = limit.used_basis_points {
                                rect.used width=(share(i64::from(used), 10_000)) height="16" data-over[limit.is_used_up()] {}
                            } @else if limit.is_used_up() {
                                rect.used width="100%" height="16" data-over {}
                            }
                        }
                        p.pace { (reset) @if let Some(at) = limit.seen_at { ", told at " (view.clock(at)) } }
                    }
                }
            }
            @if !windows.is_empty() {
                (table("The runtimes' own windows, as a table", &["runtime", "window", "used", "resets", "told"], html! {
                    @for window in windows {
                        tr {
                            th scope="row" { (window.runtime()) }
                            td { (told::name(window.limit)) }
                            td { (told::used(window.limit)) }
                            td { @if let Some(at) = window.limit.resets_at { (view.clock(at)) } @else { "not told" } }
                            td { @if let Some(at) = window.limit.seen_at { (view.clock(at)) } @else { "not told" } }
                        }
                    }
                }))
            }
        }
    }
}
