//! How it is drawn.

mod list;
mod parts;
mod popup;
mod tone;

use jiff::Timestamp;
use loopx_contract::WaitingOn;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::detail;
use super::model::{Model, Over, Place, View};
use super::sheet::Sheet;
use super::text::{cut, width};
use crate::app::board::Board;
use crate::app::reading::{self, Reading};
use tone::{bold, dim, tone};

/// Fewer rows than this have no place for what is selected in full.
const SMALL: u16 = 16;

/// From this many columns on it stands beside the rows, and else below them.
const WIDE: u16 = 120;

/// A look that is older than this, in seconds, is said to be.
const OLD: i64 = 45;

/// Draws all of it.
pub fn draw(sheet: &mut Sheet, model: &mut Model, now: Timestamp) {
    let area = sheet.area;
    let trail = u16::from(model.view().place != Place::Lanes && area.height > 4);
    let (top, rest) = split(area, 1);
    let (rest, bottom) = split(rest, rest.height.saturating_sub(1));
    let (path, middle) = split(rest, trail);
    sheet.line(top, headline(model, now, usize::from(area.width)));
    sheet.line(path, self::trail(model));
    body(sheet, middle, model, now);
    sheet.line(bottom, footer(model, usize::from(area.width)));
    popup::draw(sheet, model);
}

/// So many rows from the top, and those below.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (Rect { height: rows, ..area }, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// All but so many columns, and those at the right.
fn beside(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    let left = area.width - columns;
    (Rect { width: left, ..area }, Rect { x: area.x + left, width: columns, ..area })
}

/// The answer, before anything else is read. What is filtered away waits all the same.
fn headline(model: &Model, now: Timestamp, columns: usize) -> Line<'static> {
    let Some(board) = model.board() else { return Line::styled("looking …", dim()) };
    let lanes = || board.overview.goals.iter().flat_map(|goal| &goal.lanes);
    let whom = |lane: &loopx_core::Decision| lane.projection.first_screen.waiting_on;
    let waits = board.waits();
    let style = if waits.count() > 0 { tone(model, WaitingOn::User) } else { bold() };
    let mut spans = vec![Span::styled(reading::headline(waits), style)];
    let mut counts: Vec<(Reading, WaitingOn, usize)> = Vec::new();
    for lane in lanes().filter(|lane| whom(lane) != WaitingOn::User) {
        let reading = Reading::of_lane(lane);
        match counts.iter_mut().find(|(known, ..)| known.of_lanes == reading.of_lanes) {
            Some((.., count)) => *count += 1,
            None => counts.push((reading, whom(lane), 1)),
        }
    }
    counts.sort_by_key(|(_, whom, _)| whom.attention());
    for (Reading { shape, of_lanes, .. }, whom, count) in counts {
        spans.push(Span::raw("  "));
        spans.push(Span::styled(format!("{shape} {count} {of_lanes}"), tone(model, whom)));
    }
    let looked = model.looked_at.filter(|at| now.duration_since(*at).as_secs() > OLD);
    if let Some(at) = looked {
        spans.insert(0, Span::styled(format!("as of {}: ", reading::ago(Some(at), now)), bold()));
    }
    // On a narrow terminal the answer stands, and the rest gives way whole.
    while spans.len() > 1 && spans.iter().map(|span| width(&span.content)).sum::<usize>() > columns {
        spans.truncate(spans.len().saturating_sub(2).max(1));
    }
    Line::from(spans)
}

/// Where this is.
fn trail(model: &Model) -> Line<'static> {
    let mut spans = vec![Span::styled("All lanes", dim())];
    for View { place, .. } in model.trail().skip(1) {
        spans.push(Span::styled(" › ", dim()));
        let name = match place {
            Place::Lanes => "all lanes".to_owned(),
            Place::Goal(goal) => goal.to_string(),
            Place::Lane(goal, agent) => format!("{goal} / {agent}"),
            Place::Session(session) => super::text::brief(&session.to_string()),
        };
        spans.push(Span::styled(name, bold()));
    }
    Line::from(spans)
}

