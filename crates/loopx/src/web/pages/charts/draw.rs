//! What all charts are drawn with. Places are shares of the width: a chart is as wide as its room, and its text as large
//! as text elsewhere.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::inside;
use crate::app::charting::{Charts, GoalCharts};

/// A window of time, and where it is looked at from.
pub struct View<'a> {
    /// Its first instant, UTC.
    pub from: Timestamp,
    /// Its last: now, UTC.
    pub to: Timestamp,
    zone: &'a TimeZone,
    /// Whether it is about one goal, on that goal's page.
    pub is_of_one: bool,
}

impl<'a> View<'a> {
    /// That of charts of all goals.
    pub const fn of(charts: &Charts, zone: &'a TimeZone) -> Self {
        Self::over(charts.from, charts.to, zone)
    }

    /// That of one goal's, on its page.
    pub const fn of_one(charts: &Charts, zone: &'a TimeZone) -> Self {
        Self { is_of_one: true, ..Self::of(charts, zone) }
    }

    /// What stands above a chart: on a goal's page it lies below the charts' own heading.
    pub fn heading(&self, words: &str) -> Markup {
        html! { @if self.is_of_one { h3 { (words) } } @else { h2 { (words) } } }
    }

    /// Any other.
    pub const fn over(from: Timestamp, to: Timestamp, zone: &'a TimeZone) -> Self {
        Self { from, to, zone, is_of_one: false }
    }

    /// Where an instant lies, as a share of the width.
    pub fn place(&self, at: Timestamp) -> String {
        share(self.millis(at), self.millis(self.to))
    }

    /// How wide a while is.
    pub fn width(&self, from: Timestamp, to: Timestamp) -> String {
        share(to.as_millisecond() - from.as_millisecond(), self.millis(self.to))
    }

    fn millis(&self, at: Timestamp) -> i64 {
        at.as_millisecond() - self.from.as_millisecond()
    }

    /// An instant as a clock shows it there, with its day where that is not today.
    pub fn clock(&self, at: Timestamp) -> String {
        let there = |at: Timestamp| at.to_zoned_datetime(self.zone.clone());
        let days =
            there(at).date().since(there(self.to).date()).map_or(i32::MAX, |span| span.get_days().abs());
        let shape = match days {
            0 => "%H:%M",
            1..=6 => "%a %H:%M",
            _ => "%-d %b %H:%M",
        };
        there(at).strftime(shape).to_string()
    }

    /// The time zone's name.
    pub fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// Where the spans of some goal end, if that is long before now.
    pub fn late(&self, goals: &[GoalCharts]) -> Option<Timestamp> {
        let ends = goals.iter().flat_map(|goal| &goal.lanes).filter_map(|lane| lane.spans.last());
        ends.map(|span| span.to).min().filter(|end| *end < self.to)
    }

    /// The hours of the day that are marked: a handful.
    fn ticks(&self) -> Vec<Timestamp> {
        let hours = (self.to.as_second() - self.from.as_second()) / 3600;
        let step = match hours {
            ..=2 => 1,
            3..=8 => 2,
            9..=30 => 6,
            _ => 24,
        };
        let mut tick = self.from.to_zoned_datetime(self.zone.clone()).start_of_day();
        let mut ticks = Vec::new();
        for _ in 0..400 {
            let Ok(day) = &tick else { break };
            let at = day.timestamp();
            if at > self.to {
                break;
            }
            if inside(at, self.from, self.to) {
                ticks.push(at);
            }
            tick = day.checked_add(jiff::Span::new().hours(step));
        }
        ticks
    }

