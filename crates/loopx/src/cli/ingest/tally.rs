//! What became of the lines, and how that is said.

use loopx_contract::worker::Fault;
use loopx_runtimes::worker::Intake;
use loopx_safety::{Class, Handle};
use serde::Serialize;

use crate::error::{CliError, ErrorKind};
use crate::ui::Ui;

/// How many faults are shown; the rest are counted.
const SHOWN: usize = 1000;

/// How many sessions are named.
const NAMED: usize = 8;

/// The counts.
pub struct Tally {
    checks_only: bool,
    taken: u64,
    refused: u64,
    refusals: Vec<RefusalDocument>,
}

#[derive(Serialize)]
struct IngestDocument<'a> {
    schema_version: &'static str,
    /// Whether nothing was taken, only judged.
    checked_only: bool,
    /// Lines that were taken, those too old among them.
    taken: u64,
    /// Lines over 7 days old: they count no more.
    old: u64,
    /// Lines that were refused.
    refused: u64,
    /// Keys of lines that were taken: unknown ones, and those that are not a worker's to say.
    dropped_keys: u64,
    /// The sessions that were told of: the first thousand.
    sessions: Vec<&'a Handle>,
    /// What was wrong: the first thousand faults.
    refusals: &'a [RefusalDocument],
}

#[derive(Serialize)]
struct RefusalDocument {
    line: u64,
    /// The field; null where it is the line itself.
    field: Option<&'static str>,
    /// In a list: which element, from 0.
    item: Option<usize>,
    /// In an object: the name there.
    part: Option<&'static str>,
    problem: &'static str,
    /// What the screen found.
    class: Option<Class>,
}

impl Tally {
    /// Nothing so far.
    pub const fn new(checks_only: bool) -> Self {
        Self { checks_only, taken: 0, refused: 0, refusals: Vec::new() }
    }

    /// Whether lines are judged and not taken.
    pub const fn checks_only(&self) -> bool {
        self.checks_only
    }

    /// One more line was taken.
    pub const fn taken(&mut self) {
        self.taken += 1;
    }

    /// One more was refused.
    pub fn refused(&mut self, line: u64, faults: &[Fault], ui: &mut Ui) {
        self.refused += 1;
        for fault in faults {
            if self.refusals.len() == SHOWN {
                return;
            }
            ui.note(&format!("line {line}: {fault}"));
            let field = fault.field;
            self.refusals.push(RefusalDocument {
                line,
                field: field.map(|field| field.name),
                item: field.and_then(|field| field.item),
                part: field.and_then(|field| field.part),
                problem: fault.problem.word(),
                class: fault.problem.class(),
            });
            if self.refusals.len() == SHOWN {
                ui.note("more faults are counted, not shown");
            }
        }
    }

    /// Says it, and gives the exit code.
    pub fn show(&self, intake: &Intake<'_>, ui: &mut Ui, json: bool) -> Result<u8, CliError> {
        let sessions: Vec<&Handle> = intake.sessions().iter().take(SHOWN).collect();
        if json {
            ui.json(&IngestDocument {
                schema_version: "loopx_ingest_v0",
                checked_only: self.checks_only,
                taken: self.taken,
                old: intake.old(),
                refused: self.refused,
                dropped_keys: intake.dropped(),
                sessions,
                refusals: &self.refusals,
            })?;
        } else {
            self.say(intake, &sessions, ui);
        }
        if self.refused == 0 {
            return Ok(0);
        }
        ui.note("what a line may say: `loopx schema worker-facts`");
        Ok(ErrorKind::Refused.exit())
    }

    fn say(&self, intake: &Intake<'_>, sessions: &[&Handle], ui: &mut Ui) {
        let more = if intake.sessions().len() > SHOWN { "over " } else { "" };
        let of = |count: u64, what: &str| {
            if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
        };
        let done = if self.checks_only { "sound" } else { "taken" };
        let (lines, all) = (of(self.taken, "line"), of(sessions.len() as u64, "session"));
        let mut words = format!("{done}: {lines} of {more}{all}");
        for (count, what) in [
            (self.refused, "refused"),
            (intake.old(), "too old to count"),
            (intake.dropped(), if intake.dropped() == 1 { "key dropped" } else { "keys dropped" }),
        ] {
            if count > 0 {
                words += &format!("; {count} {what}");
            }
        }
        ui.line(&words);
        if sessions.len() <= NAMED {
            for session in sessions {
                ui.line(&session.to_string());
            }
        }
    }
}
