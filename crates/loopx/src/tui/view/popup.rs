//! What lies over a view: the keys, where to go, and acting.

use loopx_contract::WaitingOn;
use loopx_core::{Event, ProofFloor};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget as _};

use super::tone::{bold, dim, tone};
use crate::tui::desk::{Done, Preview};
use crate::tui::dialog::Dialog;
use crate::tui::form::{Form, Value};
use crate::tui::jump::Jump;
use crate::tui::keys::KEYS;
use crate::tui::model::{Model, Over};
use crate::tui::sheet::Sheet;
use crate::tui::text::{cut, fit, width, wrap};

/// The most columns of a box.
const WIDEST: u16 = 86;

/// A box: its title, its lines, how far it is scrolled, and what keys do in it.
struct Popup<'a> {
    title: String,
    lines: Vec<Line<'a>>,
    down: u16,
    keys: &'static str,
}

/// Draws it, if something lies there.
pub fn draw(sheet: &mut Sheet, model: &mut Model) {
    let area = sheet.area;
    let width = WIDEST.min(area.width.saturating_sub(2)).max(area.width.min(20));
    let room = usize::from(width.saturating_sub(4)).max(2);
    let popup = match &model.over {
        Over::Nothing | Over::Filter => return,
        Over::Help(down) => help(*down, room),
        Over::Jump(jump) => self::jump(model, jump, room, usize::from(area.height)),
        Over::Dialog(dialog) => self::dialog(model, dialog, room),
    };
    let height =
        u16::try_from(popup.lines.len() + 2).unwrap_or(u16::MAX).min(area.height.saturating_sub(1)).max(1);
    let most = u16::try_from(popup.lines.len()).unwrap_or(u16::MAX).saturating_sub(height.saturating_sub(2));
    let down = popup.down.min(most);
    let x = area.x + (area.width - width.min(area.width)) / 2;
    let y = area.y + (area.height - height) / 2;
    let place = Rect { x, y, width: width.min(area.width), height };
    let buffer = sheet.painted();
    // Of a wide character no half is left beside the box.
    for y in place.top()..place.bottom() {
        let left = place.x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)));
        if let Some(left) = left.filter(|cell| crate::tui::text::width(cell.symbol()) > 1) {
            left.set_symbol(" ");
        }
    }
    Clear.render(place, buffer);
    let more = if most > down { " ↓ more " } else { "" };
    let block = Block::bordered()
        .title(Span::styled(format!(" {} ", cut(&popup.title, room.saturating_sub(2))), bold()))
        .title_bottom(Line::styled(format!(" {} ", cut(popup.keys, room.saturating_sub(2))), dim()))
        .title_bottom(Line::styled(more, bold()).right_aligned())
        .padding(ratatui::widgets::Padding::horizontal(1));
    Paragraph::new(popup.lines).scroll((down, 0)).block(block).render(place, buffer);
    // It can't be scrolled beyond its end.
    match &mut model.over {
        Over::Help(at) | Over::Dialog(Dialog::Preview(_, at)) => *at = down,
        Over::Nothing | Over::Filter | Over::Jump(_) | Over::Dialog(_) => {}
    }
}

fn help<'a>(down: u16, room: usize) -> Popup<'a> {
    let names = KEYS.iter().map(|key| width(key.name)).max().unwrap_or(0).min(room / 2);
    let mut lines = Vec::new();
    for key in &KEYS {
        let words = wrap(key.words, room.saturating_sub(names + 2));
        lines.extend(words.into_iter().enumerate().map(|(at, words)| {
            let name = fit(if at == 0 { key.name } else { "" }, names);
            Line::from(vec![Span::styled(name, bold()), Span::raw(format!("  {words}"))])
        }));
    }
    Popup { title: "keys".to_owned(), lines, down, keys: "j k scroll, any other key closes" }
}

