//! `loopx doctor`: looks at everything LoopX leans on, says what it looked at, and gives one way out of each finding.

mod hooks;
mod own;
mod seen;
mod texts;

use loopx_contract::GoalId;
use serde::Serialize;

use crate::app::home::Home;
use crate::cli::Context;
use crate::error::CliError;
use crate::ui::Tone;

/// Verify the store and all that LoopX leans on. Every finding comes with one way out.
///
/// Exit code 0 if all is sound, 1 if something is damaged. Nothing is created or changed, but with --rebuild.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write what is kept ready to read anew from the log, where it differs from it.
    #[arg(long)]
    rebuild: bool,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Looked {
    what: &'static str,
    /// How it is, in a word or two.
    state: String,
    /// How many, where that says something.
    count: Option<u64>,
}

impl Looked {
    fn at(what: &'static str, state: impl Into<String>) -> Self {
        Self { what, state: state.into(), count: None }
    }

    fn counted(what: &'static str, state: impl Into<String>, count: u64) -> Self {
        Self { what, state: state.into(), count: Some(count) }
    }
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
pub struct Found {
    /// A stable word.
    code: &'static str,
    goal_id: Option<GoalId>,
    /// What is wrong.
    problem: String,
    /// The one way out.
    way_out: String,
}

/// What is looked at, and what is wrong with it.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    looked_at: Vec<Looked>,
    findings: Vec<Found>,
}

#[derive(Serialize)]
struct DoctorDocument {
    schema_version: &'static str,
    sound: bool,
    #[serde(flatten)]
    report: Report,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let mut report = Report::default();
    if let Some(home) = Home::of(&context.env) {
        own::look(context, &home, args.rebuild, &mut report)?;
        texts::look(context, &home, &mut report);
        hooks::look(context, &home, &mut report);
    } else {
        report.looked_at.push(Looked::at("data folder", "no place for it"));
        report.findings.push(Found {
            code: "no_home",
            goal_id: None,
            problem: "neither HOME nor LOOPX_HOME is set".to_owned(),
            way_out: "set LOOPX_HOME to a folder of yours".to_owned(),
        });
    }
    seen::look(context, &mut report)?;
    let sound = report.findings.is_empty();
    if context.json() {
        context.ui.json(&DoctorDocument { schema_version: "loopx_doctor_v0", sound, report })?;
    } else {
        show(context, &report);
    }
    Ok(u8::from(!sound))
}

fn show(context: &mut Context, report: &Report) {
    let ui = &mut context.ui;
    let heading = ui.tone(Tone::Bold, "looked at");
    ui.line(&heading);
    for looked in &report.looked_at {
        let what = ui.tone(Tone::Dim, &format!("  {:<20}", looked.what));
        let count = looked.count.map_or_else(String::new, |count| format!("{count} "));
        let state = ui.plain(&looked.state);
        ui.line(&format!("{what} {count}{state}"));
    }
    for found in &report.findings {
        let goal = found.goal_id.as_ref().map_or_else(String::new, |goal| format!("{goal}: "));
        let head = ui.tone(Tone::Alert, &format!("✗ {goal}{}", found.problem));
        let way_out = ui.plain(&found.way_out);
        ui.line(&head);
        ui.line(&format!("  way out: {way_out}"));
    }
    let end = match report.findings.len() {
        0 => ui.tone(Tone::Good, "✓ all sound"),
        1 => ui.tone(Tone::Alert, "1 finding"),
        count => ui.tone(Tone::Alert, &format!("{count} findings")),
    };
    ui.line(&end);
}
