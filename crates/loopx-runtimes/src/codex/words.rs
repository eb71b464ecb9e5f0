//! What has to be read out of words: versions, arguments, outputs, and messages that the runtime wrote itself.

use super::records::{Arguments, Output, Part};
use crate::check::{self, Exit};
use crate::reader::field::{Content, Object, Present, Text};
use crate::reader::skim;

/// The first version that writes turn markers, as far as recordings tell.
const MARKED_SINCE: (u64, u64) = (0, 106);
/// How much of an output is looked at for its header, in bytes.
const HEADER: usize = 1024;

/// Whether a version marks turns; `None` where it tells nothing.
pub fn marks_turns(version: &str) -> Option<bool> {
    let mut parts = version.split(['.', '-']);
    let major: u64 = parts.next()?.parse().ok()?;
    let minor: u64 = parts.next()?.parse().ok()?;
    // Builds from source call themselves 0.0.0.
    ((major, minor) != (0, 0)).then_some((major, minor) >= MARKED_SINCE)
}

/// What a call's arguments ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// More than the sandbox gives.
    pub escalated: bool,
    /// A check.
    pub check: Option<check::Kind>,
    /// To go on with this process.
    pub process: Option<i64>,
}

/// Reads a call's arguments.
pub fn asked(arguments: &Content<'_, Present>) -> Asked {
    let Some(body) = arguments.body().filter(|body| may_matter(body.as_it_stands())) else {
        return Asked::default();
    };
    let text = body.whole();
    let Ok(arguments) = skim::object::<Arguments<'_>>(text.as_bytes()) else { return Asked::default() };
    Asked {
        escalated: arguments.sandbox_permissions.is("require_escalated")
            || arguments.with_escalated_permissions.0,
        check: command(&arguments.command).or_else(|| command(&arguments.cmd)),
        process: arguments.session_id.0,
    }
}

/// Whether arguments, with their escapes, may ask for anything. Most don't, and to decode them costs more.
fn may_matter(arguments: &[u8]) -> bool {
    let has = |word: &str| memchr::memmem::find(arguments, word.as_bytes()).is_some();
    check::names_a_tool(arguments) || has("session_id") || has("permissions")
}

/// The check that a command is, be it one line or its words.
pub fn command(command: &Content<'_, Text<'_>>) -> Option<check::Kind> {
    match command {
        Content::Nothing => None,
        Content::Text(line) => check::of_line(line),
        Content::List(words) => {
            check::of_words(&words.iter().map(|word| word.get().unwrap_or_default()).collect::<Vec<_>>())
        }
    }
}

/// What an output says of its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// How it ended.
    Ended(Exit),
    /// It goes on, as this process.
    Running(i64),
}

/// Reads how a command ended out of what its call gave. Only the header counts: behind it the command speaks.
pub fn told(output: &Content<'_, Present>) -> Told {
    let Some(body) = output.body() else { return Told::Ended(Exit::Unknown) };
    let beginning = body.beginning(HEADER);
    if beginning.starts_with('{') {
        let whole = body.whole();
        let code = skim::object::<Output>(whole.as_bytes())
            .ok()
            .and_then(|output| output.metadata.get()?.exit_code.0)
            .and_then(|code| code.try_into().ok());
        return Told::Ended(code.map_or(Exit::Unknown, Exit::Code));
    }
    for line in beginning.lines() {
        let number = |text: Option<&str>| text.and_then(|text| text.trim().parse().ok());
        if line.starts_with("Output:") {
            break;
        }
        let code = line.strip_prefix("Exit code:").or_else(|| line.strip_prefix("Process exited with code"));
        if code.is_some() {
            return Told::Ended(number(code).map_or(Exit::Unknown, Exit::Code));
        }
        if let Some(process) = line.strip_prefix("Process running with session ID") {
            return process.trim().parse().map_or(Told::Ended(Exit::Unknown), Told::Running);
        }
        if line.starts_with("aborted by user") || line.starts_with("exec command rejected by user") {
            return Told::Ended(Exit::Cancelled);
        }
    }
    Told::Ended(Exit::Unknown)
}

/// Whether a user's message was written by the runtime.
pub fn injected(content: &Content<'_, Object<Part<'_>>>) -> bool {
    const MARKS: [&str; 6] = [
        "<environment_context>",
        "<user_instructions>",
        "# AGENTS.md",
        "<permissions",
        "<turn_aborted>",
        "<skill",
    ];
    let first = content.list().first().and_then(|part| part.get()?.text.body());
    first.is_some_and(|text| {
        let beginning = text.beginning(64);
        MARKS.iter().any(|mark| beginning.trim_start().starts_with(mark))
    })
}
