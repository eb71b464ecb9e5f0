//! Charts, drawn by the server: no script is needed, and behind each stands a table.
//!
//! What a mark means is told by its place, height and pattern as well as by its colour.

mod burn;
mod days;
mod draw;
mod session;
mod shares;
mod timeline;

use jiff::{SignedDuration, Timestamp};
use loopx_contract::{GoalId, SessionFacts};
use maud::{Markup, html};

use super::Shell;
use crate::app::board::Board;
use crate::app::charting::{Charts, GoalCharts, days as counted};
use crate::app::placing::Place;
use crate::app::windows;
use crate::web::feed::Cursor;

pub use session::line as of_session;

use draw::{View, patterns};

/// How many lanes are drawn on the page of all goals.
const LANES: usize = 60;

/// How far back the page looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// A day.
    #[default]
    Day,
    /// A week.
    Week,
}

impl Reach {
    /// As an address names it.
    pub fn parse(word: Option<&str>) -> Self {
        if word == Some("week") { Self::Week } else { Self::Day }
    }

    /// How long that is.
    pub const fn length(self) -> SignedDuration {
        match self {
            Self::Day => SignedDuration::from_hours(24),
            Self::Week => SignedDuration::from_hours(7 * 24),
        }
    }

    /// In words.
    const fn words(self) -> &'static str {
        match self {
            Self::Day => "the last 24 hours",
            Self::Week => "the last 7 days",
        }
    }
}

/// The page over all goals.
pub fn page(board: &Board, charts: &Charts, reach: Reach, cursor: Cursor) -> Markup {
    let view = View::of(charts, &board.zone);
    let main = html! {
        h1 { "Charts of " (reach.words()) }
        (reaches("/charts", reach))
        (patterns())
        @if charts.goals.is_empty() && charts.damaged.is_empty() { (empty()) } @else {
            @for goal in &charts.damaged { p.failure { "The log of " (goal) " is damaged: nothing of it is drawn." } }
            (shares::of_goals(charts, &view))
            (timeline::of(&charts.goals, &view, LANES))
            (remarks(charts, &charts.goals, &view))
            (days::of(&counted::sum(charts.goals.iter().map(|goal| goal.days.as_slice())), "all goals", &view))
            (burn::of(charts.goals.iter().flat_map(|goal| goal.limits.iter().map(move |limit| (&goal.id, limit))), &view))
            (burn::windows(&windows::of(sessions(board, None), charts.to), &view))
            (zoned(&view))
        }
    };
    Shell::of("Charts · LoopX", main).following(board, cursor).page()
}

/// The charts on a goal's page.
pub fn of_goal(board: &Board, charts: &Charts, reach: Reach) -> Markup {
    let Some(goal) = charts.goals.first() else { return html! {} };
    let view = View::of_one(charts, &board.zone);
    html! {
        section.charts #charts aria-labelledby="charts-heading" {
            h2 #charts-heading { "Charts of " (reach.words()) }
            (reaches(&format!("/goals/{}", goal.id), reach))
            (patterns())
            (shares::of_goal(goal, &view))
            (timeline::of(std::slice::from_ref(goal), &view, LANES))
            (remarks(charts, std::slice::from_ref(goal), &view))
            (days::of(&goal.days, goal.id.as_str(), &view))
            (burn::of(goal.limits.iter().map(|limit| (&goal.id, limit)), &view))
            (burn::windows(&windows::of(sessions(board, Some(&goal.id)), charts.to), &view))
            (zoned(&view))
        }
    }
}

/// In place of charts that took too long.
pub fn later(goal: &GoalId) -> Markup {
    html! {
        section.charts #charts {
            h2 { "Charts" }
            p.since { "The log is long, and is still being walked. " a href={ "/goals/" (goal) "#charts" } { "Load again" } " in a moment." }
        }
    }
}

fn reaches(path: &str, reach: Reach) -> Markup {
    let to = |one: Reach, query: &str, word: &str| {
        html! { a href={ (path) (query) "#main" } aria-current=[(one == reach).then_some("true")] { (word) } }
    };
    html! {
        nav.reach aria-label="How far back" { (to(Reach::Day, "?reach=day", "24 hours")) (to(Reach::Week, "?reach=week", "7 days")) }
    }
}

/// What the timeline does not say.
fn remarks(charts: &Charts, goals: &[GoalCharts], view: &View<'_>) -> Markup {
    let grain = goals.iter().filter_map(|goal| goal.grain).max();
    html! {
        p.since {
            "By the log. A turn that is over is drawn where its runtime's records tell of it; where none does, what "
            "sessions did is not recorded, and not guessed."
            @if !charts.turns_are_whole { " Not all session files are read yet: more turns may come." }
            @if let Some(grain) = grain {
                " So much was recorded that what lasted less than " (draw::length(grain.as_secs())) " may be missing."
            }
            @if let Some(late) = view.late(goals) { " The log went on since " (view.clock(late)) ": load again for the rest." }
        }
    }
}

fn zoned(view: &View<'_>) -> Markup {
    html! { p.since { "Times and days are those of " (view.zone_name()) "." } }
}

fn empty() -> Markup {
    html! {
        section.empty {
            h2 { "Nothing to draw yet" }
            p { "Charts begin with the first goal: " code { "loopx init" } " in a project's folder adds one." }
        }
    }
}

fn sessions<'a>(board: &'a Board, only: Option<&'a GoalId>) -> impl Iterator<Item = &'a SessionFacts> {
    let of = move |place: &Place| match place {
        Place::Lane(goal, _) | Place::Goal(goal) => only.is_none_or(|only| only == goal),
        Place::Nowhere => only.is_none(),
    };
    board.overview.sessions.iter().filter(move |view| of(&view.place)).map(|view| &view.facts)
}

/// An instant that lies in a window.
fn inside(at: Timestamp, from: Timestamp, to: Timestamp) -> bool {
    from <= at && at <= to
}