fn jump<'a>(model: &Model, jump: &Jump, room: usize, rows: usize) -> Popup<'a> {
    let targets = jump.targets(model.board());
    let shown = rows.saturating_sub(6).clamp(1, 16);
    let first = (jump.at + 1).saturating_sub(shown);
    let mut lines = vec![Line::from(vec![
        Span::styled("› ", bold()),
        Span::raw(cut_start(jump.input.text(), room.saturating_sub(4))),
        Span::raw("▏"),
    ])];
    lines.extend(
        targets
            .iter()
            .enumerate()
            .skip(first)
            .take(shown)
            .map(|(at, target)| choice(at == jump.at, &target.name(), room)),
    );
    if targets.is_empty() {
        lines.push(Line::styled("no goal and no lane has these letters", dim()));
    }
    let title = format!("go to a goal or lane ({})", targets.len());
    Popup { title, lines, down: 0, keys: "Enter goes there, ↑ ↓ choose, Esc leaves" }
}

fn choice<'a>(is_chosen: bool, words: &str, room: usize) -> Line<'a> {
    let words = fit(words, room.saturating_sub(2));
    if is_chosen {
        Line::styled(format!("› {words}"), bold().add_modifier(Modifier::REVERSED))
    } else {
        Line::raw(format!("  {words}"))
    }
}

/// The end of what is typed, where not all of it has room.
fn cut_start(text: &str, columns: usize) -> String {
    let mut rest = text;
    while width(rest) > columns {
        let mut signs = rest.chars();
        signs.next();
        rest = signs.as_str();
    }
    rest.to_owned()
}

fn dialog<'a>(model: &Model, dialog: &Dialog, room: usize) -> Popup<'a> {
    match dialog {
        Dialog::Menu(acts, at) => {
            let lines = acts
                .iter()
                .enumerate()
                .map(|(act, entry)| choice(act == *at, &format!("{}  {}", entry.key, entry.label), room));
            let keys = "a letter or Enter takes one, Esc leaves; nothing is done yet";
            let down = u16::try_from(at.saturating_sub(10)).unwrap_or(0);
            Popup { title: "act".to_owned(), lines: lines.collect(), down, keys }
        }
        Dialog::Form(form) => self::form(model, form, room),
        Dialog::Asking(_) => Popup {
            title: "act".to_owned(),
            lines: vec![Line::raw("asking the store …")],
            down: 0,
            keys: "Esc goes back to the list",
        },
        Dialog::Preview(preview, down) => self::preview(model, preview, *down, room),
        Dialog::Done(done) => self::done(done, room),
        Dialog::Failed(error) => {
            let alert = tone(model, WaitingOn::User);
            let mut lines = said(&error.message, room, alert);
            lines.extend(error.hint.iter().flat_map(|hint| said(hint, room, dim())));
            Popup { title: "nothing was recorded".to_owned(), lines, down: 0, keys: "any key goes back" }
        }
    }
}

fn said<'a>(words: &str, room: usize, style: ratatui::style::Style) -> Vec<Line<'a>> {
    wrap(words, room).into_iter().map(|line| Line::styled(line, style)).collect()
}

fn form<'a>(model: &Model, form: &Form, room: usize) -> Popup<'a> {
    let labels = form.fields.iter().map(|field| width(field.label)).max().unwrap_or(0).min(room / 2);
    let mut lines = Vec::new();
    for (at, field) in form.fields.iter().enumerate() {
        let here = at == form.at;
        let value = match &field.value {
            Value::Text(input) | Value::Number(input) => {
                let typed = cut_start(input.text(), room.saturating_sub(labels + 5));
                format!("{typed}{}", if here { "▏" } else { "" })
            }
            Value::Choice(of, chosen) => {
                let words = of.get(*chosen).map_or("–", |(_, words)| words.as_str());
                format!("‹ {words} ›")
            }
        };
        let style = if here { bold() } else { dim() };
        lines.push(Line::from(vec![
            Span::styled(if here { "› " } else { "  " }, style),
            Span::styled(fit(field.label, labels), style),
            Span::raw(format!("  {value}")),
        ]));
    }
    if let Some(said) = &model.said {
        lines.push(Line::raw(""));
        lines.extend(self::said(said, room, tone(model, WaitingOn::User)));
    }
    let keys = "Enter goes on, ↑ ↓ fields, ← → choices, Esc leaves";
    Popup { title: form.title.clone(), lines, down: 0, keys }
}