fn body(sheet: &mut Sheet, area: Rect, model: &mut Model, now: Timestamp) {
    if !model.is_list() {
        return in_full(sheet, area, model, now);
    }
    let height = (area.height * 2 / 5).clamp(9, 14);
    let (is_wide, is_high) = (area.width >= WIDE, area.height >= SMALL);
    let (rows, detail) = match (is_wide, is_high) {
        (true, _) => beside(area, (area.width * 2 / 5).min(96)),
        (false, true) => split(area, area.height.saturating_sub(height)),
        (false, false) => split(area, area.height),
    };
    model.list = rows;
    list::draw(sheet, rows, model, now);
    if is_wide {
        let (border, inner) = (Rect { width: 1, ..detail }, beside(detail, detail.width.saturating_sub(2)).1);
        sheet.lines(border, std::iter::repeat_n(Line::styled("│", dim()), usize::from(border.height)));
        let Some((title, parts)) = selected(model, now) else { return };
        let headed = std::iter::once(detail::looks(detail::Look::Bold, title)).chain(parts);
        sheet.lines(inner, parts::lines(model, &headed.collect::<Vec<_>>(), inner.width));
    } else if is_high {
        let (border, inner) = split(detail, 1);
        let columns = usize::from(border.width);
        let (title, parts) = selected(model, now).unwrap_or_default();
        let title =
            if title.is_empty() { title } else { format!(" {} ", cut(&title, columns.saturating_sub(4))) };
        let rule = "─".repeat(columns.saturating_sub(width(&title)));
        sheet.line(border, Line::from(vec![Span::styled(title, bold()), Span::styled(rule, dim())]));
        sheet.lines(inner, parts::lines(model, &parts, inner.width));
    }
}

fn selected(model: &Model, now: Timestamp) -> Option<detail::Full> {
    let goal = match &model.view().place {
        Place::Goal(goal) => Some(goal),
        Place::Lanes | Place::Lane(..) | Place::Session(_) => None,
    };
    detail::of(model.board()?, goal, &model.line()?.id, now)
}

/// A lane or a session that fills the screen.
fn in_full(sheet: &mut Sheet, area: Rect, model: &mut Model, now: Timestamp) {
    let gone = || vec![detail::looks(detail::Look::Plain, "it is gone: Esc goes back")];
    let parts = match (model.board(), &model.view().place) {
        (Some(board), Place::Lane(goal, agent)) => match board.find(goal, agent) {
            Some(card) => lane_and_why(board, &card, now),
            None => gone(),
        },
        (Some(board), Place::Session(session)) => match board.session(*session) {
            Some(view) => {
                let (title, mut parts) = detail::session(board, view, now);
                parts.insert(0, detail::looks(detail::Look::Bold, title));
                parts
            }
            None => gone(),
        },
        (Some(_), Place::Lanes | Place::Goal(_)) | (None, _) => Vec::new(),
    };
    let lines = parts::lines(model, &parts, area.width);
    let most = lines.len().saturating_sub(usize::from(area.height));
    let view = model.view_mut();
    view.down = view.down.min(most);
    let down = view.down;
    model.list = area;
    sheet.lines(area, lines.into_iter().skip(down));
}

fn lane_and_why(board: &Board, card: &crate::app::board::Card<'_>, now: Timestamp) -> Vec<detail::Part> {
    let (_, mut parts) = detail::lane(card, now);
    parts.extend(detail::why(board, card));
    parts
}

/// What can be done next, or what has to be said.
fn footer(model: &Model, columns: usize) -> Line<'static> {
    if let Over::Filter = model.over {
        return Line::raw(format!("/{}▏ Enter keeps it, Esc shows all", model.view().filter.text()));
    }
    if let Some(said) = &model.said {
        return Line::styled(cut(said, columns), bold());
    }
    if let Some(failure) = &model.failure {
        let words = format!("can't look: {}; what stands here is older", failure.message);
        return Line::styled(cut(&words, columns), tone(model, WaitingOn::User));
    }
    let filter = model.view().filter.text();
    if !filter.is_empty() {
        return Line::styled(cut(&format!("/{filter}  Esc shows all"), columns), dim());
    }
    let hints: &[&str] = match model.view().place {
        Place::Lanes => &[
            "j k move",
            "? help",
            "q end",
            "a act",
            "Enter open",
            "n on you",
            "/ filter",
            ": go to",
            "w why",
            "t todo",
            "u undo",
            "m mouse",
        ],
        Place::Goal(_) => &[
            "j k move",
            "? help",
            "Esc back",
            "a act",
            "Enter open",
            "n on you",
            "/ filter",
            ": go to",
            "w why",
            "t todo",
            "u undo",
        ],
        Place::Lane(..) => {
            &["Esc back", "? help", "a act", "j k scroll", "Enter session", ": go to", "t todo"]
        }
        Place::Session(_) => &["Esc back", "? help", "j k scroll", "Enter goal", ": go to"],
    };
    let mut words = String::new();
    for hint in hints.iter().take_while({
        let mut taken = 0;
        move |hint| {
            taken += width(hint) + 2;
            taken <= columns + 2
        }
    }) {
        words += hint;
        words += "  ";
    }
    Line::styled(words.trim_end().to_owned(), dim())
}
