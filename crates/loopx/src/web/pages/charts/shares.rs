//! Where the waiting time went.

use maud::{Markup, html};

use super::draw::{View, fill, length, share, table};
use super::timeline::swatch;
use crate::app::charting::lanes::{Share, Whom};
use crate::app::charting::{Charts, GoalCharts};

/// How many goals are drawn.
const GOALS: usize = 40;

/// Of each goal, and of all together.
pub fn of_goals(charts: &Charts, view: &View<'_>) -> Markup {
    let all = Share::sum(charts.goals.iter().flat_map(|goal| &goal.lanes));
    let mut goals: Vec<(&GoalCharts, Vec<Share>)> =
        charts.goals.iter().map(|goal| (goal, goal.shares())).collect();
    let most = goals.iter().map(|(_, shares)| total(shares)).max().unwrap_or_default();
    // Where most of the person's own time is owed stands first.
    goals.sort_by_key(|(_, shares)| std::cmp::Reverse(of(shares, Whom::You)));
    html! {
        section.charts aria-label="Where the time went" {
            (view.heading("Where the time went"))
            @if all.is_empty() { p.since { "No lane was registered yet, so nothing waited." } } @else {
                (listed(&all))
                @if goals.len() > 1 {
                    figure.shares {
                        @for (goal, shares) in goals.iter().take(GOALS) {
                            div.row { a.label href={ "/goals/" (goal.id) } { (goal.id) } (bar(shares, most, goal.id.as_str())) }
                        }
                        @if goals.len() > GOALS { p.since { (goals.len() - GOALS) " more goals" } }
                        (table("Where each goal's time went, as a table", &["goal", "on", "for", "of its lanes' time"], html! {
                            @for (goal, shares) in &goals { @for one in shares { (row(goal.id.as_str(), one, total(shares))) } }
                        }))
                    }
                }
            }
        }
    }
}

/// Of one goal.
pub fn of_goal(goal: &GoalCharts, view: &View<'_>) -> Markup {
    let shares = goal.shares();
    html! {
        (view.heading("Where the time went"))
        @if shares.is_empty() { p.since { "No lane was registered yet, so nothing waited." } } @else {
            (listed(&shares))
        }
    }
}

fn total(shares: &[Share]) -> i64 {
    shares.iter().map(|share| share.seconds).sum()
}

fn of(shares: &[Share], whom: Whom) -> i64 {
    shares.iter().find(|share| share.whom == whom).map_or(0, |share| share.seconds)
}

/// One bar, and each part in words beside its mark.
fn listed(shares: &[Share]) -> Markup {
    let all = total(shares);
    html! {
        figure.shares {
            (bar(shares, all, "All lanes"))
            ul.parts {
                @for one in shares {
                    li { (swatch(one.whom)) b { (length(one.seconds)) } " " (one.whom.words()) " " span.since { (percent(one.seconds, all)) } }
                }
            }
            p.since { (length(all)) " of lanes' time in all: lanes that wait at once each count." }
            (table("Where the time went, as a table", &["of", "on", "for", "of the time"], html! { @for one in shares { (row("all lanes", one, all)) } }))
        }
    }
}

fn percent(part: i64, whole: i64) -> String {
    let points = i128::from(part) * 1000 / i128::from(whole.max(1));
    if points == 0 { "under 0.1 %".to_owned() } else { format!("{}.{} %", points / 10, points % 10) }
}

fn row(whose: &str, one: &Share, all: i64) -> Markup {
    html! {
        tr { th scope="row" { (whose) } td { (one.whom.words()) } td { (length(one.seconds)) } td { (percent(one.seconds, all)) } }
    }
}

/// All parts on one line that is as long as `most`.
fn bar(shares: &[Share], most: i64, whose: &str) -> Markup {
    let words: Vec<String> =
        shares.iter().map(|one| format!("{} {}", one.whom.words(), length(one.seconds))).collect();
    let mut begun = 0;
    let mut parts = Vec::new();
    for one in shares {
        parts.push((begun, one));
        begun += one.seconds;
    }
    html! {
        svg.bar width="100%" height="20" role="img" aria-label={ (whose) ": " (words.join("; ")) } focusable="false" {
            @for (from, one) in parts {
                rect x=(share(from, most)) width=(share(one.seconds, most)) y="0" height="20"
                    class=(one.whom.class()) fill=[fill(one.whom.class())] {
                    title { (one.whom.words()) ", " (length(one.seconds)) }
                }
            }
        }
    }
}
