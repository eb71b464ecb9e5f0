//! `loopx hooks status`.

use jiff::Timestamp;
use loopx_runtimes::Runtime;
use serde::Serialize;

use super::{COMMENTS, TRUST, VersionDocument, headed, named};
use crate::app::hooks::{LEFT, LineIs, Role, Standing, State, Survey, survey};
use crate::cli::words::relative;
use crate::cli::{Context, args};
use crate::error::CliError;
use crate::ui::Tone;

/// How the hooks stand: installed, silent, changed by hand, out of date, and when the last event came.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// claude or codex; without any, both.
    #[arg(value_name = "RUNTIME", value_parser = args::runtime)]
    runtimes: Vec<Runtime>,
}

#[derive(Serialize)]
struct Document {
    schema_version: &'static str,
    runtimes: Vec<RuntimeDocument>,
}

#[derive(Serialize)]
struct RuntimeDocument {
    runtime: Runtime,
    #[serde(flatten)]
    installed: VersionDocument,
    /// When the newest event came.
    last_event_at: Option<Timestamp>,
    files: Vec<FileDocument>,
}

#[derive(Serialize)]
struct FileDocument {
    /// Which settings file.
    file: Role,
    state: State,
    installed_at: Option<Timestamp>,
    /// How many events are told.
    events: usize,
    status_line: Option<LineIs>,
    /// Whether the runtime reads the file: it takes one with comments for broken.
    is_read: bool,
    /// Whether something was written into another file of this kind.
    elsewhere: bool,
}

/// Runs it.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<u8, CliError> {
    let now = context.now();
    let all = survey(&context.env, &context.home()?, &named(&args.runtimes), now)?;
    if context.json() {
        let runtimes = all.iter().map(document).collect();
        context.ui.json(&Document { schema_version: "loopx_hooks_v0", runtimes })?;
        return Ok(0);
    }
    for one in &all {
        show(context, one, now);
    }
    Ok(0)
}

fn document(one: &Survey) -> RuntimeDocument {
    let file = |standing: &Standing| FileDocument {
        file: standing.role,
        state: standing.state,
        installed_at: standing.written.as_ref().map(|written| written.at),
        events: standing.written.as_ref().map_or(0, |written| written.wanted.events.len()),
        status_line: line_of(standing),
        is_read: standing.is_read,
        elsewhere: standing.elsewhere,
    };
    RuntimeDocument {
        runtime: one.runtime,
        installed: VersionDocument::of(one.installed),
        last_event_at: one.heard,
        files: one.files.iter().map(file).collect(),
    }
}

fn line_of(standing: &Standing) -> Option<LineIs> {
    let written = standing.written.as_ref().filter(|_| standing.role == Role::ClaudeSettings);
    written.map(|written| written.wanted.line)
}

fn show(context: &mut Context, one: &Survey, now: Timestamp) {
    let head = context.ui.tone(Tone::Bold, &headed(one.runtime, one.installed));
    context.ui.line(&head);
    for standing in &one.files {
        // Notify is for versions without hooks: it is not missed.
        if standing.role == Role::CodexConfig && standing.state == State::NotInstalled && !standing.elsewhere
        {
            continue;
        }
        let tone = match standing.state {
            State::Installed => Tone::Good,
            State::NotInstalled => Tone::Dim,
            State::Untrusted
            | State::Silent
            | State::BinaryGone
            | State::Older
            | State::ChangedByHand
            | State::Left
            | State::Unrecorded
            | State::Unreadable => Tone::Warn,
        };
        let state = context.ui.tone(tone, standing.state.words());
        let what = standing.written.as_ref().map_or_else(String::new, |written| {
            let events = match standing.role {
                Role::ClaudeSettings | Role::CodexHooks => {
                    format!(", {} events", written.wanted.events.len())
                }
                Role::CodexConfig => ", notify".to_owned(),
            };
            let line = match written.wanted.line {
                LineIs::Left => "",
                LineIs::Wrapped => ", your status line behind ours",
                LineIs::Added => ", a status line that shows nothing",
            };
            format!("{events}{line}")
        });
        context.ui.line(&format!("  {:<14} {state}{what}", standing.role.file()));
        for place in &standing.places {
            context.ui.line(&format!("    changed at {place}"));
        }
        for place in &standing.nobodys {
            let text = format!("    of no runtime at {place}: it notes nothing");
            let text = context.ui.tone(Tone::Warn, &text);
            context.ui.line(&text);
        }
        if !standing.is_read && standing.written.is_some() {
            context.ui.note(&format!("hint: {COMMENTS}"));
        }
        if let Some(hint) = hint(standing) {
            context.ui.note(&format!("hint: {hint}"));
        }
    }
    let last = match one.heard {
        Some(at) => format!("last event {}", relative(at, now)),
        None => "no event in the last 7 days".to_owned(),
    };
    if one.is_there() || one.heard.is_some() {
        context.ui.line(&format!("  {last}"));
    }
}

/// What to do about what `changed at` names.
const CHANGED: &str = "in your editor, take each of them out, or put your own command in its place; then `loopx hooks install` puts \
     them in anew";

/// What to do about it.
fn hint(standing: &Standing) -> Option<&'static str> {
    Some(match standing.state {
        State::NotInstalled if standing.elsewhere => {
            "it was put into another folder's settings: name that folder as then, CLAUDE_CONFIG_DIR or CODEX_HOME"
        }
        State::Installed | State::NotInstalled => return None,
        State::Untrusted => TRUST,
        State::Silent if standing.role.runtime() == Runtime::Codex => TRUST,
        State::Silent => {
            "sessions that were open when it was installed may have to be started anew; `disableAllHooks` in its settings turns all of them off"
        }
        State::BinaryGone | State::Older => "`loopx hooks install` brings it up to date",
        State::ChangedByHand | State::Unrecorded if standing.places.is_empty() => {
            "`loopx hooks install` puts it in anew, `loopx hooks uninstall` takes it out"
        }
        State::Left => LEFT,
        State::ChangedByHand | State::Unrecorded => CHANGED,
        State::Unreadable => "look at the file: it is edited only as UTF-8 of its own format",
    })
}
