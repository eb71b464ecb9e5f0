//! Pages, whole before any script runs.

pub mod acts;
pub mod charts;
pub mod first;
mod forms;
pub mod goal;
pub mod history;
pub mod jump;
pub mod lane;
mod parts;
pub mod session;

use loopx_contract::GoalId;
use maud::{DOCTYPE, Markup, html};

use super::feed::Cursor;
use crate::app::board::Board;
use crate::error::CliError;

/// Around every page: its title, what leads elsewhere, and what it says.
struct Shell<'a> {
    title: &'a str,
    /// The place in the changes that it was made at, where it follows them.
    cursor: Option<Cursor>,
    /// The goal that it is about, where it is about one.
    goal: Option<&'a GoalId>,
    /// How many things wait on the person, as far as it tells.
    waits: usize,
    main: Markup,
}

impl<'a> Shell<'a> {
    const fn of(title: &'a str, main: Markup) -> Self {
        Self { title, cursor: None, goal: None, waits: 0, main }
    }

    /// It follows the changes after this place, and tells how many things wait on the person.
    fn following(self, board: &Board, cursor: Cursor) -> Self {
        Self { cursor: Some(cursor), waits: board.waits().count(), ..self }
    }

    fn page(self) -> Markup {
        let Shell { title, cursor, goal, waits, main } = self;
        let icon = if waits > 0 { "/assets/icon-you.svg" } else { "/assets/icon.svg" };
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { @if waits > 0 { "(" (waits) ") " } (title) }
                    link #icon rel="icon" type="image/svg+xml" href=(icon);
                    link rel="stylesheet" href="/assets/loopx.css";
                    link rel="stylesheet" href="/assets/charts.css";
                    script type="module" src="/assets/loopx.js" {}
                    @if cursor.is_some() { noscript { meta http-equiv="refresh" content="15"; } }
                }
                body data-cursor=[cursor] data-goal=[goal] data-version=(env!("CARGO_PKG_VERSION")) {
                    a.skip href="#main" { "Skip to what the page says" }
                    header.top {
                        a.brand href="/" { span.mark aria-hidden="true" {} "LoopX" }
                        nav aria-label="Views" { a href="/" { "Lanes" } a href="/charts" { "Charts" } a href="/history" { "History" } a href="/pair" { "Pairing" } a #jump href="/jump" { "Go to …" } }
                        @if cursor.is_some() { p.stream #stream role="status" { "as of the last load" } }
                    }
                    p.banner #banner role="alert" hidden {}
                    main #main tabindex="-1" { (main) }
                }
            }
        }
    }
}

/// The page that says what went wrong, with the way out.
pub fn wrong(error: &CliError) -> Markup {
    let main = html! {
        h1 { (error.message) }
        @if let Some(hint) = &error.hint { p { (parts::sentence(hint)) } }
        p { a href="/" { "All lanes" } " or " a href="/jump" { "all there is to go to" } }
    };
    Shell::of("Not here · LoopX", main).page()
}
