//! What colour and weight say. Without colour, shapes and words say the same.

use loopx_contract::WaitingOn;
use ratatui::style::{Color, Modifier, Style};

use crate::app::reading::Reading;
use crate::tui::model::Model;
use crate::ui::Tone;

/// By whom it waits on.
pub fn tone(model: &Model, waiting_on: WaitingOn) -> Style {
    let style = match Reading::of(waiting_on).tone {
        Tone::Alert => bold().fg(Color::Red),
        Tone::Warn => Style::new().fg(Color::Yellow),
        Tone::Good => Style::new().fg(Color::Green),
        Tone::Dim => dim(),
        Tone::Bold => bold(),
    };
    if model.colored { style } else { Style { fg: None, ..style } }
}

/// It matters least.
pub fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// It matters most.
pub fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}
