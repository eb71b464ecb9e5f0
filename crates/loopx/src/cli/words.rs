//! Words for what lists and decisions show: times ahead, what something covers, how a gate stands.

use jiff::Timestamp;
use loopx_core::gate::GateStanding;
use loopx_core::todo::{Blocker, Covers};

use crate::cli::Context;
use crate::cli::list::{Table, when};
use crate::ui::{Tone, Ui};

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

/// An instant as the operator reads it, and how far off it is.
pub fn instant(context: &Context, at: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", when(context, at), relative(at, now))
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
pub fn list(ui: &mut Ui, rows: Vec<(Option<Tone>, Vec<String>)>, none: &str) {
    if rows.is_empty() {
        ui.note(none);
        return;
    }
    let mut table = Table::plain();
    for (tone, cells) in rows {
        let toned = |cell: &String| tone.map_or_else(|| ui.plain(cell), |tone| ui.tone(tone, cell));
        table.row(cells.iter().map(toned).collect());
    }
    table.show(ui);
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