    /// The times under a chart.
    pub fn axis(&self) -> Markup {
        let whole = self.millis(self.to).max(1);
        html! {
            svg.axis width="100%" height="22" aria-hidden="true" focusable="false" {
                @for at in self.ticks() {
                    @let part = self.millis(at) * 100 / whole;
                    line x1=(self.place(at)) x2=(self.place(at)) y1="0" y2="5" {}
                    // What would be cut off, or run into "now", goes without its name.
                    @if (4..=82).contains(&part) {
                        text x=(self.place(at)) y="18" text-anchor="middle" { (self.clock(at)) }
                    }
                }
                text x="100%" y="18" text-anchor="end" { "now" }
            }
        }
    }
}

/// A part of a whole in hundredths of a percent, as an attribute says it.
pub fn share(part: i64, whole: i64) -> String {
    let points = i128::from(part.max(0)) * 10_000 / i128::from(whole.max(1));
    let points = points.min(10_000);
    format!("{}.{:02}%", points / 100, points % 100)
}

/// A length as it is read: two units at most.
pub fn length(seconds: i64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds % 86_400 / 3600, seconds % 3600 / 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, 0, _) => format!("{days} d"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// The marks that have a pattern, with its lines.
const PATTERNS: [(&str, &str); 9] = [
    ("w-controller", "M-2,2 L2,-2 M0,8 L8,0 M6,10 L10,6"),
    ("w-runtime", "M0,0 L8,8 M0,8 L8,0"),
    ("w-evidence", "M4,0 L4,8"),
    ("w-turn", "M0,4 L8,4"),
    ("o-progress", "M4,0 L4,8"),
    ("o-unknown", "M3,4 L5,4"),
    ("o-nothing", "M0,4 L8,4"),
    ("o-blocked", "M-2,2 L2,-2 M0,8 L8,0 M6,10 L10,6"),
    ("o-failed", "M0,0 L8,8 M0,8 L8,0"),
];

/// The patterns of marks, once a page.
pub fn patterns() -> Markup {
    html! {
        svg.patterns width="0" height="0" aria-hidden="true" focusable="false" {
            defs {
                @for (name, lines) in PATTERNS {
                    pattern id={ "p-" (name) } width="8" height="8" patternUnits="userSpaceOnUse" {
                        rect class={ "ground " (name) } width="8" height="8" {}
                        path class={ "stroke " (name) } d=(lines) {}
                    }
                }
            }
        }
    }
}

/// What fills a mark: its pattern where it has one.
pub fn fill(class: &str) -> Option<String> {
    PATTERNS.iter().any(|(name, _)| *name == class).then(|| format!("url(#p-{class})"))
}

/// What stands behind a chart.
#[expect(clippy::needless_pass_by_value, reason = "it is made in place")]
pub fn table(name: &str, columns: &[&str], rows: Markup) -> Markup {
    html! {
        details.behind {
            summary { "As a table" }
            div.scroll tabindex="0" role="region" aria-label=(name) {
                table {
                    thead { tr { @for column in columns { th scope="col" { (column) } } } }
                    tbody { (rows) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_lengths_are_said_as_they_are() {
        for (part, whole, said) in [
            (0, 10, "0.00%"),
            (1, 3, "33.33%"),
            (10, 10, "100.00%"),
            (-4, 10, "0.00%"),
            (12, 10, "100.00%"),
            (1, 0, "100.00%"),
        ] {
            assert_eq!(share(part, whole), said);
        }
        for (seconds, said) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3600, "1 h"),
            (3661, "1 h 1 min"),
            (86_400, "1 d"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(length(seconds), said);
        }
    }

    #[test]
    fn hours_are_marked_where_the_operator_is() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let view = View::over(at("2026-11-29T20:30:00Z"), at("2026-11-30T20:30:00Z"), &zone);
        let ticks: Vec<String> = view.ticks().into_iter().map(|at| view.clock(at)).collect();
        assert_eq!(ticks, ["00:00", "06:00", "12:00", "18:00"]);
        assert_eq!(view.place(at("2026-11-30T08:30:00Z")), "50.00%");
        assert_eq!(view.clock(at("2026-11-29T21:00:00Z")), "Sun 23:00");
    }
}
