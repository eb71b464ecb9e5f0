//! What came of it, in words: a finding a line, `FILE:LINE:COLUMNS: error CLASS: HINT`.

use std::ops::Range;
use std::path::Path;

use super::finding::{LINK, Place, Placed};
use super::report::Report;
use crate::cli::check::counted;
use crate::ui::{Tone, Ui};

/// Shows it.
pub fn show(ui: &mut Ui, report: &Report, allow: Option<&Path>) {
    for Placed(path, finding) in report.findings() {
        let (path, word) = (ui.plain(path), finding.kind.word());
        let at = match &finding.place {
            Place::Whole => String::new(),
            Place::Name(within) => format!(" (its name, {})", columns(within)),
            Place::Target(within) => format!(" (where it points, {})", columns(within)),
            Place::Line(line, within) => format!(":{line}:{}", span(within)),
            Place::Bytes(bytes) => format!(" (byte {})", bytes.start),
        };
        let severity = ui.tone(Tone::Alert, "error");
        ui.line(&format!("{path}{at}: {severity} {word}: {}", finding.kind.hint()));
    }
    for one in report.checked.iter().filter(|one| one.looked.unlisted > 0) {
        let (path, more) = (ui.plain(&one.path), counted(one.looked.unlisted, "finding"));
        ui.line(&format!("{path}: {more} more not listed"));
    }
    let note = ui.tone(Tone::Dim, "note");
    for path in report.links() {
        let path = ui.plain(path);
        ui.line(&format!("{path}: {note} {LINK}: not followed"));
    }
    for (path, read_as) in report.read_as() {
        let path = ui.plain(path);
        ui.line(&format!("{path}: {note} {}", read_as.words()));
    }
    for line in &report.unused {
        let allow = ui.plain(&allow.unwrap_or(Path::new("")).to_string_lossy());
        let severity = ui.tone(Tone::Warn, "warning");
        ui.line(&format!("{allow}:{line}: {severity} unused: the exception matches nothing: take it out"));
    }
    sum(ui, report);
}

fn sum(ui: &mut Ui, report: &Report) {
    let (unlisted, excepted) = report.unlisted_and_excepted();
    let findings = report.findings().count() + unlisted;
    ui.note(&format!(
        "{}: {}, {excepted} excepted, {}",
        counted(report.files(), "file"),
        counted(findings, "finding"),
        counted(report.unused.len(), "warning"),
    ));
}

/// Columns as they are written in exceptions too: the last one included.
fn span(columns: &Range<usize>) -> String {
    let (first, last) = (columns.start, columns.end.saturating_sub(1));
    if last > first { format!("{first}-{last}") } else { first.to_string() }
}

/// The same, in a sentence.
pub fn columns(within: &Range<usize>) -> String {
    let what = if within.len() > 1 { "columns" } else { "column" };
    format!("{what} {}", span(within))
}
