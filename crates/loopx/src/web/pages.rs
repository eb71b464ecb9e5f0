//! Pages, whole before any script runs.

pub mod acts;
pub mod charts;
pub mod first;
mod forms;
pub mod goal;
pub mod history;
pub mod lane;
mod parts;
pub mod session;

use loopx_contract::GoalId;
use maud::{DOCTYPE, Markup, html};

/// Around every page: its title, what leads elsewhere, and what it says.
struct Shell<'a> {
    title: &'a str,
    /// The place in the changes that it was made at, where it follows them.
    cursor: Option<super::feed::Cursor>,
    /// The goal that it is about, where it is about one.
    goal: Option<&'a GoalId>,
    main: Markup,
}

impl Shell<'_> {
    fn page(self) -> Markup {
        let Shell { title, cursor, goal, main } = self;
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    link rel="icon" type="image/svg+xml" href="/assets/icon.svg";
                    link rel="stylesheet" href="/assets/loopx.css";
                    link rel="stylesheet" href="/assets/charts.css";
                    script type="module" src="/assets/loopx.js" {}
                    noscript { meta http-equiv="refresh" content="15"; }
                }
                body data-cursor=[cursor] data-goal=[goal] {
                    a.skip href="#main" { "Skip to the lanes" }
                    header.top {
                        a.brand href="/" aria-current=[cursor.filter(|_| goal.is_none()).map(|_| "page")] { span.mark aria-hidden="true" {} "LoopX" }
                        nav aria-label="Views" { a href="/" { "Lanes" } a href="/charts" { "Charts" } a href="/history" { "History" } a href="/pair" { "Pairing" } }
                        p.stream #stream role="status" { "as of the last load" }
                    }
                    p.banner #banner role="alert" hidden {}
                    main #main tabindex="-1" { (main) }
                }
            }
        }
    }
}
