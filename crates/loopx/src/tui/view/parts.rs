//! Texts with names before them, in so many columns.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::tone::{bold, dim, tone};
use crate::tui::detail::{Look, Part};
use crate::tui::model::Model;
use crate::tui::text::{fit, wrap};

/// Columns of the names.
const LEAD: usize = 12;

/// Fewer columns than this have no place for names beside texts.
const NARROW: usize = 34;

/// The lines of these parts.
pub fn lines(model: &Model, parts: &[Part], columns: u16) -> Vec<Line<'static>> {
    let columns = usize::from(columns);
    let mut lines = Vec::new();
    for Part { lead, text, look } in parts {
        let style = match look {
            Look::Plain => Style::new(),
            Look::Bold => bold(),
            Look::Dim => dim(),
            Look::Whom(whom) => tone(model, *whom),
        };
        let beside = !lead.is_empty() && columns >= NARROW;
        if !lead.is_empty() && !beside {
            lines.push(Line::styled((*lead).to_owned(), dim()));
        }
        let room = if beside { columns - LEAD } else { columns };
        for (at, piece) in wrap(text, room).into_iter().enumerate() {
            let mut spans = Vec::new();
            if beside {
                spans.push(Span::styled(fit(if at == 0 { lead } else { "" }, LEAD), dim()));
            }
            spans.push(Span::styled(piece, style));
            lines.push(Line::from(spans));
        }
    }
    lines
}
