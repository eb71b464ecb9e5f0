//! Runs by what they came to and turns that ended, day by day.

use maud::{Markup, html};

use super::draw::{View, fill, table};
use crate::app::charting::days::{Day, Outcome};

/// How high the bars may be.
const HIGH: u64 = 110;
/// What stands above the highest.
const ABOVE: u64 = 16;

/// The last days.
pub fn of(days: &[Day], whose: &str, view: &View<'_>) -> Markup {
    let runs: u64 = days.iter().map(|day| day.runs.total()).sum();
    let turns: u64 = days.iter().map(|day| day.turns).sum();
    html! {
        section.charts aria-label="Turns and runs a day" {
            (view.heading("Runs a day, by what they came to"))
            @if runs == 0 { p.since { "No run was recorded in " (days.len()) " days: " code { "loopx run record" } " records one." } } @else {
                (legend(days))
                (bars(days, &format!("{runs} runs of {whose} in {} days", days.len()), &|day| {
                    Outcome::ALL.iter().map(|outcome| (outcome.class(), day.runs.count(*outcome))).collect()
                }))
            }
            (view.heading("Turns a day, as the runtimes' records tell"))
            @if turns == 0 { p.since { "No turn of a session here is known to have ended in " (days.len()) " days." } } @else {
                (bars(days, &format!("{turns} turns of {whose} in {} days", days.len()), &|day| vec![("o-turns", day.turns)]))
            }
            @if runs + turns > 0 { (behind(days)) }
        }
    }
}

fn legend(days: &[Day]) -> Markup {
    html! {
        ul.legend aria-label="What the bars mean" {
            @for outcome in Outcome::ALL {
                @let count: u64 = days.iter().map(|day| day.runs.count(outcome)).sum();
                @if count > 0 {
                    li {
                        svg.swatch width="14" height="14" aria-hidden="true" focusable="false" {
                            rect width="14" height="14" class=(outcome.class()) fill=[fill(outcome.class())] {}
                        }
                        b { (count) } " " (outcome.words())
                    }
                }
            }
        }
    }
}

/// A bar a day, from zero up.
fn bars(days: &[Day], words: &str, parts: &dyn Fn(&Day) -> Vec<(&'static str, u64)>) -> Markup {
    let drawn: Vec<(&Day, Vec<(&'static str, u64)>)> = days.iter().map(|day| (day, parts(day))).collect();
    let total = |parts: &[(&str, u64)]| parts.iter().map(|(_, count)| count).sum::<u64>();
    let most = drawn.iter().map(|(_, parts)| total(parts)).max().unwrap_or_default().max(1);
    let floor = ABOVE + HIGH;
    let column = |number: usize, of_hundred: usize| {
        let points = (number * 100 + of_hundred) * 100 / days.len().max(1);
        format!("{}.{:02}%", points / 100, points % 100)
    };
    html! {
        figure.days {
            svg width="100%" height=(floor + 34) role="img" aria-label=(words) focusable="false" {
                line.base x1="0" x2="100%" y1=(floor) y2=(floor) {}
                @for (number, (day, parts)) in drawn.iter().enumerate() {
                    @let all = total(parts);
                    @for (class, (y, height)) in stacked(parts, most) {
                        rect x=(column(number, 15)) width=(column(0, 70)) y=(y) height=(height) class=(class) fill=[fill(class)] {}
                    }
                    @if all > 0 {
                        text x=(column(number, 50)) y=(floor - all * HIGH / most - 4) text-anchor="middle" { (short(all)) }
                    }
                    text.day x=(column(number, 50)) y=(floor + 15) text-anchor="middle" { (day.date.day()) }
                    @if number == 0 || day.date.day() == 1 {
                        text.day x=(column(number, 50)) y=(floor + 30) text-anchor="middle" { (day.date.strftime("%b").to_string()) }
                    }
                }
            }
        }
    }
}

/// Where each part of a bar stands: the first at the bottom. What is there has a height, however small its share.
fn stacked(parts: &[(&'static str, u64)], most: u64) -> Vec<(&'static str, (u64, u64))> {
    let mut sum = 0;
    let mut stacked = Vec::new();
    for (class, count) in parts.iter().filter(|(_, count)| *count > 0) {
        let bottom = sum * HIGH / most;
        sum += count;
        let top = (sum * HIGH / most).max(bottom + 1);
        stacked.push((*class, (ABOVE + HIGH - top, top - bottom)));
    }
    stacked
}

/// A count in as much room as a bar has.
fn short(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{}k", count / 1000),
        _ => format!("{}M", count / 1_000_000),
    }
}

fn behind(days: &[Day]) -> Markup {
    let columns: Vec<&str> =
        ["day"].into_iter().chain(Outcome::ALL.map(Outcome::words)).chain(["turns that ended"]).collect();
    table(
        "Runs and turns a day, as a table",
        &columns,
        html! {
            @for day in days.iter().rev() {
                tr {
                    th scope="row" { (day.date) }
                    @for outcome in Outcome::ALL { td { (day.runs.count(outcome)) } }
                    td { (day.turns) }
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_on_each_other_from_zero_up() {
        assert_eq!(stacked(&[("a", 1), ("b", 0), ("c", 3)], 4), [("a", (99, 27)), ("c", (16, 83))]);
        assert_eq!(stacked(&[("a", 1)], 10_000), [("a", (125, 1))], "what is there is seen");
        assert!(stacked(&[("a", 0)], 1).is_empty());
    }
}
