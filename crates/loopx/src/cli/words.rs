//! Words for what lists and decisions show: columns, times ahead, what something covers, who decided.

use jiff::Timestamp;
use loopx_core::gate::GateStanding;
use loopx_core::todo::{Blocker, Covers};

use crate::ui::{Tone, Ui};

/// Aligns the columns of these rows; the last one stays ragged. Widths are counted in characters.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            line += &format!("{cell:<width$}  ");
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// How far ahead, rounded, or how long ago.
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    if at <= now {
        return super::view::ago(Some(at), now);
    }
    let seconds = at.duration_since(now).as_millis().saturating_add(500) / 1000;
    let (minutes, hours) = ((seconds + 30) / 60, (seconds + 1800) / 3600);
    match (seconds, minutes, hours) {
        (0..60, _, _) => format!("in {seconds} s"),
        (_, 0..60, _) => format!("in {minutes} min"),
        (_, _, 0..24) => format!("in {hours} h"),
        _ => format!("in {} d", (seconds + 43_200) / 86_400),
    }
}

/// An instant and how far off it is.
pub fn instant(at: Timestamp, now: Timestamp) -> String {
    format!("{:.0} ({})", at, relative(at, now))
}

/// What something covers.
pub fn covers(covers: &Covers) -> String {
    let mut words = Vec::new();
    if covers.goal {
        words.push("the whole goal".to_owned());
    }
    words.extend(covers.agents.iter().map(|agent| format!("agent {agent}")));
    words.extend(covers.todos.iter().map(ToString::to_string));
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

/// What stands in a todo's way, by its id or label.
pub fn blocker(blocker: &Blocker) -> String {
    match blocker {
        Blocker::Todo(id) => id.to_string(),
        Blocker::Gate(id) => id.to_string(),
        Blocker::Run(id) => id.to_string(),
        Blocker::Evidence(label) => format!("evidence “{label}”"),
    }
}

/// How a gate stands, in a word.
pub const fn standing(standing: GateStanding) -> &'static str {
    match standing {
        GateStanding::Requested => "requested",
        GateStanding::Approved => "approved",
        GateStanding::Rejected => "rejected",
        GateStanding::Deferred => "deferred",
        GateStanding::Withdrawn => "withdrawn",
    }
}

/// Shows rows of a list, each in its tone; `none` where there are none.
pub fn list(ui: &mut Ui, rows: &[(Option<Tone>, Vec<String>)], none: &str) {
    if rows.is_empty() {
        ui.note(none);
        return;
    }
    let cells: Vec<Vec<String>> = rows.iter().map(|(_, row)| row.clone()).collect();
    for ((tone, _), line) in rows.iter().zip(columns(&cells)) {
        let line = match tone {
            Some(tone) => ui.tone(*tone, &line),
            None => ui.plain(&line),
        };
        ui.line(&line);
    }
}

/// Shows one thing, a field a line, under its heading; empty fields are left out.
pub fn fields(ui: &mut Ui, heading: &str, fields: &[(&str, String)]) {
    let heading = ui.tone(Tone::Bold, heading);
    ui.line(&heading);
    for (label, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        let label = ui.tone(Tone::Dim, &format!("  {label:<12}"));
        let value = ui.plain(value);
        ui.line(&format!("{label} {value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_end_ragged() {
        let rows = [vec!["a".to_owned(), "bb".into()], vec!["ccc".into(), "d".into()]];
        assert_eq!(columns(&rows), ["a    bb", "ccc  d"]);
    }

    #[test]
    fn times_ahead_and_past() {
        let now: Timestamp = "2026-11-29T23:31:00Z".parse().expect("an instant");
        for (at, words) in [
            ("2026-11-30T00:16:00Z", "in 45 min"),
            ("2026-12-02T23:31:00Z", "in 3 d"),
            ("2026-11-30T00:30:59.9Z", "in 1 h"),
            ("2026-12-01T23:30:59.9Z", "in 2 d"),
            ("2026-11-29T23:31:00Z", "0 s ago"),
            ("2026-11-29T21:31:00Z", "2 h ago"),
        ] {
            assert_eq!(relative(at.parse().expect("an instant"), now), words);
        }
    }
}