fn preview<'a>(model: &Model, preview: &Preview, down: u16, room: usize) -> Popup<'a> {
    let mut lines = said(&preview.words, room, bold());
    lines.push(Line::styled(format!("on goal {}", preview.goal), dim()));
    lines.push(Line::raw(""));
    if preview.events.is_empty() {
        lines.extend(said(
            "It is so already: nothing would be recorded.",
            room,
            ratatui::style::Style::new(),
        ));
    } else {
        lines.push(Line::styled("What is recorded then:", dim()));
    }
    for event in &preview.events {
        lines.push(Line::styled(event.name(), bold()));
        lines.extend(fields(event).into_iter().flat_map(|(name, value)| {
            wrap(&value, room.saturating_sub(22)).into_iter().enumerate().map(move |(at, piece)| {
                let name = fit(if at == 0 { &name } else { "" }, 18);
                Line::from(vec![Span::styled(format!("  {name}  "), dim()), Span::raw(piece)])
            })
        }));
    }
    lines.push(Line::raw(""));
    let (keys, needs) = match (preview.lacking, preview.needed.floor) {
        _ if preview.events.is_empty() => ("any key goes back", String::new()),
        (Some(why), _) => ("Esc goes back", format!("It can't be confirmed here: {why}.")),
        (None, ProofFloor::None) => ("y or Enter records it, Esc leaves it", String::new()),
        (None, ProofFloor::Terminal) => {
            ("y or Enter goes on, Esc leaves it", "It takes a code that is shown and typed back.".to_owned())
        }
        (None, ProofFloor::Passphrase) => {
            ("y or Enter goes on, Esc leaves it", "It takes the passphrase.".to_owned())
        }
    };
    let style = if preview.lacking.is_some() { tone(model, WaitingOn::User) } else { dim() };
    if !needs.is_empty() {
        lines.extend(said(&needs, room, style));
    }
    Popup { title: "confirm".to_owned(), lines, down, keys }
}

/// An event's fields, those that say something.
fn fields(event: &Event) -> Vec<(String, String)> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(event) else { return Vec::new() };
    let says =
        |(name, value): (String, serde_json::Value)| (name != "type").then_some((name, said_of(value)?));
    fields.into_iter().filter_map(says).collect()
}

/// A value as a person reads it; nothing where it says nothing.
fn said_of(value: serde_json::Value) -> Option<String> {
    use serde_json::Value::{Array, Bool, Null, Number, Object, String as Text};
    match value {
        Null => None,
        Text(text) => Some(text),
        Array(values) => {
            let said: Vec<String> = values.into_iter().filter_map(said_of).collect();
            (!said.is_empty()).then(|| said.join(", "))
        }
        Object(fields) => {
            // A text of the log stands in an object of its own.
            let only = fields.len() == 1;
            let said = fields.into_iter().filter_map(|(name, value)| {
                let value = said_of(value)?;
                Some(if only && name == "text" { value } else { format!("{name}: {value}") })
            });
            let said: Vec<String> = said.collect();
            (!said.is_empty()).then(|| said.join(", "))
        }
        value @ (Bool(_) | Number(_)) => Some(value.to_string()),
    }
}

fn done<'a>(done: &Done, room: usize) -> Popup<'a> {
    let receipt = &done.receipt;
    let mut lines = said(&done.words, room, bold());
    let already = match (receipt.replayed, receipt.events.is_empty()) {
        (true, _) => ", as was already recorded",
        (false, true) => "; it was so already",
        (false, false) => "",
    };
    lines.extend(said(
        &format!("at revision {} of {}{already}", receipt.revision, receipt.goal),
        room,
        dim(),
    ));
    for recorded in &receipt.events {
        let proof = recorded.actor.proof.word();
        lines.push(Line::raw(cut(&format!("  {}, proof {proof}", recorded.event.name()), room)));
    }
    lines.extend(done.note.iter().flat_map(|note| said(note, room, bold())));
    Popup { title: "recorded".to_owned(), lines, down: 0, keys: "u undo …, any other key goes back" }
}
