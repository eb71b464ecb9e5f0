//! Rows: only those that are seen are made into text.

use jiff::Timestamp;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::tone::{bold, dim, tone};
use crate::app::reading;
use crate::tui::model::{Model, Place};
use crate::tui::rows::{self, Row};
use crate::tui::sheet::Sheet;
use crate::tui::text::{cut, fit, width, wrap};

/// The most columns of a name.
const NAME: usize = 28;

/// Columns of the word that says how a row stands.
const WORD: usize = 10;

/// Columns of how long it has been so.
const SINCE: usize = 7;

/// How many columns each of them gets; none where there is no room.
#[derive(Clone, Copy)]
struct Columns {
    all: usize,
    word: usize,
    name: usize,
    since: usize,
}

impl Columns {
    fn of(rows: &[Row], all: usize) -> Self {
        let names = rows.iter().filter_map(Row::line).map(|line| width(&line.name)).max().unwrap_or(0);
        let name = names.min(NAME).min((all / 3).max(8));
        let word = if all < 50 { 0 } else { WORD };
        let since = if all < 60 { 0 } else { SINCE };
        Self { all, word, name, since }
    }
}

/// Draws them.
pub fn draw(sheet: &mut Sheet, area: Rect, model: &mut Model, now: Timestamp) {
    if model.rows().is_empty() {
        return sheet.lines(area, wrap(none(model), usize::from(area.width)).into_iter().map(Line::raw));
    }
    let selected = model.selected();
    let height = usize::from(area.height);
    let down = scrolled(model.view().down, selected.unwrap_or(0), model.rows().len(), height);
    model.view_mut().down = down;
    let columns = Columns::of(model.rows(), usize::from(area.width));
    let rows = model.rows().iter().enumerate().skip(down).take(height);
    let lines = rows.map(|(at, row)| match row {
        Row::Heading { words, count, whom } => {
            let style = whom.map_or(bold(), |whom| tone(model, whom)).add_modifier(Modifier::BOLD);
            Line::from(vec![Span::styled(*words, style), Span::styled(format!(" {count}"), dim())])
        }
        Row::Words(words) => Line::styled(format!("  {}", cut(words, columns.all.saturating_sub(2))), dim()),
        Row::Line(line) => self::line(model, line, selected == Some(at), columns, now),
    });
    sheet.lines(area, lines);
}

/// The first row that is shown, so that the one that is selected is, and what stands above the first one is too.
fn scrolled(down: usize, selected: usize, all: usize, height: usize) -> usize {
    let most = all.saturating_sub(height);
    let margin = usize::from(height > 4);
    let lowest = (selected + 1 + margin).saturating_sub(height);
    let highest = selected.saturating_sub(margin);
    down.max(lowest).min(highest).min(most)
}

fn line(model: &Model, line: &rows::Line, selected: bool, columns: Columns, now: Timestamp) -> Line<'static> {
    let Columns { all, word, name, since } = columns;
    let mut spans = vec![
        Span::raw(if selected { "›" } else { " " }),
        Span::styled(format!("{} ", line.shape), tone(model, line.whom)),
    ];
    if word > 0 {
        spans.push(Span::styled(format!("{} ", fit(&line.word, word)), tone(model, line.whom)));
    }
    spans.push(Span::styled(format!("{} ", fit(&line.name, name)), bold()));
    if since > 0 {
        let age = line.since.map(|at| reading::age(at, now)).unwrap_or_default();
        spans.push(Span::styled(format!("{age:>since$} "), dim()));
    }
    let taken: usize = spans.iter().map(|span| width(&span.content)).sum();
    let room = all.saturating_sub(taken);
    spans.push(Span::raw(if selected { fit(&line.text, room) } else { cut(&line.text, room) }));
    let style = if selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    Line::from(spans).style(style)
}

fn none(model: &Model) -> &'static str {
    match (model.board(), model.view().filter.text().is_empty(), &model.view().place) {
        (None, ..) => "looking …",
        (Some(_), false, _) => "nothing here holds these words: Esc shows all",
        (Some(_), true, Place::Lanes) => {
            "no goal yet: `loopx init` in a project's folder adds one, `loopx demo` shows what it looks like"
        }
        (Some(_), true, _) => "nothing is here",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_selected_is_on_the_screen() {
        for height in 1..12 {
            for all in 1..30 {
                for selected in 0..all {
                    for down in [0, 3, 29] {
                        let first = scrolled(down, selected, all, height);
                        assert!(
                            (first..first + height).contains(&selected),
                            "{height} {all} {selected} {first}"
                        );
                        assert!(first <= all.saturating_sub(height), "{height} {all} {selected} {first}");
                    }
                }
            }
        }
    }
}
