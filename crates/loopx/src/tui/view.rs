//! How it is drawn.

use jiff::Timestamp;
use loopx_contract::WaitingOn;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, List, ListItem, ListState, Paragraph, Wrap};

use super::model::{KEYS, Mode, Model};
use crate::app::board::Card;
use crate::app::reading::{self, Reading};

/// Rows of the pane that shows the selected lane in full, its border included.
const DETAIL: u16 = 9;

/// Fewer rows than this have no place for it.
const SMALL: u16 = 18;

/// Draws all of it.
pub fn draw(frame: &mut Frame<'_>, model: &Model, now: Timestamp) {
    let area = frame.area();
    let detail = if area.height < SMALL { 0 } else { DETAIL };
    let rows = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(detail), Constraint::Length(1)];
    let [top, middle, below, bottom] = Layout::vertical(rows).areas(area);
    let cards = model.cards();
    let selected = model.selected(&cards);
    frame.render_widget(headline(model), top);
    lanes(frame, middle, model, &cards, selected, now);
    if let Some(card) = cards.get(selected) {
        frame.render_widget(in_full(model, card, now), below);
    }
    frame.render_widget(footer(model), bottom);
    if model.mode == Mode::Help {
        help(frame, area);
    }
}

fn tone(model: &Model, waiting_on: WaitingOn) -> Style {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let style = match waiting_on {
        WaitingOn::User | WaitingOn::Controller => bold.fg(Color::Red),
        WaitingOn::Runtime => Style::new().fg(Color::Yellow),
        WaitingOn::Agent => Style::new().fg(Color::Green),
        WaitingOn::ExternalEvidence | WaitingOn::None => dim(),
    };
    if model.colored { style } else { Style { fg: None, ..style } }
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// The answer, before anything else is read. What is filtered away waits all the same.
fn headline<'a>(model: &Model) -> Line<'a> {
    let cards = model.all();
    let on_you = cards.iter().filter(|card| card.waiting_on() == WaitingOn::User).count();
    let prompts = model.board().map_or(0, |board| board.prompts().count());
    let style = if on_you + prompts > 0 {
        tone(model, WaitingOn::User)
    } else {
        Style::new().add_modifier(Modifier::BOLD)
    };
    let mut spans = vec![Span::styled(reading::headline(on_you, prompts), style)];
    let mut counts: Vec<(Reading, WaitingOn, usize)> = Vec::new();
    for card in cards.iter().filter(|card| card.waiting_on() != WaitingOn::User) {
        let reading = card.reading();
        match counts.iter_mut().find(|(known, ..)| known.of_lanes == reading.of_lanes) {
            Some((.., count)) => *count += 1,
            None => counts.push((reading, card.waiting_on(), 1)),
        }
    }
    for (Reading { shape, of_lanes, .. }, whom, count) in counts {
        spans.push(Span::raw("  "));
        spans.push(Span::styled(format!("{shape} {count} {of_lanes}"), tone(model, whom)));
    }
    Line::from(spans)
}

fn lanes(
    frame: &mut Frame<'_>,
    area: Rect,
    model: &Model,
    cards: &[Card<'_>],
    selected: usize,
    now: Timestamp,
) {
    if cards.is_empty() {
        let words = match (model.board(), model.filter.is_empty()) {
            (None, _) => "looking …",
            (Some(_), false) => "no lane holds this word: Esc shows all",
            (Some(_), true) => "no goal yet: `loopx init` in a project's folder adds one",
        };
        return frame.render_widget(Paragraph::new(words).wrap(Wrap { trim: true }), area);
    }
    let names = cards.iter().map(|card| lane_name(card).chars().count()).max().unwrap_or(0).min(28);
    let item = |card: &Card<'_>| {
        let Reading { shape, word, .. } = card.reading();
        let since = card.since().map(|since| reading::age(since, now)).unwrap_or_default();
        let name = lane_name(card);
        ListItem::new(Line::from(vec![
            Span::styled(format!("{shape} {word:<10} "), tone(model, card.waiting_on())),
            Span::styled(format!("{name:<names$} "), Style::new().add_modifier(Modifier::BOLD)),
            Span::styled(format!("{since:>7} "), dim()),
            Span::raw(card.next_action()),
        ]))
    };
    let list =
        List::new(cards.iter().map(item)).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(Some(selected));
    frame.render_stateful_widget(list, area, &mut state);
}

fn lane_name(card: &Card<'_>) -> String {
    format!("{} / {}", card.goal(), card.agent())
}

/// The selected lane.
fn in_full<'a>(model: &Model, card: &Card<'_>, now: Timestamp) -> Paragraph<'a> {
    let screen = &card.decision.projection.first_screen;
    let Reading { shape, word, .. } = card.reading();
    let since = card.since().map(|since| format!(", for {}", reading::age(since, now)));
    let mut lines = vec![
        Line::from(vec![
            Span::styled(format!("{shape} {word}"), tone(model, card.waiting_on())),
            Span::styled(since.unwrap_or_default(), dim()),
        ]),
        Line::raw(card.next_action()),
    ];
    let quota = match card.decision.frees {
        Some(frees) => format!("{}, {}", screen.quota_state.word(), reading::frees(frees, now)),
        None => screen.quota_state.word().to_owned(),
    };
    let mut evidence = card.tier().map_or("no session", |tier| tier.word()).to_owned();
    let missing = card.missing();
    if !missing.is_empty() {
        evidence += &format!(", missing {}", missing.join(", "));
    }
    for (name, value) in [
        ("gate", screen.gate_state.word().to_owned()),
        ("quota", quota),
        ("validation", card.validation()),
        ("evidence", evidence),
        ("boundary", screen.boundary.stop_condition.as_str().to_owned()),
    ] {
        lines.push(Line::from(vec![Span::styled(format!("{name:<11}"), dim()), Span::raw(value)]));
    }
    let title = format!(" {} ", lane_name(card));
    Paragraph::new(lines).wrap(Wrap { trim: true }).block(Block::new().borders(Borders::TOP).title(title))
}

fn footer<'a>(model: &Model) -> Line<'a> {
    if let Some(failure) = &model.failure {
        return Line::styled(
            format!("can't look: {}; what stands here is older", failure.message),
            tone(model, WaitingOn::User),
        );
    }
    match model.mode {
        Mode::Filter => Line::raw(format!("/{}▏ Enter keeps it, Esc shows all", model.filter)),
        Mode::Lanes | Mode::Help if !model.filter.is_empty() => {
            Line::styled(format!("/{}  Esc shows all", model.filter), dim())
        }
        Mode::Lanes | Mode::Help => Line::styled("j k move  / filter  ? help  q end", dim()),
    }
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let lines: Vec<Line<'_>> = KEYS
        .iter()
        .map(|(_, words, _)| *words)
        .filter(|words| !words.is_empty())
        .map(|words| Line::raw(format!(" {words} ")))
        .collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let width = 60.min(area.width);
    let place =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys ")), place);
}
