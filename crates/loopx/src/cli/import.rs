//! `loopx import`: takes in what `export` wrote, all of it or nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use loopx_contract::GoalId;
use loopx_core::RefusalCode;
use loopx_core::actor::{Actor, Channel, Proof, Who};
use loopx_safety::io_words;
use loopx_store::{LONGEST_LINE, StoreError};
use serde::{Deserialize, Serialize};

use crate::cli::{Context, bound};
use crate::error::{CliError, ErrorKind};

/// Read goals that `loopx export` wrote: all of them or nothing.
///
/// A new goal needs no proof. Events of a goal that is here need what its decisions need. Inside an agent's session
/// it is refused. Bindings of sessions and folders stay behind: `loopx bind` makes them anew.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize)]
struct ImportDocument<'a> {
    schema_version: &'static str,
    goals: &'a [GoalId],
    /// Events that are new here.
    events: u64,
    /// Events that were here already.
    known: u64,
    /// Texts that were here and are gone: a purge came in that took them away.
    purged: u64,
    /// Texts that were purged here. They stay out, and the file holds them still.
    withheld: u64,
}

/// Of a line, what says whose it is.
#[derive(Deserialize)]
struct OfGoal {
    goal: GoalId,
}

/// Runs it.
pub fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let bytes = read(&bound::cwd(context)?, &args.file)?;
    let named: BTreeSet<GoalId> = bytes
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<OfGoal>(line).ok())
        .map(|line| line.goal)
        .collect();
    let here: BTreeSet<GoalId> = context.plane()?.goals()?.into_iter().map(|goal| goal.id).collect();
    let there: Vec<&GoalId> = named.intersection(&here).collect();
    let new = named.len() > there.len();
    // A damaged one the store refuses for what it is.
    let mut sound = Vec::new();
    for goal in &there {
        if context.plane()?.state(goal).is_ok() {
            sound.push(*goal);
        }
    }
    let needed = context.needed(&sound)?;
    let floor = needed.floor;
    let question = format!("import events of {}", some(&there));
    let (proof, lacking) = context.prove_for(&needed, &question)?;
    let actor = Actor { who: Who::Person, channel: Channel::Cli, proof };
    let inside = context.plane()?.caller().is_some();
    // What an agent brings in as a new goal could bind another goal's folder.
    if inside && (new || !floor.accepts(proof)) {
        return Err(refuse(context, &there, &actor, "this runs inside an agent's session"));
    }
    let imported = context.plane()?.store().import(&mut bytes.as_slice(), &actor);
    let summary = match imported {
        Ok(summary) => summary,
        Err(StoreError::Refused(refusal)) if refusal.is_recorded() => {
            return Err(refuse(
                context,
                &there,
                &actor,
                lacking.unwrap_or("the proof is less than it asks for"),
            ));
        }
        Err(StoreError::Import { line, reason }) => {
            return Err(CliError::usage(format!("line {line}: {reason}; nothing was imported"))
                .hint("export it again where it comes from: `loopx export`"));
        }
        Err(error) => return Err(error.into()),
    };
    if context.json() {
        context.ui.json(&ImportDocument {
            schema_version: "loopx_import_v0",
            goals: &summary.goals,
            events: summary.events,
            known: summary.known,
            purged: summary.purged,
            withheld: summary.withheld,
        })?;
    } else {
        let (goals, events, known) = (summary.goals.len(), summary.events, summary.known);
        context.ui.line(&format!("imported {goals} goals: {events} events, {known} known already"));
    }
    if summary.purged > 0 {
        context.ui.note(&format!(
            "{} texts were purged where this comes from, and are gone here too; backups and exports that were made before \
             still hold them",
            summary.purged
        ));
    }
    if summary.withheld > 0 {
        context.ui.note(&format!(
            "{} texts in this file were purged here: they stay out, and the file still holds them: remove it",
            summary.withheld
        ));
    }
    Ok(0)
}

fn some(goals: &[&GoalId]) -> String {
    let names: Vec<&str> = goals.iter().map(|goal| goal.as_str()).collect();
    if names.is_empty() {
        "new goals".to_owned()
    } else {
        format!("goals that are here: {}", names.join(", "))
    }
}

/// Says no, and says so in the log of every goal that is here.
fn refuse(context: &mut Context, there: &[&GoalId], actor: &Actor, why: &str) -> CliError {
    let now = context.now();
    let actor = Actor { proof: Proof::None, ..actor.clone() };
    for goal in there {
        let said = context.plane().and_then(|plane| {
            Ok(plane.store().refuse(goal, &actor, "import", RefusalCode::NeedsProof, now)?)
        });
        if let Err(error) = said {
            context.ui.note(&format!("the refusal could not be recorded on {goal}: {error}"));
        }
    }
    CliError::new(ErrorKind::Refused, format!("import refused: {why}"))
        .hint("run it yourself in a terminal outside the agent's session")
}

fn read(base: &Path, typed: &Path) -> Result<Vec<u8>, CliError> {
    let read = if typed.as_os_str() == "-" {
        lines(&mut io::stdin().lock())
    } else {
        fs::File::open(base.join(typed)).and_then(|file| lines(&mut io::BufReader::new(file)))
    };
    read.map_err(|error| unread(typed, &error))
}

/// All of it; what may have no end is given up at the first line that will be refused: one that is too long for an
/// event, or a first one that is no header.
fn lines(from: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        Read::take(&mut *from, LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        let length = (bytes.len() - before) as u64;
        let headless = before == 0 && !bytes.starts_with(b"{");
        if length == 0 || length == LONGEST_LINE || headless {
            return Ok(bytes);
        }
    }
}

fn unread(typed: &Path, error: &io::Error) -> CliError {
    let typed = typed.to_string_lossy();
    let error = if error.kind() == io::ErrorKind::NotFound {
        CliError::not_found(format!("no file {typed}"))
    } else {
        CliError::internal(format!("failed to read {typed}: {}", io_words(error.kind())))
    };
    error.hint("name a file that `loopx export` wrote")
}
