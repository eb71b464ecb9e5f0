//! How lists and things are shown in words.

use jiff::Timestamp;

pub use crate::app::reading::{blocker, covers, relative, standing};
use crate::cli::Context;
use crate::cli::list::{Table, zone};
use crate::ui::{Tone, Ui};

/// An instant as the operator reads it, and how far off it is.
pub fn instant(context: &Context, at: Timestamp, now: Timestamp) -> String {
    crate::app::reading::instant(at, &zone(context), now)
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
