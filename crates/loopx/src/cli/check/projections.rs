//! The contract's acceptance checks over projection files.

use std::path::Path;

use loopx_contract::check::{DocumentReport, Finding, Options, Place, Severity, Writeback, check_document};
use loopx_contract::{AgentId, GoalId, RuntimeId};
use loopx_safety::PrivateWords;
use serde::{Deserialize, Serialize};

use crate::cli::Context;
use crate::error::CliError;
use crate::ui::Tone;

use super::files::{self, Trouble};
use super::{Args, counted};

/// An acceptance as it stands in a file.
#[derive(Deserialize)]
struct Acceptance {
    #[serde(rename = "goal_id")]
    goal: GoalId,
    #[serde(rename = "agent_id")]
    agent: Option<AgentId>,
    #[serde(rename = "runtime_id")]
    runtime: Option<RuntimeId>,
}

#[derive(Serialize)]
struct CheckDocument {
    schema_version: &'static str,
    accepted: bool,
    /// How many projections were checked.
    projections: usize,
    errors: usize,
    warnings: usize,
    documents: Vec<Checked>,
}

/// One file, as it was typed or found.
#[derive(Serialize)]
struct Checked {
    path: String,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Checked(DocumentReport),
    Unread { trouble: Trouble },
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let base = context.env.cwd.clone().unwrap_or_default();
    let tier = args.tier.kind();
    let words = context.words_of_all(tier)?;
    let writeback = args.writeback.as_deref().map(|file| acceptance(&base, file, &words)).transpose()?;
    let options = Options { writeback, words, ..Options::new(tier) };
    let mut documents = Vec::new();
    for typed in &args.paths {
        for found in files::below(&base, typed, &options.words)? {
            let outcome = match found.bytes(&base) {
                Ok(bytes) => Outcome::Checked(check_document(&bytes, &options)),
                Err(trouble) => Outcome::Unread { trouble },
            };
            documents.push(Checked { path: found.shown, outcome });
        }
    }
    let document = CheckDocument::of(documents);
    if context.json() {
        context.ui.json(&document)?;
    } else {
        show(context, &document);
    }
    Ok(if document.accepted { 0 } else { 7 })
}

fn acceptance(base: &Path, file: &Path, words: &PrivateWords) -> Result<Writeback, CliError> {
    let [found] = files::below(base, file, words)?.try_into().map_err(|_| not_an_acceptance())?;
    let bytes = found.bytes(base).map_err(|_| not_an_acceptance())?;
    let read: Acceptance = serde_json::from_slice(&bytes).map_err(|_| not_an_acceptance())?;
    Ok(Writeback { goal_id: read.goal, agent_id: read.agent, runtime_id: read.runtime })
}

fn not_an_acceptance() -> CliError {
    CliError::usage("the writeback file is no acceptance").hint(
        r#"write it as {"goal_id": "…", "agent_id": "…", "runtime_id": "…"}; the last two may be left out"#,
    )
}

impl CheckDocument {
    fn of(documents: Vec<Checked>) -> Self {
        let reports = || documents.iter().filter_map(Checked::report);
        let unread = documents.iter().filter(|checked| checked.report().is_none()).count();
        let count = |severity| reports().flat_map(findings).filter(|one| one.1.severity == severity).count();
        Self {
            schema_version: "loopx_check_v0",
            accepted: unread == 0 && reports().all(DocumentReport::is_accepted),
            projections: reports().map(|report| report.items.len()).sum(),
            errors: unread + count(Severity::Error),
            warnings: count(Severity::Warning),
            documents,
        }
    }
}

impl Checked {
    fn report(&self) -> Option<&DocumentReport> {
        match &self.outcome {
            Outcome::Checked(report) => Some(report),
            Outcome::Unread { .. } => None,
        }
    }
}

/// All findings of a document, those of the whole first; each with what stands before its pointer.
fn findings(report: &DocumentReport) -> impl Iterator<Item = (Place, &Finding)> {
    let whole = report.findings.iter().map(|finding| (Place::Whole, finding));
    let items = report.items.iter();
    whole.chain(items.flat_map(|item| item.report.findings.iter().map(move |finding| (item.place, finding))))
}

fn show(context: &mut Context, document: &CheckDocument) {
    let ui = &mut context.ui;
    for checked in &document.documents {
        let path = ui.plain(&checked.path);
        match &checked.outcome {
            Outcome::Unread { trouble } => {
                let severity = ui.tone(Tone::Alert, "error");
                ui.line(&format!("{path}: {severity} {}: {}", trouble.word(), trouble.hint()));
            }
            Outcome::Checked(report) => {
                for (place, finding) in findings(report) {
                    let at = match place {
                        Place::Whole => finding.pointer.clone(),
                        Place::Element(index) => format!("/{index}{}", finding.pointer),
                        Place::Line(line) => format!("{line}:{}", finding.pointer),
                    };
                    let at = if at.is_empty() { at } else { format!(":{}", ui.plain(&at)) };
                    let (tone, severity) = match finding.severity {
                        Severity::Error => (Tone::Alert, "error"),
                        Severity::Warning => (Tone::Warn, "warning"),
                    };
                    let severity = ui.tone(tone, severity);
                    let (code, hint) = (word(finding), ui.plain(&finding.hint));
                    ui.line(&format!("{path}{at}: {severity} {code}: {hint}"));
                }
            }
        }
    }
    ui.note(&format!(
        "{} in {}: {}, {}",
        counted(document.projections, "projection"),
        counted(document.documents.len(), "file"),
        counted(document.errors, "error"),
        counted(document.warnings, "warning"),
    ));
}

/// The code's stable word.
fn word(finding: &Finding) -> String {
    serde_json::to_value(finding.code)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}
