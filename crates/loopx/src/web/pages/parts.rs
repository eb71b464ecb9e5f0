//! What several pages show alike.

use jiff::Timestamp;
use loopx_contract::WaitingOn;
use loopx_core::first_screen::instant;
use maud::{Markup, html};

use crate::app::reading::Reading;

/// Whom something waits on: by shape, word and colour.
pub fn whom(waiting_on: WaitingOn, reading: Reading) -> Markup {
    let Reading { shape, word, .. } = reading;
    html! { span.whom data-whom=(waiting_on.word()) { span.shape aria-hidden="true" { (shape) } (word) } }
}

/// An instant. A script says how long ago it was.
pub fn time(at: Timestamp) -> Markup {
    html! { time datetime=(instant(at)) { (instant(at)) } }
}

/// A fact with its name.
#[expect(clippy::needless_pass_by_value, reason = "it is made in place")]
pub fn fact(name: &str, value: Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}
